//! What is proven of a design for every program that is as the traces.
//!
//! `--prefer bounded` picks by it: the most expensive operation that arithmetic excludes nobody from, not the one that a
//! trace happened to need. Programs are as a trace if they have no more bytes live, in requests between its smallest and its
//! largest ([`ProgramClass`]). No bound covers reallocations, so what was recorded of most programs has none.

use heapsmith_limits::{Bound, ProgramClass, bound};
use heapsmith_spec::Spec;
use heapsmith_trace::{Operation, PackedTrace};

/// The programs that are as a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Programs {
    pub(crate) class: ProgramClass,
    /// The coarsest alignment that is asked for, in bytes.
    pub(crate) coarsest: u64,
}

/// What no program makes a design exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proven {
    /// Metadata accesses of an operation.
    pub accesses: u64,
    /// Bytes of the region.
    pub footprint: u64,
}

impl Programs {
    /// Those of a trace; none where no bound covers what it does. Cost: passes over the events.
    pub(crate) fn of(trace: &PackedTrace) -> Option<Programs> {
        let allocations = trace.events.iter().filter(|event| event.operation == Operation::Allocate);
        let coarsest = allocations.map(|event| event.alignment()).max().unwrap_or(1);
        Some(Programs { class: ProgramClass::of(trace, u32::MAX).ok()?, coarsest })
    }

    fn bound(&self, spec: &Spec) -> Option<Bound> {
        let ProgramClass { live, max_size, min_size } = self.class;
        (self.coarsest <= spec.alignment.into()).then(|| bound(spec, live, max_size, min_size))
    }

    /// What is proven of a heap; none if no number is known of its memory or of one of its operations.
    fn proven(&self, spec: &Spec) -> Option<Proven> {
        let bound = self.bound(spec)?;
        Some(Proven { accesses: bound.worst_case.either()?, footprint: bound.footprint? })
    }
}

/// Bytes that no program of any trace makes a heap exceed; none if no number is known.
pub(crate) fn proven_footprint(programs: &[Option<Programs>], spec: &Spec) -> Option<u64> {
    let each = programs.iter().map(|programs| programs.as_ref()?.bound(spec)?.footprint);
    each.reduce(|a, b| Some(a?.max(b?)))?
}

/// What is proven of a heap for the programs of every trace.
pub(crate) fn proven(programs: &[Option<Programs>], spec: &Spec) -> Option<Proven> {
    let each = programs.iter().map(|programs| programs.as_ref()?.proven(spec));
    each.reduce(|a, b| {
        let (a, b) = (a?, b?);
        Some(Proven { accesses: a.accesses.max(b.accesses), footprint: a.footprint.max(b.footprint) })
    })?
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Trace};

    use super::*;

    #[test]
    fn only_what_every_trace_has_a_bound_for_is_proven() {
        let packed = |actions: &[Action]| {
            let events = actions.iter().map(|&action| Event::at(0, action)).collect();
            Programs::of(&PackedTrace::new(&Trace { events, ..Trace::default() }).expect("a sound trace"))
        };
        let allocate = Action::Allocate { id: 1, size: Bytes(100), alignment: 0 };
        let plain = packed(&[allocate]);
        let moving = packed(&[allocate, Action::Reallocate { id: 1, size: Bytes(50) }]);
        let [tlsf, never] = ["tlsf", "list(fit=first, coalesce=never)"].map(|spec| spec.parse().expect("a spec"));
        assert!(proven(&[plain], &tlsf).is_some_and(|proven| proven.footprint >= 100));
        assert_eq!(proven_footprint(&[plain], &tlsf), proven(&[plain], &tlsf).map(|proven| proven.footprint));
        for covered in [&[plain, moving][..], &[moving, plain]] {
            assert_eq!((proven(covered, &tlsf), proven_footprint(covered, &tlsf)), (None, None));
        }
        assert_eq!((proven(&[plain], &never), proven_footprint(&[plain], &never)), (None, None));
    }
}
