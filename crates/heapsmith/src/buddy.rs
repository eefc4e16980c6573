//! Buddy heaps: blocks of powers of two, each joined with one neighbour only.
//!
//! ```text
//!   region  ┌─────────┬───┬──────┬──────────────┬──────────────┬─── … ───────────┐
//!           │ control │ 2 │ 3    │ 4            │ 4            │ wilderness      │
//!           └─────────┴───┴──────┴──────────────┴──────────────┴─── … ───────────┘
//!             lists    orders ascend, then as requested        ▲ TOP
//!
//!   block   ┌──────────────┬─────────────────────────────────┐
//!     used  │ words │ 0 1  │ payload: 2^order − 1 words      │   owner word before the
//!     free  │ words │ p 0  │ next │ previous │ …             │   header, with handles
//!           └──────────────┴─────────────────────────────────┘
//!                          ▲ a multiple of 2^order words, up to 4096 bytes
//! ```
//!
//! A request is rounded up so that header and payload fill a power of two. The
//! free block is found by the [`Recombination`]: [`Knuth`]'s or [`Estranged`].
//! If there is none the wilderness is extended to the next place where such a
//! block may lie; what is skipped becomes free blocks. So the footprint counts
//! what was ever allocated, and a region need not be a power of two. With
//! [`OneBlock`] there is no wilderness: the heap begins as one free block of a
//! power of two, and headers are in a table ([`Start`]).
//!
//! # Invariants
//!
//! - **B1** The blocks tile the region from the first to the wilderness. Each
//!   has `2^k` words, at least the smallest order, and a position that is a multiple of that.
//! - **B2** Every free block is on the one list for its order and status, once, linked both ways.
//! - **B3** Knuth: no two free blocks are buddies, and none is the buddy of the wilderness.
//! - **B4** Estranged: a free block is marked if and only if its buddy is free;
//!   of two marked buddies the lower is on buddy-free, the upper on no list.
//! - **B5** The wilderness begins inside the region and not above its high-water mark.
//! - **B6** With handles: the owner word of a used block is 0, or names a
//!   master word that names the block.
//! - **B7** Estranged: as many pairs wait on the buddy-free lists as are counted, and no more than may wait.
//!
//! # Cost
//!
//! | operation | time | notes |
//! |---|---|---|
//! | allocate, deallocate | O(log region) | estranged: O(1) mostly, O(free) when it glues, O(pairs · log region) where pairs are bounded |
//! | space | 1 word a block, and the rounding | control: a word a list, 12, 28 or 52 orders by word |
//!
//! Sources: Knuth 1968, §2.5; Donahue, Hampton, Deters, Nye, Cytron, Kavi 2001, §2.2-2.8.

mod blocks;
mod check;
mod checked;
mod defragment;
mod estranged;
mod knuth;
mod movable;
mod recombination;
mod resize;
mod start;

use core::marker::PhantomData;
use core::ptr::NonNull;

pub use blocks::Blocks;
pub use estranged::Estranged;
pub use knuth::Knuth;
pub use recombination::Recombination;
pub use start::{GRID, OneBlock, Start, Wilderness};

use crate::block::{is_used, words_of};
use crate::buddy::blocks::order_of;
use crate::handles::Moved;
use crate::heap::{BlockView, Heap, State, Violation};
use crate::heap_error::{HeapError, HeapErrors};
use crate::index::control;
use crate::memory::{RegionError, Words, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::pool::{Pool, is_aligned_to, move_block};
use crate::sealed::Sealed;
use crate::source::Source;
use crate::word::Word;

/// A buddy heap over one region.
///
/// `W` is the word, `R` says when free buddies become one, `S` is the region's
/// source, `M` the meter. With `HANDLES` blocks have an owner word and those
/// that belong to a handle are moved when that serves a request. `F` says what the heap begins with.
#[derive(Debug)]
pub struct Buddies<W, R, S, M, const HANDLES: bool, F = Wilderness> {
    blocks: Blocks<W, S, M, F>,
    moved: Moved,
    growth: Growth,
    recombination: PhantomData<R>,
}

/// When a request that no free block serves takes memory that was never used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Growth {
    /// After free buddies were joined for it.
    #[default]
    AfterGluing,
    /// Before: never-used memory counts as a larger block, which is split before buddies are joined.
    BeforeGluing,
}

impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool, F: Start> Buddies<W, R, S, M, HANDLES, F> {
    /// Words of a block before its payload.
    const HEAD: usize = F::HEADER + HANDLES as usize;

    /// An empty heap over the region that `source` supplies; every payload is a multiple of `alignment`.
    pub fn from_parts(source: S, alignment: usize, meter: M) -> Result<Self, RegionError> {
        Self::with_reserved(source, alignment, meter, 0)
    }

    /// An empty heap that leaves `reserved` words for layers, from word
    /// [`Buddies::reserved_at`] on, set to 0.
    pub(crate) fn with_reserved(source: S, alignment: usize, meter: M, reserved: usize) -> Result<Self, RegionError> {
        check_alignment::<W>(alignment)?;
        let control = Self::reserved_at(alignment).saturating_add(reserved);
        let mut blocks = Blocks::new(source, meter, alignment, Self::HEAD, control)?;
        if !F::HAS_WILDERNESS {
            let (first, top) = (blocks.first, blocks.top());
            let order = blocks.highest(top);
            R::insert(&mut blocks, first, order);
        }
        Ok(Buddies { blocks, moved: Moved::default(), growth: Growth::default(), recombination: PhantomData })
    }

    /// The same empty heap, in which at most `pairs` pairs of free buddies wait to be joined.
    ///
    /// A free that completes one more pair joins it at once, order by order. So one request joins no more than
    /// `pairs` buddies of each order, and none is refused that an unbounded heap serves. With 0 this is Knuth's system.
    #[must_use]
    pub fn gluing(mut self, pairs: usize) -> Self {
        self.blocks.max_pairs = pairs;
        self
    }

    /// The same heap, which takes never-used memory as `growth` says.
    #[must_use]
    pub fn growing(mut self, growth: Growth) -> Self {
        self.growth = growth;
        self
    }

    /// The first of the words that were reserved for layers.
    pub(crate) fn reserved_at(alignment: usize) -> usize {
        Self::masters_at(alignment) + 2 * HANDLES as usize
    }

    /// The word that begins the list of unused master words; behind it, the list of their blocks.
    fn masters_at(alignment: usize) -> usize {
        let orders = blocks::max_order::<W>() + 1 - blocks::min_order::<W, F>(alignment, Self::HEAD);
        control::INDEX + R::LISTS * orders as usize
    }

    /// Words of the block that serves a request of `size` bytes; none if no block can.
    pub fn words_for_size(alignment: usize, size: usize) -> Option<usize> {
        if size == 0 || size > W::MAX_WORDS * W::BYTES || check_alignment::<W>(alignment).is_err() {
            return None;
        }
        let words = (size.div_ceil(W::BYTES) + Self::HEAD).next_power_of_two();
        let words = words.max(1 << blocks::min_order::<W, F>(alignment, Self::HEAD));
        (words <= W::MAX_WORDS).then_some(words)
    }

    /// The order of the block that serves a request.
    #[inline(always)]
    fn order(&self, size: usize, alignment: usize) -> Option<u32> {
        if size == 0 || size > W::MAX_WORDS * W::BYTES || alignment > GRID || alignment & alignment.wrapping_sub(1) != 0
        {
            return None;
        }
        let aligned = (alignment / W::BYTES).max(1).trailing_zeros();
        let order = self.blocks.order_for(size.div_ceil(W::BYTES)).max(aligned);
        (order <= blocks::max_order::<W>()).then_some(order)
    }

    /// A used block of `order`.
    #[inline(always)]
    fn allocate_order(&mut self, order: u32) -> Option<usize> {
        let (at, way) = match R::take(&mut self.blocks, order) {
            Some(found) => found,
            None => self.miss(order)?,
        };
        self.blocks.write_used(at, order);
        self.blocks.memory.meter.served(way);
        Some(at)
    }

    /// A block for a request that no free block serves.
    #[cold]
    fn miss(&mut self, order: u32) -> Option<(usize, ServePath)> {
        if self.growth == Growth::BeforeGluing
            && let Some(at) = self.grow(order)
        {
            return Some((at, ServePath::ByGrowing));
        }
        if let Some(at) = R::glue(&mut self.blocks, order) {
            return Some((at, ServePath::AfterCoalescing));
        }
        // What was glued may join the wilderness, so this is tried even where it was tried before.
        if let Some(at) = self.grow(order) {
            return Some((at, ServePath::ByGrowing));
        }
        if HANDLES { self.defragment(order).map(|at| (at, ServePath::AfterDefragmentation)) } else { None }
    }

    /// Extends the wilderness by a block of `order`; what is skipped before it becomes free blocks.
    fn grow(&mut self, order: u32) -> Option<usize> {
        let blocks = &mut self.blocks;
        if !F::HAS_WILDERNESS {
            return None;
        }
        let mut top = blocks.top();
        if !R::EAGER {
            let lower = knuth::retreat::<R, W, S, M, F>(blocks, top, order);
            if lower != top {
                top = lower;
                blocks.set_top(top);
            }
        }
        let at = blocks.next_place(top, order);
        let end = at + (1 << order);
        if !blocks.memory.ensure_len(end - blocks.head) {
            return None;
        }
        while top < at {
            let skipped = blocks.order_at(top);
            R::insert(blocks, top, skipped);
            top += 1 << skipped;
        }
        blocks.set_top(end);
        Some(at)
    }

    fn header_of(&self, pointer: NonNull<u8>) -> usize {
        self.blocks.peek_header(self.blocks.memory.index(pointer))
    }
}

