//! Changing the order of a block in place.

use core::ptr::NonNull;

use crate::block::{USED, words_of};
use crate::buddy::blocks::order_of;
use crate::buddy::{Buddies, Recombination, Start};
use crate::meter::{Meter, ServePath};
use crate::source::Source;
use crate::word::Word;

impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool, F: Start> Buddies<W, R, S, M, HANDLES, F> {
    /// Resizes the block to `size` bytes in place, if it can.
    pub(super) fn resize(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        let Some(need) = self.order(size, 1) else { return false };
        let at = self.blocks.memory.index(pointer);
        let header = self.blocks.load_header(at);
        let order = order_of(header);
        let way = if need <= order {
            self.shrink(at, order, need);
            ServePath::AtOnce
        } else {
            match self.grow_in_place(at, order, need) {
                Some(way) => way,
                None => return false,
            }
        };
        self.blocks.memory.meter.served(way);
        true
    }

    /// Frees the upper halves, the largest first: each has this block as its used buddy.
    fn shrink(&mut self, at: usize, order: u32, need: u32) {
        let mut half = order;
        if half > need {
            self.blocks.write(at, need, USED);
        }
        while half > need {
            half -= 1;
            R::release(&mut self.blocks, at + (1 << half), half);
        }
    }

    /// Joins the block with the buddies above it, if all of them are free or
    /// the last of them is the wilderness.
    fn grow_in_place(&mut self, at: usize, order: u32, need: u32) -> Option<ServePath> {
        let blocks = &mut self.blocks;
        if !blocks.lies_well(at, need) {
            return None;
        }
        let top = blocks.top();
        let end = at + (1 << need);
        let mut free = order;
        while free < need && at + (1 << free) < top {
            let buddy = at + (1 << free);
            if buddy + (1 << free) > top || blocks.free_of(buddy, free).is_none() {
                return None;
            }
            free += 1;
        }
        if free < need && !(F::HAS_WILDERNESS && blocks.memory.ensure_len(end - blocks.head)) {
            return None;
        }
        for joined in order..free {
            let buddy = at + (1 << joined);
            let header = blocks.load_header(buddy);
            debug_assert_eq!(words_of(header), 1 << joined);
            R::remove(blocks, buddy, joined, header);
        }
        blocks.write(at, need, USED);
        if free == need {
            return Some(ServePath::AfterCoalescing);
        }
        blocks.set_top(end);
        Some(ServePath::ByGrowing)
    }
}
