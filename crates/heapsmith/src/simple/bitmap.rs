//! Blocks without headers, and a bit for each unit in a table outside, which says whether a block begins there.
//!
//! ```text
//!   region  ┌───────────────┬─────────┬────────┬─────────┬────────────┬─────────────┐
//!           │ TOP HIGH LIST │ payload │ next n │ payload │ wilderness │ … 2 1 0     │
//!           └──────────┼────┴─────────┴─▲──────┴─────────┴────────────┴─────────────┘
//!                      └───────────────┘free            ▲ TOP          a byte for eight units
//!             bits:          1 0 0 0    1 0      1 0
//! ```
//!
//! A unit is as long as the alignment of payloads, and a block is a number of units. Its length is found in the table: it
//! ends where the next begins. Free blocks are in a list by address, with the units that they have; the first that is large
//! enough serves a request, and what is left of it keeps its place. A freed block is joined to its neighbours and to the
//! wilderness, which its place in the list shows.
//!
//! The table begins at the end of the region and grows down, as the blocks grow up; so a region that is just as long as
//! blocks and table together places blocks where a longer one does. In a region that grows, the table moves to its new end.
//!
//! # Invariants
//!
//! - **M2** TOP lies a whole number of units behind the first, and below the table.
//! - **M3** The first unit begins a block, if any does; the byte with the bit of the last unit has none for units above.
//! - **M4** The list names blocks, by address, each with its units.
//! - **M5** No two free blocks touch, and none touches the wilderness.
//! - **M6** HIGH is the most that blocks and table ever took.
//!
//! # Cost
//!
//! | operation | time |
//! |---|---|
//! | allocate | O(free blocks) |
//! | deallocate | O(free blocks) + O(units of the block), eight a byte |
//! | usable size | O(units of the block), eight a byte |
//! | walk, check | O(units) |
//! | space | a bit a unit, nothing a block; smallest block: two words |
//!
//! Sources: Wilson, Johnstone, Neely, Boles 1995, §3.9 (bitmapped fits) for the table; Knuth 1968, §2.5, for the list.

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
const LIST: usize = control::INDEX;

/// Words of a free block: the next free one, 0 in the last, and its units.
const NEXT: usize = 0;
const UNITS: usize = 1;
const LINKS: usize = 2;

/// Units whose bits are in a byte.
const IN_BYTE: usize = 8;

/// Blocks without headers, with a table outside of where they begin.
#[derive(Debug)]
pub struct BitmappedFits<W, S, M> {
    memory: Memory<W, S, M>,
    /// Words of a unit.
    unit: usize,
    /// The first word of the first unit.
    first: usize,
    heap_errors: HeapErrors,
}

/// A block: its first unit, and its units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Block {
    at: usize,
    units: usize,
}

impl Block {
    fn end(self) -> usize {
        self.at + self.units
    }
}

/// A place in the list: the word that names the free block behind it, and before it a free block, with the word that names that.
#[derive(Clone, Copy, Debug)]
struct Place {
    link: usize,
    before: Option<(usize, Block)>,
}

impl<W: Word, S: Source, M: Meter> BitmappedFits<W, S, M> {
    /// An empty heap whose units have `alignment` bytes: a power of two, at least the word.
    pub fn from_parts(source: S, alignment: usize, meter: M) -> Result<Self, RegionError> {
        check_alignment::<W>(alignment)?;
        let memory = Memory::new(source, meter)?;
        let unit = alignment / W::BYTES;
        let base = memory.base_address() / W::BYTES;
        let first = words_ceil(base + LIST + 1, unit) - base;
        let mut heap = BitmappedFits { memory, unit, first, heap_errors: HeapErrors::default() };
        let needed = heap.words_with(heap.min());
        if !heap.memory.ensure_len(needed) {
            return Err(RegionError::TooSmall { needed: needed * W::BYTES, given: heap.memory.supplied() });
        }
        heap.memory.poke(control::HIGH, 0);
        heap.memory.store(LIST, 0);
        heap.set_top(0);
        Ok(heap)
    }

