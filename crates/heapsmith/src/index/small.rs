//! Blocks too small to be nodes: a list for each of their sizes.
//!
//! ```text
//!   3 words ──▶ free ──▶ free      (only where blocks carry no tags)
//!   4 words ──▶ free
//!   5 words ──▶ 0                  from 6 words on: tree or skip list
//! ```
//!
//! A node needs four links, a list two. Keeping the few sizes in between apart
//! lets the smallest block be that of a plain list, and costs a control word a
//! size. Each list holds one size, so its head serves: best fit, constant time.
//!
//! Invariant I5 here: every free block below a node's size is in the list of its size.

use crate::block::{Span, words_of};
use crate::heap::Violation;
use crate::index::chain::Chain;
use crate::index::{Found, broken};
use crate::memory::Words;

/// The lists of blocks of fewer than `node` words; `heads` is their first control word.
#[derive(Clone, Copy, Debug)]
pub struct Small {
    /// First control word.
    pub heads: usize,
    /// Words from which on a block can be a node; 0: none is too small.
    pub node: usize,
}

impl Small {
    /// Words of the smallest block: header and the two links of a list.
    const MIN: usize = 1 + Chain::LINKS;

    /// Control words.
    pub fn words(self) -> usize {
        self.node.saturating_sub(Self::MIN)
    }

    /// The list of blocks of `words`, if they are too small to be nodes.
    #[inline(always)]
    pub fn list(self, words: usize) -> Option<Chain> {
        (words < self.node).then(|| Chain { head: self.heads + words - Self::MIN, tail: None })
    }

    /// The smallest of these blocks that has `need` words.
    #[inline(always)]
    pub fn find(self, memory: &mut impl Words, need: usize) -> Option<Found> {
        for words in need..self.node {
            let at = self.list(words)?.first(memory);
            if at != 0 {
                memory.visit();
                return Some(Found { at, header: memory.load(at - 1) });
            }
        }
        None
    }

    /// Adds the block, if it is too small to be a node.
    #[inline(always)]
    pub fn insert(self, memory: &mut impl Words, block: Span) -> bool {
        let list = self.list(block.words);
        if let Some(list) = list {
            list.insert_after(memory, 0, block.at);
        }
        list.is_some()
    }

    /// Takes the block out, if it is too small to be a node.
    #[inline(always)]
    pub fn remove(self, memory: &mut impl Words, block: Span) -> bool {
        let list = self.list(block.words);
        if let Some(list) = list {
            list.unlink(memory, block.at);
        }
        list.is_some()
    }

    /// Verifies the lists and returns how many blocks are in them.
    pub fn check<W: Words>(
        self,
        memory: &W,
        max: usize,
        mut holds: impl FnMut(&W, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation> {
        let mut seen = 0;
        for words in Self::MIN..self.node {
            let Some(list) = self.list(words) else { break };
            seen += list.check(memory, max - seen, |memory, _, block| {
                if words_of(memory.peek(block - 1)) != words {
                    return Err(broken("I5: a block in a list of one size has another", block));
                }
                holds(memory, block)
            })?;
        }
        Ok(seen)
    }
}
