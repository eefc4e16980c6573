//! Blocks one behind the other: the linear allocator and the stack allocator.
//!
//! ```text
//!   region  ┌─────────┬───┬─────────┬───┬─────────┬─────┬───┬─────────┬─────────────┐
//!           │ control │ H │ payload │ H │ payload │ gap │ H │ payload │ wilderness  │
//!           └─────────┴───┴─────────┴───┴─────────┴─────┴───┴─────────┴─────────────┘
//!             TOP HIGH LIVE                        ▲ an alignment left it    ▲ TOP
//! ```
//!
//! `H` is a header as in [`crate::block`]: words, `P` (no gap before), used. A
//! gap is a free block of one word or more, whose first and last words are its
//! header, so that it is found from both sides. TOP names the payload that a
//! next block would have: its header would be the word before.
//!
//! A value decides when memory is usable again ([`Frees`]):
//!
//! - **never** (`bump`): the block is marked free for maps and checks, and its bytes are lost.
//! - **when empty** (`bump(reclaim=empty)`): the same, and when no block is live the region is empty again.
//! - **last first** (`stack`): the last block goes back to the wilderness with the gap before it.
//!   Any other is refused ([`HeapErrorKind::OutOfOrder`]) and stays used.
//!
//! The linear allocator of the source keeps no header, as [`crate::Arena`]. Here a block has one
//! word, since a heap frees and resizes by pointer alone and shows all its blocks.
//!
//! The last block grows and shrinks in place. Another block shrinks in place and
//! keeps its bytes; when it must grow it moves, except on a stack, where its
//! space could not be freed: the reallocation is refused.
//!
//! # Invariants
//!
//! - **A1** Blocks tile the region from the first to TOP.
//! - **A2** `P` is clear exactly in the header behind a gap that an alignment left, and a gap ends with its header.
//! - **A3** On a stack every block is used but for gaps, and no two gaps touch.
//! - **A4** LIVE is the number of used blocks (`reclaim=empty`).
//! - **A5** TOP lies inside the region and not above HIGH.
//!
//! # Cost
//!
//! | operation | bump | reclaim=empty | stack |
//! |---|---|---|---|
//! | allocate | 3 accesses | 5 | 3 |
//! | deallocate | 2 | 4, the last 5 | 3, behind a gap 4 |
//! | space | a word a block | | |
//!
//! Sources: Diamantstein, Stroud-Taylor, Trostanovsky, §2.2.1 (linear: an
//! offset that only grows, nothing is freed) and §2.2.2 (stack: a size in a
//! header, last in first out); Hanson 1990 for freeing all blocks together.

use core::ptr::NonNull;

use crate::block::{PREVIOUS_USED, USED, header, is_used, payload_bytes, words_ceil, words_of};
use crate::heap::{BlockView, Heap, State, Violation};
use crate::heap_error::{HeapError, HeapErrorKind, HeapErrors};
use crate::index::{broken, control};
use crate::memory::{Memory, RegionError, Words, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::pool::{is_aligned_to, move_block};
use crate::source::Source;
use crate::word::Word;

/// Control word that counts the live blocks, where they are counted.
const LIVE: usize = control::INDEX;

/// When freed memory is usable again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frees {
    /// Nothing.
    Never,
    /// Everything, when the last live block is freed.
    WhenEmpty,
    /// The last block; frees in another order are refused.
    LastFirst,
}

/// A pool whose blocks follow one another in the order of their allocation.
#[derive(Debug)]
pub struct Linear<W, S, M> {
    memory: Memory<W, S, M>,
    frees: Frees,
    alignment: usize,
    /// Payload of the first block.
    first: usize,
    heap_errors: HeapErrors,
}

impl<W: Word, S: Source, M: Meter> Linear<W, S, M> {
    /// An empty pool. `alignment` is that of every payload: a power of two, at least the word.
    pub fn from_parts(source: S, alignment: usize, frees: Frees, meter: M) -> Result<Self, RegionError> {
        check_alignment::<W>(alignment)?;
        let mut memory = Memory::new(source, meter)?;
        let control = if frees == Frees::WhenEmpty { LIVE + 1 } else { LIVE };
        let base = memory.base_address() / W::BYTES;
        let first = words_ceil(base + control + 1, alignment / W::BYTES) - base;
        let needed = first + words_ceil(2, alignment / W::BYTES) - 1;
        if !memory.ensure_len(needed) {
            return Err(RegionError::TooSmall { needed: needed * W::BYTES, given: memory.supplied() });
        }
        memory.poke(control::HIGH, 0);
        let mut pool = Linear { memory, frees, alignment, first, heap_errors: HeapErrors::default() };
        pool.set_top(first);
        if frees == Frees::WhenEmpty {
            pool.memory.store(LIVE, 0);
        }
        Ok(pool)
    }