// SAFETY: B1 and B2: blocks tile the region, and a free one is on one list once.
unsafe impl<W: Word, R: Recombination, S: Source, M: Meter, const HANDLES: bool, F: Start> Heap
    for Buddies<W, R, S, M, HANDLES, F>
{
    type Meter = M;

    #[inline]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let order = self.order(size, alignment)?;
        let at = self.allocate_order(order)?;
        Some(self.blocks.memory.pointer(at))
    }

    #[inline]
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        if F::CHECKED {
            let Some((at, header)) = self.blocks.used_block(pointer) else { return };
            // Whatever block it becomes a part of: this is no header of a used one any more.
            self.blocks.write(at, order_of(header), 0);
            R::release(&mut self.blocks, at, order_of(header));
            return;
        }
        let at = self.blocks.memory.index(pointer);
        let header = self.blocks.load_header(at);
        R::release(&mut self.blocks, at, order_of(header));
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let before = if F::CHECKED { self.blocks.heap_errors.count } else { 0 };
        // SAFETY: the caller's promise is the same.
        unsafe { self.deallocate(pointer) };
        if F::CHECKED { self.blocks.heap_errors.since(before) } else { Ok(()) }
    }

    fn heap_errors(&self) -> HeapErrors {
        self.blocks.heap_errors
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if F::CHECKED {
            self.blocks.used_block(pointer)?;
        }
        let stays = is_aligned_to(pointer, alignment);
        if stays && self.resize(pointer, size) {
            return Some(pointer);
        }
        // SAFETY: the caller's promise is the same.
        let moved = unsafe { move_block(self, pointer, size, alignment) };
        // Buddies that were joined for a new block let this one grow where it is. With handles it may have been moved.
        moved.or_else(|| (stays && !HANDLES && self.resize(pointer, size)).then_some(pointer))
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        if F::CHECKED {
            let used = self.blocks.used_at(pointer);
            return used.map_or(0, |(_, header)| (words_of(header) - Self::HEAD) * W::BYTES);
        }
        (words_of(self.header_of(pointer)) - Self::HEAD) * W::BYTES
    }

    #[inline]
    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        words_of(self.header_of(pointer)) * W::BYTES
    }

    #[inline(always)]
    fn alignment(&self) -> usize {
        (1 << self.blocks.min) * W::BYTES
    }

    /// Every block in address order, then the blocks of master words, which the heap keeps for itself.
    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        let view = |at: usize, head: usize, state| BlockView {
            offset: (at - Self::HEAD) * W::BYTES,
            size: words_of(head) * W::BYTES,
            header: Self::HEAD * W::BYTES,
            layer: 0,
            state,
        };
        self.blocks.each(|at, head| visit(view(at, head, if is_used(head) { State::Used } else { State::Free })));
        self.each_master_block(|at| visit(view(at, self.blocks.peek_header(at), State::Cached)));
    }

    fn check(&self) -> Result<(), Violation> {
        self.verify().map_err(|broken| Violation { offset: broken.offset * W::BYTES, ..broken })
    }

    fn control_size(&self) -> usize {
        (self.blocks.first - Self::HEAD) * W::BYTES
    }

    fn footprint(&self) -> usize {
        (self.blocks.memory.peek(control::TOP) - Self::HEAD) * W::BYTES
    }

    #[inline]
    fn footprint_peak(&self) -> usize {
        (self.blocks.memory.peek(control::HIGH) - Self::HEAD) * W::BYTES
    }

    fn base(&self) -> NonNull<u8> {
        self.blocks.memory.base()
    }

    #[inline(always)]
    fn meter(&self) -> &M {
        &self.blocks.memory.meter
    }

    #[inline(always)]
    fn meter_mut(&mut self) -> &mut M {
        &mut self.blocks.memory.meter
    }
}

