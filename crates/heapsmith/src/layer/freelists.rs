//! Free lists for chosen sizes, before a pool.
//!
//! ```text
//!   deallocate ──▶ size listed? ──▶ its list       allocate ──▶ its list, if not empty
//!                       └─ no ────▶ the pool                └─▶ the pool
//! ```
//!
//! A block on a list stays used in the eyes of the pool, so it is never split
//! or coalesced. When the pool cannot serve a request, every list is flushed
//! into it and the request is tried again; then the pool joins what a threshold
//! left apart, and it is tried for the last time.
//!
//! [`FreeLists::flushing`] bounds how many blocks one operation flushes. Such a heap may refuse
//! a request while blocks wait on its lists; each further request flushes more of them.
//!
//! A list runs through its blocks, or is a *magazine*: an array of places in the control words, in which the block that was
//! freed last is the last, and whose count says how many there are. A hit then reads nothing of the block, which may be in no
//! cache; where the magazine is full the block goes to the pool.
//!
//! ```text
//!   list       head ─▶ block ─▶ block ─▶ 0             magazine   count=2   | place | place |   |   |
//! ```
//!
//! With `check=header` the header of a cached block says so ([`crate::heap_error`]): it is looked at and cleared before the
//! block leaves its list.
//!
//! A list is chosen by the size of a *block*: two request sizes that round to
//! one block size share one list. A block that the pool gave larger than was
//! requested (the remainder was too small, or `split` forbade it) is of
//! another size and goes back to the pool.
//!
//! # Invariants
//!
//! - **L1** Every block on a list is used in the pool and has exactly the list's size.
//! - **L2** A list does not run in a circle; with fifo order its tail names its last block. A magazine has no more blocks than
//!   places.
//!
//! # Cost
//!
//! | operation | hit | miss |
//! |---|---|---|
//! | allocate | 3 accesses (fifo 4) | 1 + the pool's |
//! | deallocate | 4 accesses (fifo 5) | 1 + the pool's |
//! | allocate, the pool refused | | the pool's twice, and 4 (fifo 5) and the pool's free for each block flushed |
//! | space | a word a list (fifo two; a magazine one more a place) in the control words | |
//!
//! Sources: Mamagkakis et al. 2006, §4; Wilson et al. 1995 (deferred coalescing, quick lists); Bonwick and Adams 2001 (magazines).

use core::ptr::NonNull;

use crate::block::{is_used, words_of};
use crate::buddy::{Buddies, Growth, Recombination};
use crate::heap::{BlockView, Heap, State, Violation};
use crate::heap_error::{HeapError, HeapErrors};
use crate::index::{Index, control};
use crate::memory::{RegionError, Words, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::named::NamedPool;
use crate::policy::Policy;
use crate::pool::{BlockPool, Pool, is_aligned_to, move_block};
use crate::sizes::SizeMap;
use crate::source::Source;
use crate::word::Word;

/// At which end of a list freed blocks are put; they are always taken from the front.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// In front, last in first out: the block that is most likely still in the cache.
    #[default]
    Lifo,
    /// Behind: first in, first out.
    Fifo,
}

/// Where freed blocks wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Waiting {
    /// On lists that run through them.
    Linked(Order),
    /// In magazines of this many places, last in first out; the pool gets what finds no place.
    Magazine(usize),
}

impl From<Order> for Waiting {
    fn from(order: Order) -> Waiting {
        Waiting::Linked(order)
    }
}

impl Waiting {
    /// Control words of the lists of `map`.
    fn words(self, map: &impl SizeMap) -> usize {
        let each = match self {
            Waiting::Linked(Order::Lifo) => 1,
            Waiting::Linked(Order::Fifo) => 2,
            Waiting::Magazine(places) => places.saturating_add(1),
        };
        map.lists().saturating_mul(each)
    }

    fn is_fifo(self) -> bool {
        self == Waiting::Linked(Order::Fifo)
    }
}

/// Free lists before the pool `P`, for the sizes of the map `Z`.
#[derive(Debug)]
pub struct FreeLists<P, Z> {
    pool: P,
    map: Z,
    waiting: Waiting,
    /// First of the layer's control words.
    control: usize,
    /// The most blocks that one operation flushes.
    flush_max: usize,
}

impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool, Z: SizeMap>
    FreeLists<BlockPool<W, I, L, S, M, TAGS>, Z>
{
    /// Empty free lists before an empty pool of these parts over the region that `source` supplies.
    pub fn from_parts(
        source: S,
        index: I,
        policy: L,
        meter: M,
        map: Z,
        waiting: impl Into<Waiting>,
    ) -> Result<Self, RegionError> {
        let waiting = waiting.into();
        let control = BlockPool::<W, I, L, S, M, TAGS>::reserved_at(&index, &policy);
        let pool = BlockPool::with_reserved(source, index, policy, meter, waiting.words(&map))?;
        Self::over(pool, control, map, waiting)
    }
}

