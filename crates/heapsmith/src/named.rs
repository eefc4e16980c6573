//! Heaps by name: each with the parts and numbers that it is known for.
//!
//! | name | free blocks | allocate | free | suits |
//! |---|---|---|---|---|
//! | [`Tlsf`] | lists by two levels of sizes | O(1) | O(1) | deadlines |
//! | [`HalfFit`] | lists by powers of two | O(1) | O(1) | deadlines, fewer control words |
//! | [`BestFit`] | a red-black tree by size | O(log sizes) | O(log sizes) | little fragmentation |
//! | [`FirstFit`] | one list by address | O(free) | O(free) | little fragmentation, small code |
//! | [`NextFit`] | one list by address, and a rover | O(free) | O(free) | small code |
//! | [`SegregatedFit`] | Lea's 128 bins | O(bins / word + bin) | O(1) | general programs |
//! | [`KnuthBuddy`], [`EstrangedBuddy`] | lists by powers of two | O(log region) | O(log region) | blocks of powers of two |
//! | [`PhkHeap`] | bitmaps of pages | O(page) | O(1) | many small blocks |
//! | [`crate::FixedSize`] | one list | O(1) | O(1) | one size |
//! | [`crate::Linear`] | none | O(1) | O(1) | all freed together, or last in first out |
//!
//! `new` makes a heap with words of four bytes and no meter; `metered` one with the word and the
//! meter that its type names. Payloads lie at multiples of 8 bytes; a request may ask for more.

use core::marker::PhantomData;

use crate::buddy::{Buddies, Estranged, Knuth, Recombination};
use crate::index::{
    AddressOrder, BinList, BinOrder, Bins, BySize, ConstantBins, RedBlack, SpacedBins, Spacing, TwoLevel,
};
use crate::memory::RegionError;
use crate::meter::{Meter, Unmetered};
use crate::pages::{ByWord, PageHeap, PageSizes};
use crate::policy::{ConstantPolicy, Fit, PolicyValues};
use crate::pool::{BlockPool, Pool};
use crate::simple::{FixedSize, Frees, Linear};
use crate::source::{Fixed, Source};
use crate::word::Word;

/// Alignment of every payload of a named heap, in bytes.
const ALIGNMENT: usize = PolicyValues::DEFAULT.alignment;

/// Words of the largest block that a region of at most `limit` bytes can have.
fn words_in<W: Word>(limit: usize) -> usize {
    (limit / W::BYTES).min(W::MAX_WORDS)
}

/// A pool that can be made with words for a layer in its control words.
pub trait NamedPool: Pool + Sized {
    /// The source of its region.
    type Source;

    /// The pool, and the first of the `reserved` words, which are 0.
    fn with_reserved_words(source: Self::Source, reserved: usize) -> Result<(Self, usize), RegionError>;
}

/// A named pool of blocks: its policy, its alias, and how it is made.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident, $policy:ident, fit $fit:expr, index $index:ty, |$limit:ident| $make:expr) => {
        #[doc = concat!("The policy of [`", stringify!($name), "`].")]
        #[derive(Clone, Copy, Debug)]
        pub struct $policy;

        impl ConstantPolicy for $policy {
            const VALUES: PolicyValues = PolicyValues { fit: $fit, ..PolicyValues::DEFAULT };
        }

        $(#[$doc])*
        pub type $name<S = Fixed<'static>, W = u32, M = Unmetered> = BlockPool<W, $index, $policy, S, M, true>;

        impl<S: Source> $name<S> {
            /// An empty heap over the region that `source` supplies.
            pub fn new(source: S) -> Result<Self, RegionError> {
                Self::metered(source, Unmetered)
            }
        }

        impl<W: Word, S: Source, M: Meter> $name<S, W, M> {
            /// An empty heap with words of `W` that reports to `meter`.
            pub fn metered(source: S, meter: M) -> Result<Self, RegionError> {
                let $limit = words_in::<W>(source.limit());
                Self::from_parts(source, $make, $policy, meter)
            }
        }

        impl<W: Word, S: Source> NamedPool for $name<S, W> {
            type Source = S;

            fn with_reserved_words(source: S, reserved: usize) -> Result<(Self, usize), RegionError> {
                let $limit = words_in::<W>(source.limit());
                let control = Self::reserved_at(&$make, &$policy);
                Self::with_reserved(source, $make, $policy, Unmetered, reserved).map(|pool| (pool, control))
            }
        }
    };
}

named! {
    /// First fit: one list of all free blocks by address, the first that is large enough.
    ///
    /// Fragments least of the simple heaps; an allocation may look at every free block.
    /// (Knuth 1968, §2.5; Wilson et al. 1995.)
    FirstFit, FirstFitPolicy, fit Fit::First, index AddressOrder, |_limit| AddressOrder::new()
}

named! {
    /// Next fit: first fit, starting where the last search ended.
    NextFit, NextFitPolicy, fit Fit::Next, index AddressOrder, |_limit| AddressOrder::new()
}

named! {
    /// Best fit: a red-black tree of all free blocks by size, the smallest that is large enough.
    BestFit, BestFitPolicy, fit Fit::Best { depth: 100 }, index BySize<RedBlack>, |_limit| BySize::new(RedBlack)
}