    #[inline(always)]
    fn set_top(&mut self, top: usize) {
        self.memory.store(control::TOP, top);
        // A measure, not counted as an access; an empty region ends before its first header.
        let end = top - 1;
        if end > self.memory.peek(control::HIGH) {
            self.memory.poke(control::HIGH, end);
        }
    }

    /// Words of the block for `size` bytes; none if no block can be so large.
    fn need(&self, size: usize) -> Option<usize> {
        let granule = self.alignment / W::BYTES;
        if size == 0 || size > (W::MAX_WORDS - granule - 1) * W::BYTES {
            return None;
        }
        Some(words_ceil(size.div_ceil(W::BYTES) + 1, granule))
    }

    /// Words from `top` to the next payload at a multiple of `alignment`.
    fn gap(&self, top: usize, alignment: usize) -> usize {
        let step = (alignment / W::BYTES).max(1);
        let base = self.memory.base_address() / W::BYTES;
        words_ceil(base + top, step) - base - top
    }

    /// Writes the gap of `words` words before the payload `at + words`.
    fn write_gap(&mut self, at: usize, words: usize) {
        let flags = PREVIOUS_USED;
        self.memory.store(at - 1, header(words, flags));
        if words > 1 {
            self.memory.store(at + words - 2, header(words, flags));
        }
    }

    fn count_live(&mut self, change: isize) -> usize {
        if self.frees != Frees::WhenEmpty {
            return 1;
        }
        let live = self.memory.load(LIVE).wrapping_add_signed(change);
        self.memory.store(LIVE, live);
        live
    }

    /// The payload and header of the block that `pointer` names, if it can be freed.
    fn freeable(&mut self, pointer: NonNull<u8>) -> Result<(usize, usize), HeapError> {
        let offset = pointer.as_ptr().addr().wrapping_sub(self.memory.base_address());
        let heap_error = |kind| HeapError::of(kind, offset);
        let (first, length) = (self.first * W::BYTES, self.memory.length());
        if offset < first || offset >= length || !offset.is_multiple_of(W::BYTES) {
            return Err(heap_error(HeapErrorKind::Foreign));
        }
        let at = offset / W::BYTES;
        let top = if self.frees == Frees::LastFirst { self.memory.load(control::TOP) } else { self.top() };
        if at >= top {
            return Err(heap_error(HeapErrorKind::DoubleFree));
        }
        let head = self.memory.load(at - 1);
        if !is_used(head) {
            return Err(heap_error(HeapErrorKind::DoubleFree));
        }
        if self.frees == Frees::LastFirst && at + words_of(head) != top {
            return Err(heap_error(HeapErrorKind::OutOfOrder));
        }
        Ok((at, head))
    }

    /// Frees the block `at`, which [`Linear::freeable`] found.
    fn release(&mut self, at: usize, head: usize) {
        if self.frees == Frees::LastFirst {
            let gap = if head & PREVIOUS_USED == 0 { words_of(self.memory.load(at - 2)) } else { 0 };
            self.set_top(at - gap);
            return;
        }
        self.memory.store(at - 1, head & !USED);
        if self.count_live(-1) == 0 {
            self.set_top(self.first);
        }
    }

    /// Resizes the block to `size` bytes in place, if it can.
    fn resize(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        let Some(need) = self.need(size) else { return false };
        let at = self.memory.index(pointer);
        let head = self.memory.load(at - 1);
        let last = at + words_of(head) == self.memory.load(control::TOP);
        if need > words_of(head) && !(last && self.memory.ensure_len(at + need - 1)) {
            return false;
        }
        if last {
            self.memory.store(at - 1, header(need, head & (USED | PREVIOUS_USED)));
            self.set_top(at + need);
        }
        self.memory.meter.served(if need > words_of(head) { ServePath::ByGrowing } else { ServePath::AtOnce });
        true
    }

    fn top(&self) -> usize {
        self.memory.peek(control::TOP)
    }

    fn head_of(&self, pointer: NonNull<u8>) -> usize {
        self.memory.peek(self.memory.index(pointer) - 1)
    }

