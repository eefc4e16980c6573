//! A part of a trace that can be replayed by itself.

use std::ops::Range;

use crate::slots::Slots;
use crate::{Gap, Operation, PackedEvent, PackedTrace};

impl PackedTrace {
    /// Index of the first event after which most bytes are live. Cost: a pass over the events.
    pub fn peak_event(&self) -> usize {
        let mut live = Slots::new(self.slots);
        let reached = |(event, record): (&PackedEvent, u64)| {
            live.apply(event, record).expect("its events were looked at when it was made");
            live.bytes == self.requested_peak.0
        };
        self.events.iter().zip(1..).position(reached).unwrap_or(0)
    }

    /// The events of a range, after allocations of what is live where it begins, in the order of its slots. Such blocks
    /// have the size and alignment that they have there, and no gap before them. Cost: a pass over the events up to the range's end.
    ///
    /// # Panics
    ///
    /// If the range does not lie in the trace.
    pub fn window(&self, range: Range<usize>) -> PackedTrace {
        const SOUND: &str = "a part of a sound trace, after what it builds on, is sound";
        let mut live = Slots::new(self.slots);
        for (event, record) in self.events[..range.start].iter().zip(1..) {
            live.apply(event, record).expect(SOUND);
        }
        let allocate = |block: &PackedEvent| PackedEvent { operation: Operation::Allocate, gap: Gap::NONE, ..*block };
        let before = live.blocks.iter().flatten().map(allocate);
        let events: Vec<PackedEvent> = before.chain(self.events[range.clone()].iter().copied()).collect();
        let name = format!("{} [{}..{}]", self.name, range.start, range.end);
        let window = PackedTrace::verified(events.into(), self.slots, name).expect(SOUND);
        PackedTrace { threads: self.threads, ..window }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Bytes, Event, Origin, Trace};

    fn packed(actions: &[Action]) -> PackedTrace {
        let mut trace = Trace::new(Origin::new("test", ""));
        trace.events.extend(actions.iter().map(|&action| Event::at(0, action)));
        PackedTrace::new(&trace).expect("a sound trace")
    }

    fn allocate(id: u64, size: u64) -> Action {
        Action::Allocate { id, size: Bytes(size), alignment: 0 }
    }

    #[test]
    fn a_window_begins_with_what_is_live() {
        let grow = Action::Reallocate { id: 2, size: Bytes(50) };
        let free = |id| Action::Free { id };
        let whole = packed(&[allocate(1, 10), allocate(2, 20), grow, free(1), allocate(3, 30), free(2), free(3)]);
        assert_eq!(whole.peak_event(), 4);
        // Before event 3, blocks 1 and 2 are live, of 10 and 50 bytes.
        let window = whole.window(3..6);
        let sizes: Vec<(Operation, u64)> = window.events.iter().map(|event| (event.operation, event.size)).collect();
        use Operation::{Allocate, Free};
        assert_eq!(sizes, [(Allocate, 10), (Allocate, 50), (Free, 0), (Allocate, 30), (Free, 0)]);
        assert_eq!((window.requested_peak, window.allocations, window.frees), (Bytes(80), 3, 2));
    }

    #[test]
    fn a_window_over_all_is_the_trace() {
        let whole = packed(&[allocate(1, 10), Action::Free { id: 1 }, allocate(2, 5)]);
        let window = whole.window(0..3);
        assert_eq!(PackedTrace { name: whole.name.clone(), ..window }, whole);
    }
}