named! {
    /// Two-level segregated fit: constant time, whatever is live.
    ///
    /// A request is rounded up to the next of 32 parts of a power of two when a block is looked for, so
    /// a hole up to a thirty-second larger may be passed over. (Masmano, Ripoll, Crespo, Real 2004.)
    Tlsf, TlsfPolicy, fit Fit::Best { depth: 100 }, index TwoLevel, |limit| TwoLevel::new(5, limit)
}

named! {
    /// Half-fit: constant time, a list for each power of two.
    ///
    /// A hole up to twice the request may be passed over. (Ogasawara 1995.)
    HalfFit, HalfFitPolicy, fit Fit::Best { depth: 100 }, index TwoLevel, |limit| TwoLevel::new(0, limit)
}

named! {
    /// Segregated fit: the 128 bins of Lea's allocator, each a list whose last freed block comes first.
    SegregatedFit, SegregatedFitPolicy, fit Fit::First, index Bins<LeaBins<W>, BinList>,
    |_limit| Bins::new(LeaBins(PhantomData), BinList { order: BinOrder::Lifo, tries: 8 })
}

/// The bins of [`SegregatedFit`].
#[derive(Clone, Copy, Debug)]
pub struct LeaBins<W>(PhantomData<W>);

impl<W: Word> ConstantBins for LeaBins<W> {
    const BINS: SpacedBins = SpacedBins::new(Spacing::Lea, W::BYTES);
}

/// Knuth's buddy system: blocks of powers of two, which join their buddies at once. (Knuth 1968, §2.5.)
pub type KnuthBuddy<S = Fixed<'static>, W = u32, M = Unmetered> = Buddies<W, Knuth, S, M, false>;

/// The estranged buddy system: buddies join when a request needs it. (Donahue et al. 2001.)
pub type EstrangedBuddy<S = Fixed<'static>, W = u32, M = Unmetered> = Buddies<W, Estranged, S, M, false>;

/// A buddy system whose blocks have handles: it moves them where that serves a request ([`crate::Handles`]).
pub type MovableBuddy<S = Fixed<'static>, W = u32, M = Unmetered> = Buddies<W, Knuth, S, M, true>;

impl<R: Recombination, S: Source, const HANDLES: bool> Buddies<u32, R, S, Unmetered, HANDLES> {
    /// An empty heap over the region that `source` supplies.
    pub fn new(source: S) -> Result<Self, RegionError> {
        Self::metered(source, Unmetered)
    }
}

impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool> Buddies<W, R, S, M, HANDLES> {
    /// An empty heap with words of `W` that reports to `meter`.
    pub fn metered(source: S, meter: M) -> Result<Self, RegionError> {
        Self::from_parts(source, ALIGNMENT, meter)
    }
}

impl<W: Word, R: Recombination, S: Source> NamedPool for Buddies<W, R, S, Unmetered, false> {
    type Source = S;

    fn with_reserved_words(source: S, reserved: usize) -> Result<(Self, usize), RegionError> {
        let control = Self::reserved_at(ALIGNMENT);
        Self::with_reserved(source, ALIGNMENT, Unmetered, reserved).map(|pool| (pool, control))
    }
}

/// Pages of 4096 bytes, of objects of one size from 16 bytes on, or in runs. (Kamp 1995, phkmalloc.)
pub type PhkHeap<S = Fixed<'static>, W = u32, M = Unmetered> = PageHeap<W, ByWord, S, M>;

impl<S: Source> PageHeap<u32, ByWord, S, Unmetered> {
    /// An empty heap over the region that `source` supplies.
    pub fn new(source: S) -> Result<Self, RegionError> {
        Self::metered(source, Unmetered)
    }
}

impl<W: Word, S: Source, M: Meter> PageHeap<W, ByWord, S, M> {
    /// An empty heap with words of `W` that reports to `meter`.
    pub fn metered(source: S, meter: M) -> Result<Self, RegionError> {
        Self::from_parts(source, PageSizes { page: 4096, min: 16, alignment: ALIGNMENT }, meter)
    }
}

impl<S: Source> FixedSize<u32, S, Unmetered> {
    /// An empty pool of blocks of `size` bytes over the region that `source` supplies.
    pub fn new(source: S, size: usize) -> Result<Self, RegionError> {
        Self::metered(source, size, Unmetered)
    }
}

impl<W: Word, S: Source, M: Meter> FixedSize<W, S, M> {
    /// An empty pool of blocks of `size` bytes, with words of `W`, that reports to `meter`.
    pub fn metered(source: S, size: usize, meter: M) -> Result<Self, RegionError> {
        Self::from_parts(source, size, ALIGNMENT, meter)
    }
}

impl<S: Source> Linear<u32, S, Unmetered> {
    /// An empty pool over the region that `source` supplies; `frees` says which frees make memory usable again.
    pub fn new(source: S, frees: Frees) -> Result<Self, RegionError> {
        Self::metered(source, frees, Unmetered)
    }
}

impl<W: Word, S: Source, M: Meter> Linear<W, S, M> {
    /// An empty pool with words of `W` that reports to `meter`.
    pub fn metered(source: S, frees: Frees, meter: M) -> Result<Self, RegionError> {
        Self::from_parts(source, ALIGNMENT, frees, meter)
    }
}
