//! Segregated bins: a list, tree or skip list for every range of block sizes, and a bit map of those
//! that are not empty.
//!
//! ```text
//!   bit map   1 0 0 1 1 …
//!   bin 0 ──▶ 16 ──▶ 16          every block of a bin lies in its range;
//!   bin 3 ──▶ 44 ──▶ 40          ranges ascend with the bin's number
//!   bin 4 ──▶ 52
//! ```
//!
//! A request looks through its own bin first, then takes the first of the next
//! bin that is not empty, where every block is large enough. With the bins
//! sorted by size, and with a tree or a skip list in each, this is best fit.
//!
//! The list of a bin of many sizes grows with the heap, and a first fit through
//! all of it with it. So [`BinList::tries`] bounds the search while a bin
//! above serves for certain; only where none does is the rest of the list
//! searched. What is found is as complete; which block it is differs. (Ogasawara
//! 1995 and Masmano et al. 2004 go further: they look into no bin that may fail.)
//!
//! Control words: the bit map; for each bin a head, head and tail where the
//! order is fifo, the root of a tree, or the heads of a skip list; then, for
//! trees and skip lists, the heads of the blocks too small for them
//! ([`small`](crate::index::small)).
//!
//! # Cost
//!
//! | operation | accesses |
//! |---|---|
//! | find | a word of the bit map for each `bits` bins, 2 per visited block |
//! | insert | 5 or 6; `order=size`: and 2 for each smaller block of the bin |
//! | remove | 6 or 7, and 2 when the bin becomes empty |
//!
//! Slopes of accesses per operation against live blocks: `tests/it/growth.rs` in the crate `spec`.
//!
//! Invariant I5 here: every free block is in the bin of its size, and a bit is
//! set exactly when its bin is not empty. The bin has its own ([`Bin`]).
//!
//! Sources: Wilson et al. 1995 (segregated fits); Lea's allocator for the
//! layout of 128 bins, which version 2.6 has (2.7.2 has 96); Mamagkakis et al. 2006, Table 1 (Linux);
//! Diamantstein et al., §5.4 (a tree or a skip list in each bin).

use core::fmt::Debug;

use crate::block::{Span, words_of};
use crate::heap::Violation;
use crate::index::bin::{Bin, BinList, must_be_free};
use crate::index::chain::Chain;
use crate::index::small::Small;
use crate::index::{Found, Index, broken, control};
use crate::memory::Words;
use crate::policy::Policy;
use crate::sealed::Sealed;

/// From a block size to its bin.
///
/// # Safety
///
/// The answers never change, and [`BinMap::bin_of`] is below [`BinMap::bins`].
pub unsafe trait BinMap: Debug {
    /// Number of bins.
    fn bins(&self) -> usize;
    /// The bin of blocks of `words`; never decreases as `words` grows.
    fn bin_of(&self, words: usize) -> usize;
}

/// How bins divide the block sizes. Sizes are bytes of a block, header included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spacing {
    /// `count` bins of `step` bytes each from `from` on, then `per_doubling` bins
    /// for every doubling; 0: one bin for all that is larger.
    Exact {
        /// Smallest block of the first bin, in bytes.
        from: usize,
        /// Bytes that a bin spans.
        step: usize,
        /// Bins of that span.
        count: usize,
        /// Bins for every doubling beyond.
        per_doubling: usize,
    },
    /// The 128 bins of Lea's allocator, as version 2.6 has them; 2.7.2 has 96.
    Lea,
}

/// A [`BinMap`] by [`Spacing`], for one word size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpacedBins {
    spacing: Spacing,
    word: usize,
    bins: usize,
    /// The binary logarithm of the step where it is a power of two, so that nothing is divided.
    shift: Option<u32>,
    /// Where the bins of doublings begin, counted from those of size 1.
    first: usize,
}

impl SpacedBins {
    /// The largest power of two that a doubling begins at: sizes beyond share its bins.
    const LAST_DOUBLING: usize = 31;
    /// The most bins of one span.
    pub const MAX_COUNT: usize = 1 << 16;
    /// The most bins for a doubling.
    pub const MAX_PER_DOUBLING: usize = 1 << 10;

