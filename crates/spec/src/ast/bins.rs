//! The pool that is many lists, one for a range of sizes.

use heapsmith::parts::BinOrder;

use super::{Coalescing, Splitting};

/// Segregated bins of free blocks:
/// `bins(exact 16..=512 step 16, then log, order=fifo, split=always, coalesce=immediate)`.
///
/// A request looks into the bin of its size, then into the bins above it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bins {
    /// Which sizes share a bin.
    pub layout: BinLayout,
    /// What is inside each bin.
    pub each: Each,
    /// How a bin that is a list is kept; its default where it is none.
    pub order: BinOrder,
    /// How far a bin that is an unsorted list is searched; its default where it is none.
    pub tries: Tries,
    /// Whether what is left over of a block becomes a free block.
    pub split: Splitting,
    /// When neighbouring free blocks become one.
    pub coalesce: Coalescing,
    /// Whether blocks carry boundary tags.
    pub tags: bool,
}

impl Bins {
    /// Bins of this layout, all else at its default.
    pub fn new(layout: BinLayout) -> Self {
        Self {
            layout,
            each: Each::default(),
            order: BinOrder::default(),
            tries: Tries::default(),
            split: Splitting::default(),
            coalesce: Coalescing::default(),
            tags: true,
        }
    }
}

/// Which sizes share a bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinLayout {
    /// A bin for each step up to `to`; above it bins that grow with the size, or a single
    /// one: `exact 16..=512 step 16, then log`.
    Exact {
        /// The upper end of the first bin.
        from: u64,
        /// The upper end of the last exact bin; `from` plus a whole number of steps.
        to: u64,
        /// How far apart the upper ends are.
        step: u64,
        /// Bins for each doubling above `to`; without it one bin holds all larger blocks.
        then_log: Option<u8>,
    },
    /// Bins that grow with the size: `log(8)`.
    Log {
        /// Bins for each doubling of the size: a power of two up to 16.
        per_doubling: u8,
    },
    /// The 128 bins of Lea's allocator: 8 bytes apart up to 512, then 64, 512, 4096, … apart.
    Lea,
}

impl BinLayout {
    /// Bins for each doubling where the text names no number.
    pub const PER_DOUBLING: u8 = 4;

    /// The numbers of bins that a doubling may have: powers of two, so that a bin's index is
    /// a count of leading zeros and a few bits; at most 16, so that the bins of the largest
    /// region are fewer than [`Spec::MAX_LISTS`](crate::Spec::MAX_LISTS).
    pub const PER_DOUBLING_CHOICES: [u8; 5] = [1, 2, 4, 8, 16];
}

/// What is inside each bin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Each {
    /// A list, in one of several orders.
    #[default]
    List,
    /// A red-black tree by size.
    Tree,
    /// A skip list by size.
    SkipList,
}

/// How many blocks of its own bin a request looks at before it takes one of a bin above, where
/// every block serves. Without such a bin it looks at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tries {
    /// All: first fit inside the bin, as in segregated fits without a bound.
    All,
    /// This many, at least one: `tries=8`.
    Max(u32),
}

impl Default for Tries {
    /// No source names a bound; with this one the search no longer grows with the heap.
    fn default() -> Self {
        Self::Max(8)
    }
}
