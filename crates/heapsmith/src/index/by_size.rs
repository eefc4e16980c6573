//! All free blocks in one tree or skip list by size: best fit in logarithmic time.
//!
//! ```text
//!   control   ┌───────────────────────┬──────────────┐
//!             │ heads of small blocks │ root of a bin│
//!             └───────────────────────┴──────────────┘
//!                3, 4, 5 words            from 6 words on
//! ```
//!
//! Of blocks of one size, the last freed is taken first.
//!
//! # Cost
//!
//! | operation | time | notes |
//! |---|---|---|
//! | find | O(log sizes) | *sizes*: distinct sizes of free blocks |
//! | insert | O(log sizes) | a block whose size is there already: the search, then O(1) |
//! | remove | O(log sizes) | a block that is not the node of its size: O(1), no search |
//! | space | 2 links in blocks below 6 words, 4 above | smallest block: 4 words, without tags 3 |
//!
//! In a region of n words there can be at most √(2n) distinct sizes at once.
//!
//! Source: Diamantstein, Stroud-Taylor, Trostanovsky, §2.2.6.

use crate::block::Span;
use crate::heap::Violation;
use crate::index::bin::{Bin, must_be_free};
use crate::index::chain::Chain;
use crate::index::small::Small;
use crate::index::{Found, Index, broken, control};
use crate::memory::Words;
use crate::policy::Policy;
use crate::sealed::Sealed;

/// All free blocks in one bin kept as `K` says.
#[derive(Clone, Copy, Debug, Default)]
pub struct BySize<K> {
    bin: K,
}

impl<K: Bin> BySize<K> {
    const SMALL: Small = Small { heads: control::INDEX, node: K::NODE };

    /// All free blocks in one `bin`.
    pub const fn new(bin: K) -> Self {
        BySize { bin }
    }

    #[inline(always)]
    fn root(&self) -> usize {
        control::INDEX + Self::SMALL.words()
    }
}

impl<K> Sealed for BySize<K> {}

impl<K: Bin> Index for BySize<K> {
    const LINKS: usize = Chain::LINKS;

    fn control_words(&self, _levels: &impl Policy, _bits: usize) -> usize {
        Self::SMALL.words() + self.bin.words()
    }

    fn clear<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, _first: usize) {
        for at in 0..self.control_words(policy, W::BITS) {
            memory.store(control::INDEX + at, 0);
        }
    }

    #[inline]
    fn find<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, need: usize) -> Option<Found> {
        Self::SMALL.find(memory, need).or_else(|| self.bin.find(memory, policy, self.root(), need).ok())
    }

    #[inline(always)]
    fn holds<W: Words>(&self, memory: &mut W, block: Span) -> bool {
        if Self::SMALL.list(block.words).is_some() {
            Chain::holds(memory, block.at)
        } else {
            K::holds(memory, block.at)
        }
    }

    #[inline]
    fn insert<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, block: Span, _place: Option<usize>) {
        if !Self::SMALL.insert(memory, block) {
            self.bin.insert(memory, self.root(), block);
        }
    }

    #[inline]
    fn remove<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, block: Span) {
        if !Self::SMALL.remove(memory, block) {
            self.bin.remove(memory, self.root(), block);
        }
    }

    fn check<W: Words>(&self, memory: &W, _levels: &impl Policy, free: usize) -> Result<(), Violation> {
        let small = Self::SMALL.check(memory, free, must_be_free)?;
        let remainder = self.bin.check(memory, self.root(), free - small, |memory, block| {
            must_be_free(memory, block)?;
            match Self::SMALL.list(crate::block::words_of(memory.peek(block - 1))) {
                Some(_) => Err(broken("I5: a node is too small to be one", block)),
                None => Ok(()),
            }
        })?;
        if small + remainder == free {
            Ok(())
        } else {
            Err(broken("I5: a free block is in no list and no node", control::INDEX))
        }
    }
}
