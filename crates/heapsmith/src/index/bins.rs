//! Segregated bins: a list for every range of block sizes, and a bit map of those that are not empty.
//!
//! ```text
//!   bit map   1 0 0 1 1 …
//!   bin 0 ──▶ 16 ──▶ 16          every block of a bin lies in its range;
//!   bin 3 ──▶ 44 ──▶ 40          ranges ascend with the bin's number
//!   bin 4 ──▶ 52
//! ```
//!
//! A request looks through its own bin first, then takes the head of the next
//! bin that is not empty, where every block is large enough. With the bins
//! sorted by size this is best fit.
//!
//! Control words: the bit map, a head a bin, and a tail a bin where the order is fifo.
//!
//! Invariant I5 here: every free block is in the bin of its size, and a bit is
//! set exactly when its bin is not empty; I6: sorted bins ascend.
//!
//! Sources: Wilson et al. 1995, §3.6 (segregated fits); Lea's allocator 2.7.2
//! for the layout of 128 bins; Mamagkakis et al. 2006, Table 1 (Linux).

use core::fmt::Debug;

use crate::block::{Span, is_used, words_of};
use crate::heap::Violation;
use crate::index::chain::Chain;
use crate::index::{Found, Index, broken, control};
use crate::levels::Levels;
use crate::memory::Words;

/// From a block size to its bin.
pub trait BinMap: Debug {
    /// Number of bins.
    fn bins(&self) -> usize;
    /// The bin of blocks of `words`; never decreases as `words` grows.
    fn bin_of(&self, words: usize) -> usize;
}

/// The order inside a bin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOrder {
    /// A freed block comes first.
    Lifo,
    /// A freed block comes last.
    Fifo,
    /// Ascending by size; of equal sizes the last freed comes first, so a bin of one size costs no search.
    Size,
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
    /// The 128 bins of Lea's allocator 2.7.2.
    Lea,
}

/// A [`BinMap`] by [`Spacing`], for a heap of a given word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpacedBins {
    /// How the bins divide the sizes.
    pub spacing: Spacing,
    /// Bytes in a word of the heap.
    pub word: usize,
}

impl SpacedBins {
    /// The largest power of two that a doubling begins at: sizes beyond share its bins.
    const LAST_DOUBLING: usize = 31;

    fn logarithmic(size: usize, per_doubling: usize) -> usize {
        let exponent = (size.ilog2() as usize).min(Self::LAST_DOUBLING);
        let within = ((size >> exponent).min(1) * size.saturating_sub(1 << exponent)).min((1 << exponent) - 1);
        exponent * per_doubling + ((within as u64 * per_doubling as u64) >> exponent) as usize
    }

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

impl BinMap for SpacedBins {
    fn bins(&self) -> usize {
        match self.spacing {
            Spacing::Lea => 128,
            Spacing::Exact { count, per_doubling: 0, .. } => count + 1,
            Spacing::Exact { from, step, count, per_doubling } => {
                let first = Self::logarithmic((from + step * count).max(1), per_doubling);
                count + (Self::LAST_DOUBLING + 1) * per_doubling - first
            }
        }
    }

    #[inline]
    fn bin_of(&self, words: usize) -> usize {
        let size = words * self.word;
        match self.spacing {
            Spacing::Lea => Self::lea(size),
            Spacing::Exact { from, step, count, per_doubling } => {
                let exact = size.saturating_sub(from) / step.max(1);
                if exact < count {
                    exact
                } else if per_doubling == 0 {
                    count
                } else {
                    let first = Self::logarithmic((from + step * count).max(1), per_doubling);
                    count + Self::logarithmic(size, per_doubling) - first
                }
            }
        }
    }
}

/// Bins by the map `B`.
#[derive(Clone, Copy, Debug)]
pub struct Bins<B> {
    map: B,
    order: BinOrder,
}

impl<B: BinMap> Bins<B> {
    /// Bins divided by `map`, each in this order.
    pub fn new(map: B, order: BinOrder) -> Self {
        Bins { map, order }
    }

