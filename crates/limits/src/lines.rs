//! The reference lines of a trace: its lower bound, and the worst-case bound of any heap for programs like it.

use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;

use crate::bound::{Bound, ProgramClass, ProgramError, WorstCase, bound_of};
use crate::lower_bound::{LowerBound, lower_bound};
use crate::placement::PlacementEffort;

/// The lower and upper limits of every result on a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    /// The trace's name.
    pub trace: String,
    /// What no heap goes below.
    pub lower_bound: LowerBound,
    /// The programs that are as the trace; why not where a bound covers none.
    pub program: Result<ProgramClass, ProgramError>,
}

impl Lines {
    /// The lines of a trace. Cost: that of [`lower_bound`] with this effort, and two passes over the events.
    pub fn of(trace: &PackedTrace, effort: PlacementEffort) -> Lines {
        Lines { trace: trace.name.clone(), lower_bound: lower_bound(trace, effort), program: ProgramClass::of(trace) }
    }

    /// What no program with as many live bytes as the trace, in requests of its sizes, can make a heap exceed.
    pub fn bound(&self, spec: &Spec) -> Bound {
        match self.program {
            Ok(program) => bound_of(spec, program),
            Err(error) => Bound::none(error.to_string(), WorstCase::default()),
        }
    }

    /// The region in which nothing is refused, as fragmentation: its bytes beyond the most live ones, over those; none if no
    /// such region is known.
    pub fn bound_fragmentation(&self, spec: &Spec) -> Option<f64> {
        let region = self.bound(spec).region?;
        Some(region as f64 / self.lower_bound.live.0.max(1) as f64 - 1.0)
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Trace};

    use super::*;

    #[test]
    fn a_heap_lies_between_the_lower_bound_and_its_bound() {
        let mut trace = Trace::default();
        for (id, size) in [(0, 100), (1, 50), (2, 700)] {
            trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
        }
        let trace = PackedTrace::new(&trace).expect("a sound trace");
        let lines = Lines::of(&trace, PlacementEffort::QUICK);
        assert_eq!((lines.lower_bound.live, lines.lower_bound.placed), (Bytes(850), Bytes(850)));
        assert_eq!(lines.program, ProgramClass::new(850, 700, 50).map(|program| program.within_blocks(3)));
        let spec = "list(order=address)".parse().expect("a spec");
        let bound = lines.bound(&spec).region.expect("a bound");
        assert!(bound > 850);
        assert_eq!(lines.bound_fragmentation(&spec), Some(bound as f64 / 850.0 - 1.0));
        assert_eq!(lines.bound_fragmentation(&"bump".parse().expect("a spec")), None);
    }

    #[test]
    fn alignments_and_reallocations_are_covered_or_named() {
        let mut trace = Trace::default();
        trace.events.push(Event::at(0, Action::Allocate { id: 0, size: Bytes(100), alignment: 64 }));
        let lines = |trace: &Trace| Lines::of(&PackedTrace::new(trace).expect("a sound trace"), PlacementEffort::QUICK);
        let [first_fit, aligned, classes]: [Spec; 3] =
            ["list(order=address)", "list(order=address) align=64", "classes(16..=1024 double)"]
                .map(|spec| spec.parse().expect("a spec"));
        let bytes = |trace: &Trace, spec| lines(trace).bound(spec).footprint;
        assert!(bytes(&trace, &first_fit).is_some_and(|bytes| bytes > 164));
        assert!(bytes(&trace, &aligned) < bytes(&trace, &first_fit));
        assert!(lines(&trace).bound(&classes).why_none.contains("coarser align"));
        trace.events.push(Event::at(1, Action::Reallocate { id: 0, size: Bytes(200) }));
        assert!(bytes(&trace, &aligned).is_some_and(|bytes| bytes > 400), "a block that moves is live twice");
        let lists: Spec = "freelists(100) list(order=address) align=64".parse().expect("a spec");
        let bound = lines(&trace).bound(&lists);
        assert!(bound.footprint.is_none() && bound.region.is_some(), "{bound:?}");
    }

    #[test]
    fn a_stack_is_bounded_where_the_last_block_is_freed_first() {
        let mut trace = Trace::default();
        let mut push = |action| trace.events.push(Event::at(0, action));
        [0, 1].into_iter().for_each(|id| push(Action::Allocate { id, size: Bytes(100), alignment: 0 }));
        push(Action::Free { id: 1 });
        let lines = |trace: &Trace| Lines::of(&PackedTrace::new(trace).expect("a sound trace"), PlacementEffort::QUICK);
        let bound = |trace: &Trace| lines(trace).bound(&"stack".parse().expect("a spec"));
        assert!(bound(&trace).region.is_some());
        trace.events[2] = Event::at(0, Action::Free { id: 0 });
        let none = bound(&trace);
        assert!(none.region.is_none() && none.why_none.contains("not the last"), "{none:?}");
    }
}
