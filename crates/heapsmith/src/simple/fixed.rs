//! Blocks of one size, without headers.
//!
//! ```text
//!   region  ┌──────────────┬─────────┬─────────┬─────────┬─────────┬────────────┐
//!           │ TOP HIGH HEAD│ payload │ next ─┐ │ payload │ 0       │ wilderness │
//!           └──────────────┴─────────┴───────┼─┴─────────┴─▲───────┴────────────┘
//!                               HEAD ─▶ free └─────────────┘ free  ▲ TOP
//! ```
//!
//! A free block holds in its first word the index of the next free block, 0 in
//! the last: word 0 is a control word and never a block. A block has no header,
//! since its size is the pool's; so a block is exactly its payload. Requests
//! above that size are refused. A freed block is the next to be served.
//!
//! An alignment above the heap's own takes the first free block that has it;
//! without one, the wilderness is cut up to the first block that has it, and
//! the blocks before are free.
//!
//! # Invariants
//!
//! - **F1** TOP lies a whole number of blocks behind the first, inside the region, not above HIGH.
//! - **F2** Every block on the list begins where a block begins, below TOP, and is on it once.
//!
//! # Cost
//!
//! | operation | time |
//! |---|---|
//! | allocate | 3 accesses; from the wilderness 3 |
//! | deallocate | 3 accesses; [`crate::Heap::try_deallocate`] the same and O(free) to find a double free, unmetered |
//! | walk | O(blocks) and O(free) for each 4096 blocks: nothing in a block says whether it is free |
//! | check | O(free) |
//! | space | nothing a block |
//!
//! Source: Diamantstein, Stroud-Taylor, Trostanovsky, §2.2.3 (pool allocator:
//! equal blocks, the list in them, push and pop); Kenwright 2012 for cutting
//! blocks from the wilderness only as they are needed.

use core::ptr::NonNull;

