//! Spans: runs of blocks of one size class, without headers, before any heap.
//!
//! ```text
//!   region  ┌─────────┬────────┬─────────────────────────────────┬────────┬─────────
//!           │ control │ table  │ span                            │ large  │ span …
//!           └─────────┴────────┴─────────────────────────────────┴────────┴─────────
//!                       │        ▲
//!                       │        └ record │ block │ block │ … │ never used │
//!                       └ for each unit of the region: the record of its span, or 0
//! ```
//!
//! A request of at most the largest class is rounded up to its class and gets a block of a span of that class. Larger
//! ones, and alignments that no block of the class has, go to the heap below, from which the spans are taken too. So is a
//! small request for which no span can be had: none is refused that the heap below would serve.
//!
//! Which span a pointer is in follows from its address: the region is divided into units of [`SpanValues::UNIT`] bytes, or of
//! a span if that is smaller, and spans begin at units. The table has a word for each unit. It is a block of the heap
//! below that moves when a span lies beyond its end, and that is returned with the last span.
//!
//! A span is as long as its size less the header of the heap below, so that spans can follow one another without a gap. The
//! heap below is asked for a place without alignment first: a hole that a span left fits the next one. What it
//! answers with may begin anywhere; then it is returned, and asked for with alignment.
//!
//! A span is a list of the records that have room for each class, in a ring. Blocks are taken from the span at its head
//! until that is full: first those that were freed, then what was never used. [`NextSpan`] says which is the next head.
//! A span whose last block is freed is returned to the heap below, unless fewer than [`SpanValues::keep`] empty spans of its
//! class are kept. The kept ones are returned before a request is refused.
//!
//! Spans may have owners, which threads are: each owner has a ring for each class, and is served from its own spans
//! ([`Heap::serve`]). A block of a span is freed into it by all alike.
//!
//! | [`SpanType`] | free blocks | the record |
//! |---|---|---|
//! | [`ListInside`] | a list through them, last in, first out | at the start of the span |
//! | [`BitmapInside`] | a bit each in the record, lowest address first | at the start of the span |
//! | [`BitmapOutside`] | the same | a block of the heap below: no word of a span is ever touched |
//!
//! # Invariants
//!
//! - **S1** An entry of the table is 0, or the record of the span that covers its unit; a span is a used block of the heap below.
//! - **S2** Of the blocks below FRESH, USED are with the program, and the others on the list or in the bitmap, once.
//! - **S3** A span with room is in the ring of its class and owner, linked both ways, and a full one in none.
//! - **S4** As many spans are there as are counted, and as many empty ones of each ring, at most as many as are kept.
//! - **S5** No bit of a bitmap below the word HINT is set, and none for a block that was never used.
//!
//! # Cost
//!
//! | operation | accesses |
//! |---|---|
//! | allocate, a span has room | list 6, bitmap 5 for what was never used, else 7 and one for each word that has no free block |
//! | deallocate | 9 |
//! | a span is opened | what the heap below takes for one to three blocks, a word for each unit, 7 and the bitmap |
//! | `next=fullest`, `lowest` | 2 for each span with room, when the head becomes full |
//! | space | a record for each span, a word for each unit, 4 words and one or two for each class, of each owner too |
//!
//! Outside, each is one more: the record says where its span begins. `walk` with records outside takes time linear in the
//! blocks of the heap below times the units.
//!
//! Sources: Bonwick 1994 (slabs); Kamp 1998 (bitmaps of pages); Evans 2006 (jemalloc); Ghemawat and Menage (tcmalloc: spans, and
//! a table of pages); Leijen, Zorn and de Moura 2019 (mimalloc: a list for each page).

use core::marker::PhantomData;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU16;

