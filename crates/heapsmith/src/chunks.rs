//! Chunks: the region begins as one free chunk, and each chunk says how long the one before it is.
//!
//! ```text
//!   region  ┌─────────┬───┬─────────┬───┬─────────┬───┬──────────────────────┬───┐
//!           │ control │ H │ payload │ H │ payload │ H │ free                 │ 0 │
//!           └─────────┴───┴─────────┴───┴─────────┴───┴──────────────────────┴───┘
//!                                                       the wilderness          END: a header of size 0
//! ```
//!
//! The structure of the heaps that firmware has: o1heap, Conte's TLSF, umm_malloc, Zephyr's `sys_heap`, heap_2 and heap_4 of
//! FreeRTOS. They differ in what a header holds ([`ChunkHeader`]), in what sizes are a multiple of, and in how free chunks are
//! found ([`ChunkIndex`]), and all of this is a value here: such a heap gives the addresses of the original.
//!
//! Nothing is ever taken from a wilderness: the last free chunk is one of the index like any other, so its length, and with it
//! that of the region, decides which request it serves. It counts as never used all the same: the footprint ends before its
//! header, or that of the end.
//!
//! A freed chunk is joined to its free neighbours at once, or never. An alignment above the unit splits off the gap before its
//! payload.
//!
//! With `ends` the wilderness is between blocks ([`ends`]): requests from a size on are served from above.
//!
//! # Invariants
//!
//! - **K1** Chunks tile the region from the first to END, in multiples of the unit.
//! - **K2** Every header is right about the chunk before.
//! - **K3** With joining, no two free chunks touch.
//! - **K4** Every free chunk that holds links is in the index once, in order.
//! - **K5** The maps of the index are right.
//! - **K6** The wilderness begins not above its high-water mark.
//! - **K7** With ends, the middle is a free chunk, or there is none.
//!
//! # Cost
//!
//! | operation | time |
//! |---|---|
//! | allocate | the index's `find`, and O(1) |
//! | deallocate | O(1), and `insert` of an index that is in order |
//! | space | the header of a chunk, and a header at the end |
//!
//! Sources: P. Kirienko, o1heap; M. Conte, tlsf; R. Hempel, `umm_malloc`; A. Ross, Zephyr's `lib/heap`; R. Barry, FreeRTOS's
//! `heap_2.c` and `heap_4.c`. The catalogue of specs names the versions.

mod check;
mod ends;
mod layout;
mod lists;

use core::ptr::NonNull;

use crate::block::words_ceil;
use crate::heap::{BlockView, Heap, State, Violation};
use crate::index::control;
use crate::memory::{Memory, RegionError, Words, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::pool::{is_aligned_to, move_block};
use crate::source::Source;
use crate::word::Word;

use layout::{Chunk, Layout};
use lists::Lists;

pub use layout::ChunkHeader;
pub use lists::ChunkIndex;

/// The control word that names the end.
const END: usize = control::TOP;

/// The levels of a heap of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkValues {
    /// Bytes that all chunks are a multiple of, and all payloads' addresses: a power of two, at least the word.
    pub unit: usize,
    /// What is before a payload.
    pub header: ChunkHeader,
    /// Whether the chunk of a request has a power of two of units.
    pub powers: bool,
    /// How free chunks are found.
    pub index: ChunkIndex,
    /// Whether one list is searched for the smallest that serves, and not the first.
    pub best: bool,
    /// Bytes of the smallest remainder that is split off; 0 is as much as a chunk needs.
    pub remainder: usize,
    /// Whether free neighbours are joined.
    pub joins: bool,
    /// Requests of this many bytes and more are served from above, by the last chunk of a list by address; 0 is none.
    pub above: usize,
}

impl ChunkValues {
    /// Words of the chunk that serves a request of `size` bytes; none if no chunk can.
    pub fn words_for<W: Word>(&self, size: usize) -> Option<usize> {
        Layout::new::<W>(self).words_for::<W>(size)
    }

    /// Words of the largest region.
    pub fn max_words<W: Word>(&self) -> usize {
        Layout::new::<W>(self).max_words::<W>()
    }

    /// Words of the largest free chunk that a search for a chunk of `need` words passes over, though it finds no other.
    pub fn passed_over<W: Word>(&self, need: usize) -> usize {
        let layout = Layout::new::<W>(self);
        Lists::new(self, layout, layout.max_words::<W>()).serving_for_certain(need) - layout.unit
    }

    /// Words before a payload, of the smallest chunk, and of the smallest remainder that is split off.
    pub fn sizes<W: Word>(&self) -> (usize, usize, usize) {
        let Layout { head, min, remainder, .. } = Layout::new::<W>(self);
        (head, min, remainder)
    }

