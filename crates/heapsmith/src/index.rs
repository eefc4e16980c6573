//! Indexes: how a pool finds the free block that serves a request.
//!
//! | index | insert | remove | find | links a block |
//! |---|---|---|---|---|
//! | [`Lifo`], [`Fifo`] order | O(1) | O(1) | O(free) | 2 |
//! | [`AddressOrder`] | O(1) next to a free block, else O(free) | O(1) | O(free) | 2 |
//! | [`Implicit`] | nothing | nothing | O(blocks) | 0 |
//! | [`Bins`] | O(1), sorted bins O(bin) | O(1) | O(bins / word + tries), O(bins / word + bin) where no larger bin serves | 2 |
//! | [`Bins`] of [`RedBlack`], [`SkipList`] | O(log bin) | O(log bin) | O(bins / word + log bin) | 2, from 6 words on 4 |
//! | [`BySize`] of [`RedBlack`], [`SkipList`] | O(log sizes) | O(log sizes) | O(log sizes) | 2, from 6 words on 4 |
//! | [`TwoLevel`] | O(1) | O(1) | O(1) | 2 |
//! | [`Classes`] | O(1) | – | O(1), beyond the classes O(list) | 1 |
//!
//! An index keeps its words (list heads, bit maps) in the region's control
//! words and its links in the free blocks; it has no other state that changes.

mod bin;
mod bins;
mod by_size;
mod chain;
mod classes;
mod equals;
mod implicit;
mod list;
mod red_black;
mod skip_list;
mod small;
#[cfg(test)]
mod tests;
mod two_level;

pub use bin::{Bin, BinList, BinOrder};
pub use bins::{BinMap, Bins, ConstantBins, SpacedBins, Spacing};
pub use by_size::BySize;
pub use classes::Classes;
pub use implicit::Implicit;
pub use list::{AddressOrder, Fifo, Lifo};
pub use red_black::RedBlack;
pub use skip_list::SkipList;
pub use two_level::TwoLevel;

use crate::block::{Format, Span};
use crate::heap::Violation;
use crate::memory::Words;
use crate::policy::Policy;
use crate::sealed::Sealed;
use crate::word::Word;

/// Control words that every pool has, before those of its index.
pub mod control {
    /// Index of the word that names the wilderness: the payload of its first block to be.
    pub const TOP: usize = 0;
    /// Index of the word that keeps the most that `TOP` ever was. A measure, never metered.
    pub const HIGH: usize = 1;
    /// Index of the first control word of the pool's index.
    pub const INDEX: usize = 2;
}

/// A free block that a search found, with its header as read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Index of the payload's first word.
    pub at: usize,
    /// The block's header.
    pub header: usize,
}

/// The free blocks of a pool. No other crate can implement it: a pool trusts what it finds.
///
/// `first` in an index's constructor arguments is the payload of the region's
/// first block; the pool sets it through [`Index::clear`].
pub trait Index: Sealed {
    /// Words of links in a free block.
    const LINKS: usize;
    /// Whether [`Index::locate`] finds the free block before an address.
    const LOCATES: bool = false;

    /// Whether all sizes that the index rounds requests to are sizes of blocks of this format.
    fn suits<W: Word>(&self, _format: &Format) -> bool {
        true
    }

    /// Control words that the index needs, of `bits` bits each.
    fn control_words(&self, policy: &impl Policy, bits: usize) -> usize;

    /// Makes the index empty. `first` is the first block of the region.
    fn clear<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, first: usize);

    /// The block size that requests of `words` are rounded up to; none if they cannot be served.
    #[inline(always)]
    fn round(&self, words: usize) -> Option<usize> {
        Some(words)
    }

    /// A free block of at least `need` words, by the fit policy. The block stays in the index.
    fn find<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, need: usize) -> Option<Found>;

    /// A free block that serves when neither `find` nor the wilderness did.
    fn find_larger<W: Words>(&mut self, _memory: &mut W, _need: usize) -> Option<Found> {
        None
    }

    /// The last free block before `block`, or 0: only where `LOCATES` says so.
    fn locate<W: Words>(&mut self, _memory: &mut W, _block: usize) -> usize {
        0
    }

    /// Whether the free block that the first link of the free `block` names, names it as well, where links lead back, or
    /// at least lies in the region.
    #[inline(always)]
    fn holds<W: Words>(&self, _memory: &mut W, _block: Span) -> bool {
        true
    }

    /// Adds a free block. `place` is what `locate` returned for it, where it was asked.
    fn insert<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, block: Span, place: Option<usize>);

    /// Takes a free block out.
    fn remove<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, block: Span);

    /// Puts `new` where `old` was: they overlap or touch, and no free block lies between.
    fn replace<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, old: Span, new: Span) {
        self.remove(memory, policy, old);
        self.insert(memory, policy, new, None);
    }

    /// Adds `merged`, which swallows the free blocks `previous` and `next`.
    #[inline(always)]
    fn merge<W: Words>(
        &mut self,
        memory: &mut W,
        policy: &impl Policy,
        previous: Option<Span>,
        next: Option<Span>,
        merged: Span,
        place: Option<usize>,
    ) {
        if let Some(block) = previous {
            self.remove(memory, policy, block);
        }
        if let Some(block) = next {
            self.remove(memory, policy, block);
        }
        self.insert(memory, policy, merged, place);
    }

    /// The blocks that began in `from..end` are gone; the block there now begins at `into`.
    #[inline(always)]
    fn absorb<W: Words>(&mut self, _memory: &mut W, _levels: &impl Policy, _from: usize, _end: usize, _into: usize) {}

    /// Verifies the index's own invariants. `free` blocks are free in the region.
    fn check<W: Words>(&self, memory: &W, policy: &impl Policy, free: usize) -> Result<(), Violation>;
}

/// A violation at word `at` of the heap; the pool turns words into bytes.
pub(crate) fn broken(invariant: &'static str, at: usize) -> Violation {
    Violation { invariant, offset: at }
}