    /// Bytes of a unit.
    fn unit_bytes(&self) -> usize {
        self.unit * W::BYTES
    }

    /// Units of the smallest block.
    fn min(&self) -> usize {
        LINKS.div_ceil(self.unit)
    }

    /// Words that this many units take, with their bits.
    fn words_with(&self, units: usize) -> usize {
        self.first + units * self.unit + Self::table_words(units)
    }

    /// Words with the bits of this many units.
    fn table_words(units: usize) -> usize {
        units.div_ceil(IN_BYTE).div_ceil(W::BYTES)
    }

    /// The first word of a unit, and the unit of a word.
    #[inline(always)]
    fn word_of(&self, unit: usize) -> usize {
        self.first + unit * self.unit
    }

    #[inline(always)]
    fn unit_at(&self, word: usize) -> usize {
        (word - self.first) / self.unit
    }

    /// Units below the wilderness.
    fn top(&mut self) -> usize {
        let top = self.memory.load(control::TOP);
        self.unit_at(top)
    }

    /// The same, unmetered.
    fn peek_top(&self) -> usize {
        self.unit_at(self.memory.peek(control::TOP))
    }

    fn set_top(&mut self, units: usize) {
        let top = self.word_of(units);
        self.memory.store(control::TOP, top);
        // A measure, not counted as an access.
        let words = self.words_with(units);
        if words > self.memory.peek(control::HIGH) {
            self.memory.poke(control::HIGH, words);
        }
    }

    /// The byte with the bit of a unit.
    #[inline(always)]
    fn byte_of(&self, unit: usize) -> usize {
        self.memory.length() - 1 - unit / IN_BYTE
    }

    /// Whether a block begins at a unit, unmetered.
    fn begins(&self, unit: usize) -> bool {
        self.memory.peek_byte(self.byte_of(unit)) >> (unit % IN_BYTE) & 1 == 1
    }

    /// Says of a unit below TOP whether a block begins there.
    fn mark(&mut self, unit: usize, begins: bool) {
        let (byte, bit) = (self.byte_of(unit), 1 << (unit % IN_BYTE));
        let bits = self.memory.load_byte(byte);
        self.memory.store_byte(byte, if begins { bits | bit } else { bits & !bit });
    }

    /// The same of the units from `top` on, which become one block: they had no bits.
    fn mark_new(&mut self, top: usize, end: usize) {
        let whole = top.next_multiple_of(IN_BYTE);
        if whole > top {
            self.mark(top, true);
        }
        for unit in (whole..end).step_by(IN_BYTE) {
            let byte = self.byte_of(unit);
            self.memory.store_byte(byte, u8::from(unit == top));
        }
    }

    /// Where the block at `unit` ends: at the next that begins, or at `top`. The bits of eight units are `bits` of the first.
    #[inline(always)]
    fn next_begin(unit: usize, top: usize, mut bits: impl FnMut(usize) -> u8) -> usize {
        let mut from = unit + 1;
        while from < top {
            let above = bits(from) >> (from % IN_BYTE);
            if above != 0 {
                return (from + above.trailing_zeros() as usize).min(top);
            }
            from = from / IN_BYTE * IN_BYTE + IN_BYTE;
        }
        top
    }

    /// The used block at `unit`.
    fn block(&mut self, unit: usize) -> Block {
        let top = self.top();
        let end = Self::next_begin(unit, top, |from| {
            let byte = self.byte_of(from);
            self.memory.load_byte(byte)
        });
        Block { at: unit, units: end - unit }
    }

    /// The block at `unit`, unmetered.
    fn peek_block(&self, unit: usize) -> Block {
        let end = Self::next_begin(unit, self.peek_top(), |from| self.memory.peek_byte(self.byte_of(from)));
        Block { at: unit, units: end - unit }
    }

    /// Makes the region long enough for this many units; false if it cannot be.
    fn has_room(&mut self, units: usize) -> bool {
        let needed = self.words_with(units);
        needed <= self.memory.count() || self.move_table(needed)
    }

