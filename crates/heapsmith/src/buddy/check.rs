//! The invariants of a buddy heap, verified.

use crate::block::{is_used, words_of};
use crate::buddy::blocks::{Blocks, max_order};
use crate::buddy::{Buddies, Recombination};
use crate::heap::Violation;
use crate::index::{broken, control};
use crate::memory::Words;
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool> Buddies<W, R, S, M, HANDLES> {
    /// Verifies every invariant; offsets are in words.
    pub(super) fn verify(&self) -> Result<(), Violation> {
        let blocks = &self.blocks;
        let (top, high) = (blocks.memory.peek(control::TOP), blocks.memory.peek(control::HIGH));
        if top < blocks.first || top > high || (top - blocks.head) * W::BYTES > blocks.memory.length() {
            return Err(broken("B5: the wilderness begins outside the region or above its high-water mark", top));
        }
        let (mut at, mut free, mut handled) = (blocks.first, 0, 0);
        while at < top {
            let header = blocks.memory.peek(at - 1);
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
        if listed == free { Ok(()) } else { Err(broken("B2: a free block is on no list", top)) }
    }

    fn check_block(&self, at: usize, header: usize) -> Result<(), Violation> {
        let (words, order) = (words_of(header), Blocks::<W, S, M>::order_of(header));
        if !words.is_power_of_two() || order < self.blocks.min || !self.blocks.lies_well(at, order) {
            return Err(broken("B1: a block's size is no power of two, too small, or does not suit its place", at));
        }
        Ok(())
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
            let header = blocks.memory.peek(at - 1);
            if is_used(header)
                || Blocks::<W, S, M>::order_of(header) != order
                || R::expected(blocks, at, header)? != Some(list)
            {
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