impl<W, R, S, M, F> Sealed for Buddies<W, R, S, M, false, F> {}

/// Only without handles: a layer caches blocks that must not move.
impl<W: Word, R: Recombination, S: Source, M: Meter, F: Start> Pool for Buddies<W, R, S, M, false, F> {
    #[inline(always)]
    fn memory(&mut self) -> &mut impl Words {
        &mut self.blocks.memory
    }
    #[inline(always)]
    fn peek(&self, at: usize) -> usize {
        self.blocks.memory.peek(at)
    }
    #[inline(always)]
    fn words_for(&self, size: usize) -> Option<usize> {
        self.order(size, 1).map(|order| 1 << order)
    }
    fn has_blocks_of(&self, words: usize) -> bool {
        words.is_power_of_two() && (1 << self.blocks.min..=W::MAX_WORDS).contains(&words)
    }
    #[inline]
    fn allocate_words(&mut self, _size: usize, words: usize) -> Option<NonNull<u8>> {
        let at = self.allocate_order(words.trailing_zeros())?;
        Some(self.blocks.memory.pointer(at))
    }
    fn allocate_apart(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate_by_call(size, alignment)
    }
    /// Buddies are joined as they are freed, or by the search itself.
    fn allocate_joined(&mut self, _size: usize, _alignment: usize) -> Option<NonNull<u8>> {
        None
    }
    #[inline(always)]
    fn release_block(&mut self, at: usize, header: usize) {
        R::release(&mut self.blocks, at, order_of(header));
    }
    fn resize_in_place(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        self.resize(pointer, size)
    }
    fn resize_joined(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        self.resize(pointer, size)
    }
    #[inline(always)]
    fn pointer(&self, at: usize) -> NonNull<u8> {
        self.blocks.memory.pointer(at)
    }
    #[inline(always)]
    fn index(&self, pointer: NonNull<u8>) -> usize {
        self.blocks.memory.index(pointer)
    }
    #[inline(always)]
    fn word(&self) -> usize {
        W::BYTES
    }
    #[inline(always)]
    fn note(&mut self, way: ServePath) {
        self.blocks.memory.meter.served(way);
    }
}