    /// Makes the region this many words long, and moves the table to its new end.
    #[cold]
    fn move_table(&mut self, needed: usize) -> bool {
        let old_end = self.memory.length();
        let has_room = self.memory.ensure_len(needed);
        let by = self.memory.length() - old_end;
        if by > 0 {
            // Upwards: what is written was read before.
            for byte in 1..=self.peek_top().div_ceil(IN_BYTE) {
                let bits = self.memory.load_byte(old_end - byte);
                self.memory.store_byte(old_end + by - byte, bits);
            }
        }
        has_room
    }

    /// Units of a block for `size` bytes; none if no block can be so large.
    #[inline(always)]
    fn need(&self, size: usize) -> Option<usize> {
        if size == 0 || size > (W::MAX_WORDS - self.unit) * W::BYTES {
            return None;
        }
        Some(size.div_ceil(self.unit_bytes()).max(self.min()))
    }

    /// Units before the first from `unit` on whose address is a multiple of `step` units, a power of two: none, or as many as a
    /// free block has at least.
    #[inline(always)]
    fn gap(&self, unit: usize, step: usize) -> usize {
        let before = (self.memory.base_address() / W::BYTES + self.first) / self.unit + unit;
        let gap = words_ceil(before, step) - before;
        if gap > 0 && gap < self.min() { gap + words_ceil(self.min() - gap, step) } else { gap }
    }

    /// The free block that a word of the list names.
    #[inline(always)]
    fn named(&mut self, link: usize) -> Option<Block> {
        match self.memory.load(link) {
            0 => None,
            word => Some(Block { at: self.unit_at(word), units: self.memory.load(word + UNITS) }),
        }
    }

    /// Writes a free block, which `link` names from now on, before the one of the word `next`.
    fn write_free(&mut self, link: usize, block: Block, next: usize) {
        let word = self.word_of(block.at);
        self.memory.store(link, word);
        self.memory.store(word + NEXT, next);
        self.memory.store(word + UNITS, block.units);
    }

    /// Makes a used block of `need` units of a free one, `gap` units behind its begin.
    fn cut(&mut self, link: usize, free: Block, gap: usize, need: usize) -> ServePath {
        let mut link = link;
        let next = self.memory.load(self.word_of(free.at) + NEXT);
        let at = free.at + gap;
        if gap > 0 {
            self.write_free(link, Block { at: free.at, units: gap }, next);
            self.mark(at, true);
            link = self.word_of(free.at) + NEXT;
        }
        let left = free.units - gap - need;
        if left < self.min() {
            self.memory.store(link, next);
            return ServePath::AtOnce;
        }
        self.mark(at + need, true);
        self.write_free(link, Block { at: at + need, units: left }, next);
        ServePath::AfterSplit
    }

    /// Serves a request of `need` units at a multiple of `step` units.
    fn take(&mut self, need: usize, step: usize) -> Option<usize> {
        let mut link = LIST;
        while let Some(free) = self.named(link) {
            self.memory.visit();
            let gap = self.gap(free.at, step);
            if free.units >= gap + need {
                let way = self.cut(link, free, gap, need);
                self.memory.meter.served(way);
                return Some(free.at + gap);
            }
            link = self.word_of(free.at) + NEXT;
        }
        let top = self.top();
        let gap = self.gap(top, step);
        if !self.has_room(top + gap + need) {
            return None;
        }
        if gap > 0 {
            self.mark_new(top, top + gap);
            self.write_free(link, Block { at: top, units: gap }, 0);
        }
        self.mark_new(top + gap, top + gap + need);
        self.set_top(top + gap + need);
        self.memory.meter.served(ServePath::ByGrowing);
        Some(top + gap)
    }

    /// Where in the list a block at `unit` belongs, and the free block behind it.
    fn place(&mut self, unit: usize) -> (Place, Option<Block>) {
        let mut place = Place { link: LIST, before: None };
        loop {
            match self.named(place.link) {
                Some(free) if free.at < unit => {
                    self.memory.visit();
                    place = Place { link: self.word_of(free.at) + NEXT, before: Some((place.link, free)) };
                }
                behind => return (place, behind),
            }
        }
    }