    /// Lists of powers of two: the logarithm of how many each power has, and what they go by of the largest request.
    pub fn lists<W: Word>(&self) -> (u32, usize) {
        let layout = Layout::new::<W>(self);
        let second = if self.index == ChunkIndex::TwoLevel { Lists::SECOND_LEVEL } else { 0 };
        (second, Lists::max_listed(self, layout, layout.max_words::<W>()))
    }

    /// Control words of the index, of `W`, and how many lists or rings it has.
    pub fn control_words<W: Word>(&self) -> usize {
        let layout = Layout::new::<W>(self);
        Lists::new(self, layout, layout.max_words::<W>()).control_words(W::BITS)
    }
}

/// A heap of chunks over one region.
#[derive(Debug)]
pub struct Chunks<W, S, M> {
    memory: Memory<W, S, M>,
    lists: Lists,
    layout: Layout,
    joins: bool,
    /// Bytes of the smallest request that is served from above.
    above: usize,
    /// Payload of the first chunk.
    first: usize,
    /// Behind the last chunk.
    end: usize,
    /// A measure: words of the largest free chunk before others so far.
    hole: usize,
    /// A measure: how far a region must reach for the wilderness to have served what it did, by how free chunks are found.
    searched: usize,
}

impl<W: Word, S: Source, M: Meter> Chunks<W, S, M> {
    /// An empty heap over all that the region can ever have.
    ///
    /// # Errors
    ///
    /// The unit is no power of two from the word to 4096, a packed header has another word than one of four bytes or lists
    /// of powers of two, there are ends without a list by address, or the region is too small for a chunk, or not aligned to its words.
    pub fn from_parts(source: S, values: ChunkValues, meter: M) -> Result<Self, RegionError> {
        check_alignment::<W>(values.unit)?;
        let by_power = matches!(values.index, ChunkIndex::Powers | ChunkIndex::TwoLevel);
        if values.header == ChunkHeader::Packed && (W::BYTES != 4 || by_power) {
            return Err(RegionError::BlockSizes);
        }
        if values.above > 0 && values.index != ChunkIndex::Address {
            return Err(RegionError::BlockSizes);
        }
        let layout = Layout::new::<W>(&values);
        let max = layout.max_words::<W>();
        let mut memory = Memory::new(source, meter)?.limited(max);
        let lists = Lists::new(&values, layout, max);
        let control = control::INDEX + lists.control_words(W::BITS);
        let base = memory.base_address() / W::BYTES;
        let first = words_ceil(base + control + layout.head, layout.unit) - base;
        let needed = first + layout.min;
        let limit = memory.limit();
        if needed > limit || !memory.ensure_len(limit) {
            return Err(RegionError::TooSmall { needed: needed * W::BYTES, given: memory.supplied() });
        }
        let end = first + (limit - first) / layout.unit * layout.unit;
        let above = if values.above == 0 { usize::MAX } else { values.above };
        let mut heap = Chunks { memory, lists, layout, joins: values.joins, above, first, end, hole: 0, searched: 0 };
        heap.clear();
        Ok(heap)
    }

    /// Makes the one free chunk.
    fn clear(&mut self) {
        let (layout, memory) = (self.layout, &mut self.memory);
        let all = Chunk { at: self.first, words: self.end - self.first };
        memory.store(END, self.end);
        self.lists.clear(memory, self.first);
        layout.create(memory, Chunk { at: self.end, words: 0 }, true);
        layout.create(memory, all, false);
        layout.tell_right(memory, Chunk { at: self.first, words: 0 }, true);
        layout.tell_right(memory, all, false);
        self.lists.insert(memory, all);
        self.clear_middle();
    }

    /// Words of the chunk for `size` bytes; none if no chunk can be so large.
    #[inline(always)]
    fn need(&self, size: usize) -> Option<usize> {
        self.layout.words_for::<W>(size).filter(|&words| words <= self.end - self.first)
    }

    /// Counts what is before the header of the chunk at `end` as used: a measure, no access.
    #[inline(always)]
    fn mark(&mut self, end: usize) {
        let end = if self.has_ends() { self.outside_middle() } else { end - self.layout.head };
        if end > self.memory.peek(control::HIGH) {
            self.memory.poke(control::HIGH, end);
        }
    }

    /// Notes that a search for `need` words has found `chunk`: a measure.
    #[inline(always)]
    fn found(&mut self, chunk: Chunk, need: usize) {
        let (begin, is_wilderness) = if self.has_ends() {
            (self.outside_middle() + self.layout.head, chunk.at == self.middle())
        } else {
            (chunk.at, chunk.end() == self.end)
        };
        if is_wilderness {
            self.searched = self.searched.max(begin + need.max(self.lists.apart_from(need)));
        }
    }

