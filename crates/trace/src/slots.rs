//! What is live in which slot of a packed trace.

use crate::packed::fingerprint;
use crate::{Bytes, Gap, LARGEST_REQUEST, Operation, PackedEvent, PackedEvents, PackedTrace, TraceError};

/// The block in each slot, and how many bytes are live.
pub(crate) struct Slots {
    /// The event that gave the block its size, with the alignment that it was allocated with.
    pub blocks: Vec<Option<PackedEvent>>,
    pub bytes: u64,
    pub peak: u64,
}

impl Slots {
    pub fn new(slots: usize) -> Slots {
        Slots { blocks: vec![None; slots], bytes: 0, peak: 0 }
    }

    /// Applies the event with this number, from 1.
    ///
    /// # Errors
    ///
    /// No heap could serve it.
    pub fn apply(&mut self, event: &PackedEvent, record: u64) -> Result<(), TraceError> {
        let id = u64::from(event.slot);
        if event.size > LARGEST_REQUEST.0 {
            return Err(TraceError::TooLarge { record, size: Bytes(event.size) });
        }
        if event.alignment_log2 >= 64 {
            return Err(TraceError::BadAlignment { record, alignment: event.alignment_log2.into() });
        }
        if event.gap.nanoseconds() > Gap::LONGEST.nanoseconds() {
            return Err(TraceError::TooMuch { record, cause: "more than 208 days pass between two events" });
        }
        let slot = &mut self.blocks[event.slot as usize];
        let new = match (event.operation, *slot) {
            (Operation::Allocate, None) => Some(*event),
            (Operation::Allocate, Some(_)) => return Err(TraceError::LiveAllocate { record, id }),
            (Operation::Free, Some(_)) => None,
            (Operation::Free, None) => return Err(TraceError::NotLive { record, id }),
            (Operation::Reallocate, Some(block)) => Some(PackedEvent { size: event.size, ..block }),
            (Operation::Reallocate, None) => return Err(TraceError::UnknownReallocate { record, id }),
        };
        let old = std::mem::replace(slot, new);
        let size = |block: Option<PackedEvent>| block.map_or(0, |block| block.size);
        let grown = self.bytes.checked_add(size(new));
        let grown = grown.ok_or(TraceError::TooMuch { record, cause: "more than 2^64 bytes are live at once" })?;
        self.bytes = grown - size(old);
        self.peak = self.peak.max(self.bytes);
        Ok(())
    }
}

impl PackedTrace {
    /// The trace of these events, each of which is checked; no slot lies beyond `slots`.
    pub(crate) fn verified(events: PackedEvents, slots: usize, name: String) -> Result<PackedTrace, TraceError> {
        let mut packed = PackedTrace::empty(name);
        let mut live = Slots::new(slots);
        for (event, record) in events.iter().zip(1..) {
            live.apply(event, record)?;
            packed.count(event, record)?;
        }
        let fingerprint = fingerprint(&events);
        Ok(PackedTrace { events, slots, requested_peak: Bytes(live.peak), fingerprint, ..packed })
    }
}
