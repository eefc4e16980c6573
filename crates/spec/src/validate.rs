//! Which specs are heaps.
//!
//! The checks look at data, so they hold for specs from a text and for specs from a design
//! space. A fault has a [`Place`], which the parser turns into a column.

mod alignment;
mod layers;
mod regions;
mod sizes;

use crate::ast::{Check as Level, Delay, Flush, Layer, Order, Spec, Threads};
use crate::error::SpecError;
use crate::parse::{self, Places};
use crate::problem::Problem;

pub(crate) use sizes::Bounds;

/// A part of a spec that can be at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A layer as a whole.
    Layer(usize),
    /// A part of the region of this number.
    Region(usize, OfRegion),
    /// A number of the sizes of a free-list layer.
    FreeLists { layer: usize, item: usize, part: Part },
    /// A number of the sizes of the classes of spans.
    Spans { layer: usize, item: usize, part: Part },
    /// The size of a span.
    SpanSize,
    /// How many empty spans are kept.
    SpansKept,
    /// Where the record of a span is.
    SpanMetadata,
    /// A number of the sizes of the classes.
    Classes { item: usize, part: Part },
    /// The step beyond the classes.
    Beyond,
    /// A number of the exact bins.
    ExactBins(Part),
    /// The bins for each doubling.
    PerDoubling,
    /// The order of the bins.
    BinOrder,
    /// How far a bin is searched.
    Tries,
    /// The division of powers of two.
    SecondLevel,
    /// The largest request.
    Largest,
    /// The depth of best fit.
    Depth,
    /// The level of splitting.
    Splitting,
    /// The level of coalescing.
    Coalescing,
    /// The size of a page.
    Page,
    /// The size of the smallest object in a page.
    MinObject,
    /// How the unit is reached that searches pages.
    Unit,
    /// How many pairs of buddies wait.
    Glue,
    /// When a buddy heap grows.
    Grow,
    /// What is before the payload of a chunk.
    ChunkHeader,
    /// Which chunk of a list serves.
    ChunkFit,
    /// What chunks are a multiple of.
    ChunkUnit,
    /// The smallest remainder that is split off.
    Remainder,
    /// The smallest request that is served from above.
    ChunkEnds,
    /// The pages that stay free at the end.
    Retain,
    /// The length of the quarantine.
    Quarantine,
    /// How many blocks an operation flushes.
    Flush,
    /// The places of a magazine.
    Magazine,
    /// The part of the region that is reserved.
    ReserveHigh,
    /// The size of fixed blocks.
    FixedSize,
    /// The alignment.
    Alignment,
    /// How threads share the heap.
    Threads,
    /// When memory goes back.
    Purge,
    /// What the heap checks.
    Check,
}

/// One of the numbers of `8..=1024 step 8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The first.
    From,
    /// The second.
    To,
    /// The third.
    Step,
}

/// A part of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OfRegion {
    /// Its name.
    Name,
    /// Its bytes.
    Size,
    /// What an access costs.
    Cost,
    /// The largest request that begins in it.
    UpTo,
}

/// A fault of a part, and alternatives.
#[derive(Debug)]
pub(crate) struct Fault {
    pub place: Place,
    pub problem: Problem,
    pub alternatives: Vec<String>,
}

impl Fault {
    pub fn new(place: Place, problem: Problem) -> Self {
        Self { place, problem, alternatives: Vec::new() }
    }

    /// The fault with what could be written instead.
    pub fn or(mut self, alternatives: impl IntoIterator<Item = impl ToString>) -> Self {
        let texts = alternatives.into_iter().map(|text| text.to_string());
        self.alternatives = texts.collect();
        self
    }

    /// The error for a text whose parts are at these places.
    pub fn at(self, places: &Places, text: &str) -> SpecError {
        SpecError {
            column: places.column(self.place),
            problem: self.problem,
            alternatives: self.alternatives,
            text: text.to_owned(),
        }
    }
}

/// The result of a check.
pub(crate) type Check = std::result::Result<(), Fault>;

impl Spec {
    /// Whether this is a heap that can be built; if not, an error that points into its text.
    ///
    /// Parsed specs have passed already. A spec that was put together as data is printed, so
    /// that the error has a text to point into.
    pub fn validate(&self) -> std::result::Result<(), SpecError> {
        let Some(fault) = first_fault(self) else {
            return Ok(());
        };
        let text = self.to_string();
        let (_, places) = parse::read(&text)?;
        Err(fault.at(&places, &text))
    }

    /// Whether the structure of this heap has what its level checks.
    pub(crate) fn can_check(&self) -> bool {
        check_level(self).is_ok()
    }
}

/// The first thing wrong with a spec.
pub(crate) fn first_fault(spec: &Spec) -> Option<Fault> {
    check(spec).err()
}

fn check(spec: &Spec) -> Check {
    let mut bounds = Bounds::new(spec.word);
    for (index, layer) in spec.layers.iter().enumerate() {
        layers::check(spec, index, layer)?;
        if let Layer::FreeLists(free_lists) = layer {
            bounds.free_lists(index, free_lists)?;
        }
        if let Layer::Spans(spans) = layer {
            bounds.spans(index, spans)?;
        }
    }
    spec.pool.check(&mut bounds)?;
    layers::check_free_lists(spec)?;
    match alignment::problem(spec.alignment.into(), spec.word) {
        Some(fault) => return Err(fault),
        None => {
            layers::check_room(spec).and_then(|()| layers::check_spans(spec)).and_then(|()| regions::check(spec))?
        }
    }
    check_level(spec)?;
    if matches!(spec.purge.delay(), Some(Delay::Frees(0) | Delay::Milliseconds(0))) {
        let level = if spec.purge.is_lazy() { "purge=lazy(1)" } else { "purge=after(1)" };
        return Err(Fault::new(Place::Purge, Problem::PurgeAfterNothing).or([level]));
    }
    match (spec.threads, spec.layers.as_slice()) {
        (threads, [Layer::Regions(_), ..]) if threads != Threads::One => {
            Err(Fault::new(Place::Threads, Problem::RegionsForThreads).or(["threads=one"]))
        }
        (Threads::One | Threads::Each, _) => Ok(()),
        (_, [Layer::Spans(_)]) => Ok(()),
        (Threads::Lists | Threads::ListsWithin(_), [Layer::FreeLists(lists)])
            if lists.order == Order::Lifo && lists.flush == Flush::All && lists.magazine.is_none() =>
        {
            Ok(())
        }
        (Threads::Owned, _) => Err(Fault::new(Place::Threads, Problem::NoSpansForThreads)),
        (Threads::Lists | Threads::ListsWithin(_), _) => Err(Fault::new(Place::Threads, Problem::NoListsForThreads)),
    }
}

/// Whether the pool has what the heap is to check.
fn check_level(spec: &Spec) -> Check {
    let fault = |problem| Err(Fault::new(Place::Check, problem).or(["check=off"]));
    match spec.check {
        Level::Off => Ok(()),
        Level::Header if !spec.pool.can_be_checked(spec) => fault(Problem::NothingToCheck),
        Level::Header if spec.layers.iter().any(|layer| matches!(layer, Layer::Spans(_))) => {
            fault(Problem::UncheckedSpans)
        }
        Level::Header if spec.threads.has_lists() => fault(Problem::UncheckedLists),
        Level::Header => Ok(()),
    }
}