    fn map_words(&self, bits: usize) -> usize {
        self.map.bins().div_ceil(bits)
    }

    #[inline(always)]
    fn chain<W: Words>(&self, bin: usize) -> Chain {
        let heads = control::INDEX + self.map_words(W::BITS);
        let tail = (self.order == BinOrder::Fifo).then_some(heads + self.map.bins() + bin);
        Chain { head: heads + bin, tail }
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

    /// The block after which one of `words` belongs in a sorted bin, or 0 for the front.
    fn place_by_size(memory: &mut impl Words, chain: Chain, words: usize) -> usize {
        let mut previous = 0;
        let mut block = chain.first(memory);
        while block != 0 {
            memory.visit();
            if words_of(memory.load(block - 1)) >= words {
                break;
            }
            previous = block;
            block = chain.next(memory, block);
        }
        previous
    }
}

impl<B: BinMap> Index for Bins<B> {
    const LINKS: usize = Chain::LINKS;

    fn control_words(&self, _levels: &impl Levels, bits: usize) -> usize {
        let words_a_bin = if self.order == BinOrder::Fifo { 2 } else { 1 };
        self.map_words(bits) + self.map.bins() * words_a_bin
    }

    fn clear<W: Words>(&mut self, memory: &mut W, levels: &impl Levels, _first: usize) {
        for at in 0..self.control_words(levels, W::BITS) {
            memory.store(control::INDEX + at, 0);
        }
    }

    #[inline]
    fn find<W: Words>(&mut self, memory: &mut W, _levels: &impl Levels, need: usize) -> Option<Found> {
        let own = self.map.bin_of(need);
        let full = self.next_full(memory, own)?;
        let chain = self.chain::<W>(full);
        let mut block = chain.first(memory);
        while block != 0 {
            memory.visit();
            let header = memory.load(block - 1);
            if words_of(header) >= need {
                return Some(Found { at: block, header });
            }
            block = chain.next(memory, block);
        }
        let full = self.next_full(memory, own + 1)?;
        memory.visit();
        let at = self.chain::<W>(full).first(memory);
        Some(Found { at, header: memory.load(at - 1) })
    }

    #[inline]
    fn insert<W: Words>(&mut self, memory: &mut W, _levels: &impl Levels, block: Span, _place: Option<usize>) {
        let bin = self.map.bin_of(block.words);
        let chain = self.chain::<W>(bin);
        match self.order {
            BinOrder::Lifo => chain.insert_after(memory, 0, block.at),
            BinOrder::Fifo => chain.push_back(memory, block.at),
            BinOrder::Size => {
                let previous = Self::place_by_size(memory, chain, block.words);
                chain.insert_after(memory, previous, block.at);
            }
        }
        Self::mark(memory, bin, true);
    }

    #[inline]
    fn remove<W: Words>(&mut self, memory: &mut W, _levels: &impl Levels, block: Span) {
        let bin = self.map.bin_of(block.words);
        let chain = self.chain::<W>(bin);
        chain.unlink(memory, block.at);
        if chain.first(memory) == 0 {
            Self::mark(memory, bin, false);
        }
    }

    fn check<W: Words>(&self, memory: &W, _levels: &impl Levels, free: usize) -> Result<(), Violation> {
        let mut seen = 0;
        for bin in 0..self.map.bins() {
            let mut least = 0;
            let count = self.chain::<W>(bin).check(memory, free - seen, |memory, _, block| {
                let header = memory.peek(block - 1);
                if is_used(header) || self.map.bin_of(words_of(header)) != bin {
                    return Err(broken("I5: a block in a bin is used, or not of the bin's sizes", block));
                }
                if self.order == BinOrder::Size && words_of(header) < least {
                    return Err(broken("I6: a sorted bin does not ascend", block));
                }
                least = words_of(header);
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
