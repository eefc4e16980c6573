//! The one place where data becomes a running heap.
//!
//! ```text
//!   Spec ──▶ word ──▶ index (order, tags) ──▶ layer ──▶ Job::run(heap)
//!             u16       Lifo | Fifo |           FreeLists
//!             u32       AddressOrder |          or none
//!             u64       Implicit | Bins | Classes |
//!                       BySize | TwoLevel
//! ```
//!
//! Each pool is built by its file in `pool`; the layers that go
//! before any heap, and take its type away, in `build/layers.rs`; several regions in `build/regions.rs`.
//!
//! Every step turns one datum into a type, so the job's code is compiled once
//! for every structure and its loop is monomorphic. Levels stay values. Which
//! words get a loop of their own is decided in `heapsmith-dispatch`.

pub(crate) mod buddy;
mod layers;
mod linear;
pub(crate) mod pages;
mod regions;

use heapsmith::parts::{
    BlockPool, Checked, Coalesce, Fit, Format, Index, Policy, PolicyValues, SizeRange, SizeTable, Spacing, TwoLevel,
};
use heapsmith::{FreeLists, Heap, Meter, RegionError, Source, Word};

pub use buddy::{HandlesJob, with_handles};
pub use regions::in_regions;

use crate::{BinLayout, BlockFactors, Check, Classes, Coalescing, Largest, Layer, Sizes, Spec, Splitting, WordSize};

/// Memory of a heap that outlives the call that builds it; it is freed as a whole.
pub type Storage = bumpalo::Bump;

/// A stored heap of any type.
pub type HeapRef<'a, M> = &'a mut (dyn Heap<Meter = M> + 'a);

/// Why a spec did not become a heap.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The region does not suit the heap.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// Free lists outside another layer or before a pool that cannot have them; validation refuses such a spec.
    #[error("free lists are in a place where `Spec::validate` refuses them: {0}")]
    Layers(String),
    /// The heap's word is one that this build leaves out.
    #[error("this build has no heaps of two-byte words")]
    WordLeftOut,
    /// The job takes no heap that checks what it is given, or no other.
    #[error("no heap of this `check=` was compiled for this")]
    CheckLeftOut,
    /// Handles were requested of a heap that moves no blocks.
    #[error("this heap moves no blocks, so it has no handles: {0}")]
    NoHandles(String),
}

/// A job with a heap of any type.
pub trait Job<'a, M: Meter> {
    /// Its result.
    type Output;
    /// Whether it takes heaps with `check=header`, and no others; else it takes all but these. Of the rest nothing is compiled
    /// for it.
    const CHECKED: bool = false;
    /// Runs the job.
    fn run<H: Heap<Meter = M> + 'a>(self, heap: H) -> Self::Output;
}

/// The word of the heap of `spec`, if the heap has a type of its own; none behind layers that go before any heap, and none
/// that checks what it is given.
pub fn own_type(spec: &Spec) -> Option<WordSize> {
    (layers::before_any(spec).is_empty() && spec.check == Check::Off).then_some(spec.word)
}

/// Makes the heap of `spec`, whose word `W` and [`own_type`] it is, over the region that `source` supplies, and hands it to
/// `job` with its type. A job over every structure of one word takes half a minute to compile.
pub fn with_typed_heap<W: Word, S: Source, M: Meter, T, J: for<'a> Job<'a, M, Output = T>>(
    spec: &Spec,
    source: S,
    meter: M,
    job: J,
) -> Result<T, BuildError> {
    debug_assert_eq!(own_type(spec).map(|word| word.bytes() as usize), Some(W::BYTES));
    Parts { spec, source, meter, storage: &Storage::new(), job }.pool::<W>()
}

/// Makes the heap of `spec` over the region that `source` supplies, and keeps it, with its tables, in `storage`: a heap that
/// outlives the call, without its type. Every structure is compiled for each source and meter that this is called with. A
/// heap with `check=header` is made by [`keep_checked`] alone.
pub fn keep<'a, S: Source + 'a, M: Meter + 'a>(
    spec: &Spec,
    source: S,
    meter: M,
    storage: &'a Storage,
) -> Result<HeapRef<'a, M>, BuildError> {
    kept(Parts { spec, source, meter, storage, job: layers::Keep::<false>(storage) }, Parts::worded)
}

