//! Sizes: that ranges are ranges, that no size has two lists, that all of it fits.

use super::{Check, Fault, Part, Place};
use crate::Classes;
use crate::ast::{EmptySpans, FreeBlocks, FreeLists, Metadata, Sizes, Spans, Spec, WordSize};
use crate::problem::Problem;

/// The limits of a heap's sizes, and how much of them is used.
pub(crate) struct Bounds {
    word: WordSize,
    /// Lists, bins and classes so far.
    lists: u64,
}

impl Bounds {
    pub fn new(word: WordSize) -> Self {
        Self { word, lists: 0 }
    }

    /// The heap's word.
    pub fn word(&self) -> WordSize {
        self.word
    }

    /// Whether that many bytes can occur in a region of this word.
    pub fn fits(&self, place: Place, size: u64) -> Check {
        let limit = self.word.max_region();
        if size <= limit {
            return Ok(());
        }
        let word = self.word.bytes();
        Err(Fault::new(place, Problem::BeyondRegion { size, word, limit }))
    }

    pub fn free_lists(&mut self, layer: usize, free_lists: &FreeLists) -> Check {
        if free_lists.sizes.is_empty() {
            let place = Place::FreeLists { layer, item: 0, part: Part::From };
            return Err(Fault::new(place, Problem::Empty("freelists")));
        }
        for (item, sizes) in free_lists.sizes.iter().enumerate() {
            let place = |part| Place::FreeLists { layer, item, part };
            self.sizes(sizes, place)?;
            let mut earlier = free_lists.sizes[..item].iter();
            if let Some(problem) = earlier.find_map(|earlier| overlap(earlier, sizes)) {
                return Err(Fault::new(place(Part::From), problem));
            }
        }
        Ok(())
    }

    pub fn classes(&mut self, classes: &Classes) -> Check {
        self.ascending("classes", &classes.sizes, |item, part| Place::Classes { item, part })?;
        match classes.beyond {
            Some(0) => Err(Fault::new(Place::Beyond, Problem::StepZero)),
            Some(step) => self.fits(Place::Beyond, step),
            None => Ok(()),
        }
    }

    pub fn spans(&mut self, layer: usize, spans: &Spans) -> Check {
        self.ascending("spans", &spans.sizes, |item, part| Place::Spans { layer, item, part })?;
        if !spans.span.is_power_of_two() || !(Spans::MIN_SPAN..=Spans::MAX_SPAN).contains(&spans.span) {
            return Err(Fault::new(Place::SpanSize, Problem::SpanSize(spans.span)));
        }
        self.fits(Place::SpanSize, spans.span)?;
        if matches!(spans.empty, EmptySpans::Keep(kept) if !(1..=Spans::MAX_KEEP).contains(&kept)) {
            return Err(Fault::new(Place::SpansKept, Problem::SpansKept(spans.empty.kept())));
        }
        if (spans.free, spans.metadata) == (FreeBlocks::List, Metadata::Outside) {
            return Err(Fault::new(Place::SpanMetadata, Problem::ListOutside).or(["metadata=inside"]));
        }
        Ok(())
    }

    /// Whether these items are classes, each above the one before.
    fn ascending(&mut self, of: &'static str, items: &[Sizes], place: impl Fn(usize, Part) -> Place) -> Check {
        if items.is_empty() {
            return Err(Fault::new(place(0, Part::From), Problem::Empty(of)));
        }
        let mut before = 0;
        for (item, sizes) in items.iter().enumerate() {
            self.sizes(sizes, |part| place(item, part))?;
            before = class(sizes, before, place(item, Part::From))?;
        }
        Ok(())
    }

    pub fn exact_bins(&mut self, from: u64, to: u64, step: u64) -> Check {
        self.sizes(&Sizes::Steps { from, to, step }, Place::ExactBins)
    }