impl<W: Word, R: Recombination, S: Source, M: Meter, Z: SizeMap> FreeLists<Buddies<W, R, S, M, false>, Z> {
    /// Empty free lists before an empty buddy heap over the region that `source` supplies.
    pub fn before_buddies(
        source: S,
        alignment: usize,
        meter: M,
        map: Z,
        waiting: impl Into<Waiting>,
    ) -> Result<Self, RegionError> {
        check_alignment::<W>(alignment)?;
        let waiting = waiting.into();
        let control = Buddies::<W, R, S, M, false>::reserved_at(alignment);
        let pool = Buddies::with_reserved(source, alignment, meter, waiting.words(&map))?;
        Self::over(pool, control, map, waiting)
    }

    /// [`Buddies::gluing`] of the heap below.
    #[must_use]
    pub fn gluing(self, pairs: usize) -> Self {
        FreeLists { pool: self.pool.gluing(pairs), ..self }
    }

    /// [`Buddies::growing`] of the heap below.
    #[must_use]
    pub fn growing(self, growth: Growth) -> Self {
        FreeLists { pool: self.pool.growing(growth), ..self }
    }
}

impl<P: NamedPool, const LISTS: usize> FreeLists<P, BlockSizes<LISTS>> {
    /// Lists, last in first out, for the blocks that requests of `sizes` bytes get, before an
    /// empty pool over the region that `source` supplies.
    pub fn new(source: P::Source, sizes: [usize; LISTS]) -> Result<Self, RegionError> {
        let (pool, control) = P::with_reserved_words(source, LISTS)?;
        let map = BlockSizes(sizes.map(|size| pool.words_for(size).unwrap_or(0)));
        Self::over(pool, control, map, Order::Lifo.into())
    }
}

/// Words of the blocks of each list: a list serves blocks of exactly its size.
#[derive(Clone, Copy, Debug)]
pub struct BlockSizes<const LISTS: usize>([usize; LISTS]);

// SAFETY: the sizes never change, and a list is found by the very size of its blocks.
unsafe impl<const LISTS: usize> SizeMap for BlockSizes<LISTS> {
    #[inline(always)]
    fn lists(&self) -> usize {
        LISTS
    }
    #[inline(always)]
    fn list_of(&self, words: usize) -> Option<usize> {
        self.0.iter().position(|&size| size == words)
    }
    #[inline(always)]
    fn words(&self, list: usize) -> usize {
        self.0.get(list).map_or(0, |&size| size)
    }
}

impl<P: Pool, Z: SizeMap> FreeLists<P, Z> {
    /// Empty free lists before the empty `pool`, which keeps words for them from
    /// word `control` on, set to 0: [`Waiting::words`] of them.
    fn over(pool: P, control: usize, map: Z, waiting: Waiting) -> Result<Self, RegionError> {
        let sizes = (0..map.lists()).all(|list| pool.has_blocks_of(map.words(list)));
        if sizes {
            Ok(FreeLists { pool, map, waiting, control, flush_max: usize::MAX })
        } else {
            Err(RegionError::BlockSizes)
        }
    }

    /// The same heap, of which one operation flushes at most `blocks` blocks, at least one: its cost is bounded where the
    /// pool's is. A request may then be refused while other cached blocks wait; asked again, it flushes on.
    #[must_use]
    pub fn flushing(self, blocks: usize) -> Self {
        FreeLists { flush_max: blocks.max(1), ..self }
    }

    /// The word of a list's first block, or of a magazine's count.
    #[inline(always)]
    fn head(&self, list: usize) -> usize {
        self.control + list
    }

    #[inline(always)]
    fn tail(&self, list: usize) -> usize {
        self.control + self.map.lists() + list
    }

    /// The word of a place in a magazine of `places`.
    #[inline(always)]
    fn place(&self, list: usize, places: usize, at: usize) -> usize {
        self.control + self.map.lists() + list * places + at
    }

    /// Takes the first block of a list.
    #[inline(always)]
    fn pop(&mut self, list: usize) -> Option<usize> {
        let (head, waiting) = (self.head(list), self.waiting);
        let first = self.pool.memory().load(head);
        if first == 0 {
            return None;
        }
        let block = match waiting {
            Waiting::Linked(_) => first,
            Waiting::Magazine(places) if P::CACHED != 0 && first > places => {
                self.give_up(list, 0);
                return None;
            }
            Waiting::Magazine(places) => {
                let last = self.place(list, places, first - 1);
                self.pool.memory().load(last)
            }
        };
        if P::CACHED != 0 && !self.unmark(list, block) {
            return None;
        }
        let tail = self.tail(list);
        let memory = self.pool.memory();
        let next = match waiting {
            Waiting::Linked(_) => memory.load(block),
            Waiting::Magazine(_) => first - 1,
        };
        memory.store(head, next);
        if waiting.is_fifo() && next == 0 {
            memory.store(tail, 0);
        }
        Some(block)
    }

