//! One bin of free blocks: a list, a red-black tree or a skip list.
//!
//! ```text
//!   root ──▶ list         [`BinList`]    bins(lea, order=size)
//!   root ──▶ tree         [`RedBlack`]   tree(red-black)    bins(lea, each=tree)
//!   root ──▶ skip list    [`SkipList`]   skiplist           bins(lea, each=skiplist)
//! ```
//!
//! A bin has no state of its own: it knows how it is kept, and every call passes the
//! control word of its root. So one implementation serves a pool whose
//! free blocks are all in one bin ([`BySize`](crate::index::BySize)) and one
//! with a bin for each range of sizes ([`Bins`](crate::index::Bins)). All root
//! words of an empty bin are 0.
//!
//! Sources: Diamantstein, Stroud-Taylor, Trostanovsky, §2.2.6 and §5.4 (a tree
//! of all free blocks; bins with a tree or a skip list inside, as future work).

use core::fmt::Debug;

use crate::block::{Span, is_used, words_of};
use crate::heap::Violation;
use crate::index::chain::Chain;
use crate::index::{Found, broken};
use crate::memory::Words;
use crate::policy::Policy;
use crate::sealed::Sealed;

/// How the blocks of one bin are kept. `root` is the bin's first control word.
pub trait Bin: Copy + Debug + Sealed {
    /// Blocks of fewer words have no room for the links of this bin; they are
    /// kept in lists of one size each (`index/small.rs`). 0: none are.
    const NODE: usize = 0;

    /// Control words of a bin.
    fn words(self) -> usize;

    /// A block of at least `need` words: the smallest, where the bin is kept by size. Else the block that
    /// the search went up to and not on to, or 0 where it saw all.
    fn find<W: Words>(self, memory: &mut W, policy: &impl Policy, root: usize, need: usize) -> Result<Found, usize>;

    /// A block of at least `need` words among those from `from` on, where [`Bin::find`] stopped.
    fn find_on<W: Words>(self, _memory: &mut W, _from: usize, _need: usize) -> Option<Found> {
        None
    }

    /// As [`crate::index::Index::holds`].
    fn holds<W: Words>(memory: &mut W, block: usize) -> bool;

    /// Adds a block. The block's own header may not be written yet.
    fn insert<W: Words>(self, memory: &mut W, root: usize, block: Span);

    /// Takes a block out. The block's own header may be overwritten already.
    fn remove<W: Words>(self, memory: &mut W, root: usize, block: Span);

    /// Whether the bin has no block.
    fn is_empty<W: Words>(self, memory: &mut W, root: usize) -> bool;

    /// Verifies the bin, of at most `max` blocks, each of which `holds` accepts; returns how many there are.
    fn check<W: Words>(
        self,
        memory: &W,
        root: usize,
        max: usize,
        holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation>;
}

/// The order inside a bin that is a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum BinOrder {
    /// A freed block comes first.
    #[default]
    Lifo,
    /// A freed block comes last.
    Fifo,
    /// Ascending by size; of equal sizes the last freed comes first, so a bin of one size costs no search.
    /// An insertion walks past all that are smaller: linear in the bin, by nature. Lea's allocator, which
    /// kept its large bins so up to 2.7, keeps them in digital trees since 2.8.
    Size,
}

/// A bin that is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinList {
    /// Its order.
    pub order: BinOrder,
    /// A search visits this many blocks, at least one, before a bin of larger blocks serves if there is one.
    pub tries: usize,
}

impl BinList {
    /// A list that is searched to its end.
    pub fn new(order: BinOrder) -> Self {
        BinList { order, tries: usize::MAX }
    }

    #[inline(always)]
    fn chain(self, root: usize) -> Chain {
        Chain { head: root, tail: (self.order == BinOrder::Fifo).then_some(root + 1) }
    }

    /// The first of at most `tries` blocks from `block` on that has `need` words; else the block behind them.
    #[inline(always)]
    fn search(memory: &mut impl Words, chain: Chain, block: usize, need: usize, tries: usize) -> Result<Found, usize> {
        let (mut block, mut left) = (block, tries);
        while block != 0 && left > 0 {
            memory.visit();
            let header = memory.load(block - 1);
            if words_of(header) >= need {
                return Ok(Found { at: block, header });
            }
            (block, left) = (chain.next(memory, block), left - 1);
        }
        Err(block)
    }

    /// The block after which one of `words` belongs in a sorted list, or 0 for the front.
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

impl Sealed for BinList {}

impl Bin for BinList {
    fn words(self) -> usize {
        if self.order == BinOrder::Fifo { 2 } else { 1 }
    }

    #[inline]
    fn find<W: Words>(self, memory: &mut W, _policy: &impl Policy, root: usize, need: usize) -> Result<Found, usize> {
        let chain = self.chain(root);
        let first = chain.first(memory);
        Self::search(memory, chain, first, need, self.tries)
    }

    #[cold]
    fn find_on<W: Words>(self, memory: &mut W, from: usize, need: usize) -> Option<Found> {
        // Links do not need the root.
        Self::search(memory, self.chain(0), from, need, usize::MAX).ok()
    }

    #[inline(always)]
    fn holds<W: Words>(memory: &mut W, block: usize) -> bool {
        Chain::holds(memory, block)
    }

    #[inline]
    fn insert<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        let chain = self.chain(root);
        match self.order {
            BinOrder::Lifo => chain.insert_after(memory, 0, block.at),
            BinOrder::Fifo => chain.push_back(memory, block.at),
            BinOrder::Size => {
                let previous = Self::place_by_size(memory, chain, block.words);
                chain.insert_after(memory, previous, block.at);
            }
        }
    }

    #[inline]
    fn remove<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        self.chain(root).unlink(memory, block.at);
    }

    #[inline]
    fn is_empty<W: Words>(self, memory: &mut W, root: usize) -> bool {
        self.chain(root).first(memory) == 0
    }

    fn check<W: Words>(
        self,
        memory: &W,
        root: usize,
        max: usize,
        mut holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation> {
        let mut min = 0;
        self.chain(root).check(memory, max, |memory, _, block| {
            let words = words_of(memory.peek(block - 1));
            if self.order == BinOrder::Size && words < min {
                return Err(broken("I6: a sorted bin does not ascend", block));
            }
            min = words;
            holds(memory, block)
        })
    }
}

/// Whether `block` is free; what every bin asks of its blocks.
pub(crate) fn must_be_free<W: Words>(memory: &W, block: usize) -> Result<(), Violation> {
    if is_used(memory.peek(block - 1)) { Err(broken("I5: a block in a bin is used", block)) } else { Ok(()) }
}
