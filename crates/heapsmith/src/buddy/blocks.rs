//! The blocks of a buddy heap: where they may lie, their headers, their lists.
//!
//! A block is named by the index of its payload's first word. Its *position* is
//! that index counted from the last multiple of [`GRID`] bytes at or before the
//! region. A block of order `k` has `2^k` words and a position that is a
//! multiple of `2^k`, so its buddy's position differs in bit `k` alone, and its
//! payload is aligned to its size, up to [`GRID`].
//!
//! The control words cut the lowest blocks off and the wilderness the highest:
//! what is cut counts as a buddy that is never free. So a region of any length
//! is tiled by blocks of ascending orders at its low end, and by what was asked
//! for further up.

use crate::block::{FLAGS, USED, header, is_used, words_of};
use crate::buddy::start::{GRID, Place, Room, Start};
use crate::heap_error::HeapErrors;
use crate::index::control;
use crate::memory::{Memory, RegionError, Words};
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

/// The blocks of one region.
#[derive(Debug)]
pub struct Blocks<W, S, M, F> {
    pub(super) memory: Memory<W, S, M>,
    pub(super) start: F,
    /// Words from position 0 to the region's base.
    shift: usize,
    /// Payload of the lowest block.
    pub(super) first: usize,
    /// The smallest order.
    pub(super) min: u32,
    /// Words of a block before its payload.
    pub(super) head: usize,
    /// Pairs of free buddies that wait to be joined, and the most that may.
    pub(super) pairs: usize,
    pub(super) max_pairs: usize,
    pub(super) heap_errors: HeapErrors,
}

/// The smallest order: what is before the payload and two links, what `F` wants, and the heap's own alignment.
pub(super) const fn min_order<W: Word, F: Start>(alignment: usize, head: usize) -> u32 {
    let links = (head + 2).next_power_of_two().trailing_zeros();
    let wanted = (F::MIN_BYTES / W::BYTES).next_power_of_two().trailing_zeros();
    let min = if wanted > links { wanted } else { links };
    let aligned = (alignment / W::BYTES).trailing_zeros();
    if aligned > min && aligned < usize::BITS { aligned } else { min }
}

/// The order of the block whose header this is.
#[inline(always)]
pub(super) fn order_of(header: usize) -> u32 {
    words_of(header).trailing_zeros()
}

/// The header that an entry of the table replaces.
#[inline(always)]
fn header_in(entry: u8) -> usize {
    header(1 << (entry >> FLAGS), (entry & ((1 << FLAGS) - 1)).into())
}

/// The largest order whose size a header can hold.
pub(super) const fn max_order<W: Word>() -> u32 {
    W::MAX_WORDS.ilog2()
}

impl<W: Word, S: Source, M: Meter, F: Start> Blocks<W, S, M, F> {
    /// No blocks in use yet, over the region that `source` supplies, behind `control` control words set to 0.
    pub(super) fn new(source: S, meter: M, alignment: usize, head: usize, control: usize) -> Result<Self, RegionError> {
        let mut memory = Memory::<W, S, M>::new(source, meter)?;
        let min = min_order::<W, F>(alignment, head);
        let control = control.min(W::MAX_WORDS);
        let Place { start, first, shift, top, end } = F::place(&Room {
            before: memory.base_address() % GRID / W::BYTES,
            control,
            head,
            min,
            limit: memory.limit(),
            word: W::BYTES,
        });
        if !memory.ensure_len(end) {
            return Err(RegionError::TooSmall { needed: end * W::BYTES, given: memory.supplied() });
        }
        for at in control::INDEX..control {
            memory.store(at, 0);
        }
        memory.poke(control::HIGH, 0);
        let heap_errors = HeapErrors::default();
        let mut blocks =
            Blocks { memory, start, shift, first, min, head, pairs: 0, max_pairs: usize::MAX, heap_errors };
        if F::CHECKED {
            blocks.clear_entries(top);
        }
        blocks.set_top(top);
        Ok(blocks)
    }

    /// The order of the smallest block with `words` words, header not included.
    #[inline(always)]
    pub(super) fn order_for(&self, words: usize) -> u32 {
        (words + self.head).next_power_of_two().trailing_zeros().max(self.min)
    }

    /// The head of list number `list` for blocks of `order`.
    #[inline(always)]
    pub(super) fn list(&self, list: usize, order: u32) -> usize {
        let orders = (max_order::<W>() + 1 - self.min) as usize;
        control::INDEX + list * orders + (order - self.min) as usize
    }

    /// Payload of the wilderness's first block to be.
    #[inline(always)]
    pub(super) fn top(&mut self) -> usize {
        self.start.end().unwrap_or_else(|| self.memory.load(control::TOP))
    }

    /// Whether a block that ends at `end` touches the wilderness, which begins at `top`.
    #[inline(always)]
    pub(super) fn meets_wilderness(&self, end: usize, top: usize) -> bool {
        F::HAS_WILDERNESS && end == top
    }

    /// Lets the wilderness begin at `top`.
    #[inline(always)]
    pub(super) fn set_top(&mut self, top: usize) {
        self.memory.store(control::TOP, top);
        if top > self.memory.peek(control::HIGH) {
            self.memory.poke(control::HIGH, top);
        }
    }

    /// The largest order of any block below `top`.
    #[inline(always)]
    pub(super) fn highest(&self, top: usize) -> u32 {
        (top - self.first).max(1).ilog2().max(self.min)
    }

