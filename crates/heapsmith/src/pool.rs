//! The pool of blocks: splits, coalesces and extends the wilderness.
//!
//! ```text
//!   region  ┌─────────┬────────┬────────┬──── … ────┬───┬───────────────────┐
//!           │ control │ block  │ block  │           │ 0 │ wilderness        │
//!           └─────────┴────────┴────────┴──── … ────┴───┴───────────────────┘
//!             words     header+payload each          ▲ header of size 0 before TOP
//! ```
//!
//! A request is served by the free block that the index finds; then, where
//! coalescing is deferred, by one that a sweep made; then by the wilderness;
//! then by what the index holds in reserve (`Index::find_larger`). A free
//! block that coalescing joins to the wilderness becomes part of it.
//!
//! Before a request is refused, free blocks that a threshold left apart are joined by a sweep, and all of this
//! is tried once more. A pool that was swept knows that nothing is apart until a block is freed and left so:
//! the next refusal does not walk.
//!
//! An alignment above the heap's own leaves a gap before the payload; the gap
//! becomes a free block whatever `split` says, since a header must be right
//! before its payload.
//!
//! # Invariants
//!
//! - **I1** The blocks tile the region from the first to the wilderness; sizes
//!   are multiples of the granule, at least the smallest block.
//! - **I2** With boundary tags, `P` of every header is the status of the block before.
//! - **I3** With boundary tags, the last word of every free block is its size.
//! - **I4** With immediate coalescing of all, no two free blocks touch and none touches the wilderness. So it is
//!   with thresholds and with deferred coalescing from a sweep until a block is freed and left apart.
//! - **I5** to **I8** belong to the index: every free block is in it once, in order.
//! - **I9** The wilderness begins inside the region and below its high-water mark.
//!
//! # Cost
//!
//! | operation | time | notes |
//! |---|---|---|
//! | allocate | the index's `find` + O(1) | + O(blocks) for a sweep, as often as blocks were left apart |
//! | deallocate | O(1) + the index's `insert` | without tags and with coalescing + O(blocks) to find the block before |
//! | space | 1 word a block | smallest block: header, links, tag |
//!
//! Sources: Knuth 1968, §2.5; Wilson et al. 1995; Mamagkakis et al. 2006, §4;
//! Peintner et al., §4 (boundary tags or a search from the start).

mod aligned;
mod check;
mod checked;
mod coalesce;
mod reallocate;

use core::ptr::NonNull;