use crate::block::words_ceil;
use crate::heap::{BlockView, Heap, Violation};
use crate::heap_error::{HeapError, HeapErrors};
use crate::layer::own;
use crate::memory::{RegionError, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::pool::{is_aligned_to, move_block};
use crate::sealed::Sealed;
use crate::sizes::SizeMap;
use crate::word::Word;

mod blocks;
mod check;
mod place;
mod ring;
mod view;

/// Which span of a class serves when the one that did is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NextSpan {
    /// The one that has had room for longest.
    #[default]
    First,
    /// The one that got room last.
    Last,
    /// The one with the fewest free blocks.
    Fullest,
    /// The one at the lowest address.
    Lowest,
}

/// The levels of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanValues {
    /// Bytes of a span, with the header of the heap below: a power of two from [`SpanValues::MIN`] to [`SpanValues::MAX`].
    pub span: usize,
    /// Which span of a class serves next.
    pub next: NextSpan,
    /// Empty spans of a class that are not returned, of each owner.
    pub keep: usize,
}

impl SpanValues {
    /// Bytes of the smallest span.
    pub const MIN: usize = 256;
    /// Bytes of the largest span.
    pub const MAX: usize = 1 << 22;
    /// Bytes of the region for each entry of the table; those of a span where it has fewer.
    pub const UNIT: usize = 4096;

    /// Bytes of the region for each entry of the table.
    pub fn unit(&self) -> usize {
        self.span.min(Self::UNIT)
    }
}

/// The most owners of spans.
const MAX_OWNERS: usize = 255;

/// How the free blocks of a span are found, and where its record is.
pub trait SpanType: Sealed + 'static {
    /// Free blocks have a bit each in the record; else they are a list.
    const BITMAP: bool;
    /// The record is a block of the heap below; else it begins the span.
    const OUTSIDE: bool;
}