/// As [`keep`], of heaps with `check=header`.
pub fn keep_checked<'a, S: Source + 'a, M: Meter + 'a>(
    spec: &Spec,
    source: S,
    meter: M,
    storage: &'a Storage,
) -> Result<HeapRef<'a, M>, BuildError> {
    kept(Parts { spec, source, meter, storage, job: layers::Keep::<true>(storage) }, Parts::worded)
}

/// As [`keep`], where no heap has words of two bytes: those are a third of all heaps' code.
pub fn keep_wide<'a, S: Source + 'a, M: Meter + 'a>(
    spec: &Spec,
    source: S,
    meter: M,
    storage: &'a Storage,
) -> Result<HeapRef<'a, M>, BuildError> {
    kept(Parts { spec, source, meter, storage, job: layers::Keep::<false>(storage) }, Parts::wide)
}

/// The parts of a heap that is kept.
type Kept<'s, 'a, S, M, const CHECKED: bool> = Parts<'s, 'a, S, M, layers::Keep<'a, CHECKED>>;

/// The heap that `make` makes of its parts, behind the layers that go before any heap.
fn kept<'s, 'a, S: Source + 'a, M: Meter + 'a, const CHECKED: bool>(
    parts: Kept<'s, 'a, S, M, CHECKED>,
    make: fn(Kept<'s, 'a, S, M, CHECKED>) -> Result<HeapRef<'a, M>, BuildError>,
) -> Result<HeapRef<'a, M>, BuildError> {
    let (spec, region, storage) = (parts.spec, parts.source.limit(), parts.storage);
    layers::before(make(parts)?, spec, region, storage)
}

/// The block sizes that the lists of `layer` serve in the heap of `spec`, in
/// words, ascending; request sizes that share a block size share a list.
pub fn lists_in_words(spec: &Spec, layer: &crate::FreeLists) -> Vec<(usize, usize)> {
    listed_by(&layer.sizes, |size| words_for(spec, size)).iter().map(|list| (list.low, list.high)).collect()
}

/// The payloads that the classes of spans serve in the heap of `spec`, in words, ascending. Classes leave no gaps; request
/// sizes that share a payload share a class.
pub fn spans_in_words(spec: &Spec, layer: &crate::Spans) -> Vec<(usize, usize)> {
    span_lists(spec, layer).iter().map(|list| (list.low, list.high)).collect()
}

fn span_lists(spec: &Spec, layer: &crate::Spans) -> Vec<SizeRange> {
    let (word, alignment) = (u64::from(spec.word.bytes()), u64::from(spec.alignment));
    let words = |size: u64| Some(bytes(size.checked_next_multiple_of(alignment)? / word));
    without_gaps(listed_by(&layer.sizes, words))
}

/// Words of the largest block that a span of this layer holds, whatever the pool's headers.
pub fn largest_of_spans(spec: &Spec, layer: &crate::Spans) -> usize {
    match spec.word {
        WordSize::Two => layers::largest_in_word::<u16>(spec, layer),
        WordSize::Four => layers::largest_in_word::<u32>(spec, layer),
        WordSize::Eight => layers::largest_in_word::<u64>(spec, layer),
    }
}

/// Words that blocks beyond the classes are a multiple of: the step, and no less than what blocks begin at; none if
/// nothing beyond is served.
pub fn step_in_words(spec: &Spec, classes: &Classes) -> Option<usize> {
    let step = classes.beyond? / u64::from(spec.word.bytes());
    Some((step as usize).max(1).next_multiple_of(format(spec).granule))
}

/// The block sizes that the classes of the heap of `spec` serve, in words, ascending. Classes leave no
/// gaps: a request goes to the smallest class that holds it.
pub fn classes_in_words(spec: &Spec, classes: &Classes) -> Vec<(usize, usize)> {
    class_lists(spec, classes).iter().map(|list| (list.low, list.high)).collect()
}

fn class_lists(spec: &Spec, classes: &Classes) -> Vec<SizeRange> {
    without_gaps(listed(&classes.sizes, &format(spec), spec.word))
}

/// The lists, each of which serves all above the one before.
fn without_gaps(mut lists: Vec<SizeRange>) -> Vec<SizeRange> {
    let mut above = 0;
    for list in &mut lists {
        (list.low, above) = (above, list.high + 1);
    }
    lists
}

/// The block sizes of a spec's heap.
pub fn format(spec: &Spec) -> Format {
    let Some((links, tags)) = spec.pool.links_and_tags() else {
        // All blocks are powers of two.
        let min = words_for(spec, 1).unwrap_or(1);
        return Format { granule: min, min };
    };
    let alignment = spec.alignment as usize;
    match spec.word {
        WordSize::Two => Format::new::<u16>(alignment, links, tags),
        WordSize::Four => Format::new::<u32>(alignment, links, tags),
        WordSize::Eight => Format::new::<u64>(alignment, links, tags),
    }
}

