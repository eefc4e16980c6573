//! One bin of free blocks: a list, a red-black tree or a skip list.
//!
//! ```text
//!   root ──▶ list         [`BinOrder`]   bins(lea, order=size)
//!   root ──▶ tree         [`RedBlack`]   tree(red-black)    bins(lea, each=tree)
//!   root ──▶ skip list    [`SkipList`]   skiplist           bins(lea, each=skiplist)
//! ```
//!
//! A bin has no state of its own: it knows how it is kept, and is told in which
//! control words its root stands. So one implementation serves a pool whose
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
use crate::index::{Found, RedBlack, SkipList, broken};
use crate::memory::Words;

/// How the blocks of one bin are kept. `root` is the bin's first control word.
pub trait Bin: Copy + Debug {
    /// Blocks of fewer words have no room for the links of this bin; they are
    /// kept in lists of one size each ([`Small`](crate::index::small::Small)). 0: none are.
    const NODE: usize = 0;

    /// Control words of a bin.
    fn words(self) -> usize;

    /// A block of at least `need` words: the smallest, where the bin is kept by size.
    fn find<W: Words>(self, memory: &mut W, root: usize, need: usize) -> Option<Found>;

    /// Adds a block. The block's own header may not be written yet.
    fn insert<W: Words>(self, memory: &mut W, root: usize, block: Span);

    /// Takes a block out. The block's own header may be overwritten already.
    fn remove<W: Words>(self, memory: &mut W, root: usize, block: Span);

    /// Whether the bin has no block.
    fn is_empty<W: Words>(self, memory: &mut W, root: usize) -> bool;

    /// Verifies the bin, of at most `most` blocks, each of which `holds` accepts; returns how many there are.
    fn check<W: Words>(
        self,
        memory: &W,
        root: usize,
        most: usize,
        holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation>;
}

/// The order inside a bin that is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinOrder {
    /// A freed block comes first.
    Lifo,
    /// A freed block comes last.
    Fifo,
    /// Ascending by size; of equal sizes the last freed comes first, so a bin of one size costs no search.
    Size,
}

impl BinOrder {
    #[inline(always)]
    fn chain(self, root: usize) -> Chain {
        Chain { head: root, tail: (self == BinOrder::Fifo).then_some(root + 1) }
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

impl Bin for BinOrder {
    fn words(self) -> usize {
        if self == BinOrder::Fifo { 2 } else { 1 }
    }

    #[inline]
    fn find<W: Words>(self, memory: &mut W, root: usize, need: usize) -> Option<Found> {
        let chain = self.chain(root);
        let mut block = chain.first(memory);
        while block != 0 {
            memory.visit();
            let header = memory.load(block - 1);
            if words_of(header) >= need {
                return Some(Found { at: block, header });
            }
            block = chain.next(memory, block);
        }
        None
    }

    #[inline]
    fn insert<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        let chain = self.chain(root);
        match self {
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
        most: usize,
        mut holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation> {
        let mut least = 0;
        self.chain(root).check(memory, most, |memory, _, block| {
            let words = words_of(memory.peek(block - 1));
            if self == BinOrder::Size && words < least {
                return Err(broken("I6: a sorted bin does not ascend", block));
            }
            least = words;
            holds(memory, block)
        })
    }
}

/// A tree in each bin, or of all free blocks.
impl Bin for RedBlack {
    const NODE: usize = 2 + Self::LINKS;

    fn words(self) -> usize {
        1
    }
    #[inline]
    fn find<W: Words>(self, memory: &mut W, root: usize, need: usize) -> Option<Found> {
        RedBlack::find(memory, root, need)
    }
    #[inline]
    fn insert<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        RedBlack::insert(memory, root, block);
    }
    #[inline]
    fn remove<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        RedBlack::remove(memory, root, block.at);
    }
    #[inline]
    fn is_empty<W: Words>(self, memory: &mut W, root: usize) -> bool {
        memory.load(root) == 0
    }
    fn check<W: Words>(
        self,
        memory: &W,
        root: usize,
        most: usize,
        holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation> {
        RedBlack::check(memory, root, most, holds)
    }
}

/// A skip list in each bin, or of all free blocks.
impl Bin for SkipList {
    const NODE: usize = 2 + Self::LINKS;

    fn words(self) -> usize {
        self.levels()
    }
    #[inline]
    fn find<W: Words>(self, memory: &mut W, root: usize, need: usize) -> Option<Found> {
        SkipList::find(self, memory, root, need)
    }
    #[inline]
    fn insert<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        SkipList::insert(self, memory, root, block);
    }
    #[inline]
    fn remove<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        SkipList::remove(self, memory, root, block);
    }
    #[inline]
    fn is_empty<W: Words>(self, memory: &mut W, root: usize) -> bool {
        memory.load(root) == 0
    }
    fn check<W: Words>(
        self,
        memory: &W,
        root: usize,
        most: usize,
        holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation> {
        SkipList::check(self, memory, root, most, holds)
    }
}

/// Whether `block` is free; what every bin asks of its blocks.
pub(crate) fn must_be_free<W: Words>(memory: &W, block: usize) -> Result<(), Violation> {
    if is_used(memory.peek(block - 1)) { Err(broken("I5: a block in a bin is used", block)) } else { Ok(()) }
}
