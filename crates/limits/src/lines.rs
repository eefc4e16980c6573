//! The reference lines of a trace: its floor, and the bound of any heap for programs like it.

use std::ops::RangeInclusive;

use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, Operation, PackedTrace};

use crate::bound::{Bound, bound};
use crate::floor::{Floor, floor};
use crate::placement::Effort;

/// What stands below and above every result on a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The trace's name.
    pub trace: String,
    /// What no heap goes below.
    pub floor: Floor,
    /// The least and the largest request of the trace, in bytes.
    pub requests: RangeInclusive<u64>,
}

impl Lines {
    /// The lines of a trace. Cost: that of [`floor`] with this effort, and a pass over the events.
    pub fn of(trace: &PackedTrace, effort: Effort) -> Lines {
        let events = trace.events.iter().filter(|event| event.operation != Operation::Free);
        let (least, largest) = events.fold((u64::MAX, 1), |(least, largest), event| {
            let size = event.size.max(1);
            (least.min(size), largest.max(size))
        });
        Lines { trace: trace.name.clone(), floor: floor(trace, effort), requests: least.min(largest)..=largest }
    }

    /// What no program with as many live bytes as the trace, in requests of its sizes, can make a heap exceed.
    pub fn bound(&self, spec: &Spec) -> Bound {
        bound(spec, self.floor.live.0, *self.requests.end(), *self.requests.start())
    }

    /// The bound as fragmentation: bytes beyond the most live ones, over those; none where no bound is known.
    pub fn bound_fragmentation(&self, spec: &Spec) -> Option<f64> {
        let footprint = self.bound(spec).footprint?;
        Some(footprint as f64 / self.floor.live.0.max(1) as f64 - 1.0)
    }

    /// The footprint of the lowest placement that was found.
    pub fn placed(&self) -> Bytes {
        self.floor.placed
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Event, Trace};

    use super::*;

    #[test]
    fn a_heap_lies_between_the_floor_and_its_bound() {
        let mut trace = Trace::default();
        for (id, size) in [(0, 100), (1, 50), (2, 700)] {
            trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        }
        let trace = PackedTrace::new(&trace).expect("a sound trace");
        let lines = Lines::of(&trace, Effort::QUICK);
        assert_eq!((lines.floor.live, lines.placed(), lines.requests.clone()), (Bytes(850), Bytes(850), 50..=700));
        let spec = "list(order=address)".parse().expect("a spec");
        let bound = lines.bound(&spec).footprint.expect("a bound");
        assert!(bound > 850);
        assert_eq!(lines.bound_fragmentation(&spec), Some(bound as f64 / 850.0 - 1.0));
        assert_eq!(lines.bound_fragmentation(&"bump".parse().expect("a spec")), None);
    }
}
