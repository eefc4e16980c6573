//! A part of a trace that can be replayed by itself.

use std::ops::Range;

use crate::packed::fingerprint;
use crate::{Bytes, Operation, PackedEvent, PackedTrace};

impl PackedTrace {
    /// Index of the first event after which most bytes are live. Cost: a pass over the events.
    pub fn peak_event(&self) -> usize {
        let mut live = Live::new(self.slots);
        let mut peak = (0, Bytes(0));
        for (index, event) in self.events.iter().enumerate() {
            live.apply(*event);
            if live.bytes > peak.1 {
                peak = (index, live.bytes);
            }
        }
        peak.0
    }

    /// The events of a range, after allocations of what is live where it begins, in the order of its slots. Such blocks
    /// have the size and alignment that they have there. Cost: a pass over the events up to the range's end.
    ///
    /// # Panics
    ///
    /// If the range does not lie in the trace.
    pub fn window(&self, range: Range<usize>) -> PackedTrace {
        let mut live = Live::new(self.slots);
        self.events[..range.start].iter().for_each(|event| live.apply(*event));
        let allocate = |(slot, block): (usize, &Option<PackedEvent>)| {
            block.map(|block| PackedEvent { operation: Operation::Allocate, slot: slot as u32, ..block })
        };
        let before: Vec<PackedEvent> = live.blocks.iter().enumerate().filter_map(allocate).collect();
        let events: Vec<PackedEvent> = before.into_iter().chain(self.events[range.clone()].iter().copied()).collect();
        let mut live = Live::new(self.slots);
        let mut peak = Bytes(0);
        for event in &events {
            live.apply(*event);
            peak = peak.max(live.bytes);
        }
        let count = |operation| events.iter().filter(|event| event.operation == operation).count() as u64;
        PackedTrace {
            slots: self.slots,
            requested_peak: peak,
            allocations: count(Operation::Allocate),
            frees: count(Operation::Free),
            reallocations: count(Operation::Reallocate),
            requested_total: events.iter().map(|event| Bytes(event.size)).sum(),
            fingerprint: fingerprint(&events),
            name: format!("{} [{}..{}]", self.name, range.start, range.end),
            events: events.into(),
        }
    }
}

/// What is live, by slot.
struct Live {
    blocks: Vec<Option<PackedEvent>>,
    bytes: Bytes,
}

impl Live {
    fn new(slots: usize) -> Live {
        Live { blocks: vec![None; slots], bytes: Bytes(0) }
    }

    fn apply(&mut self, event: PackedEvent) {
        let block = &mut self.blocks[event.slot as usize];
        self.bytes.0 -= block.map_or(0, |block| block.size);
        *block = match event.operation {
            Operation::Free => None,
            Operation::Allocate => Some(event),
            // A block keeps the alignment that it was allocated with.
            Operation::Reallocate => block.map(|block| PackedEvent { size: event.size, ..block }),
        };
        self.bytes.0 += block.map_or(0, |block| block.size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Action, Event, Origin, Trace};

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