    /// Whether this item is a row of sizes that fit, and not one list too many.
    fn sizes(&mut self, sizes: &Sizes, place: impl Fn(Part) -> Place) -> Check {
        row(sizes, &place)?;
        let (largest, part) = match *sizes {
            Sizes::One(size) => (size, Part::From),
            Sizes::Range { to, .. } | Sizes::Steps { to, .. } | Sizes::Doubles { to, .. } => (to, Part::To),
        };
        self.fits(place(part), largest)?;
        self.lists = self.lists.saturating_add(sizes.lists());
        if self.lists > Spec::MAX_LISTS {
            return Err(Fault::new(place(Part::From), Problem::TooManyLists(self.lists)));
        }
        Ok(())
    }
}

/// The largest class of this item, if all of its classes are above the one before.
fn class(sizes: &Sizes, before: u64, place: Place) -> Result<u64, Fault> {
    let (first, last) = match *sizes {
        Sizes::One(size) => (size, size),
        Sizes::Steps { from, to, .. } | Sizes::Doubles { from, to, .. } => (from, to),
        Sizes::Range { to, .. } => {
            let problem = Problem::ClassOfRange(sizes.to_string());
            return Err(Fault::new(place, problem).or([to]));
        }
    };
    if first > before {
        return Ok(last);
    }
    let problem = Problem::ClassNotAbove { size: first, before };
    Err(Fault::new(place, problem))
}

/// Whether the numbers of an item make a row of sizes.
fn row(sizes: &Sizes, place: impl Fn(Part) -> Place) -> Check {
    let (from, to) = match *sizes {
        Sizes::One(size) => (size, size),
        Sizes::Range { from, to } | Sizes::Steps { from, to, .. } | Sizes::Doubles { from, to, .. } => (from, to),
    };
    if from == 0 {
        return Err(Fault::new(place(Part::From), Problem::SizeZero));
    }
    if from > to {
        let problem = Problem::UpsideDown { from, to };
        return Err(Fault::new(place(Part::From), problem).or([format!("{to}..={from}")]));
    }
    match *sizes {
        Sizes::Steps { step: 0, .. } => Err(Fault::new(place(Part::Step), Problem::StepZero)),
        Sizes::Steps { step, .. } => arrives_by_step(from, to, step, place(Part::To)),
        Sizes::Doubles { parts, .. } => arrives_by_doubling(from, to, parts, place),
        Sizes::One(_) | Sizes::Range { .. } => Ok(()),
    }
}

fn arrives_by_step(from: u64, to: u64, step: u64, place: Place) -> Check {
    let excess = (to - from) % step;
    if excess == 0 {
        return Ok(());
    }
    let below = to - excess;
    let problem = Problem::MissedByStep { from, to, step };
    Err(Fault::new(place, problem).or(neighbours(below, below.checked_add(step))))
}

fn arrives_by_doubling(from: u64, to: u64, parts: u64, place: impl Fn(Part) -> Place) -> Check {
    if parts == 0 || !from.is_multiple_of(parts) {
        let problem = Problem::PartsOfDoubling { from, parts };
        let known = (1..=parts.min(from)).rev().find(|parts| from.is_multiple_of(*parts));
        return Err(Fault::new(place(Part::Step), problem).or(known));
    }
    // Both ends are at least 1 and in order, so the quotient has a logarithm.
    let doubled = from << (to / from).ilog2();
    let step = doubled / parts;
    let below = to - (to - doubled) % step;
    if below == to {
        return Ok(());
    }
    let problem = Problem::MissedByDoubling { from, to };
    Err(Fault::new(place(Part::To), problem).or(neighbours(below, below.checked_add(step))))
}

/// The upper ends that would do, on either side of the one that does not.
fn neighbours(below: u64, above: Option<u64>) -> impl Iterator<Item = u64> {
    std::iter::once(below).chain(above)
}

/// The smallest size that both items serve. Neither item has gaps, so their ends decide.
fn overlap(earlier: &Sizes, later: &Sizes) -> Option<Problem> {
    let (earlier_low, earlier_high) = earlier.span()?;
    let (later_low, later_high) = later.span()?;
    let size = earlier_low.max(later_low);
    (size <= earlier_high.min(later_high)).then(|| Problem::Overlap { size, earlier: earlier.to_string() })
}