    /// Bins divided by `spacing`, in a heap with words of `word` bytes.
    ///
    /// # Panics
    ///
    /// If the bins are too many, span no byte, or begin above the word and have no span.
    pub const fn new(spacing: Spacing, word: usize) -> Self {
        assert!(word <= size_of::<u64>(), "a word has 2, 4 or 8 bytes");
        let (bins, shift, first) = match spacing {
            Spacing::Lea => (128, None, 0),
            Spacing::Exact { from, step, count, per_doubling } => {
                assert!(count <= Self::MAX_COUNT && per_doubling <= Self::MAX_PER_DOUBLING, "too many bins");
                assert!(step > 0 && (count > 0 || from <= word), "a block of some size would belong in no bin");
                let shift = if step.is_power_of_two() { Some(step.trailing_zeros()) } else { None };
                let first = Self::logarithmic(from.saturating_add(step.saturating_mul(count)), per_doubling);
                let beyond = if per_doubling == 0 { 1 } else { (Self::LAST_DOUBLING + 1) * per_doubling - first };
                (count + beyond, shift, first)
            }
        };
        SpacedBins { spacing, word, bins, shift, first }
    }

    #[inline(always)]
    const fn logarithmic(size: usize, per_doubling: usize) -> usize {
        let exponent = (size | 1).ilog2() as usize;
        if exponent > Self::LAST_DOUBLING {
            return ((Self::LAST_DOUBLING + 1) * per_doubling).saturating_sub(1);
        }
        let within = size.saturating_sub(1 << exponent) as u64;
        exponent * per_doubling + ((within * per_doubling as u64) >> exponent) as usize
    }

    #[inline(always)]
    fn lea(size: usize) -> usize {
        match size >> 6 {
            0..=7 => size >> 3,
            8..=32 => 56 + (size >> 6),
            _ if size >> 9 <= 20 => 91 + (size >> 9),
            _ if size >> 12 <= 10 => 110 + (size >> 12),
            _ if size >> 15 <= 4 => 119 + (size >> 15),
            _ if size >> 18 <= 2 => 124 + (size >> 18),
            _ => 126,
        }
    }
}

// SAFETY: the fields never change. `lea` is below 128; of exact bins there are `count`, and behind them one or those from
// `first`, the logarithmic bin of the smallest size there, up to that of the largest.
unsafe impl BinMap for SpacedBins {
    #[inline(always)]
    fn bins(&self) -> usize {
        self.bins
    }

    #[inline(always)]
    fn bin_of(&self, words: usize) -> usize {
        let size = words * self.word;
        match self.spacing {
            Spacing::Lea => Self::lea(size),
            Spacing::Exact { from, step, count, per_doubling } => {
                let above = size.saturating_sub(from);
                let exact = match self.shift {
                    Some(shift) => above >> shift,
                    None => above / step.max(1),
                };
                if exact < count || per_doubling == 0 {
                    exact.min(count)
                } else {
                    count + Self::logarithmic(size, per_doubling) - self.first
                }
            }
        }
    }
}

/// Bins that are known when the program is compiled.
///
/// ```
/// use heapsmith::parts::{ConstantBins, SpacedBins, Spacing};
///
/// #[derive(Clone, Copy, Debug)]
/// struct LeaBins;
///
/// impl ConstantBins for LeaBins {
///     const BINS: SpacedBins = SpacedBins::new(Spacing::Lea, size_of::<u32>());
/// }
/// ```
pub trait ConstantBins: Debug {
    /// The bins.
    const BINS: SpacedBins;
}

// SAFETY: a constant is the same at every use, and its bins are in range.
unsafe impl<C: ConstantBins> BinMap for C {
    #[inline(always)]
    fn bins(&self) -> usize {
        C::BINS.bins()
    }
    #[inline(always)]
    fn bin_of(&self, words: usize) -> usize {
        C::BINS.bin_of(words)
    }
}

/// Bins by the map `B`, each kept as `K` says.
#[derive(Clone, Copy, Debug)]
pub struct Bins<B, K = BinList> {
    map: B,
    bin: K,
}

impl<B: BinMap, K: Bin> Bins<B, K> {
    /// Bins divided by `map`, each kept as `bin` says.
    pub const fn new(map: B, bin: K) -> Self {
        Bins { map, bin }
    }

    fn map_words(&self, bits: usize) -> usize {
        self.map.bins().div_ceil(bits)
    }

