//! A skip list of free blocks by size, best fit.
//!
//! ```text
//!   node at     ┌────────────────────────┐     heads (control words, a level each)
//!   SAME   +0   │ first of equal size, 0 │     2 ──────────────▶ 40 ──────────▶ 0
//!   BACK   +1   │ 0                      │     1 ──────▶ 24 ──▶ 40 ──────────▶ 0
//!   level 0 +2  │ next larger            │     0 ▶ 16 ──▶ 24 ──▶ 40 ──▶ 96 ──▶ 0
//!   level 1 +3  │ next larger so high    │                       │ SAME
//!    …          │                        │                       ▼
//!               └────────────────────────┘                      40 ──▶ 40
//! ```
//!
//! There is one node for each size; further blocks of the size are chained to it
//! ([`equals`](crate::index::equals)). The height of a node is a function of
//! its size and the seed: it is not stored, every block of the size has the
//! same, and the same requests build the same list. A quarter of the sizes
//! reaches each further level, as far as the block has room for its links: from
//! 6 words on there is room for two levels, and for one more with each further
//! word. That a small node cannot be high does no harm, as there are few small sizes.
//!
//! # Invariants
//!
//! - **I5** Every node is a free block of at least a node's size, and is in the list once.
//! - **I6** Level 0 strictly ascends by size.
//! - **I7** Each level above holds exactly the nodes of the level below that are so high, in their order.
//! - **I8** The chain of a node is in order, and holds no node.
//!
//! # Cost
//!
//! | operation | accesses | notes |
//! |---|---|---|
//! | find | levels + expected O(log sizes) | + 1 or 2 for a block that hangs at the node |
//! | insert | the search + 2 a level of the node | |
//! | remove | the search + 2 a level of the node | hanging blocks: 3 or 4, no search |
//! | space | a control word a level | nodes: 1⅓ links on average, and two for those of equal size |
//!
//! Sources: Pugh 1990, Skip lists: a probabilistic alternative to balanced
//! trees (p = 1/4); Diamantstein et al., §5.4 (proposed there for allocators).

use crate::block::{Span, words_of};
use crate::heap::Violation;
use crate::index::bin::Bin;
use crate::index::equals::{self, BACK, LISTED, OWN, SAME, link_of};
use crate::index::{Found, broken};
use crate::memory::Words;
use crate::policy::Policy;
use crate::sealed::Sealed;

/// A skip list by size.
#[derive(Clone, Copy, Debug)]
pub struct SkipList {
    seed: u64,
    levels: usize,
}

impl SkipList {
    /// The most levels: enough for 4⁸ = 65,536 sizes, which fill 8 GiB when all are free at once.
    pub const MAX_LEVELS: usize = 8;
    /// Levels of a list in a bin: enough for 4⁴ = 256 sizes in it.
    pub const BIN_LEVELS: usize = 4;

    /// A skip list of `levels` levels, 1 to [`SkipList::MAX_LEVELS`], with heights by `seed`.
    pub const fn new(seed: u64, levels: usize) -> Self {
        let levels = if levels > Self::MAX_LEVELS { Self::MAX_LEVELS } else { levels };
        SkipList { seed, levels: if levels == 0 { 1 } else { levels } }
    }

