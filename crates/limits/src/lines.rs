//! The reference lines of a trace: its lower bound, and the worst-case bound of any heap for programs like it.

use heapsmith_spec::Spec;
use heapsmith_trace::{Operation, PackedTrace};

use crate::bound::{Bound, ProgramClass, ProgramError, WorstCase, bound};
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
    /// The coarsest alignment that the trace asks for, in bytes.
    coarsest: u64,
}

impl Lines {
    /// The lines of a trace. Cost: that of [`lower_bound`] with this effort, and two passes over the events.
    pub fn of(trace: &PackedTrace, effort: PlacementEffort) -> Lines {
        let allocations = trace.events.iter().filter(|event| event.operation == Operation::Allocate);
        Lines {
            trace: trace.name.clone(),
            lower_bound: lower_bound(trace, effort),
            program: ProgramClass::of(trace, u32::MAX),
            coarsest: allocations.map(|event| event.alignment()).max().unwrap_or(1),
        }
    }

    /// What no program with as many live bytes as the trace, in requests of its sizes, can make a heap exceed.
    pub fn bound(&self, spec: &Spec) -> Bound {
        match self.program {
            Ok(_) if self.coarsest > spec.alignment.into() => {
                Bound::none(ProgramError::Aligned { alignment: self.coarsest }.to_string(), WorstCase::default())
            }
            Ok(program) => bound(spec, program.live, program.max_size, program.min_size),
            Err(error) => Bound::none(error.to_string(), WorstCase::default()),
        }
    }

    /// The bound as fragmentation: bytes beyond the most live ones, over those; none if no bound is known.
    pub fn bound_fragmentation(&self, spec: &Spec) -> Option<f64> {
        let footprint = self.bound(spec).footprint?;
        Some(footprint as f64 / self.lower_bound.live.0.max(1) as f64 - 1.0)
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
        assert_eq!(lines.program, ProgramClass::new(850, 700, 50));
        let spec = "list(order=address)".parse().expect("a spec");
        let bound = lines.bound(&spec).footprint.expect("a bound");
        assert!(bound > 850);
        assert_eq!(lines.bound_fragmentation(&spec), Some(bound as f64 / 850.0 - 1.0));
        assert_eq!(lines.bound_fragmentation(&"bump".parse().expect("a spec")), None);
    }

    #[test]
    fn what_no_bound_covers_is_named() {
        let mut trace = Trace::default();
        trace.events.push(Event::at(0, Action::Allocate { id: 0, size: Bytes(100), alignment: 64 }));
        let lines = |trace: &Trace| Lines::of(&PackedTrace::new(trace).expect("a sound trace"), PlacementEffort::QUICK);
        let first_fit = "list(order=address)".parse().expect("a spec");
        let bound = lines(&trace).bound(&first_fit);
        assert!(bound.footprint.is_none() && bound.why_none.contains("align=64"), "{}", bound.why_none);
        let aligned = "list(order=address) align=64".parse().expect("a spec");
        assert!(lines(&trace).bound(&aligned).footprint.is_some());
        trace.events.push(Event::at(1, Action::Reallocate { id: 0, size: Bytes(200) }));
        assert!(lines(&trace).bound(&aligned).why_none.contains("1 reallocations"));
    }
}
