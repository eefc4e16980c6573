//! Everything that can be wrong with a spec.

use crate::ast::{FreeLists, Guard, NamedRegion, Regions, Spans, Spec};
use crate::{Chunks, Glue, Pages, Tlsf, UnitAccess};

/// A problem of a spec, in words; [`crate::SpecError`] has the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    // ---- characters and numbers
    /// A character that no spec contains.
    #[error("`{}` has no meaning in a spec", .0.escape_debug())]
    Character(char),
    /// A line break inside the text.
    #[error("a spec is one line of text")]
    SecondLine,
    /// A dot that is not part of `..=`.
    #[error("a range names both ends and serves both, as in `8..=16`")]
    OpenRange,
    /// `>` or `=` where a level has `>=`.
    #[error("a level is the smallest size that it applies to, as in `split>=512`")]
    LevelSign,
    /// Letters after a number.
    #[error("`{0}` is not a number: digits may be followed by K (1024) or M (1048576), a time by ms")]
    Suffix(String),
    /// A number that does not fit into 64 bits.
    #[error("`{0}` is too large a number")]
    HugeNumber(String),

    // ---- the order of things
    /// The text names no pool.
    #[error("{}", match .0 {
        0 => "no heap is named",
        _ => "a heap ends with a pool, and there are only layers",
    })]
    NoPool(usize),
    /// A second pool.
    #[error("a heap has one pool, so `{0}` cannot follow")]
    SecondPool(String),
    /// A layer after the pool.
    #[error("`{0}` is a layer, and layers go before the pool")]
    LayerAfterPool(String),
    /// A second layer of one kind.
    #[error("a heap has `{0}` once")]
    SecondLayer(&'static str),
    /// Free lists that are not directly before the pool.
    #[error("`freelists` goes directly before the pool, so `{0}` belongs before it")]
    FreeListsOutside(&'static str),
    /// Spans that are not before the pool or its free lists.
    #[error("`spans` goes directly before the pool or its free lists, so `{0}` belongs before it")]
    SpansOutside(&'static str),
    /// Regions behind another layer.
    #[error(
        "`regions` goes before everything else, so `{0}` belongs behind it: each region has a heap of all that follows"
    )]
    RegionsInside(&'static str),
    /// A layer before a pool that it does not suit.
    #[error("`{layer}` cannot go before this pool: {why}")]
    LayerBefore {
        /// The layer.
        layer: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// An option before the pool.
    #[error("`{0}` is an option, and options go behind the pool")]
    OptionBeforePool(String),
    /// Something else after the pool.
    #[error("{0} after the end of the heap")]
    AfterEnd(String),
    /// A parenthesis that was never opened.
    #[error("`)` closes nothing")]
    ClosesNothing,
    /// A parenthesis that is never closed.
    #[error("the parenthesis opened at column {0} is not closed")]
    NotClosed(usize),
    /// `()`.
    #[error("the parentheses of `{0}` are empty")]
    Empty(&'static str),
    /// A token where another is needed.
    #[error("{found} where {wanted} is needed")]
    Unexpected {
        /// The token there.
        found: String,
        /// What the grammar asks for.
        wanted: String,
    },

    // ---- words
    /// No layer, pool or catalogue entry has that name.
    #[error("`{0}` is not a layer or a pool")]
    UnknownHeap(String),
    /// Neither a spec nor in the catalogue.
    #[error("`{0}` is neither in the catalogue nor a pool")]
    UnknownName(String),
    /// A catalogue name in place of a spec's part.
    #[error("`{0}` is a name of the catalogue: write it alone, in place of a spec")]
    NameInSpec(String),
    /// A key that this part of the heap does not have.
    #[error("`{word}` is not a key of {of}")]
    UnknownKey {
        /// The key as written.
        word: String,
        /// What the key would belong to.
        of: &'static str,
    },
    /// A key that was set before.
    #[error("`{0}` is set twice")]
    Duplicate(&'static str),
    /// A value that this key does not have.
    #[error("`{word}` is not a value of `{key}`")]
    UnknownValue {
        /// The value as written.
        word: String,
        /// The key.
        key: &'static str,
    },

    // ---- sizes
    /// A size of no bytes.
    #[error("a size is at least 1 byte")]
    SizeZero,
    /// A step of no bytes.
    #[error("a step is at least 1 byte")]
    StepZero,
    /// A range whose lower end is above its upper end.
    #[error("the range {from}..={to} is upside down")]
    UpsideDown {
        /// The first number.
        from: u64,
        /// The second.
        to: u64,
    },
    /// Steps that miss the upper end.
    #[error("steps of {step} from {from} do not arrive at {to}")]
    MissedByStep {
        /// The lower end.
        from: u64,
        /// The upper end.
        to: u64,
        /// The step.
        step: u64,
    },
    /// Doubling that misses the upper end.
    #[error("doubling {from} does not arrive at {to}")]
    MissedByDoubling {
        /// The lower end.
        from: u64,
        /// The upper end.
        to: u64,
    },
    /// Steps of a doubling that are no whole bytes.
    #[error("{from} bytes cannot be doubled in {parts} equal steps of whole bytes")]
    PartsOfDoubling {
        /// The lower end.
        from: u64,
        /// The steps.
        parts: u64,
    },
    /// Two lists for one size.
    #[error("requests of {size} bytes already go to `{earlier}`")]
    Overlap {
        /// A size served by both.
        size: u64,
        /// The item that serves it.
        earlier: String,
    },
    /// More lists than a heap may have.
    #[error("{0} lists are too many: a heap has at most {max}", max = Spec::MAX_LISTS)]
    TooManyLists(u64),
    /// A number of bytes beyond the region.
    #[error("{size} bytes do not fit: with word={word} a region has at most {limit}")]
    BeyondRegion {
        /// The size asked for.
        size: u64,
        /// Bytes in a word.
        word: u32,
        /// The largest region with that word.
        limit: u64,
    },
    /// A range of sizes as one class.
    #[error("a class has one size, not the range `{0}`")]
    ClassOfRange(String),
    /// Classes that do not ascend.
    #[error("classes ascend, and {size} is not above {before}")]
    ClassNotAbove {
        /// The size of the later class.
        size: u64,
        /// The size of the class before it.
        before: u64,
    },
    /// Bins for each doubling that are not a small power of two.
    #[error("{0} bins for each doubling: there can be 1, 2, 4, 8 or 16")]
    PerDoubling(u64),

    /// An order of bins that are not lists.
    #[error("`order` is how a list is kept; a bin of another kind is always by size")]
    OrderOfNoList,
    /// A bound on the search of bins that are sorted.
    #[error("`tries` is for unsorted lists; order=size, a tree and a skip list look for the best block of the bin")]
    TriesOfSorted,
    /// A bin that is not searched at all.
    #[error("a search looks at one block at least")]
    NoTries,
    /// A second level of no parts, or of too many.
    #[error("a second level of {0}: powers of two can be divided into lists 1 to {max} times in half", max = Tlsf::MAX_SECOND_LEVEL)]
    SecondLevel(u64),
    // ---- spans
    /// A span of a size that is not supported.
    #[error("a span has a power of two of bytes, from {min} to {max}, not {0}", min = Spans::MIN_SPAN, max = Spans::MAX_SPAN)]
    SpanSize(u64),
    /// A class of which no block fits a span.
    #[error("a span of {span} bytes holds no block of the class of {class}")]
    ClassBeyondSpan {
        /// Bytes of a span.
        span: u64,
        /// The largest class.
        class: u64,
    },
    /// More empty spans than a class can keep, or none.
    #[error("a class keeps 1 to {max} empty spans, not {0}; empty=return keeps none", max = Spans::MAX_KEEP)]
    SpansKept(u32),
    /// Records outside spans whose free blocks are a list through them.
    #[error("metadata=outside never touches a span, and a list of free blocks is in them: add free=bitmap")]
    ListOutside,
    // ---- regions
    /// More regions than a heap may have.
    #[error("{0} regions are too many: a heap has at most {max}", max = Regions::MAX)]
    TooManyRegions(usize),
    /// A name that cannot be part of one in emitted code.
    #[error("a region is named by a lower-case letter, then letters, digits and _, {max} at most, not `{0}`", max = NamedRegion::MAX_NAME)]
    RegionName(String),
    /// Two regions of one name.
    #[error("`{0}` is a region already")]
    SecondRegion(String),
    /// A region of no bytes, or behind which the next would not be aligned.
    #[error("a region has a multiple of {step} bytes, the alignment of the heap, not {size}")]
    RegionSize {
        /// The bytes asked for.
        size: u64,
        /// What they must be a multiple of.
        step: u64,
    },
    /// A cost of no cycles, or of too many.
    #[error("an access costs 1 to {max} cycles, not {0}", max = NamedRegion::MAX_COST)]
    RegionCost(u32),
    // ---- pages and buddies
    /// A page of a size that is not supported.
    #[error("a page has a power of two of bytes, from {min} to {max}, not {0}",
        min = Pages::MIN_PAGE, max = Pages::MAX_PAGE)]
    PageSize(u64),
    /// A smallest object that is no power of two, below the word or above half a page.
    #[error("the smallest object is a power of two from the word to half a page, not {0} bytes")]
    MinObject(u64),
    /// A unit in hardware for another word.
    #[error("a unit's bitmaps have words of {bits} bits: add word=4, or leave out how the unit is reached", bits = UnitAccess::BITS)]
    UnitWord,
    /// A unit in hardware at an address that no register has.
    #[error("the registers of a unit are at a multiple of 4, not at {0:#x}")]
    UnitAddress(u64),
    /// More objects than a unit behind a bus has registers for.
    #[error("a unit behind a bus has registers for {max} objects a page, not for {0}: a larger min=, or hardware(custom0)",
        max = UnitAccess::MAX_OBJECTS)]
    UnitObjects(u64),
    /// More pairs of buddies than may be named.
    #[error("at most {max} pairs of buddies are glued, not {0}", max = Glue::MAX)]
    GlueAbove(u64),
    /// A level that says nothing of the buddy system.
    #[error("`{level}` does not go with this buddy system: {why}")]
    BuddyLevel {
        /// The level.
        level: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// More pages that stay free at the end than are supported.
    #[error("{0} pages to stay free at the end: at most {max}", max = Pages::MAX_RETAIN)]
    Retain(u64),
    /// A header of chunks with too few or too many words.
    #[error("a header of chunks has 2 to {max} words, not {0}; header=tags has one, and header=packed", max = Chunks::MAX_HEAD)]
    ChunkHeader(u64),
    /// A unit of chunks that is no power of two.
    #[error("chunks are a multiple of a power of two, up to {max} bytes, not of {0}", max = Spec::MAX_ALIGNMENT)]
    ChunkUnit(u64),
    /// A level that says nothing of these chunks.
    #[error("`{level}` does not go with these chunks: {why}")]
    ChunkLevel {
        /// The level.
        level: &'static str,
        /// The reason.
        why: &'static str,
    },
    /// Free lists before pages.
    #[error("`freelists` cannot go before `pages`: objects have no header, and each page has its own lists")]
    FreeListsBeforePages,
    /// Free lists before a pool that moves blocks.
    #[error("`freelists` cannot go before a pool that moves blocks: it knows blocks by their address")]
    FreeListsBeforeMovable,

    // ---- levels and options
    /// A quarantine of too many blocks.
    #[error("a quarantine has at most {max} blocks, not {0}", max = Guard::MAX_QUARANTINE)]
    QuarantineAbove(u64),
    /// A flush of no block, or of too many.
    #[error("a bounded flush is of 1 to {max} blocks, not {0}", max = FreeLists::MAX_FLUSH)]
    FlushOutside(u64),
    /// A magazine without places, or with too many.
    #[error("a magazine has 1 to {max} places, not {0}", max = FreeLists::MAX_MAGAZINE)]
    MagazineOutside(u64),
    /// A magazine from which blocks are to be taken first in, first out.
    #[error("a magazine is taken from last in, first out: leave out `order=fifo`, or `magazine`")]
    MagazineInOrder,
    /// A reserve of nothing, or of all.
    #[error("a reserve is 1% to 99% of the region, not {0}%")]
    ReserveOutside(u8),
    /// A depth of 0%.
    #[error("best fit that looks at 0% of the list is first fit: use fit=first")]
    DepthZero,
    /// A depth above 100%.
    #[error("{0}% is more than the whole list")]
    DepthAbove(u64),
    /// A word of a size that is not supported.
    #[error("a word has 2, 4 or 8 bytes, not {0}")]
    WordSize(u64),
    /// An alignment that is not a power of two.
    #[error("an alignment is a power of two, and {0} is not")]
    AlignmentNotPower(u64),
    /// An alignment below the word.
    #[error("an alignment of {alignment} is below the word of {word} bytes")]
    AlignmentBelowWord {
        /// The alignment asked for.
        alignment: u64,
        /// Bytes in a word.
        word: u32,
    },
    /// An alignment above the largest.
    #[error("an alignment of {0} is above the largest, {max}", max = Spec::MAX_ALIGNMENT)]
    AlignmentAbove(u64),
    /// Regions of which each thread would have its own.
    #[error(
        "`regions` are memories that all threads share: `threads=each`, `threads=lists` and `threads=owned` would need them once for each thread"
    )]
    RegionsForThreads,
    /// Lists for each thread without anything that has sizes for them.
    #[error(
        "`threads=lists` gives each thread the lists of `freelists`, last in first out, without magazines and flushed as a whole, or lists for the classes of `spans`: the one layer of such a heap"
    )]
    NoListsForThreads,
    /// Owners without spans.
    #[error("`threads=owned` gives each thread spans of its own: `spans` is the one layer of such a heap")]
    NoSpansForThreads,
    /// Memory that goes back before anything was freed.
    #[error(
        "`purge=after(N)` waits until N blocks were freed or, with `ms`, N milliseconds have passed, at least 1; so does `lazy(N)`"
    )]
    PurgeAfterNothing,
    /// Checks of headers in a heap that has no headers which can be checked.
    #[error(
        "`check=header` checks the headers of lists, bins, classes, trees, skip lists, TLSF, half-fit, and of buddies that neither move nor are behind free lists, and the directory of pages; this heap has neither"
    )]
    NothingToCheck,
    /// Checks behind spans.
    #[error("`check=header` checks headers, and the blocks of spans have none")]
    UncheckedSpans,
    /// Checks before free lists that each thread has its own of.
    #[error(
        "`check=header` marks the blocks on free lists, and with `threads=lists` they are on lists that nobody marks"
    )]
    UncheckedLists,
}

impl Problem {
    /// The word as written, where the problem is that it is not known.
    pub(crate) fn unknown_word(&self) -> Option<&str> {
        match self {
            Self::UnknownHeap(word)
            | Self::UnknownName(word)
            | Self::UnknownKey { word, .. }
            | Self::UnknownValue { word, .. } => Some(word),
            _ => None,
        }
    }
}
