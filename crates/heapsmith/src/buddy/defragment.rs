//! Defragmentation on demand: relocation for one request only.
//!
//! ```text
//!   order k   ┌──────┬──────┬─────────────┐      ┌──────┬──────┬─────────────┐
//!             │ used │ free │ used        │  …   │ free │ used │ free        │
//!             └──┬───┴──────┴──────┬──────┘      └──▲───┴──────┴──────▲──────┘
//!                └─────────────────┼────────────────┘                 │
//!                                  └──────────────────────────────────┘
//!             ┌───────────────────────────┐      ┌──────┬──────┬─────────────┐
//!             │ the block asked for       │  …   │ used │ used │ used        │
//!             └───────────────────────────┘      └──────┴──────┴─────────────┘
//! ```
//!
//! A *window* of order `k` is a place for a block of order `k` that blocks of lower orders fill. The window with the
//! fewest used words is emptied: each used block moves to a free block of its own order. Where there is none, a window
//! of that order is emptied first, in the same way; windows that are being emptied take nothing in. With two free
//! blocks of order `k − 1` this is the exchange of the paper: what the one's buddy holds goes to the other.
//!
//! # Feasibility
//!
//! Blocks that are pinned, or belong to no handle, cut the region. What lies between them are *roots*: the largest
//! places for blocks that hold none of them. For every order `j` up to `k` let
//!
//! ```text
//!   room(j) = words in roots of order j and more − words in movable blocks of order j and more
//! ```
//!
//! All movable blocks and the new one have places together if and only if `room(j) ≥ 2^k` for every `j`: powers of two
//! fill places of powers of two without loss if the largest come first. This is verified before anything moves, so no
//! block moves for a request that is refused. Emptying any window takes `2^k` from each `room(j)`, and leaves as much as
//! the window's blocks need; so then the search below finds a place for each of them. Without pinned blocks, and with
//! one root, the condition is that `2^k` words are free.
//!
//! # Bound
//!
//! A window of order `k` has less than `2^k` used words outside blocks of order `k`, and asks for windows whose orders'
//! sum is no more. So a request of order `k` moves at most `(k − l) · 2^k` words, `l` being the least order, in blocks
//! of at least `2^l` words, and visits every block at most `2^(k−l)` times.
//!
//! Source: Donahue et al. 2001, §2.8, Figure 6. The paper gives the exchange and the recursion; the windows, the
//! condition and the bound are ours.

use crate::block::{USED, is_used, words_of};
use crate::buddy::blocks::order_of;
use crate::buddy::{Buddies, Recombination, Start, knuth};
use crate::memory::Words;
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

/// Status bit of a used block's header: it lies in a window that is being emptied.
const LEAVING: usize = 2;
/// More orders than any word has.
const ORDERS: usize = usize::BITS as usize;

impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool, F: Start> Buddies<W, R, S, M, HANDLES, F> {
    /// The most words that one request of `order` may move.
    pub(super) fn max_words_moved(&self, order: u32) -> usize {
        ((order - self.blocks.min) as usize) << order
    }

    /// A block of `order` made by moving other blocks; none, and nothing is moved, if no arrangement of the movable
    /// blocks has room for it.
    #[cold]
    pub(super) fn defragment(&mut self, order: u32) -> Option<usize> {
        if !self.has_room(order) {
            return None;
        }
        self.take_wilderness();
        let before = self.moved.bytes;
        let at = self.empty_window(order);
        debug_assert!(at.is_some(), "there was room");
        if let Some(at) = at {
            self.blocks.write_used(at, order);
        }
        self.return_wilderness();
        let moved = (self.moved.bytes - before) as usize;
        if moved > 0 {
            self.moved.last = moved;
            self.moved.max = self.moved.max.max(moved);
        }
        at
    }

    /// Whether all movable blocks and one of `order` have places together.
    fn has_room(&mut self, order: u32) -> bool {
        let (top, limit) = (self.blocks.top(), self.blocks.limit());
        let mut room = [0_usize; ORDERS];
        let (mut at, mut root) = (self.blocks.first, self.blocks.first);
        while at < top {
            self.blocks.memory.visit();
            let head = self.blocks.load_header(at);
            let end = at + words_of(head);
            if is_used(head) && self.blocks.memory.load(at - Self::HEAD) == 0 {
                self.add_roots(&mut room, order, (root, at));
                root = end;
            } else if is_used(head) {
                let of = &mut room[order_of(head).min(order) as usize];
                *of = of.wrapping_sub(words_of(head));
            }
            at = end;
        }
        self.add_roots(&mut room, order, (root, limit));
        // The sums are never negative, only the summands.
        let mut sum = 0_usize;
        (self.blocks.min..=order).rev().all(|of| {
            sum = sum.wrapping_add(room[of as usize]);
            sum >= 1 << order
        })
    }

    /// Adds the words of the largest places for blocks between two payloads, by their orders up to `order`.
    fn add_roots(&self, room: &mut [usize; ORDERS], order: u32, (from, to): (usize, usize)) {
        let mut at = from;
        while at < to {
            let root = self.blocks.largest_at(at, to);
            let of = &mut room[root.min(order) as usize];
            *of = of.wrapping_add(1 << root);
            at += 1 << root;
        }
    }

    /// Makes what is left of the region free blocks, so that they take part.
    fn take_wilderness(&mut self) {
        let limit = self.blocks.limit();
        let mut at = self.blocks.top();
        while at < limit {
            let order = self.blocks.largest_at(at, limit);
            let end = at + (1 << order);
            self.blocks.set_top(end);
            if R::EAGER {
                R::insert(&mut self.blocks, at, order);
            } else {
                R::release(&mut self.blocks, at, order);
            }
            at = end;
        }
    }

    /// Lets free blocks at the region's end be wilderness again where free blocks join it at once.
    fn return_wilderness(&mut self) {
        if R::EAGER && F::HAS_WILDERNESS {
            let top = self.blocks.top();
            let top = knuth::retreat::<R, W, S, M, F>(&mut self.blocks, top, u32::MAX);
            self.blocks.set_top(top);
        }
    }

    /// Moves every block of the least used window of `order` elsewhere; returns the window's payload.
    fn empty_window(&mut self, order: u32) -> Option<usize> {
        let window = self.emptiest(order)?;
        self.close(window, order);
        let mut at = window;
        while at < window + (1 << order) {
            let head = self.blocks.load_header(at);
            if self.blocks.memory.load(at - Self::HEAD) != 0 {
                let order = order_of(head);
                let free = R::find(&mut self.blocks, order).map(|(free, _)| free);
                let place = free.or_else(|| self.empty_window(order))?;
                self.relocate(at, place, words_of(head));
            }
            at += words_of(head);
        }
        Some(window)
    }

    /// The window of `order` with the fewest used words, the lowest of several.
    fn emptiest(&mut self, order: u32) -> Option<usize> {
        let (top, words) = (self.blocks.top(), 1 << order);
        let (mut best, mut fewest) = (None, usize::MAX);
        let (mut at, mut window, mut used) = (self.blocks.first, None, 0);
        while at < top {
            self.blocks.memory.visit();
            if self.blocks.lies_well(at, order) {
                (window, used) = (Some(at), 0);
            }
            let head = self.blocks.load_header(at);
            if is_used(head) {
                used += words_of(head);
                let stays =
                    head & LEAVING != 0 || words_of(head) >= words || self.blocks.memory.load(at - Self::HEAD) == 0;
                window = window.filter(|_| !stays);
            }
            at += words_of(head);
            if window.is_some_and(|window| at - window == words) && used < fewest {
                (best, fewest) = (window, used);
            }
        }
        best
    }

    /// Takes the free blocks of a window off their lists and marks all its blocks as used ones that leave it; those that
    /// were free have no owner.
    fn close(&mut self, window: usize, order: u32) {
        let mut at = window;
        while at < window + (1 << order) {
            let head = self.blocks.load_header(at);
            if !is_used(head) {
                R::remove(&mut self.blocks, at, order_of(head), head);
                self.blocks.memory.store(at - Self::HEAD, 0);
            }
            self.blocks.write(at, order_of(head), USED | LEAVING);
            at += words_of(head);
        }
    }

    /// Copies the used block `at` to `place` and updates its master word.
    fn relocate(&mut self, at: usize, place: usize, words: usize) {
        self.blocks.write(place, words.trailing_zeros(), USED);
        let memory = &mut self.blocks.memory;
        let owner = memory.load(at - Self::HEAD);
        memory.store(place - Self::HEAD, owner);
        memory.store(owner, place);
        let bytes = (words - Self::HEAD) * W::BYTES;
        // SAFETY: `at` is a used block of `words` words, `place` lies in a free block that was taken off its list, or in
        // a window that was emptied, and has room for it (B1), so both are valid and apart.
        unsafe {
            core::ptr::copy_nonoverlapping(memory.pointer(at).as_ptr(), memory.pointer(place).as_ptr(), bytes);
        }
        self.moved.blocks += 1;
        self.moved.bytes += (words * W::BYTES) as u64;
    }
}
