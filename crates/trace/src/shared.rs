//! Packed events that need not be this process's own: a buffer that many processes map.
//!
//! ```text
//!   Packer ──▶ Vec<PackedEvent> ──┐
//!                                 ├──▶ PackedEvents ──▶ PackedTrace
//!   who maps a buffer ──▶ Arc ────┘     (a slice)
//! ```
//!
//! Cost: a borrowed form is verified once, about as long as one pass over its events, and 8 bytes a slot.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::{PackedEvent, PackedTrace, TraceError};

/// An owner of events, which keeps them for its lifetime.
pub type Keeper = Arc<dyn AsRef<[PackedEvent]> + Send + Sync>;

/// The events of a [`PackedTrace`]: its own, or kept by somebody else. A slice, wherever it is read.
#[derive(Clone)]
pub enum PackedEvents {
    /// Its own.
    Own(Vec<PackedEvent>),
    /// Kept by somebody else; a clone is no copy.
    Kept(Keeper),
}

impl Deref for PackedEvents {
    type Target = [PackedEvent];

    fn deref(&self) -> &[PackedEvent] {
        match self {
            PackedEvents::Own(events) => events,
            PackedEvents::Kept(keeper) => (**keeper).as_ref(),
        }
    }
}

impl<'e> IntoIterator for &'e PackedEvents {
    type Item = &'e PackedEvent;
    type IntoIter = std::slice::Iter<'e, PackedEvent>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Vec<PackedEvent>> for PackedEvents {
    fn from(events: Vec<PackedEvent>) -> PackedEvents {
        PackedEvents::Own(events)
    }
}

impl fmt::Debug for PackedEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for PackedEvents {
    fn eq(&self, other: &PackedEvents) -> bool {
        **self == **other
    }
}

impl Eq for PackedEvents {}

impl PackedTrace {
    /// A trace of events that somebody else keeps, without copying them.
    ///
    /// # Errors
    ///
    /// As [`PackedTrace::new`], with slots for ids: who wrote the buffer is not trusted.
    pub fn kept(keeper: Keeper, name: String) -> Result<PackedTrace, TraceError> {
        let events = PackedEvents::Kept(keeper);
        let slots = events.iter().map(|event| event.slot as usize + 1).max().unwrap_or(0);
        if slots > events.len() {
            let cause = "a slot lies beyond the number of events";
            return Err(TraceError::TooMuch { record: events.len() as u64, cause });
        }
        PackedTrace::verified(events, slots, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bytes, Gap, Operation};

    fn event(operation: Operation, slot: u32, size: u64) -> PackedEvent {
        PackedEvent { size, slot, operation, alignment_log2: 0, gap: Gap::NONE }
    }

    fn kept(events: Vec<PackedEvent>) -> Result<PackedTrace, TraceError> {
        PackedTrace::kept(Arc::new(events), "kept".to_owned())
    }

    #[test]
    fn what_is_kept_is_what_was_packed() {
        let mut trace = crate::Trace::new(crate::Origin::new("kept", ""));
        let allocate = |id, size| crate::Action::Allocate { id, size: Bytes(size), alignment: 16 };
        let free = |id| crate::Action::Free { id };
        let grow = crate::Action::Reallocate { id: 8, size: Bytes(9000) };
        let actions = [allocate(7, 10), allocate(8, 0), free(7), allocate(9, 66), grow, free(8)];
        trace.events = actions.into_iter().map(|action| crate::Event::at(0, action)).collect();
        let packed = PackedTrace::new(&trace).expect("a heap can serve it");
        let shared = kept(packed.events.to_vec()).expect("it was packed");
        assert_eq!(shared, PackedTrace { threads: 0, ..packed });
        assert_eq!(shared.requested_peak, Bytes(9066));
    }

    #[test]
    fn a_clone_of_what_is_kept_is_no_copy() {
        let trace = kept(vec![event(Operation::Allocate, 0, 10)]).expect("a heap can serve it");
        assert_eq!(trace.clone().events.as_ptr(), trace.events.as_ptr());
    }

    #[test]
    fn a_buffer_that_no_heap_could_serve_is_refused() {
        use Operation::{Allocate, Free, Reallocate};
        let twice = kept(vec![event(Allocate, 0, 1), event(Allocate, 0, 1)]);
        assert!(matches!(twice, Err(TraceError::LiveAllocate { record: 2, id: 0 })));
        assert!(matches!(kept(vec![event(Free, 0, 0)]), Err(TraceError::NotLive { record: 1, .. })));
        let unknown = kept(vec![event(Reallocate, 0, 8)]);
        assert!(matches!(unknown, Err(TraceError::UnknownReallocate { record: 1, .. })));
        assert!(matches!(kept(vec![event(Allocate, 1, 8)]), Err(TraceError::TooMuch { .. })));
        assert!(matches!(kept(vec![event(Allocate, 0, u64::MAX)]), Err(TraceError::TooLarge { .. })));
        let aligned = PackedEvent { alignment_log2: 64, ..event(Allocate, 0, 8) };
        assert!(matches!(kept(vec![aligned]), Err(TraceError::BadAlignment { .. })));
    }
}