    /// Makes a used chunk of the first `need` words of `chunk`, which is in no list, or is in one under its remainder's name.
    #[inline(always)]
    fn cut(&mut self, chunk: Chunk, need: usize, is_linked: bool) -> ServePath {
        let (layout, memory) = (self.layout, &mut self.memory);
        if chunk.words - need < layout.remainder {
            layout.write(memory, chunk, true);
            layout.tell_status(memory, chunk.end(), true);
            self.middle_becomes(chunk, 0);
            self.mark(chunk.end());
            return ServePath::AtOnce;
        }
        let used = Chunk { at: chunk.at, words: need };
        let remainder = Chunk { at: used.end(), words: chunk.words - need };
        layout.write(memory, used, true);
        layout.create(memory, remainder, false);
        layout.tell_right(memory, used, true);
        layout.tell_right(memory, remainder, false);
        if !is_linked && remainder.words >= layout.min {
            self.lists.insert(memory, remainder);
        }
        self.middle_becomes(chunk, remainder.at);
        self.mark(remainder.at);
        ServePath::AfterSplit
    }

    /// Serves a request at the heap's own alignment.
    #[inline(always)]
    fn take(&mut self, need: usize) -> Option<usize> {
        let chunk = self.lists.find(&mut self.memory, need)?;
        self.found(chunk, need);
        let remainder = chunk.words - need;
        let is_linked = self.lists.keeps_place() && remainder >= self.layout.remainder.max(self.layout.min);
        if is_linked {
            self.lists.replace(&mut self.memory, chunk.at, chunk.at + need);
        } else {
            self.lists.remove(&mut self.memory, chunk);
        }
        let way = self.cut(chunk, need, is_linked);
        self.memory.meter.served(way);
        Some(chunk.at)
    }

    /// Serves a request at a multiple of more bytes than the unit has.
    fn take_aligned(&mut self, need: usize, alignment: usize) -> Option<usize> {
        if !alignment.is_power_of_two() || alignment > self.layout.max_words::<W>() * W::BYTES / 2 {
            return None;
        }
        let step = alignment / W::BYTES;
        let smallest = self.layout.min.min(self.layout.remainder);
        let mut chunk = self.lists.find(&mut self.memory, need + step + smallest)?;
        self.found(chunk, need + step + smallest);
        self.lists.remove(&mut self.memory, chunk);
        let base = self.memory.base_address() / W::BYTES;
        let mut gap = words_ceil(base + chunk.at, step) - base - chunk.at;
        if gap > 0 && gap < smallest {
            gap += words_ceil(smallest - gap, step);
        }
        let whole = chunk;
        if gap > 0 {
            let (layout, memory) = (self.layout, &mut self.memory);
            let before = Chunk { at: chunk.at, words: gap };
            chunk = Chunk { at: before.end(), words: chunk.words - gap };
            layout.write(memory, before, false);
            layout.create(memory, chunk, true);
            layout.tell_right(memory, before, false);
            self.hole = self.hole.max(gap);
            if gap >= layout.min {
                self.lists.insert(memory, before);
            }
        }
        self.middle_becomes(whole, chunk.at);
        self.layout.tell_right(&mut self.memory, chunk, true);
        self.cut(chunk, need, false);
        self.memory.meter.served(ServePath::AfterSplit);
        Some(chunk.at)
    }

    /// Takes a free chunk out of its list; one that is too small for links is in none.
    #[inline(always)]
    fn remove(&mut self, chunk: Chunk) {
        if chunk.words >= self.layout.min {
            self.lists.remove(&mut self.memory, chunk);
        }
    }

    /// Makes a chunk free, which was used or is a part of one that was, and joins it to its free neighbours.
    #[inline(always)]
    fn release(&mut self, mut chunk: Chunk) {
        let mut is_linked = false;
        if self.joins {
            let (right, used) = self.layout.read(&mut self.memory, chunk.end());
            if !used {
                self.remove(right);
                chunk.words += right.words;
            }
            let left = if chunk.at == self.first { None } else { self.layout.free_left(&mut self.memory, chunk.at) };
            if let Some(left) = left {
                is_linked = self.lists.keeps_place() && left.words >= self.layout.min;
                if !is_linked {
                    self.remove(left);
                }
                chunk = Chunk { at: left.at, words: left.words + chunk.words };
            }
        }
        let (layout, memory) = (self.layout, &mut self.memory);
        layout.write(memory, chunk, false);
        layout.tell_right(memory, chunk, false);
        if !is_linked && chunk.words >= layout.min {
            self.lists.insert(memory, chunk);
        }
        if chunk.end() != self.end {
            self.hole = self.hole.max(chunk.words);
        }
        self.middle_joins(chunk);
    }