/// Words of the block that serves a request of `size` bytes in the heap of `spec`; none if no block can.
pub fn words_for(spec: &Spec, size: u64) -> Option<usize> {
    spec.pool.words_for(spec, size)
}

/// Bytes of the largest request that the pool of `spec` serves, where that is a level of it.
pub fn max_request(spec: &Spec) -> Option<u64> {
    spec.pool.max_request()
}

/// Words of the block of this format for a request.
pub(crate) fn words_in(format: &Format, word: WordSize, size: u64) -> Option<usize> {
    let size = usize::try_from(size).ok()?;
    match word {
        WordSize::Two => format.words_for::<u16>(size),
        WordSize::Four => format.words_for::<u32>(size),
        WordSize::Eight => format.words_for::<u64>(size),
    }
}

/// Lists as ascending, disjoint ranges of block sizes.
fn listed(sizes: &[Sizes], format: &Format, word: WordSize) -> Vec<SizeRange> {
    listed_by(sizes, |size| words_in(format, word, size))
}

/// Lists as ascending, disjoint ranges of block sizes, where `words` gives the block for a request.
fn listed_by(sizes: &[Sizes], words: impl Fn(u64) -> Option<usize>) -> Vec<SizeRange> {
    let mut lists: Vec<SizeRange> = sizes
        .iter()
        .flat_map(Sizes::ranges)
        .filter_map(|(low, high)| Some(SizeRange { low: words(low)?, high: words(high)? }))
        .collect();
    lists.sort_by_key(|list| list.high);
    let mut disjoint: Vec<SizeRange> = Vec::with_capacity(lists.len());
    for list in lists {
        let above = disjoint.last().map_or(0, |last| last.high + 1);
        if list.high >= above {
            disjoint.push(SizeRange { low: list.low.max(above), ..list });
        }
    }
    disjoint
}

/// Block sizes up to this many words are looked up directly, larger ones searched for.
const DIRECT_WORDS: usize = 4096;

/// The look-up of these lists, kept in `storage`.
fn table(storage: &Storage, lists: Vec<SizeRange>) -> SizeTable<'_> {
    let length = lists.last().map_or(0, |list| list.high + 1).min(DIRECT_WORDS);
    SizeTable::new(storage.alloc_slice_copy(&lists), storage.alloc_slice_fill_copy(length, 0))
}

/// The parts of a heap: its pool's file makes the heap of them and passes it to the job.
pub(crate) struct Parts<'s, 'a, S, M, J> {
    pub spec: &'s Spec,
    pub source: S,
    pub meter: M,
    pub storage: &'a Storage,
    pub job: J,
}

