//! The invariants of a buddy heap, verified.

use crate::block::{is_used, words_of};
use crate::buddy::blocks::{max_order, order_of};
use crate::buddy::{Buddies, Recombination, Start};
use crate::heap::Violation;
use crate::index::{broken, control};
use crate::memory::Words;
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool, F: Start> Buddies<W, R, S, M, HANDLES, F> {
    /// Verifies every invariant; offsets are in words.
    pub(super) fn verify(&self) -> Result<(), Violation> {
        let blocks = &self.blocks;
        let (top, high) = (blocks.memory.peek(control::TOP), blocks.memory.peek(control::HIGH));
        if top < blocks.first || top > high || (top - blocks.head) * W::BYTES > blocks.memory.length() {
            return Err(broken("B5: the wilderness begins outside the region or above its high-water mark", top));
        }
        let (mut at, mut free, mut handled) = (blocks.first, 0, 0);
        while at < top {
            let header = blocks.peek_header(at);
            self.check_block(at, header)?;
            if is_used(header) {
                handled += self.check_owner(at)?;
            } else {
                free += usize::from(R::expected(blocks, at, header)?.is_some());
            }
            at += words_of(header);
        }
        if at != top {
            return Err(broken("B1: the last block does not end at the wilderness", at));
        }
        self.check_masters(handled)?;
        let listed = self.check_lists(free)?;
        self.check_pairs()?;
        if listed == free { Ok(()) } else { Err(broken("B2: a free block is on no list", top)) }
    }

    fn check_block(&self, at: usize, header: usize) -> Result<(), Violation> {
        let (words, order) = (words_of(header), order_of(header));
        if !words.is_power_of_two() || order < self.blocks.min || !self.blocks.lies_well(at, order) {
            return Err(broken("B1: a block's size is no power of two, too small, or does not suit its place", at));
        }
        Ok(())
    }

    /// B7.
    fn check_pairs(&self) -> Result<(), Violation> {
        let blocks = &self.blocks;
        let mut pairs = 0;
        for order in blocks.min..=max_order::<W>() {
            for list in 1..R::LISTS {
                let mut at = blocks.memory.peek(blocks.list(list, order));
                while at != 0 && pairs <= blocks.pairs {
                    pairs += 1;
                    at = blocks.memory.peek(at);
                }
            }
        }
        let counted = pairs == blocks.pairs && pairs <= blocks.max_pairs;
        if counted { Ok(()) } else { Err(broken("B7: more or fewer pairs wait than are counted", control::INDEX)) }
    }

    /// Walks every list and returns how many blocks they have; `max` is how many there can be.
    fn check_lists(&self, max: usize) -> Result<usize, Violation> {
        let mut listed = 0;
        for order in self.blocks.min..=max_order::<W>() {
            for list in 0..R::LISTS {
                listed += self.check_list(self.blocks.list(list, order), order, max)?;
            }
        }
        Ok(listed)
    }

    fn check_list(&self, list: usize, order: u32, max: usize) -> Result<usize, Violation> {
        let blocks = &self.blocks;
        let top = blocks.memory.peek(control::TOP);
        let (mut at, mut previous, mut listed) = (blocks.memory.peek(list), 0, 0);
        while at != 0 {
            if at < blocks.first || at >= top || listed >= max {
                return Err(broken("B2: a list leaves the blocks or runs in a circle", list));
            }
            let header = blocks.peek_header(at);
            if is_used(header) || order_of(header) != order || R::expected(blocks, at, header)? != Some(list) {
                return Err(broken("B2: a block is on a list that is not its own", at));
            }
            if blocks.memory.peek(at + 1) != previous {
                return Err(broken("B2: a list's links do not match", at));
            }
            listed += 1;
            previous = at;
            at = blocks.memory.peek(at);
        }
        Ok(listed)
    }
}