use crate::block::words_ceil;
use crate::heap::{BlockView, Heap, State, Violation};
use crate::heap_error::{HeapError, HeapErrorKind, HeapErrors};
use crate::index::{broken, control};
use crate::memory::{Memory, RegionError, Words, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::pool::{is_aligned_to, move_block};
use crate::source::Source;
use crate::word::Word;

/// Control word of the first free block.
const HEAD: usize = control::INDEX;

/// Blocks that `walk` asks the free list about at once; a bit for each is on the stack.
const WINDOW: usize = 4096;

/// A pool of blocks of one size.
#[derive(Debug)]
pub struct FixedSize<W, S, M> {
    memory: Memory<W, S, M>,
    /// Words of every block.
    words: usize,
    alignment: usize,
    /// The first block.
    first: usize,
    heap_errors: HeapErrors,
}

impl<W: Word, S: Source, M: Meter> FixedSize<W, S, M> {
    /// An empty pool of blocks of `size` bytes, rounded up to `alignment`: a
    /// power of two, at least the word.
    pub fn from_parts(source: S, size: usize, alignment: usize, meter: M) -> Result<Self, RegionError> {
        check_alignment::<W>(alignment)?;
        let mut memory = Memory::new(source, meter)?;
        let granule = alignment / W::BYTES;
        let words = words_ceil(size.clamp(1, W::MAX_WORDS / 2 * W::BYTES).div_ceil(W::BYTES), granule);
        let base = memory.base_address() / W::BYTES;
        let first = words_ceil(base + HEAD + 1, granule) - base;
        if !memory.ensure_len(first + words) {
            return Err(RegionError::TooSmall { needed: (first + words) * W::BYTES, given: memory.supplied() });
        }
        memory.poke(control::HIGH, 0);
        memory.store(HEAD, 0);
        let mut pool = FixedSize { memory, words, alignment, first, heap_errors: HeapErrors::default() };
        pool.set_top(first);
        Ok(pool)
    }

    fn set_top(&mut self, top: usize) {
        self.memory.store(control::TOP, top);
        if top > self.memory.peek(control::HIGH) {
            self.memory.poke(control::HIGH, top);
        }
    }

    fn top(&self) -> usize {
        self.memory.peek(control::TOP)
    }

    fn push(&mut self, block: usize) {
        let next = self.memory.load(HEAD);
        self.memory.store(block, next);
        self.memory.store(HEAD, block);
    }

    /// Takes the block after `link` off the list; `link` is `HEAD` or a free block.
    fn take_after(&mut self, link: usize, block: usize) -> usize {
        let next = self.memory.load(block);
        self.memory.store(link, next);
        self.memory.meter.served(ServePath::AtOnce);
        block
    }

    /// The next block of the wilderness.
    fn extend(&mut self) -> Option<usize> {
        let top = self.memory.load(control::TOP);
        if !self.memory.ensure_len(top + self.words) {
            return None;
        }
        self.set_top(top + self.words);
        self.memory.meter.served(ServePath::ByGrowing);
        Some(top)
    }

    fn is_aligned(&self, block: usize, alignment: usize) -> bool {
        (self.memory.base_address() + block * W::BYTES).is_multiple_of(alignment)
    }

    /// A block at a multiple of `alignment`, which exceeds the heap's.
    #[cold]
    fn allocate_aligned(&mut self, alignment: usize) -> Option<usize> {
        if !alignment.is_power_of_two() || alignment > W::MAX_WORDS * W::BYTES / 2 {
            return None;
        }
        let (mut link, mut block) = (HEAD, self.memory.load(HEAD));
        while block != 0 {
            self.memory.visit();
            if self.is_aligned(block, alignment) {
                return Some(self.take_after(link, block));
            }
            (link, block) = (block, self.memory.load(block));
        }
        let top = self.memory.load(control::TOP);
        // Addresses repeat modulo the alignment after this many blocks at the latest, and end with the region.
        let max = (alignment / W::BYTES).min(self.memory.limit().saturating_sub(top) / self.words);
        let skipped = (0..max).find(|skipped| self.is_aligned(top + skipped * self.words, alignment))?;
        if !self.memory.ensure_len(top + (skipped + 1) * self.words) {
            return None;
        }
        self.set_top(top + skipped * self.words);
        (0..skipped).for_each(|number| self.push(top + number * self.words));
        self.extend()
    }

    /// Whether `block` is on the list.
    fn is_free(&self, block: usize) -> bool {
        let mut free = self.memory.peek(HEAD);
        while free != 0 && free != block {
            free = self.memory.peek(free);
        }
        free == block
    }

    /// Which of the [`WINDOW`] blocks from `from` on are free: a bit each.
    fn free_in(&self, from: usize) -> [u64; WINDOW / 64] {
        let mut window = [0; WINDOW / 64];
        let mut block = self.memory.peek(HEAD);
        while block != 0 {
            let number = block.wrapping_sub(from) / self.words;
            if block >= from && number < WINDOW {
                window[number / 64] |= 1 << (number % 64);
            }
            block = self.memory.peek(block);
        }
        window
    }

    /// The block that `pointer` names, if it is used.
    fn used(&self, pointer: NonNull<u8>) -> Result<usize, HeapError> {
        let offset = pointer.as_ptr().addr().wrapping_sub(self.memory.base_address());
        let (first, end) = (self.first * W::BYTES, self.top() * W::BYTES);
        if offset < first || offset >= end || !(offset - first).is_multiple_of(self.words * W::BYTES) {
            return Err(HeapError::of(HeapErrorKind::Foreign, offset));
        }
        let block = offset / W::BYTES;
        if self.is_free(block) { Err(HeapError::of(HeapErrorKind::DoubleFree, offset)) } else { Ok(block) }
    }

    fn verify(&self) -> Result<(), Violation> {
        let (top, end) = (self.top(), self.memory.length() / W::BYTES);
        let tiles = top >= self.first && (top - self.first).is_multiple_of(self.words);
        if !tiles || top > end || top > self.memory.peek(control::HIGH) {
            return Err(broken("F1: the wilderness does not begin behind a whole number of blocks", top));
        }
        let (mut block, mut left) = (self.memory.peek(HEAD), (top - self.first) / self.words);
        while block != 0 {
            if block < self.first || block >= top || !(block - self.first).is_multiple_of(self.words) {
                return Err(broken("F2: the free list names what is no block", block));
            }
            if left == 0 {
                return Err(broken("F2: the free list runs in a circle", block));
            }
            (block, left) = (self.memory.peek(block), left - 1);
        }
        Ok(())
    }
}

// SAFETY: F1 and F2: a block is on the list once or with the program, and lies below TOP.
unsafe impl<W: Word, S: Source, M: Meter> Heap for FixedSize<W, S, M> {
    type Meter = M;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if size == 0 || size > self.words * W::BYTES {
            return None;
        }
        if alignment > self.alignment || alignment & alignment.wrapping_sub(1) != 0 {
            return self.allocate_aligned(alignment).map(|block| self.memory.pointer(block));
        }
        let block = match self.memory.load(HEAD) {
            0 => self.extend()?,
            block => self.take_after(HEAD, block),
        };
        Some(self.memory.pointer(block))
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        let block = self.memory.index(pointer);
        self.push(block);
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        match self.used(pointer) {
            Ok(block) => {
                self.push(block);
                Ok(())
            }
            Err(heap_error) => Err(self.heap_errors.note(heap_error)),
        }
    }

    fn heap_errors(&self) -> HeapErrors {
        self.heap_errors
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if size == 0 || size > self.words * W::BYTES {
            return None;
        }
        if is_aligned_to(pointer, alignment) {
            self.memory.meter.served(ServePath::AtOnce);
            return Some(pointer);
        }
        // SAFETY: the caller's promise is the same.
        unsafe { move_block(self, pointer, size, alignment) }
    }

    unsafe fn usable_size(&self, _pointer: NonNull<u8>) -> usize {
        self.words * W::BYTES
    }

    unsafe fn block_size(&self, _pointer: NonNull<u8>) -> usize {
        self.words * W::BYTES
    }

    fn alignment(&self) -> usize {
        self.alignment
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        let size = self.words * W::BYTES;
        for from in (self.first..self.top()).step_by(WINDOW * self.words) {
            let window = self.free_in(from);
            let blocks = (from..self.top()).step_by(self.words).take(WINDOW);
            for (number, block) in blocks.enumerate() {
                let free = window[number / 64] >> (number % 64) & 1 == 1;
                let state = if free { State::Free } else { State::Used };
                visit(BlockView { offset: block * W::BYTES, size, header: 0, layer: 0, state });
            }
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.verify().map_err(|broken| Violation { offset: broken.offset * W::BYTES, ..broken })
    }

    fn control_size(&self) -> usize {
        self.first * W::BYTES
    }

    fn footprint(&self) -> usize {
        self.top() * W::BYTES
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