impl<'s, 'a, S: Source + 'a, M: Meter + 'a, J: Job<'a, M>> Parts<'s, 'a, S, M, J> {
    /// The spec, if no free lists are directly before its pool; validation makes sure of that.
    pub(crate) fn without_free_lists(&self) -> Result<&'s Spec, BuildError> {
        match self.spec.layers.last() {
            Some(Layer::FreeLists(_)) => Err(BuildError::Layers(self.spec.to_string())),
            _ => Ok(self.spec),
        }
    }

    fn worded(self) -> Result<J::Output, BuildError> {
        match self.spec.word {
            #[cfg(feature = "word-2")]
            WordSize::Two => self.pool::<u16>(),
            _ => self.wide(),
        }
    }

    fn wide(self) -> Result<J::Output, BuildError> {
        match self.spec.word {
            WordSize::Two => Err(BuildError::WordLeftOut),
            WordSize::Four => self.pool::<u32>(),
            WordSize::Eight => self.pool::<u64>(),
        }
    }

    fn pool<W: Word>(self) -> Result<J::Output, BuildError> {
        let spec = self.spec;
        spec.pool.build::<W, S, M, J>(self)
    }

    /// Two-level segregated fit, or half-fit where the second level is 0.
    pub(crate) fn two_level<W: Word>(self, second: u8, largest: Largest) -> Result<J::Output, BuildError> {
        let policy = self.policy(Fit::BEST, &BlockFactors::DEFAULT);
        let words = match largest {
            Largest::Bytes(size) => words_for(self.spec, size),
            Largest::Word | Largest::Region => None,
        };
        let lists = TwoLevel::new(second.into(), words.unwrap_or(W::MAX_WORDS));
        let region = self.source.limit().min(bytes(self.spec.max_region())) / W::BYTES;
        let lists = if largest == Largest::Region { lists.within(region) } else { lists };
        self.layered::<W, _, true>(lists, policy)
    }

    /// The lists that serve the classes, in tables of this heap's storage.
    pub(crate) fn class_table(&self, classes: &Classes) -> SizeTable<'a> {
        table(self.storage, class_lists(self.spec, classes))
    }

    /// The policy of a pool of blocks.
    pub(crate) fn policy(&self, fit: Fit, factors: &BlockFactors) -> PolicyValues {
        PolicyValues {
            alignment: self.spec.alignment as usize,
            fit,
            split_from: match factors.split {
                Splitting::Never => usize::MAX,
                Splitting::Always => 0,
                Splitting::From(size) => bytes(size),
            },
            remainder: bytes(factors.remainder),
            coalesce: match factors.coalesce {
                Coalescing::Never => Coalesce::Never,
                Coalescing::Immediate => Coalesce::From(0),
                Coalescing::From(size) => Coalesce::From(bytes(size)),
                Coalescing::Deferred => Coalesce::Deferred,
                Coalescing::EveryCall => Coalesce::EveryCall,
            },
        }
    }

    /// A pool of blocks with this index, this fit and these factors, and the free lists before it.
    pub(crate) fn blocks<W: Word, I: Index + 'a>(
        self,
        index: I,
        fit: Fit,
        factors: &BlockFactors,
    ) -> Result<J::Output, BuildError> {
        let policy = self.policy(fit, factors);
        if factors.tags {
            self.layered::<W, I, true>(index, policy)
        } else {
            self.layered::<W, I, false>(index, policy)
        }
    }

    /// The same with a policy of its own; whether blocks carry boundary tags is a type.
    pub(crate) fn layered<W: Word, I: Index + 'a, const TAGS: bool>(
        self,
        index: I,
        policy: PolicyValues,
    ) -> Result<J::Output, BuildError> {
        match self.spec.check {
            // Of what no constant leads to, nothing is compiled.
            Check::Off if !J::CHECKED => self.over::<W, I, _, TAGS>(index, policy),
            Check::Header if J::CHECKED => self.over::<W, I, _, TAGS>(index, Checked(policy)),
            Check::Off | Check::Header => Err(BuildError::CheckLeftOut),
        }
    }

    /// The same with a policy of any type, which says whether the heap checks what it is given.
    fn over<W: Word, I: Index + 'a, L: Policy + 'a, const TAGS: bool>(
        self,
        index: I,
        policy: L,
    ) -> Result<J::Output, BuildError> {
        let Parts { spec, source, meter, storage, job } = self;
        match spec.layers.last() {
            None | Some(Layer::Regions(_) | Layer::Guard(_) | Layer::Reserve(_) | Layer::Spans(_) | Layer::Zero) => {
                Ok(job.run(BlockPool::<W, I, _, S, M, TAGS>::from_parts(source, index, policy, meter)?))
            }
            Some(Layer::FreeLists(layer)) => {
                let map = table(storage, listed(&layer.sizes, &format(spec), spec.word));
                let heap = FreeLists::<BlockPool<W, I, _, S, M, TAGS>, _>::from_parts(
                    source,
                    index,
                    policy,
                    meter,
                    map,
                    layer.waiting(),
                )?;
                Ok(job.run(heap.flushing(flushed(layer))))
            }
        }
    }
}

/// The most blocks of these lists that one operation flushes.
pub(crate) fn flushed(layer: &crate::FreeLists) -> usize {
    layer.flush.max().map_or(usize::MAX, |blocks| blocks as usize)
}

pub(crate) fn bytes(size: u64) -> usize {
    usize::try_from(size).unwrap_or(usize::MAX)
}

/// A layout of bins over request sizes as one over block sizes, headers of `word` bytes included.
pub fn spacing(layout: BinLayout, word: usize) -> Spacing {
    match layout {
        BinLayout::Lea => Spacing::Lea,
        BinLayout::Log { per_doubling } => {
            Spacing::Exact { from: word, step: 1, count: 0, per_doubling: per_doubling.into() }
        }
        BinLayout::Exact { from, to, step, then_log } => Spacing::Exact {
            from: bytes(from) + word,
            step: bytes(step),
            count: bytes((to - from) / step + 1),
            per_doubling: then_log.map_or(0, usize::from),
        },
    }
}