    /// Payload of the buddy, if all of it lies between the first block and the wilderness.
    #[inline(always)]
    pub(super) fn buddy(&self, at: usize, order: u32, top: usize) -> Option<usize> {
        let buddy = ((at + self.shift) ^ (1 << order)).wrapping_sub(self.shift);
        (buddy >= self.first && buddy < top && buddy + (1 << order) <= top).then_some(buddy)
    }

    /// Whether `at` may be the payload of a block of `order`.
    pub(super) fn lies_well(&self, at: usize, order: u32) -> bool {
        (at + self.shift).trailing_zeros() >= order
    }

    /// The order of the largest block that may begin at `at`.
    #[inline(always)]
    pub(super) fn order_at(&self, at: usize) -> u32 {
        (at + self.shift).trailing_zeros()
    }

    /// Where the last block can end: the end of what the source supplies, or of the one block.
    pub(super) fn limit(&self) -> usize {
        if let Some(end) = self.start.end() {
            return end;
        }
        let end = self.memory.length() / W::BYTES + self.head + self.shift;
        (end >> self.min << self.min) - self.shift
    }

    /// The order of the largest block that may lie between `at` and `end`.
    pub(super) fn largest_at(&self, at: usize, end: usize) -> u32 {
        self.order_at(at).min((end - at).ilog2())
    }

    /// The block that, once free, joins a wilderness that begins at `top`: the
    /// buddy of its first block, or the remainder of it where the region cuts it off.
    #[inline(always)]
    pub(super) fn before(&self, top: usize) -> Option<(usize, u32)> {
        let order = self.order_at(top);
        if top - self.first >= 1 << order {
            return Some((top - (1 << order), order));
        }
        let mut at = self.first;
        while at < top {
            let order = self.order_at(at);
            if at + (1 << order) == top {
                return Some((at, order));
            }
            at += 1 << order;
        }
        None
    }

    /// The first payload from `at` on at which a block of `order` may begin.
    #[inline(always)]
    pub(super) fn next_place(&self, at: usize, order: u32) -> usize {
        (at + self.shift).next_multiple_of(1 << order) - self.shift
    }

    /// The header of the block `at`.
    #[inline(always)]
    pub(super) fn load_header(&mut self, at: usize) -> usize {
        match self.start.entry(at, self.first, self.min) {
            Some(entry) => header_in(self.memory.load_byte(entry)),
            None => self.memory.load(at - 1),
        }
    }

    /// The header of the block `at`, unmetered.
    #[inline(always)]
    pub(super) fn peek_header(&self, at: usize) -> usize {
        match self.start.entry(at, self.first, self.min) {
            Some(entry) => header_in(self.memory.peek_byte(entry)),
            None => self.memory.peek(at - 1),
        }
    }

    /// Writes the header of the block `at`.
    #[inline(always)]
    pub(super) fn write(&mut self, at: usize, order: u32, flags: usize) {
        match self.start.entry(at, self.first, self.min) {
            Some(entry) => self.memory.store_byte(entry, (order << FLAGS) as u8 | flags as u8),
            None => self.memory.store(at - 1, header(1 << order, flags)),
        }
    }

    /// Makes the block `at` a used one, which belongs to no handle.
    #[inline(always)]
    pub(super) fn write_used(&mut self, at: usize, order: u32) {
        self.write(at, order, USED);
        if self.head > F::HEADER {
            self.memory.store(at - self.head, 0);
        }
    }

    /// The header of `at` if that is a free block of `order`.
    #[inline(always)]
    pub(super) fn free_of(&mut self, at: usize, order: u32) -> Option<usize> {
        let head = self.load_header(at);
        (!is_used(head) && words_of(head) == 1 << order).then_some(head)
    }

    /// Puts the block `at` in front of the list with this head.
    #[inline(always)]
    pub(super) fn push(&mut self, list: usize, at: usize) {
        let next = self.memory.load(list);
        self.memory.store(at, next);
        self.memory.store(at + 1, 0);
        if next != 0 {
            self.memory.store(next + 1, at);
        }
        self.memory.store(list, at);
    }

    /// Takes the first block off the list with this head.
    #[inline(always)]
    pub(super) fn pop(&mut self, list: usize) -> Option<usize> {
        let at = self.memory.load(list);
        if at == 0 {
            return None;
        }
        let next = self.memory.load(at);
        if F::CHECKED && !self.holds(at, next) {
            return None;
        }
        self.memory.store(list, next);
        if next != 0 {
            self.memory.store(next + 1, 0);
        }
        Some(at)
    }

    /// Takes the block `at` out of the middle of the list with this head.
    #[inline(always)]
    pub(super) fn unlink(&mut self, list: usize, at: usize) {
        let next = self.memory.load(at);
        let previous = self.memory.load(at + 1);
        self.memory.store(if previous == 0 { list } else { previous }, next);
        if next != 0 {
            self.memory.store(next + 1, previous);
        }
    }

    /// Calls `visit` with payload and header of every block, in address order.
    pub(super) fn each(&self, mut visit: impl FnMut(usize, usize)) {
        let mut at = self.first;
        while at < self.memory.peek(control::TOP) {
            let head = self.peek_header(at);
            visit(at, head);
            at += words_of(head).max(1);
        }
    }
}
