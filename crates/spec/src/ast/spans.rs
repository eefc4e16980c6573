//! The layer of runs of blocks of one size, without headers.

use heapsmith::parts::{NextSpan, SpanValues};

use super::Sizes;

/// Spans of blocks of one class before a pool: `spans(16..=1024 step 16, span=64K, free=bitmap, next=fullest, empty=keep(1))`.
///
/// A request is rounded up to the next class and gets a block of a span of that class, without a header. Larger requests, and
/// small ones for which no span can be had, go to the pool, from which the spans are taken too.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spans {
    /// The sizes of the classes, ascending; the upper ends of [`Sizes::ranges`]. [`Sizes::Range`] has no meaning here and is
    /// refused.
    pub sizes: Vec<Sizes>,
    /// Bytes of a span, with the header of the pool.
    pub span: u64,
    /// How the free blocks of a span are found.
    pub free: FreeBlocks,
    /// Which span of a class serves when the one that did is full.
    pub next: NextSpan,
    /// What becomes of a span whose last block is freed.
    pub empty: EmptySpans,
    /// Where the record of a span is.
    pub metadata: Metadata,
}

/// How the free blocks of a span are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FreeBlocks {
    /// By a list through them, last in, first out.
    #[default]
    List,
    /// By a bit each, the lowest address first.
    Bitmap,
}

/// What becomes of a span whose last block is freed: `empty=keep(2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EmptySpans {
    /// The pool gets it back at once.
    #[default]
    Return,
    /// As many empty spans of each class are kept, until a request would be refused.
    Keep(u32),
}

impl EmptySpans {
    /// How many empty spans of each class are kept.
    pub fn kept(self) -> u32 {
        match self {
            Self::Return => 0,
            Self::Keep(spans) => spans,
        }
    }
}

/// Where the record of a span is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metadata {
    /// At its start.
    #[default]
    Inside,
    /// In a block of its own: no word of a span is ever read or written. Free blocks have to be in a bitmap.
    Outside,
}

impl Spans {
    /// Bytes of the smallest span.
    pub const MIN_SPAN: u64 = SpanValues::MIN as u64;
    /// Bytes of the largest span.
    pub const MAX_SPAN: u64 = SpanValues::MAX as u64;
    /// The most empty spans that a class can keep.
    pub const MAX_KEEP: u32 = 4096;

    /// Spans of 64 KiB of these classes, with everything else as a spec has it that does not say it.
    pub fn new(sizes: impl Into<Vec<Sizes>>) -> Self {
        let (free, next, empty, metadata) = Default::default();
        Self { sizes: sizes.into(), span: 64 << 10, free, next, empty, metadata }
    }

    /// The levels, as the heap has them.
    pub fn values(&self) -> SpanValues {
        SpanValues { span: self.span as usize, next: self.next, keep: self.empty.kept() as usize }
    }
}