    /// Notes in the header of the first block of a list that it leaves it. If it is no cached block of the list's size, that
    /// is a heap error: the blocks of the list are given up, and it returns false.
    fn unmark(&mut self, list: usize, block: usize) -> bool {
        let size = self.map.words(list) | words_of(P::CACHED);
        let memory = self.pool.memory();
        if block != 0 && block < memory.load(control::TOP) {
            let header = memory.load(block - 1);
            if words_of(header) == size {
                memory.store(block - 1, header & !P::CACHED);
                return true;
            }
        }
        self.give_up(list, block);
        false
    }

    /// Empties a list that leads to what is no cached block.
    #[cold]
    fn give_up(&mut self, list: usize, block: usize) {
        let (head, tail) = (self.head(list), self.tail(list));
        self.pool.note_damage(block);
        self.pool.memory().store(head, 0);
        if self.waiting.is_fifo() {
            self.pool.memory().store(tail, 0);
        }
    }

    /// Puts a block, whose header was read, on a list. False if there is no place for it.
    #[inline(always)]
    fn push(&mut self, list: usize, block: usize, header: usize) -> bool {
        let (head, tail) = (self.head(list), self.tail(list));
        if let Waiting::Magazine(places) = self.waiting {
            let count = self.pool.memory().load(head);
            if count >= places {
                return false;
            }
            let place = self.place(list, places, count);
            let memory = self.pool.memory();
            if P::CACHED != 0 {
                memory.store(block - 1, header | P::CACHED);
            }
            memory.store(place, block);
            memory.store(head, count + 1);
            return true;
        }
        let is_fifo = self.waiting.is_fifo();
        let memory = self.pool.memory();
        if P::CACHED != 0 {
            memory.store(block - 1, header | P::CACHED);
        }
        if is_fifo {
            let last = memory.load(tail);
            memory.store(block, 0);
            memory.store(if last == 0 { head } else { last }, block);
            memory.store(tail, block);
        } else {
            let first = memory.load(head);
            memory.store(block, first);
            memory.store(head, block);
        }
        true
    }

    /// Flushes cached blocks into the pool, all or as many as an operation may. Returns whether there was one.
    #[cold]
    fn flush(&mut self) -> bool {
        let mut left = self.flush_max;
        for list in 0..self.map.lists() {
            while left > 0
                && let Some(block) = self.pop(list)
            {
                let header = self.pool.memory().load(block - 1);
                self.pool.release_block(block, header);
                left -= 1;
            }
        }
        left < self.flush_max
    }

    /// Serves a request that the pool refused, after a flush; then once more after the pool joined its blocks.
    #[cold]
    fn after_flush(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let flushed = if self.flush() { self.pool.allocate_apart(size, alignment) } else { None };
        flushed.or_else(|| self.pool.allocate_joined(size, alignment))
    }

    /// The blocks of a list, unmetered, from the first to be taken on.
    fn cached(&self, list: usize) -> impl Iterator<Item = usize> + '_ {
        // The word that names the next block, or the blocks that are left of a magazine. A link is read when it is asked for.
        let mut at = self.head(list);
        let mut left = self.pool.peek(at);
        core::iter::from_fn(move || match self.waiting {
            Waiting::Linked(_) => {
                let block = self.pool.peek(at);
                at = block;
                (block != 0).then_some(block)
            }
            Waiting::Magazine(places) => {
                left = left.min(places).checked_sub(1)?;
                Some(self.pool.peek(self.place(list, places, left)))
            }
        })
    }

    fn check_list(&self, list: usize) -> Result<(), Violation> {
        let max = self.pool.footprint() / self.pool.word();
        let mut last = 0;
        for (count, block) in self.cached(list).enumerate() {
            let offset = block * self.pool.word();
            if count > max {
                return Err(Violation { invariant: "L2: a free list runs in a circle", offset });
            }
            let header = if (1..max).contains(&block) { self.pool.peek(block - 1) } else { 0 };
            if !is_used(header) || words_of(header) != self.map.words(list) | words_of(P::CACHED) {
                let invariant = "L1: a kept block is free in the pool, or not of the list's size";
                return Err(Violation { invariant, offset });
            }
            last = block;
        }
        if let Waiting::Magazine(places) = self.waiting
            && self.pool.peek(self.head(list)) > places
        {
            let offset = self.head(list) * self.pool.word();
            return Err(Violation { invariant: "L2: a magazine has more blocks than places", offset });
        }
        if self.waiting.is_fifo() && self.pool.peek(self.tail(list)) != last {
            let offset = self.tail(list) * self.pool.word();
            return Err(Violation { invariant: "L2: the tail does not name the last block", offset });
        }
        Ok(())
    }
}

