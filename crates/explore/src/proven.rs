//! What is proven of a design for every program that is as the traces.
//!
//! `--prefer bounded` picks by it: the most expensive operation that arithmetic excludes nobody from, not the one that a
//! trace happened to need. Programs are as a trace if they have no more bytes live, in requests between its smallest and its
//! largest, and resize blocks, align them and free others than the last only if it does ([`ProgramClass`]).

use heapsmith_limits::{Bound, ProgramClass, bound_of};
use heapsmith_spec::{Spec, WordSize};
use heapsmith_trace::PackedTrace;

use crate::objective::{Objective, Objectives};

/// The programs that are as a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Programs {
    pub(crate) class: ProgramClass,
}

/// What no program makes a design exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Proven {
    /// Metadata accesses of an operation.
    pub accesses: u64,
    /// Bytes of a region in which none is refused a request.
    pub region: u64,
}

/// A heap that refuses no program of the traces' kind, next to a design of which nothing is proven.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guaranteed {
    /// Which one.
    pub heap: Near,
    /// Bytes of the region in which it refuses nothing.
    pub region: u64,
    /// Its memory, over that of the other.
    pub memory: f64,
    /// Its metadata accesses, over those of the other.
    pub work: f64,
}

/// What a [`Guaranteed`] heap is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Near {
    /// The design of this number.
    Design(u32),
    /// The same design with this word: its own names no region that is large enough.
    Word(WordSize),
}

impl std::fmt::Display for Near {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Near::Design(number) => write!(to, "design {number}"),
            Near::Word(word) => write!(to, "word={}", word.bytes()),
        }
    }
}

impl Guaranteed {
    /// A heap with these values, next to a design with those of `own`.
    pub(crate) fn next_to(own: &Objectives, heap: Near, values: &Objectives) -> Guaranteed {
        // Fragmentation is memory beyond the live bytes, over those.
        let memory = |values: &Objectives| 1.0 + values.get(Objective::Fragmentation);
        let work = |values: &Objectives| values.get(Objective::Accesses);
        Guaranteed { heap, region: 0, memory: memory(values) / memory(own), work: work(values) / work(own) }
    }

    /// How much more of the worse of the two it takes: a fiftieth is as good as nothing.
    pub fn beyond(&self) -> f64 {
        let beyond = self.memory.max(self.work) - 1.0;
        if beyond <= 0.02 { 0.0 } else { beyond }
    }

    /// What it takes in addition, in words.
    pub fn price(&self) -> String {
        if self.beyond() == 0.0 {
            return "up to 2% more".to_owned();
        }
        let each = [(self.memory, "memory"), (self.work, "work")];
        let more = each.iter().filter(|(ratio, _)| *ratio > 1.0005);
        let more: Vec<String> = more.map(|(ratio, of)| format!("{:.1}% more {of}", (ratio - 1.0) * 100.0)).collect();
        more.join(" and ")
    }
}

impl Programs {
    /// Those of a trace; none where it asks for nothing. Cost: passes over the events.
    pub fn of(trace: &PackedTrace) -> Option<Programs> {
        Some(Programs { class: ProgramClass::of(trace).ok()? })
    }

    /// Their limits.
    pub fn class(&self) -> ProgramClass {
        self.class
    }

    /// What bounds a heap that runs them: the numbers that are proven, with their premises.
    pub fn bound(&self, spec: &Spec) -> Bound {
        bound_of(spec, self.class)
    }

    /// What is proven of a heap; none if no number is known of its memory or of one of its operations.
    fn proven(&self, spec: &Spec) -> Option<Proven> {
        let bound = self.bound(spec);
        // What is proven of an operation is so in a region with room.
        Some(Proven { accesses: bound.worst_case.either()?, region: bound.region? })
    }
}

/// Bytes of a region in which no program of any trace is refused; none if no number is known. What answers, pages and sheets
/// state.
pub fn proven_region(programs: &[Option<Programs>], spec: &Spec) -> Option<u64> {
    let each = programs.iter().map(|programs| programs.as_ref()?.bound(spec).region);
    each.reduce(|a, b| Some(a?.max(b?)))?
}

/// Where a heap's word names no region that is large enough: the same heap with the widest word, and bytes of a region in which
/// that refuses nothing.
pub(crate) fn with_wider_word(programs: &[Option<Programs>], spec: &Spec) -> Option<(Spec, u64)> {
    if spec.word == WordSize::Eight || proven_region(programs, spec).is_some() {
        return None;
    }
    let word = WordSize::Eight;
    let wider = Spec { word, alignment: spec.alignment.max(word.bytes()), ..spec.clone() };
    let region = proven_region(programs, &wider)?;
    Some((wider, region))
}

/// What is proven of a heap for the programs of every trace; none if no number is known of its memory or of an operation.
pub fn proven(programs: &[Option<Programs>], spec: &Spec) -> Option<Proven> {
    let each = programs.iter().map(|programs| programs.as_ref()?.proven(spec));
    each.reduce(|a, b| {
        let (a, b) = (a?, b?);
        Some(Proven { accesses: a.accesses.max(b.accesses), region: a.region.max(b.region) })
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
        let nothing = packed(&[]);
        let [tlsf, never] = ["tlsf", "list(fit=first, coalesce=never)"].map(|spec| spec.parse().expect("a spec"));
        assert!(proven(&[plain], &tlsf).is_some_and(|proven| proven.region >= 100));
        let region = |programs: &[Option<Programs>], spec| proven_region(programs, spec);
        assert_eq!(region(&[plain], &tlsf), proven(&[plain], &tlsf).map(|proven| proven.region));
        // A reserve for urgent requests serves others last, so the region is larger than what is used of it.
        let urgent: Spec = "reserve(high=30%) tlsf".parse().expect("a spec");
        assert!(proven(&[plain], &urgent).is_some_and(|proven| Some(proven.region) == region(&[plain], &urgent)));
        assert!(region(&[plain], &urgent) > region(&[plain], &tlsf));
        // A block that moves is live twice.
        assert!(region(&[plain, moving], &tlsf) > region(&[plain], &tlsf) && proven(&[moving, plain], &tlsf).is_some());
        assert_eq!(region(&[plain, nothing], &tlsf), None, "one of them asks for nothing");
        assert_eq!((proven(&[plain], &never), region(&[plain], &never)), (None, None));
    }

    #[test]
    fn a_guarantee_is_told_with_its_price() {
        let of = |memory, work| Guaranteed { heap: Near::Design(1), region: 4096, memory, work };
        assert_eq!(of(1.019, 0.9).price(), "up to 2% more");
        assert_eq!((of(0.97, 1.172).price(), of(0.97, 1.172).beyond() > 0.17), ("17.2% more work".to_owned(), true));
        assert_eq!(of(1.1, 1.05).price(), "10.0% more memory and 5.0% more work");
    }
}