    fn verify(&self) -> Result<(), Violation> {
        let top = self.top();
        if top < self.first || top - 1 > self.memory.length() / W::BYTES || top - 1 > self.memory.peek(control::HIGH) {
            return Err(broken("A5: the wilderness begins outside the region, or above its high-water mark", top));
        }
        let (mut at, mut used, mut before_used) = (self.first, 0, true);
        while at < top {
            let head = self.memory.peek(at - 1);
            let words = words_of(head);
            if words == 0 || at + words > top {
                return Err(broken("A1: a block is empty, or reaches into the wilderness", at));
            }
            // On a bump a free block before may be a gap or a freed block; only a gap clears `P`.
            let after_gap = head & PREVIOUS_USED == 0;
            if after_gap && before_used || self.frees == Frees::LastFirst && after_gap == before_used {
                return Err(broken("A2: a header is wrong about the gap before", at));
            }
            if self.frees == Frees::LastFirst && !is_used(head) {
                if !before_used || at + words == top {
                    return Err(broken("A3: a stack has a free block that is no gap before a block", at));
                }
                if self.memory.peek(at + words - 2) != head {
                    return Err(broken("A2: a gap does not end with its header", at));
                }
            }
            before_used = is_used(head);
            used += usize::from(before_used);
            at += words;
        }
        if self.frees == Frees::WhenEmpty && self.memory.peek(LIVE) != used {
            return Err(broken("A4: the count of live blocks is wrong", LIVE));
        }
        Ok(())
    }
}

// SAFETY: A1 and A5: blocks tile the region up to TOP, so used ones are disjoint and inside it.
unsafe impl<W: Word, S: Source, M: Meter> Heap for Linear<W, S, M> {
    type Meter = M;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let need = self.need(size)?;
        if alignment > 1 && !alignment.is_power_of_two() || alignment > W::MAX_WORDS * W::BYTES / 2 {
            return None;
        }
        let top = self.memory.load(control::TOP);
        let gap = if alignment > self.alignment { self.gap(top, alignment) } else { 0 };
        // The region ends where the next block's header would begin.
        if !self.memory.ensure_len(top + gap + need - 1) {
            return None;
        }
        if gap > 0 {
            self.write_gap(top, gap);
        }
        let flags = if gap > 0 { USED } else { USED | PREVIOUS_USED };
        self.memory.store(top + gap - 1, header(need, flags));
        self.set_top(top + gap + need);
        self.count_live(1);
        self.memory.meter.served(ServePath::ByGrowing);
        Some(self.memory.pointer(top + gap))
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        let _ = unsafe { self.try_deallocate(pointer) };
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        match self.freeable(pointer) {
            Ok((at, head)) => {
                self.release(at, head);
                Ok(())
            }
            Err(heap_error) => Err(self.heap_errors.note(heap_error)),
        }
    }

    fn heap_errors(&self) -> HeapErrors {
        self.heap_errors
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if is_aligned_to(pointer, alignment) && self.resize(pointer, size) {
            return Some(pointer);
        }
        if self.frees == Frees::LastFirst {
            return None;
        }
        // SAFETY: the caller's promise is the same.
        unsafe { move_block(self, pointer, size, alignment) }
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        payload_bytes::<W>(words_of(self.head_of(pointer)))
    }

    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        words_of(self.head_of(pointer)) * W::BYTES
    }

    fn alignment(&self) -> usize {
        self.alignment
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        let mut at = self.first;
        while at < self.top() {
            let head = self.memory.peek(at - 1);
            let state = if is_used(head) { State::Used } else { State::Free };
            let size = words_of(head) * W::BYTES;
            visit(BlockView { offset: (at - 1) * W::BYTES, size, header: W::BYTES, layer: 0, state });
            at += words_of(head);
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.verify().map_err(|broken| Violation { offset: broken.offset * W::BYTES, ..broken })
    }

    fn control_size(&self) -> usize {
        (self.first - 1) * W::BYTES
    }

    fn footprint(&self) -> usize {
        (self.top() - 1) * W::BYTES
    }

    fn footprint_peak(&self) -> usize {
        self.memory.peek(control::HIGH) * W::BYTES
    }

    fn base(&self) -> NonNull<u8> {
        self.memory.base()
    }

    fn meter(&self) -> &M {
        &self.memory.meter
    }

    fn meter_mut(&mut self) -> &mut M {
        &mut self.memory.meter
    }
}