// SAFETY: L1 and L2: a block is on one list or with the program, and the pool below keeps the rest of the promise.
unsafe impl<P: Pool, Z: SizeMap> Heap for FreeLists<P, Z> {
    type Meter = P::Meter;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if alignment > self.pool.alignment() || alignment & alignment.wrapping_sub(1) != 0 {
            return self.pool.allocate_apart(size, alignment).or_else(|| self.after_flush(size, alignment));
        }
        let mut words = self.pool.words_for(size)?;
        if let Some(list) = self.map.list_of(words) {
            if let Some(block) = self.pop(list) {
                self.pool.note(ServePath::AtOnce);
                return Some(self.pool.pointer(block));
            }
            words = self.map.words(list);
        }
        self.pool.allocate_words(size, words).or_else(|| self.after_flush(size, alignment))
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        let Some((block, header)) = self.pool.used_block(pointer) else { return };
        let words = words_of(header);
        let kept = self.map.list_holding(words).is_some_and(|list| self.push(list, block, header));
        if !kept {
            self.pool.release_block(block, header);
        }
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let before = if P::CACHED == 0 { 0 } else { self.heap_errors().count };
        // SAFETY: the caller's promise is the same.
        unsafe { self.deallocate(pointer) };
        if P::CACHED == 0 { Ok(()) } else { self.heap_errors().since(before) }
    }

    fn heap_errors(&self) -> HeapErrors {
        self.pool.heap_errors()
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if P::CACHED != 0 {
            self.pool.used_block(pointer)?;
        }
        let stays = is_aligned_to(pointer, alignment);
        if stays && self.pool.resize_in_place(pointer, size) {
            return Some(pointer);
        }
        // SAFETY: the caller's promise is the same.
        let moved = unsafe { move_block(self, pointer, size, alignment) };
        moved.or_else(|| (stays && self.pool.resize_joined(pointer, size)).then_some(pointer))
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise is the same.
        unsafe { self.pool.usable_size(pointer) }
    }

    #[inline]
    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise is the same.
        unsafe { self.pool.block_size(pointer) }
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        self.pool.walk(visit);
        let word = self.pool.word();
        for list in 0..self.map.lists() {
            for block in self.cached(list) {
                let size = words_of(self.pool.peek(block - 1) & !P::CACHED) * word;
                visit(BlockView { offset: (block - 1) * word, size, header: word, layer: 0, state: State::Cached });
            }
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.pool.check()?;
        (0..self.map.lists()).try_for_each(|list| self.check_list(list))
    }

    super::as_below!(pool);
}

#[cfg(test)]
mod tests {
    use core::mem::MaybeUninit;

    use super::*;
    use crate::index::AddressOrder;
    use crate::meter::Unmetered;
    use crate::policy::{Checked, PolicyValues};
    use crate::source::Fixed;

    /// What a heap with `check=header` finds when a word of its magazine of two places was overwritten, which had a block.
    fn finds(overwrite: impl FnOnce(&mut dyn FnMut(usize, usize), [usize; 2])) -> (bool, u64) {
        let mut memory = [MaybeUninit::<u64>::uninit(); 512];
        let mut heap = FreeLists::<BlockPool<u32, _, _, _, _, true>, _>::from_parts(
            Fixed::new(&mut memory),
            AddressOrder::new(),
            Checked(PolicyValues::DEFAULT),
            Unmetered,
            BlockSizes([12]),
            Waiting::Magazine(2),
        )
        .expect("a heap");
        let block = heap.allocate(40, 1).expect("there is room");
        // SAFETY: it is live.
        unsafe { heap.deallocate(block) };
        heap.check().expect("a sound heap");
        assert_eq!(heap.cached(0).count(), 1);
        let words = [heap.head(0), heap.place(0, 2, 0)];
        overwrite(&mut |at, value| heap.pool.memory().store(at, value), words);
        let is_sound = heap.check().is_ok();
        assert!(heap.allocate(40, 1).is_some_and(|other| other != block), "the pool serves");
        assert_eq!(heap.cached(0).count(), 0, "what waited is given up");
        (is_sound, heap.heap_errors().count)
    }

    #[test]
    fn an_overwritten_magazine_is_given_up_and_told() {
        assert_eq!(finds(|store, [count, _]| store(count, 3)), (false, 1), "more blocks than places");
        assert_eq!(finds(|store, [count, _]| store(count, 1 << 30)), (false, 1), "far more");
        assert_eq!(finds(|store, [_, place]| store(place, 1 << 30)), (false, 1), "a block beyond the region");
        assert_eq!(finds(|store, [_, place]| store(place, 0)), (false, 1), "no block");
    }
}
