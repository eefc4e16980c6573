//! What is proven of a design for every program that is as the traces.
//!
//! `--prefer bounded` picks by it: the most expensive operation that arithmetic excludes nobody from, not the one that a
//! trace happened to need. Programs are as a trace if they have no more bytes and blocks live, in requests between its smallest and its
//! largest, and resize blocks, align them and free others than the last only if it does ([`ProgramClass`]).

use heapsmith_limits::{Bound, ProgramClass, bound_of};
use heapsmith_spec::{BlockFactors, Spec, Splitting, WordSize};
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
    /// Bytes of a region in which that holds, and none is refused a request.
    pub region: u64,
    /// Whether the accesses hold in every smaller region, too, until a request is refused there: no part of the heap gives back what it
    /// keeps before it refuses, which has no bound.
    pub is_until_refused: bool,
}

/// A heap that refuses no program of the traces' kind, next to a design of which nothing is proven.
#[derive(Debug, Clone, PartialEq)]
pub struct Guaranteed {
    /// What it is called.
    pub heap: Near,
    /// What it is.
    pub spec: Spec,
    /// Bytes of the region in which it refuses nothing.
    pub region: u64,
    /// What it takes, next to the other.
    pub price: Price,
}

/// What a heap takes of what another does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Price {
    /// Its memory, over that of the other.
    pub memory: f64,
    /// Its metadata accesses, over those of the other.
    pub work: f64,
}

/// What a [`Guaranteed`] heap is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Near {
    /// The design of this number.
    Design(u32),
    /// The same design with other parts.
    Form(Form),
}

/// Parts that give a heap a proven region where it has none by its own: a pool that always splits and joins blocks, behind the
/// same layers; remainders that are split off from a size on, where small requests take free blocks of any size whole; a word
/// that names a region that is large enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Form {
    pool: Option<&'static str>,
    remainder: Option<u64>,
    word: Option<WordSize>,
}

impl Form {
    const SAME: Form = Form { pool: None, remainder: None, word: None };

    fn of_word(self, word: WordSize) -> Form {
        Form { word: Some(word), ..self }
    }

    /// This form of a heap; none if it has it.
    fn of(self, spec: &Spec) -> Option<Spec> {
        let mut pool = match self.pool {
            Some(pool) => pool.parse::<Spec>().ok()?.pool,
            None => spec.pool.clone(),
        };
        if let Some(remainder) = self.remainder {
            let factors = pool.factors_mut().filter(|factors| factors.split != Splitting::Always)?;
            *factors = BlockFactors { split: Splitting::Always, remainder, ..*factors };
        }
        let word = self.word.unwrap_or(spec.word);
        let form = Spec { pool, word, alignment: spec.alignment.max(word.bytes()), ..spec.clone() };
        // Not every pool goes with all layers.
        form.to_string().parse().ok().filter(|form| form != spec)
    }
}

/// The forms that are tried. Half-fit takes the fewest accesses behind lists of the pools that have a bound. A large smallest
/// remainder leaves most of the work as it was, a small one gives the smaller region.
const FORMS: [Form; 5] = [
    Form::SAME,
    Form { remainder: Some(128), ..Form::SAME },
    Form { remainder: Some(512), ..Form::SAME },
    Form { remainder: Some(16384), ..Form::SAME },
    Form { pool: Some("half-fit"), ..Form::SAME },
];

impl std::fmt::Display for Near {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Near::Design(number) => write!(to, "design {number}"),
            Near::Form(Form { pool, remainder, word }) => {
                let parts = pool.iter().map(|pool| format!("… {pool}"));
                let parts = parts.chain(remainder.iter().map(|bytes| format!("remainder={bytes}")));
                let parts = parts.chain(word.iter().map(|word| format!("word={}", word.bytes())));
                to.write_str(&parts.collect::<Vec<_>>().join(" "))
            }
        }
    }
}

impl Price {
    /// That of a heap with these values, next to a design with those of `own`.
    pub(crate) fn next_to(own: &Objectives, values: &Objectives) -> Price {
        // Fragmentation is memory beyond the live bytes, over those.
        let memory = |values: &Objectives| 1.0 + values.get(Objective::Fragmentation);
        let work = |values: &Objectives| values.get(Objective::Accesses);
        Price { memory: memory(values) / memory(own), work: work(values) / work(own) }
    }

    /// How much more of the worse of the two it takes: a fiftieth is as good as nothing.
    pub fn beyond(&self) -> f64 {
        let beyond = self.memory.max(self.work) - 1.0;
        if beyond <= 0.02 { 0.0 } else { beyond }
    }
}

impl std::fmt::Display for Price {
    fn fmt(&self, to: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.beyond() == 0.0 {
            return to.write_str("up to 2% more");
        }
        let each = [(self.memory, "memory"), (self.work, "work")];
        let more = each.iter().filter(|(ratio, _)| *ratio > 1.0005);
        let more: Vec<String> = more.map(|(ratio, of)| format!("+{:.1}% {of}", (ratio - 1.0) * 100.0)).collect();
        to.write_str(&more.join(", "))
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
        let (accesses, region) = (bound.worst_case.either()?, bound.room?);
        let is_until_refused =
            bound.footprint.is_some() && bound.region == Some(region) && !spec.gives_back_when_full();
        Some(Proven { accesses, region, is_until_refused })
    }
}