    /// Frees a block, or the upper part of one, which begins at its first unit, and joins it to its neighbours.
    fn release(&mut self, block: Block) {
        let top = self.top();
        let (Place { mut link, before }, behind) = self.place(block.at);
        let mut merged = block;
        if let Some((its_link, before)) = before.filter(|(_, before)| before.end() == block.at) {
            self.mark(block.at, false);
            (link, merged) = (its_link, Block { at: before.at, units: before.units + block.units });
        }
        if block.end() == top {
            // It is the last, and no free one is behind it.
            self.mark(merged.at, false);
            self.memory.store(link, 0);
            self.set_top(merged.at);
            return;
        }
        let mut next = behind.map_or(0, |behind| self.word_of(behind.at));
        if let Some(behind) = behind.filter(|behind| behind.at == block.end()) {
            merged.units += behind.units;
            self.mark(behind.at, false);
            next = self.memory.load(next + NEXT);
        }
        self.write_free(link, merged, next);
    }

    /// Resizes the used block at `unit` in place, if what is behind it is free.
    fn resize(&mut self, unit: usize, need: usize) -> bool {
        let block = self.block(unit);
        if need <= block.units {
            let left = block.units - need;
            if left >= self.min() {
                self.mark(unit + need, true);
                self.release(Block { at: unit + need, units: left });
            }
            return true;
        }
        let top = self.top();
        if block.end() == top {
            if !self.has_room(unit + need) {
                return false;
            }
            // The new units begin no block.
            self.mark_new(top, unit + need);
            self.mark(top, false);
            self.set_top(unit + need);
            return true;
        }
        let (place, behind) = self.place(block.end());
        let Some(free) = behind.filter(|free| free.at == block.end() && block.units + free.units >= need) else {
            return false;
        };
        self.cut(place.link, free, 0, need - block.units);
        self.mark(block.end(), false);
        true
    }

    fn pointer(&self, unit: usize) -> NonNull<u8> {
        self.memory.pointer(self.word_of(unit))
    }

    fn unit_of(&self, pointer: NonNull<u8>) -> usize {
        self.unit_at(self.memory.index(pointer))
    }

    /// The free blocks by address, unmetered.
    fn free_blocks(&self) -> impl Iterator<Item = Block> + '_ {
        let block = |word: usize| Block { at: self.unit_at(word), units: self.memory.peek(word + UNITS) };
        let named = |word: usize| Some(word).filter(|&word| word != 0);
        core::iter::successors(named(self.memory.peek(LIST)), move |&word| named(self.memory.peek(word + NEXT)))
            .map(block)
    }

    /// The first unit of the block that `pointer` names, if it is used.
    fn used(&self, pointer: NonNull<u8>) -> Result<usize, HeapError> {
        let offset = pointer.as_ptr().addr().wrapping_sub(self.memory.base_address());
        let first = self.first * W::BYTES;
        let unit = offset.wrapping_sub(first) / self.unit_bytes();
        let is_unit = offset >= first && (offset - first).is_multiple_of(self.unit_bytes()) && unit < self.peek_top();
        if !is_unit || !self.begins(unit) {
            return Err(HeapError::of(HeapErrorKind::Foreign, offset));
        }
        match self.free_blocks().any(|free| free.at == unit) {
            true => Err(HeapError::of(HeapErrorKind::DoubleFree, offset)),
            false => Ok(unit),
        }
    }

    fn verify(&self) -> Result<(), Violation> {
        let (top, words) = (self.memory.peek(control::TOP), self.memory.count());
        if top < self.first || top > words || !(top - self.first).is_multiple_of(self.unit) {
            return Err(broken("M2: the wilderness does not begin behind a whole number of units", top));
        }
        let units = self.peek_top();
        if self.words_with(units) > words {
            return Err(broken("M2: blocks and table overlap", top));
        }
        let above = (units..units.next_multiple_of(IN_BYTE)).any(|unit| self.begins(unit));
        if units > 0 && (!self.begins(0) || above) {
            return Err(broken("M3: no block begins at the first unit, or one does above TOP", top));
        }
        let mut word = self.memory.peek(LIST);
        let mut before = None;
        while word != 0 {
            let is_unit = word >= self.first && word < top && (word - self.first).is_multiple_of(self.unit);
            if !is_unit || !self.begins(self.unit_at(word)) || before.is_some_and(|end| self.unit_at(word) < end) {
                return Err(broken("M4: the list names what is no block, or is not by address", word));
            }
            let free = self.peek_block(self.unit_at(word));
            if free.units != self.memory.peek(word + UNITS) {
                return Err(broken("M4: a free block has other units than the table says", word));
            }
            if before == Some(free.at) || free.end() == units {
                return Err(broken("M5: a free block touches another, or the wilderness", word));
            }
            (before, word) = (Some(free.end()), self.memory.peek(word + NEXT));
        }
        if self.words_with(units) > self.memory.peek(control::HIGH) {
            return Err(broken("M6: HIGH is below what is used", top));
        }
        Ok(())
    }
}