    #[inline(always)]
    fn root<W: Words>(&self, bin: usize) -> usize {
        control::INDEX + self.map_words(W::BITS) + bin * self.bin.words()
    }

    #[inline(always)]
    fn small<W: Words>(&self) -> Small {
        Small { heads: self.root::<W>(self.map.bins()), node: K::NODE }
    }

    #[inline(always)]
    fn mark<W: Words>(memory: &mut W, bin: usize, full: bool) {
        let at = control::INDEX + bin / W::BITS;
        let (old, bit) = (memory.load(at), 1 << (bin % W::BITS));
        memory.store(at, if full { old | bit } else { old & !bit });
    }

    /// The first bin from `bin` on that is not empty.
    #[inline(always)]
    fn next_full<W: Words>(&self, memory: &mut W, bin: usize) -> Option<usize> {
        let mut word = bin / W::BITS;
        let mut mask = usize::MAX << (bin % W::BITS);
        while word < self.map_words(W::BITS) {
            let bits = memory.load(control::INDEX + word) & mask;
            if bits != 0 {
                return Some(word * W::BITS + bits.trailing_zeros() as usize);
            }
            (word, mask) = (word + 1, usize::MAX);
        }
        None
    }
}

impl<B, K> Sealed for Bins<B, K> {}

impl<B: BinMap, K: Bin> Index for Bins<B, K> {
    const LINKS: usize = Chain::LINKS;

    fn control_words(&self, _levels: &impl Policy, bits: usize) -> usize {
        let small = Small { heads: 0, node: K::NODE };
        self.map_words(bits) + self.map.bins() * self.bin.words() + small.words()
    }

    fn clear<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, _first: usize) {
        for at in 0..self.control_words(policy, W::BITS) {
            memory.store(control::INDEX + at, 0);
        }
    }

    #[inline]
    fn find<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, need: usize) -> Option<Found> {
        if let Some(found) = self.small::<W>().find(memory, need) {
            return Some(found);
        }
        let own = self.map.bin_of(need);
        let full = self.next_full(memory, own)?;
        let from = match self.bin.find(memory, policy, self.root::<W>(full), need) {
            Ok(found) => return Some(found),
            Err(from) => from,
        };
        match self.next_full(memory, own + 1) {
            Some(full) => self.bin.find(memory, policy, self.root::<W>(full), need).ok(),
            None if from != 0 => self.bin.find_on(memory, from, need),
            None => None,
        }
    }

    #[inline(always)]
    fn holds<W: Words>(&self, memory: &mut W, block: Span) -> bool {
        if self.small::<W>().list(block.words).is_some() {
            Chain::holds(memory, block.at)
        } else {
            K::holds(memory, block.at)
        }
    }

    #[inline]
    fn insert<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, block: Span, _place: Option<usize>) {
        if self.small::<W>().insert(memory, block) {
            return;
        }
        let bin = self.map.bin_of(block.words);
        self.bin.insert(memory, self.root::<W>(bin), block);
        Self::mark(memory, bin, true);
    }

    #[inline]
    fn remove<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, block: Span) {
        if self.small::<W>().remove(memory, block) {
            return;
        }
        let bin = self.map.bin_of(block.words);
        self.bin.remove(memory, self.root::<W>(bin), block);
        if self.bin.is_empty(memory, self.root::<W>(bin)) {
            Self::mark(memory, bin, false);
        }
    }

    fn check<W: Words>(&self, memory: &W, _levels: &impl Policy, free: usize) -> Result<(), Violation> {
        let small = self.small::<W>();
        let mut seen = small.check(memory, free, must_be_free)?;
        for bin in 0..self.map.bins() {
            let count = self.bin.check(memory, self.root::<W>(bin), free - seen, |memory, block| {
                must_be_free(memory, block)?;
                let words = words_of(memory.peek(block - 1));
                if self.map.bin_of(words) != bin || small.list(words).is_some() {
                    return Err(broken("I5: a block in a bin is not of the bin's sizes", block));
                }
                Ok(())
            })?;
            let bit = memory.peek(control::INDEX + bin / W::BITS) >> (bin % W::BITS) & 1;
            if (bit == 1) != (count > 0) {
                return Err(broken("I5: the bit map is wrong about a bin", control::INDEX));
            }
            seen += count;
        }
        if seen == free { Ok(()) } else { Err(broken("I5: a free block is in no bin", control::INDEX)) }
    }
}