    /// Resizes the used chunk at `at` to `size` bytes in place, if it can.
    fn resize(&mut self, at: usize, size: usize) -> bool {
        let Some(need) = self.need(size) else { return false };
        let (mut chunk, _) = self.layout.read(&mut self.memory, at);
        if need > chunk.words {
            let (right, used) = self.layout.read(&mut self.memory, chunk.end());
            if !self.joins || used || chunk.words + right.words < need {
                return false;
            }
            self.remove(right);
            chunk.words += right.words;
            self.layout.tell_right(&mut self.memory, chunk, true);
            self.cut(chunk, need, false);
            return true;
        }
        if chunk.words - need >= self.layout.remainder {
            let used = Chunk { at, words: need };
            let remainder = Chunk { at: used.end(), words: chunk.words - need };
            self.layout.write(&mut self.memory, used, true);
            self.layout.create(&mut self.memory, remainder, true);
            self.layout.tell_right(&mut self.memory, used, true);
            self.release(remainder);
        }
        true
    }

    /// Where the wilderness begins: the payload of the last chunk if it is free, else the end.
    fn top(&self) -> usize {
        self.layout.peek_free_left(&self.memory, self.end).unwrap_or(self.end)
    }

    fn chunk_of(&self, pointer: NonNull<u8>) -> Chunk {
        self.layout.peek(&self.memory, self.memory.index(pointer)).0
    }
}

// SAFETY: K1: chunks tile the region, so used ones are disjoint and inside it.
unsafe impl<W: Word, S: Source, M: Meter> Heap for Chunks<W, S, M> {
    type Meter = M;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let need = self.need(size)?;
        let own = self.layout.unit * W::BYTES;
        let at = if alignment > own || alignment & alignment.wrapping_sub(1) != 0 {
            self.take_aligned(need, alignment)?
        } else if size >= self.above {
            self.take_above(need)?
        } else {
            self.take(need)?
        };
        Some(self.memory.pointer(at))
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        let at = self.memory.index(pointer);
        let (chunk, _) = self.layout.read(&mut self.memory, at);
        self.release(chunk);
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if is_aligned_to(pointer, alignment) && self.resize(self.memory.index(pointer), size) {
            return Some(pointer);
        }
        // SAFETY: the caller's promise is the same.
        unsafe { move_block(self, pointer, size, alignment) }
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        (self.chunk_of(pointer).words - self.layout.head) * W::BYTES
    }

    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        self.chunk_of(pointer).words * W::BYTES
    }

    fn alignment(&self) -> usize {
        self.layout.unit * W::BYTES
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        let top = if self.has_ends() { self.end } else { self.top() };
        let (middle, mut at) = (self.middle(), self.first);
        while at < top {
            let (chunk, used) = self.layout.peek(&self.memory, at);
            if at == middle {
                at = chunk.end();
                continue;
            }
            let state = if used { State::Used } else { State::Free };
            let header = self.layout.head * W::BYTES;
            let offset = (at - self.layout.head) * W::BYTES;
            visit(BlockView { offset, size: chunk.words * W::BYTES, header, layer: 0, state });
            at = chunk.end();
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.verify().map_err(|broken| Violation { offset: broken.offset * W::BYTES, ..broken })
    }

    fn control_size(&self) -> usize {
        (self.first - self.layout.head) * W::BYTES
    }

    fn footprint(&self) -> usize {
        self.words_in_use() * W::BYTES
    }

    fn hole(&self) -> Option<(usize, usize)> {
        self.middle_chunk()
            .map(|chunk| ((chunk.at - self.layout.head) * W::BYTES, (chunk.end() - self.layout.head) * W::BYTES))
    }

    fn footprint_peak(&self) -> usize {
        self.memory.peek(control::HIGH) * W::BYTES
    }

    /// The wilderness must never be what a free chunk before it could be taken for, and what is cut off it must leave a
    /// remainder: then it is taken when it was, and nothing else changes.
    fn sufficient_region(&self) -> usize {
        let Layout { head, min, remainder, .. } = self.layout;
        let wanted = self.lists.apart_from(self.hole).max(remainder).max(min);
        let words = (self.memory.peek(control::HIGH) + head + wanted).max(self.searched + remainder.max(min));
        words.min(self.memory.limit()) * W::BYTES
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