use crate::block::{
    Format, PREVIOUS_USED, Span, USED, header, is_used, max_words, payload_bytes, words_ceil, words_of,
};
use crate::heap::{BlockView, Heap, Priority, State, Violation};
use crate::heap_error::{HeapError, HeapErrors};
use crate::index::{Found, Index, control};
use crate::memory::{Memory, RegionError, Words, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::policy::{Coalesce, Policy};
use crate::sealed::Sealed;
use crate::source::Source;
use crate::word::Word;

/// What layers need of the pool below them.
pub trait Pool: Heap + Sealed {
    /// The status bit in the header of a block on a list, where the pool has one to spare for it and checks it; else 0.
    const CACHED: usize = 0;

    /// The used block at `pointer` and its header. None if there is no such block: a heap error, which is remembered,
    /// of a pool that checks.
    #[inline(always)]
    fn used_block(&mut self, pointer: NonNull<u8>) -> Option<(usize, usize)> {
        let at = self.index(pointer);
        Some((at, self.memory().load(at - 1)))
    }
    /// Remembers that the block `at`, which a layer keeps, is damaged.
    #[cold]
    fn note_damage(&mut self, _at: usize) {}
    /// The words of the region.
    fn memory(&mut self) -> &mut impl Words;
    /// Reads a word of the region, unmetered.
    fn peek(&self, at: usize) -> usize;
    /// Words of the block that serves a request of `size` bytes.
    fn words_for(&self, size: usize) -> Option<usize>;
    /// Whether the pool can have blocks of `words` words, and only then may a layer ask for them.
    fn has_blocks_of(&self, words: usize) -> bool;
    /// A block of `words` words, which [`Pool::words_for`] returned for `size` bytes. Nothing is joined for it that
    /// only a refusal is a reason to join.
    fn allocate_words(&mut self, size: usize, words: usize) -> Option<NonNull<u8>>;
    /// [`Heap::allocate`] without the last step before a refusal, which is [`Pool::allocate_joined`].
    fn allocate_apart(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>>;
    /// The last step before a refusal: joins what freeing left apart, and tries again. Where nothing was left
    /// apart since it was last done, it refuses in constant time.
    fn allocate_joined(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>>;
    /// Frees the used block `at`, whose header was read.
    fn release_block(&mut self, at: usize, header: usize);
    /// [`Heap::allocate`] as a call, for what is rare: so its code is there once and not in everything rare.
    #[inline(never)]
    fn allocate_by_call(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate(size, alignment)
    }
    /// Resizes a block to `size` bytes in place, if its neighbour allows.
    fn resize_in_place(&mut self, pointer: NonNull<u8>, size: usize) -> bool;
    /// The same once more, after a request for a new block was refused: everything is joined, and thresholds do not count.
    fn resize_joined(&mut self, pointer: NonNull<u8>, size: usize) -> bool;
    /// The pointer to the payload `at`.
    fn pointer(&self, at: usize) -> NonNull<u8>;
    /// The payload index of `pointer`.
    fn index(&self, pointer: NonNull<u8>) -> usize;
    /// Bytes in a word.
    fn word(&self) -> usize;
    /// The request was served in this way.
    fn note(&mut self, way: ServePath);
}

/// Whether `pointer` is a multiple of `alignment`, a power of two or 0.
pub(crate) fn is_aligned_to(pointer: NonNull<u8>, alignment: usize) -> bool {
    pointer.as_ptr().addr() & alignment.wrapping_sub(1) == 0 || alignment == 0
}

/// Serves a reallocation by a new block, the old one's contents, and its release.
///
/// # Safety
///
/// As for [`Heap::reallocate`].
pub(crate) unsafe fn move_block<H: Heap>(
    heap: &mut H,
    pointer: NonNull<u8>,
    size: usize,
    alignment: usize,
) -> Option<NonNull<u8>> {
    let moved = heap.allocate(size, alignment)?;
    // SAFETY: the heap has just returned `moved`, and the old block is freed once, by the caller's promise.
    unsafe {
        copy_payload(heap, pointer, moved, size);
        heap.deallocate(pointer);
    }
    Some(moved)
}

/// Copies what one block holds, as far as the request of `size` bytes for another goes.
///
/// # Safety
///
/// Both are used blocks of the heap, and not the same; the other has `size` bytes.
unsafe fn copy_payload<H: Heap>(heap: &H, from: NonNull<u8>, to: NonNull<u8>, size: usize) {
    // SAFETY: by the caller's promise they have `bytes` bytes each, and do not overlap.
    unsafe {
        let bytes = heap.usable_size(from).min(size);
        core::ptr::copy_nonoverlapping(from.as_ptr(), to.as_ptr(), bytes);
    }
}

/// A pool of blocks over one region.
///
/// `W` is the word, `I` the index of free blocks, `L` the levels, `S` the
/// region's source, `M` the meter; `TAGS` switches boundary tags.
#[derive(Debug)]
pub struct BlockPool<W, I, L, S, M, const TAGS: bool> {
    memory: Memory<W, S, M>,
    index: I,
    policy: L,
    /// Payload of the first block.
    first: usize,
    /// The status bit of a block that a layer above may cache; 0 where no layer keeps words here, so that sizes may have it.
    mark: usize,
    /// A free block may touch another, or the wilderness: one was freed and left apart since the last sweep.
    touching: bool,
    heap_errors: HeapErrors,
}

impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool> BlockPool<W, I, L, S, M, TAGS> {
    /// An empty pool over the region that `source` supplies.
    pub fn from_parts(source: S, index: I, policy: L, meter: M) -> Result<Self, RegionError> {
        Self::with_reserved(source, index, policy, meter, 0)
    }

    /// An empty pool that leaves `reserved` words for layers, from word
    /// [`BlockPool::reserved_at`] on, set to 0.
    pub(crate) fn with_reserved(
        source: S,
        index: I,
        policy: L,
        meter: M,
        reserved: usize,
    ) -> Result<Self, RegionError> {
        let mut memory = Memory::new(source, meter)?;
        let mark = if L::CHECKED && reserved > 0 { Self::CACHED } else { 0 };
        if mark != 0 {
            memory = memory.limited(max_words::<W>());
        }
        check_alignment::<W>(policy.alignment())?;
        if !index.suits::<W>(&Self::format(&policy)) {
            return Err(RegionError::BlockSizes);
        }
        let own = control::INDEX + index.control_words(&policy, W::BITS);
        let control = (own + reserved).min(W::MAX_WORDS);
        let granule = policy.alignment() / W::BYTES;
        let base = memory.base_address() / W::BYTES;
        let first = words_ceil(base + control + 1, granule) - base;
        let min = Self::format(&policy).min;
        if !memory.ensure_len(first + min) {
            let needed = (first + min) * W::BYTES;
            return Err(RegionError::TooSmall { needed, given: memory.supplied() });
        }
        for at in own..control {
            memory.store(at, 0);
        }
        let mut pool =
            BlockPool { memory, index, policy, first, mark, touching: false, heap_errors: HeapErrors::default() };
        pool.index.clear(&mut pool.memory, &pool.policy, first);
        pool.memory.poke(control::HIGH, 0);
        pool.set_top(first, PREVIOUS_USED);
        Ok(pool)
    }

    /// The first of the words that were reserved for layers.
    pub(crate) fn reserved_at(index: &I, policy: &L) -> usize {
        control::INDEX + index.control_words(policy, W::BITS)
    }

    #[inline(always)]
    fn format(policy: &L) -> Format {
        Format::new::<W>(policy.alignment(), I::LINKS, TAGS)
    }

    /// Lets the wilderness begin at `top`; `flags` describe the block before.
    #[inline(always)]
    fn set_top(&mut self, top: usize, flags: usize) {
        self.memory.store(top - 1, header(0, USED | flags));
        self.memory.store(control::TOP, top);
        // The high-water mark is a measure: it is kept, but not counted as an access.
        if top > self.memory.peek(control::HIGH) {
            self.memory.poke(control::HIGH, top);
        }
    }

    /// Writes the header and the tag of a free block.
    #[inline(always)]
    fn write_free(&mut self, block: Span, flags: usize) {
        self.memory.store(block.at - 1, header(block.words, flags));
        if TAGS {
            self.memory.store(block.end() - 2, block.words);
        }
    }

    /// Notes in the block at `at` whether the block before it is used.
    #[inline(always)]
    fn tell_next(&mut self, at: usize, used: bool) {
        if TAGS {
            let old = self.memory.load(at - 1);
            let new = if used { old | PREVIOUS_USED } else { old & !PREVIOUS_USED };
            self.memory.store(at - 1, new);
        }
    }

    /// Whether `remainder` words are split off a block for a request of `size` bytes.
    #[inline(always)]
    fn splits(&self, remainder: usize, size: usize) -> bool {
        let smallest = Self::format(&self.policy).min.max(self.policy.remainder().div_ceil(W::BYTES));
        remainder >= smallest && size >= self.policy.split_from()
    }

    /// Takes a block that the index found, and splits it where the levels say so.
    #[inline(always)]
    fn take(&mut self, found: Found, need: usize, size: usize) -> ServePath {
        let block = Span { at: found.at, words: words_of(found.header) };
        let flags = found.header & PREVIOUS_USED;
        let remainder = block.words - need;
        if self.splits(remainder, size) {
            self.memory.store(block.at - 1, header(need, USED | flags));
            let remainder = Span { at: block.at + need, words: remainder };
            self.index.replace(&mut self.memory, &self.policy, block, remainder);
            self.write_free(remainder, PREVIOUS_USED);
            ServePath::AfterSplit
        } else {
            self.index.remove(&mut self.memory, &self.policy, block);
            self.memory.store(block.at - 1, found.header | USED);
            self.tell_next(block.end(), true);
            ServePath::AtOnce
        }
    }

    /// Serves a request that no free block fits.
    #[cold]
    fn miss(&mut self, size: usize, need: usize) -> Option<usize> {
        if self.policy.coalesce() == Coalesce::Deferred && self.touching {
            self.sweep();
            if let Some(at) = self.find_joined(size, need) {
                return Some(at);
            }
        }
        let top = self.memory.load(control::TOP);
        if self.memory.ensure_len(top + need) {
            self.extend(top, need);
            self.memory.meter.served(ServePath::ByGrowing);
            return Some(top);
        }
        let found = self.index.find_larger(&mut self.memory, need)?;
        let found = self.sound(found)?;
        let way = self.take(found, need, size);
        self.memory.meter.served(way);
        Some(found.at)
    }

    /// Serves a request from the blocks that a sweep joined.
    fn find_joined(&mut self, size: usize, need: usize) -> Option<usize> {
        let found = self.find(need)?;
        self.take(found, need, size);
        self.memory.meter.served(ServePath::AfterCoalescing);
        Some(found.at)
    }

    /// Makes a used block of the first `words` words of the wilderness.
    #[inline(always)]
    fn extend(&mut self, top: usize, words: usize) {
        let flags = self.memory.load(top - 1) & PREVIOUS_USED;
        self.memory.store(top - 1, header(words, USED | flags));
        self.set_top(top + words, PREVIOUS_USED);
    }

    #[inline(always)]
    fn allocate_block(&mut self, size: usize, need: usize) -> Option<usize> {
        if self.policy.coalesce() == Coalesce::EveryCall {
            self.sweep();
        }
        match self.find(need) {
            Some(found) => {
                let way = self.take(found, need, size);
                self.memory.meter.served(way);
                Some(found.at)
            }
            None => self.miss(size, need),
        }
    }

    #[inline(always)]
    fn need(&self, size: usize) -> Option<usize> {
        self.index.round(Self::format(&self.policy).words_for::<W>(size)?)
    }

    fn view(&self, at: usize, head: usize) -> BlockView {
        BlockView {
            offset: (at - 1) * W::BYTES,
            size: self.size_of(head) * W::BYTES,
            header: W::BYTES,
            layer: 0,
            state: if is_used(head) { State::Used } else { State::Free },
        }
    }
}

// SAFETY: I1 and M1: blocks tile the region, so used ones are disjoint and inside it.
unsafe impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool> Heap
    for BlockPool<W, I, L, S, M, TAGS>
{
    type Meter = M;

    #[inline]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let need = self.need(size)?;
        if alignment > self.policy.alignment() || alignment & alignment.wrapping_sub(1) != 0 {
            return self.allocate_aligned(size, need, alignment).or_else(|| self.allocate_joined(size, alignment));
        }
        match self.allocate_block(size, need) {
            Some(at) => Some(self.memory.pointer(at)),
            None => self.allocate_joined(size, alignment),
        }
    }

    #[inline]
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        if let Some((at, header)) = self.used_block(pointer) {
            self.release(at, header);
        }
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let before = if L::CHECKED { self.heap_errors.count } else { 0 };
        // SAFETY: the caller's promise is the same.
        unsafe { self.deallocate(pointer) };
        if L::CHECKED { self.heap_errors.since(before) } else { Ok(()) }
    }

    fn heap_errors(&self) -> HeapErrors {
        self.heap_errors
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if L::CHECKED {
            self.used_block(pointer)?;
        }
        let stays = is_aligned_to(pointer, alignment);
        if stays && self.resize(pointer, size) {
            return Some(pointer);
        }
        let Some(moved) = self.allocate_by_call(size, alignment) else {
            return (stays && self.resize_joined(pointer, size)).then_some(pointer);
        };
        // SAFETY: the pool has just returned `moved`; the old block is used by the caller's promise, and freed below.
        unsafe { copy_payload(self, pointer, moved, size) };
        let at = self.memory.index(pointer);
        let header = self.memory.load(at - 1);
        self.release_block(at, header);
        Some(moved)
    }

    fn allocate_with(&mut self, _priority: Priority, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate_by_call(size, alignment)
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        if L::CHECKED {
            return self.find_used(pointer).map_or(0, |(_, header)| payload_bytes::<W>(words_of(header)));
        }
        payload_bytes::<W>(words_of(self.memory.peek(self.memory.index(pointer) - 1)))
    }

    #[inline]
    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        words_of(self.memory.peek(self.memory.index(pointer) - 1)) * W::BYTES
    }

    #[inline(always)]
    fn alignment(&self) -> usize {
        self.policy.alignment()
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        let mut at = self.first;
        loop {
            let head = self.memory.peek(at - 1);
            if words_of(head) == 0 {
                return;
            }
            visit(self.view(at, head));
            at += self.size_of(head);
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.verify().map_err(|broken| Violation { offset: broken.offset * W::BYTES, ..broken })
    }

    fn control_size(&self) -> usize {
        (self.first - 1) * W::BYTES
    }

    fn footprint(&self) -> usize {
        self.memory.peek(control::TOP) * W::BYTES
    }

    #[inline]
    fn footprint_peak(&self) -> usize {
        self.memory.peek(control::HIGH) * W::BYTES
    }

    fn base(&self) -> NonNull<u8> {
        self.memory.base()
    }

    #[inline(always)]
    fn meter(&self) -> &M {
        &self.memory.meter
    }

    #[inline(always)]
    fn meter_mut(&mut self) -> &mut M {
        &mut self.memory.meter
    }
}

impl<W, I, L, S, M, const TAGS: bool> Sealed for BlockPool<W, I, L, S, M, TAGS> {}

impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool> Pool for BlockPool<W, I, L, S, M, TAGS> {
    const CACHED: usize = Self::CACHED;

    #[inline(always)]
    fn used_block(&mut self, pointer: NonNull<u8>) -> Option<(usize, usize)> {
        BlockPool::used_block(self, pointer)
    }
    #[cold]
    fn note_damage(&mut self, at: usize) {
        self.damaged(at);
    }
    #[inline(always)]
    fn memory(&mut self) -> &mut impl Words {
        &mut self.memory
    }
    #[inline(always)]
    fn peek(&self, at: usize) -> usize {
        self.memory.peek(at)
    }
    #[inline(always)]
    fn words_for(&self, size: usize) -> Option<usize> {
        self.need(size)
    }
    fn has_blocks_of(&self, words: usize) -> bool {
        Self::format(&self.policy).has_blocks_of::<W>(words)
    }
    // Layers hold what they do themselves inline, and call what the pool does.
    #[inline(never)]
    fn allocate_words(&mut self, size: usize, words: usize) -> Option<NonNull<u8>> {
        let at = self.allocate_block(size, words)?;
        Some(self.memory.pointer(at))
    }
    fn allocate_apart(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let need = self.need(size)?;
        if alignment > self.policy.alignment() || alignment & alignment.wrapping_sub(1) != 0 {
            return self.allocate_aligned(size, need, alignment);
        }
        self.allocate_words(size, need)
    }
    #[cold]
    fn allocate_joined(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let need = self.need(size)?;
        if alignment & alignment.wrapping_sub(1) != 0 || !self.join() {
            return None;
        }
        if alignment > self.policy.alignment() {
            return self.allocate_aligned(size, need, alignment);
        }
        let at = self.find_joined(size, need).or_else(|| self.miss(size, need))?;
        Some(self.memory.pointer(at))
    }
    #[inline(never)]
    fn release_block(&mut self, at: usize, header: usize) {
        self.release(at, header);
    }
    fn resize_in_place(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        self.resize(pointer, size)
    }
    fn resize_joined(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        self.grow_joined(pointer, size)
    }
    #[inline(always)]
    fn pointer(&self, at: usize) -> NonNull<u8> {
        self.memory.pointer(at)
    }
    #[inline(always)]
    fn index(&self, pointer: NonNull<u8>) -> usize {
        self.memory.index(pointer)
    }
    #[inline(always)]
    fn word(&self) -> usize {
        W::BYTES
    }
    #[inline(always)]
    fn note(&mut self, way: ServePath) {
        self.memory.meter.served(way);
    }
}