macro_rules! span_types {
    ($($(#[$doc:meta])* $name:ident, $bitmap:expr, $outside:expr;)*) => {
        $($(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Sealed for $name {}

        impl SpanType for $name {
            const BITMAP: bool = $bitmap;
            const OUTSIDE: bool = $outside;
        })*
    };
}

span_types! {
    /// Free blocks in a list, the record at the start of the span.
    ListInside, false, false;
    /// Free blocks in a bitmap, the record at the start of the span.
    BitmapInside, true, false;
    /// Free blocks in a bitmap, in a record that is not in the span.
    BitmapOutside, true, true;
}

/// Words of the layer's own block.
mod control {
    /// The table; 0 without spans.
    pub const TABLE: usize = 0;
    /// Entries of the table.
    pub const CAPACITY: usize = 1;
    /// Spans.
    pub const SPANS: usize = 2;
    /// Empty spans.
    pub const KEPT: usize = 3;
    /// The heads of the rings, a word for each class of each owner; behind them the numbers of empty spans, if some are kept.
    pub const HEADS: usize = 4;
}

/// Words of a record.
mod record {
    /// The ring: its class, and its owner times the classes.
    pub const RING: usize = 0;
    /// Blocks with the program.
    pub const USED: usize = 1;
    /// Words from the start of the span to what was never used.
    pub const FRESH: usize = 2;
    /// The first free block; or the number of the first word of the bitmap that may have one.
    pub const FREE: usize = 3;
    /// The next span in the ring.
    pub const NEXT: usize = 4;
    /// The one before.
    pub const PREVIOUS: usize = 5;
    /// Where the bitmap begins, inside; and the word with the start of the span, outside.
    pub const LENGTH: usize = 6;
}

/// Where things are in every span of a heap, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Shape {
    /// The span, from its start to the header behind it.
    length: usize,
    /// From the start to the first block.
    first: usize,
    /// The record.
    record: usize,
}

impl Shape {
    /// The shape of spans of `span` bytes whose smallest blocks have `min` words, before a heap with headers of `header`
    /// bytes.
    fn of<W: Word, T: SpanType>(span: usize, header: usize, min: usize, alignment: usize) -> Shape {
        let length = span.saturating_sub(header) / W::BYTES;
        let map = if T::BITMAP { (length / min.max(1)).div_ceil(W::BITS) } else { 0 };
        let record = record::LENGTH + T::OUTSIDE as usize + map;
        let first = if T::OUTSIDE { 0 } else { words_ceil(record, alignment / W::BYTES) };
        Shape { length, first, record }
    }

    /// Blocks of `words` words in a span.
    fn blocks(&self, words: usize) -> usize {
        self.length.saturating_sub(self.first) / words.max(1)
    }
}

/// Words of the largest block that a span of `span` bytes holds before a heap with headers of at most `header` bytes, if its
/// smallest block has `min` words.
pub fn largest_in_span<W: Word, T: SpanType>(span: usize, header: usize, min: usize, alignment: usize) -> usize {
    let shape = Shape::of::<W, T>(span, header, min, alignment);
    shape.length.saturating_sub(shape.first)
}

/// Spans before the heap `H`, whose word is `W`, for the classes of the map `Z`.
#[derive(Debug)]
pub struct Spans<W, H, Z, T> {
    heap: H,
    map: Z,
    values: SpanValues,
    /// Owners that spans may have.
    owners: usize,
    alignment: usize,
    shape: Shape,
    /// The first byte of the region, which never moves.
    base: NonNull<u8>,
    /// Words of the region's base above the last multiple of [`SpanValues::UNIT`] bytes.
    grid: usize,
    /// Binary logarithm of the words of a unit.
    unit: u32,
    /// The layer's own block.
    control: usize,
    /// The first ring of who is served: the owner times the classes.
    rings: usize,
    /// Where classes are told to others ([`Heap::publish_classes`]).
    published: Option<NonNull<[AtomicU16]>>,
    types: PhantomData<(W, T)>,
}

// SAFETY: `base` points into the region that `heap` owns, and what `published` points to is atomic.
unsafe impl<W, H: Send, Z: Send, T> Send for Spans<W, H, Z, T> {}

impl<W: Word, H: Heap, Z: SizeMap, T: SpanType> Spans<W, H, Z, T> {
    /// Spans before the empty `heap`, whose payloads lie at multiples of `alignment`. The lists of `map` are the
    /// classes, by words of payload, each a multiple of the alignment. `W` is the heap's word, or one that it aligns payloads
    /// to.
    pub fn new(heap: H, alignment: usize, map: Z, values: SpanValues) -> Result<Self, RegionError> {
        Self::owned(heap, alignment, map, values, 0)
    }

    /// The same, of which as many owners as this, at most 255, may have spans of their own ([`Heap::serve`]).
    pub fn owned(
        mut heap: H,
        alignment: usize,
        map: Z,
        values: SpanValues,
        owners: usize,
    ) -> Result<Self, RegionError> {
        check_alignment::<W>(alignment)?;
        if !values.span.is_power_of_two() || !(SpanValues::MIN..=SpanValues::MAX).contains(&values.span) {
            return Err(RegionError::BlockSizes);
        }
        if alignment > heap.alignment() || alignment > values.unit() {
            return Err(RegionError::Alignment { given: alignment });
        }
        own::check_below::<W>(&heap)?;
        let granule = alignment / W::BYTES;
        let lists = map.lists();
        let ascend = (1..lists).all(|list| map.words(list - 1) < map.words(list));
        let is_block = |words: usize| words > 0 && words.is_multiple_of(granule) && words <= W::MAX_WORDS;
        let rings = lists.saturating_mul(owners.saturating_add(1));
        let own = control::HEADS.saturating_add(rings.saturating_mul(1 + usize::from(values.keep > 0)));
        if owners > MAX_OWNERS
            || lists == 0
            || own > W::MAX_WORDS
            || !ascend
            || !(0..lists).all(|list| is_block(map.words(list)))
        {
            return Err(RegionError::BlockSizes);
        }
        let control = own::control_block::<W>(&mut heap, own)?;
        let mut header = 0;
        heap.walk(&mut |view| {
            if view.offset + view.header == control * W::BYTES {
                header = view.header;
            }
        });
        let shape = Shape::of::<W, T>(values.span, header, map.words(0), alignment);
        if shape.blocks(map.words(lists - 1)) == 0 || control + own > W::MAX_WORDS {
            return Err(RegionError::BlockSizes);
        }
        let base = heap.base();
        let grid = base.as_ptr().addr() % SpanValues::UNIT / W::BYTES;
        let unit = (values.unit() / W::BYTES).ilog2();
        Ok(Spans {
            heap,
            map,
            values,
            owners,
            alignment,
            shape,
            base,
            grid,
            unit,
            control,
            rings: 0,
            published: None,
            types: PhantomData,
        })
    }

    /// The index of the word at `pointer`, which lies in the region.
    #[inline(always)]
    fn index(&self, pointer: NonNull<u8>) -> usize {
        pointer.as_ptr().addr().wrapping_sub(self.base.as_ptr().addr()) / W::BYTES
    }

    /// The pointer to the word `at`.
    #[inline(always)]
    fn pointer(&self, at: usize) -> NonNull<u8> {
        // SAFETY: O1.
        unsafe { self.base.cast::<W>().add(at).cast() }
    }

    /// The word `at`, unmetered.
    #[inline(always)]
    fn peek(&self, at: usize) -> usize {
        // SAFETY: O1: the index is of the layer's own block, the table, a record, or a free block of a span, all of which were
        // written.
        unsafe { W::read(self.base.cast::<W>().add(at).as_ptr()).to_usize() }
    }

    /// Reads a word and meters it.
    #[inline(always)]
    fn load(&mut self, at: usize) -> usize {
        self.heap.meter_mut().read();
        self.peek(at)
    }

    /// Writes a word and meters it.
    #[inline(always)]
    fn store(&mut self, at: usize, value: usize) {
        self.heap.meter_mut().write();
        // SAFETY: O1: as for `peek`; nobody else uses the word.
        unsafe { W::write(self.base.cast::<W>().add(at).as_ptr(), W::from_usize(value)) }
    }

    /// The class that serves a request, if one does and its blocks lie at multiples of `alignment`.
    #[inline(always)]
    fn class_of(&self, size: usize, alignment: usize) -> Option<usize> {
        if size == 0 || size > self.values.span {
            return None;
        }
        let class = self.map.list_of(words_ceil(size.div_ceil(W::BYTES), self.alignment / W::BYTES))?;
        (alignment <= self.alignment || self.class_alignment(class) >= alignment).then_some(class)
    }

    /// What the blocks of a class are aligned to, in bytes: as the first of a span and their size are.
    fn class_alignment(&self, class: usize) -> usize {
        let both = ((self.shape.first | self.map.words(class)) * W::BYTES) | self.values.unit();
        both & both.wrapping_neg()
    }

    /// Whether this many used blocks of `words` words leave no room in a span.
    #[inline(always)]
    fn fills(&self, used: usize, words: usize) -> bool {
        self.shape.first + (used + 1) * words > self.shape.length
    }

    /// Serves a request of a class of which no span has room: by a new span, or by the heap below.
    #[cold]
    fn miss(&mut self, class: usize, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let mut opened = self.open(self.rings + class);
        if opened.is_none() && self.flush() {
            opened = self.open(self.rings + class);
        }
        match opened {
            Some(record) => {
                let at = self.take(record, self.rings + class, true);
                Some(self.pointer(at))
            }
            None => self.allocate_below(size, alignment),
        }
    }

    /// A block of the heap below. None if it lies where a span is: no heap of this crate has one there, but another may have
    /// headers of several lengths.
    fn allocate_below(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let pointer = self.heap.allocate(size, alignment)?;
        if self.class_at(pointer).is_none() {
            return Some(pointer);
        }
        // SAFETY: the heap has just returned it.
        unsafe { self.heap.deallocate(pointer) };
        None
    }

    /// The class of the block at `pointer` if it is in a span, unmetered.
    fn class_at(&self, pointer: NonNull<u8>) -> Option<usize> {
        let record = self.peek_record(self.index(pointer))?;
        Some(self.class_in(self.peek(record + record::RING)))
    }

    /// The class of a ring.
    #[inline(always)]
    fn class_in(&self, ring: usize) -> usize {
        if self.owners == 0 { ring } else { ring % self.map.lists() }
    }

    /// The owner whose ring it is, or 0.
    fn owner_in(&self, ring: usize) -> usize {
        ring / self.map.lists()
    }
}

// SAFETY: S1 to S3: a block of a span is free or with the program, and the heap below keeps the rest of the promise.
unsafe impl<W: Word, H: Heap, Z: SizeMap, T: SpanType> Heap for Spans<W, H, Z, T> {
    type Meter = H::Meter;

    #[inline]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if alignment & alignment.wrapping_sub(1) != 0 {
            return None;
        }
        let Some(class) = self.class_of(size, alignment) else {
            let first = self.allocate_below(size, alignment);
            return if first.is_none() && self.flush() { self.allocate_below(size, alignment) } else { first };
        };
        let ring = self.rings + class;
        let head = self.load(self.head(ring));
        if head == 0 {
            return self.miss(class, size, alignment);
        }
        let at = self.take(head, ring, false);
        self.heap.meter_mut().served(ServePath::AtOnce);
        Some(self.pointer(at))
    }

    #[inline]
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        let _ = unsafe { self.try_deallocate(pointer) };
    }

    #[inline]
    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let at = self.index(pointer);
        match self.record_of(at) {
            Some(record) => {
                self.put(record, at);
                Ok(())
            }
            // SAFETY: the caller's promise is the same, and the block is none of a span.
            None => unsafe { self.heap.try_deallocate(pointer) },
        }
    }

    unsafe fn publish_classes(&mut self, entries: NonNull<[AtomicU16]>) -> bool {
        self.published = Some(entries);
        true
    }

    fn serve(&mut self, owner: usize) {
        debug_assert!(owner <= self.owners, "an owner that spans may have");
        self.rings = owner.min(self.owners) * self.map.lists();
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let Some(record) = self.record_of(self.index(pointer)) else {
            // SAFETY: the caller's promise is the same, and the block is none of a span; a refusal leaves it as it was.
            return unsafe {
                let first = self.heap.reallocate(pointer, size, alignment);
                if first.is_none() && self.flush() { self.heap.reallocate(pointer, size, alignment) } else { first }
            };
        };
        let ring = self.load(record + record::RING);
        let class = self.class_in(ring);
        let stays = is_aligned_to(pointer, alignment);
        if stays && self.class_of(size, 1) == Some(class) {
            self.heap.meter_mut().served(ServePath::AtOnce);
            return Some(pointer);
        }
        // SAFETY: the caller's promise is the same.
        let moved = unsafe { move_block(self, pointer, size, alignment) };
        // A smaller block is a saving, not a need.
        moved.or_else(|| (stays && size > 0 && size <= self.map.words(class) * W::BYTES).then_some(pointer))
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        match self.class_at(pointer) {
            Some(class) => self.map.words(class) * W::BYTES,
            // SAFETY: the caller's promise is the same, and the block is none of a span.
            None => unsafe { self.heap.usable_size(pointer) },
        }
    }

    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        match self.class_at(pointer) {
            Some(class) => self.map.words(class) * W::BYTES,
            // SAFETY: the caller's promise is the same, and the block is none of a span.
            None => unsafe { self.heap.block_size(pointer) },
        }
    }

    fn alignment(&self) -> usize {
        self.alignment
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        self.view(visit);
    }

    fn check(&self) -> Result<(), Violation> {
        self.heap.check()?;
        self.verify()
    }

    super::as_below!(counts of heap);
    super::as_below!(errors of heap);
}
