//! Defragmentation on demand: relocation for one request only.
//!
//! ```text
//!   order j   ┌──────┬──────┐        ┌──────┬──────┐
//!             │ x    │ used │  …     │ y    │ used │     x and y are free, not buddies
//!             └──────┴──────┘        └──────┴──────┘
//!                       └──────────────▶ what x's buddy holds moves to y
//!             ┌─────────────┐        ┌──────┬──────┐
//!             │ order j + 1 │  …     │ used │ used │
//!             └─────────────┘        └──────┴──────┘
//! ```
//!
//! A block of order `k` is made of two of order `k − 1` by such an exchange;
//! where there are not two, they are made first in the same way. x's buddy may
//! be a block, or smaller blocks, used and free: they keep their places
//! relative to each other. It is left alone if it holds a block that is pinned
//! or belongs to no handle.
//!
//! # Bound
//!
//! To make one block of order `j` takes one exchange, of less than `2^(j−1)`
//! words, and the making of at most two blocks of order `j − 1`; of the least
//! order `l` none can be made. So a request of order `k` moves at most
//! `(k − l) · 2^(k−1)` words. Blocks that cannot be moved may call for more
//! attempts; the bound then ends them: it is kept as a budget, by construction.
//! It is reached: where every other smallest block is free, each exchange fills
//! a block to its last word (`tests/it/buddy.rs`).
//!
//! Source: Donahue et al. 2001, §2.8, Figure 6. The paper gives the exchange
//! and the recursion; the bound and the treatment of divided buddies are ours.

use crate::block::{USED, header, is_used, words_of};
use crate::buddy::blocks::Blocks;
use crate::buddy::{Buddies, Recombination};
use crate::index::control;
use crate::memory::Words;
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

/// Max attempts to make a block of one order before the order above fails.
const ATTEMPTS: usize = 4;

impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool> Buddies<W, R, S, M, HANDLES> {
    /// The most words that one request of `order` may move.
    pub(super) fn budget(&self, order: u32) -> usize {
        ((order - self.blocks.min) as usize) << order.saturating_sub(1)
    }

    /// A block of `order` made by moving other blocks.
    #[cold]
    pub(super) fn defragment(&mut self, order: u32) -> Option<usize> {
        let max = self.budget(order);
        let mut budget = max;
        let mut made = None;
        while made.is_none() && self.gather(order, &mut budget) {
            made = R::find(&mut self.blocks, order).map(|(at, _)| at).or_else(|| self.grow(order));
        }
        let moved = (max - budget) * W::BYTES;
        if moved > 0 {
            self.moved.last = moved;
            self.moved.max = self.moved.max.max(moved);
        }
        made
    }

    /// Makes a free block of `order`, or joins as much to a larger block or the wilderness.
    fn gather(&mut self, order: u32, budget: &mut usize) -> bool {
        if order <= self.blocks.min {
            return false;
        }
        for _ in 0..ATTEMPTS {
            if self.exchange(order - 1, budget) {
                return true;
            }
            if !self.gather(order - 1, budget) {
                return false;
            }
        }
        self.exchange(order - 1, budget)
    }

    /// Makes one block of two free ones of `order`.
    fn exchange(&mut self, order: u32, budget: &mut usize) -> bool {
        if let Some(at) = R::pair(&mut self.blocks, order) {
            R::release(&mut self.blocks, at, order + 1);
            return true;
        }
        let list = self.blocks.list(0, order);
        let head = self.blocks.memory.load(list);
        let mut x = head;
        while x != 0 {
            self.blocks.memory.visit();
            let next = self.blocks.memory.load(x);
            let y = if x == head { next } else { head };
            if y != 0
                && let Some((buddy, words)) = self.movable(x, order)
                && words <= *budget
            {
                *budget -= words;
                self.carry_out(x, buddy, y, order);
                return true;
            }
            x = next;
        }
        false
    }

    /// The buddy of `x` and the used words in it, if all of it may be moved.
    fn movable(&mut self, x: usize, order: u32) -> Option<(usize, usize)> {
        let top = self.blocks.memory.peek(control::TOP);
        let buddy = self.blocks.buddy(x, order, top)?;
        let (mut at, mut used) = (buddy, 0);
        while at < buddy + (1 << order) {
            self.blocks.memory.visit();
            let head = self.blocks.memory.load(at - 1);
            if is_used(head) {
                if self.blocks.memory.load(at - 2) == 0 {
                    return None;
                }
                used += words_of(head);
            }
            at += words_of(head);
        }
        Some((buddy, used))
    }

    /// Moves all that `from` holds, the buddy of `x`, to `to`, and joins it with `x`.
    fn carry_out(&mut self, x: usize, from: usize, to: usize, order: u32) {
        for free in [x, to] {
            let head = self.blocks.memory.load(free - 1);
            R::remove(&mut self.blocks, free, order, head);
        }
        self.each_in(from, order, |heap, at, head| {
            if !is_used(head) {
                R::remove(&mut heap.blocks, at, Blocks::<W, S, M>::order_of(head), head);
            }
        });
        // All blocks are marked used before the first becomes free, so that none joins
        // a buddy that is not there yet.
        self.each_in(from, order, |heap, at, head| {
            let copy = to + (at - from);
            heap.blocks.memory.store(copy - 1, header(words_of(head), USED));
            if is_used(head) {
                heap.relocate(at, copy, words_of(head));
            }
        });
        self.each_in(from, order, |heap, at, head| {
            if !is_used(head) {
                R::release(&mut heap.blocks, to + (at - from), Blocks::<W, S, M>::order_of(head));
            }
        });
        R::release(&mut self.blocks, x.min(from), order + 1);
    }

    /// Calls `each` for every block in the `order` words from `from` on, with its header as it is then.
    fn each_in(&mut self, from: usize, order: u32, mut each: impl FnMut(&mut Self, usize, usize)) {
        let mut at = from;
        while at < from + (1 << order) {
            let head = self.blocks.memory.load(at - 1);
            each(self, at, head);
            at += words_of(head);
        }
    }

    /// Copies the payload of the used block `at` to `copy` and updates its master word.
    fn relocate(&mut self, at: usize, copy: usize, words: usize) {
        let memory = &mut self.blocks.memory;
        let owner = memory.load(at - 2);
        memory.store(copy - 2, owner);
        memory.store(owner, copy);
        let bytes = (words - Self::HEAD) * W::BYTES;
        // SAFETY: `at` is a used block of `words` words, `copy` lies in a free block
        // that was taken off its list and has room for it (B1), so both are valid and apart.
        unsafe {
            core::ptr::copy_nonoverlapping(memory.pointer(at).as_ptr(), memory.pointer(copy).as_ptr(), bytes);
        }
        self.moved.blocks += 1;
        self.moved.bytes += (words * W::BYTES) as u64;
    }
}