// SAFETY: M2 to M5: each unit is of one block, and lies below TOP, which the table does not reach.
unsafe impl<W: Word, S: Source, M: Meter> Heap for BitmappedFits<W, S, M> {
    type Meter = M;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let need = self.need(size)?;
        let mut step = 1;
        if alignment > self.unit_bytes() || alignment & alignment.wrapping_sub(1) != 0 {
            if !alignment.is_power_of_two() || alignment > W::MAX_WORDS * W::BYTES / 2 {
                return None;
            }
            step = alignment / self.unit_bytes();
        }
        self.take(need, step).map(|unit| self.pointer(unit))
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        let unit = self.unit_of(pointer);
        let block = self.block(unit);
        self.release(block);
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        match self.used(pointer) {
            Ok(unit) => {
                let block = self.block(unit);
                self.release(block);
                Ok(())
            }
            Err(heap_error) => Err(self.heap_errors.note(heap_error)),
        }
    }

    fn heap_errors(&self) -> HeapErrors {
        self.heap_errors
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let need = self.need(size)?;
        if is_aligned_to(pointer, alignment) && self.resize(self.unit_of(pointer), need) {
            self.memory.meter.served(ServePath::AtOnce);
            return Some(pointer);
        }
        // SAFETY: the caller's promise is the same.
        unsafe { move_block(self, pointer, size, alignment) }
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        self.peek_block(self.unit_of(pointer)).units * self.unit_bytes()
    }

    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise is the same, and a block has no header.
        unsafe { self.usable_size(pointer) }
    }

    fn alignment(&self) -> usize {
        self.unit_bytes()
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        let (top, mut unit) = (self.peek_top(), 0);
        let mut free = self.free_blocks().peekable();
        while unit < top {
            let block = self.peek_block(unit);
            let state = if free.next_if(|free| free.at == unit).is_some() { State::Free } else { State::Used };
            let (offset, size) = (self.word_of(unit) * W::BYTES, block.units * self.unit_bytes());
            visit(BlockView { offset, size, header: 0, layer: 0, state });
            unit = block.end();
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.verify().map_err(|broken| Violation { offset: broken.offset * W::BYTES, ..broken })
    }

    fn control_size(&self) -> usize {
        self.first * W::BYTES
    }

    /// Blocks and table.
    fn footprint(&self) -> usize {
        self.words_with(self.peek_top()) * W::BYTES
    }

    /// What lies between blocks and table.
    fn hole(&self) -> Option<(usize, usize)> {
        let top = self.memory.peek(control::TOP) * W::BYTES;
        Some((top, self.memory.length() - self.table_size()))
    }

    fn table_size(&self) -> usize {
        Self::table_words(self.peek_top()) * W::BYTES
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