    /// Levels that a node of `words` words is on.
    #[inline(always)]
    fn height(self, words: usize) -> usize {
        // The finalizer of SplitMix64 (Steele, Lea and Flood 2014) scatters the sizes.
        let mut bits = (words as u64).wrapping_add(self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        let quarters = (bits ^ bits >> 31).trailing_zeros() as usize / 2;
        // Header, tag, SAME and BACK leave the rest for levels.
        (1 + quarters).min(self.levels).min(words - 2 - OWN)
    }

    /// Where on each level a block of `words` belongs: the links that lead past
    /// smaller nodes. `block` is not looked into, as its header may be overwritten.
    #[inline(always)]
    fn links(self, memory: &mut impl Words, root: usize, words: usize, block: usize) -> [usize; Self::MAX_LEVELS] {
        let mut links = [0; Self::MAX_LEVELS];
        let mut link = root + self.levels - 1;
        let mut larger = 0;
        for level in (0..self.levels).rev() {
            loop {
                let next = memory.load(link);
                if next == larger || next == block {
                    larger = next;
                    break;
                }
                memory.visit();
                if words_of(memory.load(next - 1)) >= words {
                    larger = next;
                    break;
                }
                link = next + OWN + level;
            }
            links[level] = link;
            link = link.wrapping_sub(1);
        }
        links
    }

    /// The smallest node of at least `need` words, with its header.
    #[inline(always)]
    fn node(self, memory: &mut impl Words, root: usize, need: usize) -> Option<(usize, usize)> {
        let mut link = root + self.levels - 1;
        let (mut larger, mut found) = (0, None);
        for level in (0..self.levels).rev() {
            loop {
                let next = memory.load(link);
                if next == larger {
                    break;
                }
                memory.visit();
                let header = memory.load(next - 1);
                let words = words_of(header);
                if words >= need {
                    (larger, found) = (next, Some((next, header)));
                    if words == need {
                        return found;
                    }
                    break;
                }
                link = next + OWN + level;
            }
            link = link.wrapping_sub(1);
        }
        found
    }

    /// Verifies that `level` holds the nodes of the level below that are high enough.
    fn check_level<W: Words>(self, memory: &W, root: usize, level: usize) -> Result<(), Violation> {
        let mut upper = memory.peek(root + level);
        let mut lower = memory.peek(root + level - 1);
        while lower != 0 {
            if self.height(words_of(memory.peek(lower - 1))) > level {
                if upper != lower {
                    return Err(broken("I7: a level does not hold the nodes that are so high", lower));
                }
                upper = memory.peek(upper + OWN + level);
            }
            lower = memory.peek(lower + OWN + level - 1);
        }
        if upper == 0 { Ok(()) } else { Err(broken("I7: a level is longer than the one below", upper)) }
    }
}

/// A skip list in each bin, or of all free blocks; the root is a word a level.
impl Sealed for SkipList {}

impl Bin for SkipList {
    /// Header, tag, SAME, BACK and two levels.
    const NODE: usize = 2 + OWN + 2;

    fn words(self) -> usize {
        self.levels
    }

    #[inline]
    fn is_empty<W: Words>(self, memory: &mut W, root: usize) -> bool {
        memory.load(root) == 0
    }

    #[inline]
    fn find<W: Words>(self, memory: &mut W, policy: &impl Policy, root: usize, need: usize) -> Result<Found, usize> {
        let (node, header) = self.node(memory, root, need).ok_or(0_usize)?;
        Ok(equals::easiest(memory, policy, node, header))
    }

    #[inline(always)]
    fn holds<W: Words>(memory: &mut W, block: usize) -> bool {
        equals::hold(memory, block)
    }

    #[inline]
    fn insert<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        let links = self.links(memory, root, block.words, block.at);
        let next = memory.load(links[0]);
        if next != 0 && words_of(memory.load(next - 1)) == block.words {
            return equals::chain(memory, next, block.at);
        }
        memory.store(block.at + SAME, 0);
        memory.store(block.at + BACK, 0);
        for (level, &link) in links.iter().enumerate().take(self.height(block.words)) {
            let next = memory.load(link);
            memory.store(block.at + OWN + level, next);
            memory.store(link, block.at);
        }
    }

    #[inline]
    fn remove<W: Words>(self, memory: &mut W, root: usize, block: Span) {
        let back = memory.load(block.at + BACK);
        if back & LISTED != 0 {
            return equals::unchain(memory, block.at, back);
        }
        let links = self.links(memory, root, block.words, block.at);
        let successor = memory.load(block.at + SAME);
        for (level, &link) in links.iter().enumerate().take(self.height(block.words)) {
            let next = memory.load(block.at + OWN + level);
            if successor == 0 {
                memory.store(link, next);
            } else {
                // Of one size and so of one height: the heir comes onto the same levels.
                memory.store(successor + OWN + level, next);
                memory.store(link, successor);
            }
        }
        if successor != 0 {
            memory.store(successor + BACK, 0);
        }
    }

    fn check<W: Words>(
        self,
        memory: &W,
        root: usize,
        max: usize,
        mut holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation> {
        let (mut seen, mut before) = (0, 0);
        let mut node = memory.peek(root);
        while node != 0 {
            if seen == max {
                return Err(broken("I5: the skip list has more blocks than are free (a cycle?)", node));
            }
            let words = words_of(memory.peek(node - 1));
            if words <= before {
                return Err(broken("I6: the skip list does not ascend", node));
            }
            if memory.peek(node + BACK) != 0 {
                return Err(broken("I8: a node hangs at another", link_of(memory.peek(node + BACK))));
            }
            holds(memory, node)?;
            seen += 1;
            seen += equals::check(memory, Span { at: node, words }, max - seen, &mut holds)?;
            (before, node) = (words, memory.peek(node + OWN));
        }
        (1..self.levels).try_for_each(|level| self.check_level(memory, root, level))?;
        Ok(seen)
    }
}