/// Bytes of a region in which no program of any trace is refused; none if no number is known. What answers, pages and sheets
/// state.
pub fn proven_region(programs: &[Option<Programs>], spec: &Spec) -> Option<u64> {
    let each = programs.iter().map(|programs| programs.as_ref()?.bound(spec).region);
    each.reduce(|a, b| Some(a?.max(b?)))?
}

/// The programs of which a heap needs most for, with the number of their trace and their bound: one without a bound needs more than any
/// other; none where a trace asks for nothing.
pub fn worst_programs(programs: &[Option<Programs>], spec: &Spec) -> Option<(usize, ProgramClass, Bound)> {
    let bounds = programs.iter().enumerate().map(|(number, programs)| {
        let programs = programs.as_ref()?;
        Some((number, programs.class(), programs.bound(spec)))
    });
    let size = |(_, class, bound): &(usize, ProgramClass, Bound)| (bound.region.unwrap_or(u64::MAX), class.live);
    bounds.collect::<Option<Vec<_>>>()?.into_iter().max_by_key(size)
}

/// The most bytes that programs of every trace use of a heap, also where its words name no region of them; none if no number is
/// known of them or of an operation.
pub(crate) fn bounded_bytes(programs: &[Option<Programs>], spec: &Spec) -> Option<u64> {
    let each = programs.iter().map(|programs| {
        let bound = programs.as_ref()?.bound(spec);
        bound.worst_case.either()?;
        bound.footprint
    });
    each.reduce(|a, b| Some(a?.max(b?)))?
}

/// Forms of a heap without a proven region that have one, with their bytes; none of one that has it.
pub(crate) fn forms_with_region(programs: &[Option<Programs>], spec: &Spec) -> Vec<(Form, Spec, u64)> {
    if proven_region(programs, spec).is_some() {
        return Vec::new();
    }
    let proven = |form: Form| {
        let spec = form.of(spec)?;
        let region = proven_region(programs, &spec)?;
        Some((form, spec, region))
    };
    // A larger word takes more memory.
    let larger =
        [WordSize::Two, WordSize::Four, WordSize::Eight].into_iter().filter(|word| word.bytes() > spec.word.bytes());
    let with_word = |form: Form| proven(form).or_else(|| larger.clone().find_map(|word| proven(form.of_word(word))));
    FORMS.iter().filter_map(|&form| with_word(form)).collect()
}

/// What is proven of a heap for the programs of every trace; none if no number is known of its memory or of an operation.
pub fn proven(programs: &[Option<Programs>], spec: &Spec) -> Option<Proven> {
    let each = programs.iter().map(|programs| programs.as_ref()?.proven(spec));
    each.reduce(|a, b| {
        let (a, b) = (a?, b?);
        let is_until_refused = a.is_until_refused && b.is_until_refused;
        Some(Proven { accesses: a.accesses.max(b.accesses), region: a.region.max(b.region), is_until_refused })
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
        let until_refused = |spec: &str| {
            let found = proven(&[plain], &spec.parse().expect("a spec"));
            found.is_some_and(|proven| proven.is_until_refused)
        };
        assert!(
            until_refused("tlsf")
                && until_refused("half-fit align=16")
                && until_refused("freelists(16,128, flush=bounded(4)) tlsf")
        );
        for keeps in
            ["freelists(16,128) tlsf", "guard(quarantine=8, pages=off) tlsf", "list(order=address, coalesce>=64)"]
        {
            assert!(!until_refused(keeps), "{keeps}: a full region costs more");
        }
    }

    #[test]
    fn a_guarantee_is_told_with_its_price() {
        let of = |memory, work| Price { memory, work };
        assert_eq!(of(1.019, 0.9).to_string(), "up to 2% more");
        assert_eq!((of(0.97, 1.172).to_string(), of(0.97, 1.172).beyond() > 0.17), ("+17.2% work".to_owned(), true));
        assert_eq!(of(1.1, 1.05).to_string(), "+10.0% memory, +5.0% work");
    }

    #[test]
    fn a_form_has_other_parts_behind_the_same_layers() {
        let spec: Spec = "freelists(16,64) list(fit=first, split=never) word=4 align=8".parse().expect("a spec");
        let forms: Vec<String> = FORMS.iter().filter_map(|form| form.of(&spec)).map(|form| form.to_string()).collect();
        let [small, _, large, other] = &forms[..] else { panic!("{forms:?}") };
        assert!(small.contains("split=always, remainder=128") && large.contains("remainder=16384"), "{forms:?}");
        assert!(other.starts_with("freelists(16,64) half-fit align=8"), "{forms:?}");
        let wide = FORMS.map(|form| form.of_word(WordSize::Eight));
        let wider: Vec<String> = wide.iter().filter_map(|form| form.of(&spec)).map(|form| form.to_string()).collect();
        assert!(wider.len() == 5 && wider.iter().all(|form| form.contains("word=8")), "{wider:?}");
        let own = wide.map(|form| Near::Form(form).to_string());
        let remainders = ["remainder=128 word=8", "remainder=512 word=8", "remainder=16384 word=8"];
        assert_eq!(own.to_vec(), [&["word=8"], &remainders[..], &["… half-fit word=8"]].concat());
        let half_fit: Spec = "half-fit word=8".parse().expect("a spec");
        assert_eq!(wide.map(|form| form.of(&half_fit)), [const { None }; 5], "it has them");
        let always: Spec = "freelists(16,64) list(fit=first) word=8".parse().expect("a spec");
        assert_eq!(FORMS.iter().filter_map(|form| form.of(&always)).count(), 1, "only the pool is another");
    }
}
