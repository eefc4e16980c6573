//! Pages of objects of one size, after phkmalloc.
//!
//! ```text
//!   region  ┌─────────┬───────────┬────────┬────────┬─────────────────┬─── … ──────┐
//!           │ control │ directory │ 16 16… │ 64 64… │ run of 2 pages  │ wilderness │
//!           └─────────┴───────────┴────────┴────────┴─────────────────┴─── … ──────┘
//!                                   page 1   page 2   pages 3 and 4   ▲ TOP
//! ```
//!
//! A request of up to half a page is rounded up to a power of two, at least
//! `min`, and served by an object in a page of such objects. Pages with a free
//! object of a class are on the list of the class. A larger request gets the
//! first run of free pages that holds it, in address order, else never-used
//! pages. A page whose last object is freed becomes a free page. Free runs
//! join their neighbours and the wilderness.
//!
//! Objects have no header: the directory holds the class of their page, and
//! holds the bitmap. With [`InPages`] it lies as in phkmalloc: in the page where
//! objects are small, in an object elsewhere where they are large. Then with
//! [`PageOrder::Phk`], 16 pages retained and no resizing in place the heap places
//! every request where phkmalloc 1.89 does (paper 003's experiment `003-phkmalloc`).
//!
//! # Invariants
//!
//! - **P1** Pages of objects, used runs and free runs tile the pages up to the wilderness.
//! - **P2** Free runs are listed in address order, hold their length at both
//!   ends, and touch neither each other nor, if they are longer than what is retained, the wilderness.
//! - **P3** A page has one free object for each bit of its bitmap, and not all of its objects are free; those under its
//!   own entry never are.
//! - **P4** A page of objects is on the list of its class if and only if an object is free.
//! - **P5** The directory has room for every page below the wilderness, the region as well.
//! - **P6** A search unit holds the bitmap of a page of its class, or of none.
//!
//! # Cost
//!
//! | operation | time | notes |
//! |---|---|---|
//! | allocate object | the search | a new page: + first fit over free runs |
//! | deallocate object | O(1) | the last of a page: + O(free runs) to find its place |
//! | allocate, deallocate run | O(free runs) | now and then the directory moves: O(pages) |
//! | space | an entry a page | 4 words and the bitmap of the smallest objects: 48 bytes for 4096 with word=4, min=16 |
//!
//! Sources: Kamp, phkmalloc (FreeBSD); Li, Mohanty, Kavi, "A page-based hybrid
//! (software-hardware) dynamic memory allocator", §II-III.

mod check;
mod checked;
mod directory;
mod issued;
mod policy;
mod runs;
mod search;
mod unit;

use core::ptr::NonNull;

pub use issued::{Custom0, Mmio};
pub use policy::{InDirectory, InPages, PageOrder, PagePolicy, Placement, Usual};
pub use search::{Bitmap, BitmapSearch, ByTree, ByWord, Linear};
pub use unit::{Emulated, Hardware, Unit};

use crate::buddy::GRID;
use crate::heap::{BlockView, Heap, State, Violation};
use crate::heap_error::{HeapError, HeapErrors};
use crate::index::control;
use crate::memory::{Memory, RegionError, Words, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::pool::{is_aligned_to, move_block};
use crate::source::Source;
use crate::word::Word;
use directory::{CAPACITY, CLASSES, DIRECTORY, Directory, FIELDS, FREE, Field, OBJECTS, PLACE, RUN, TOP};

/// The numbers of a page heap, each a power of two, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageSizes {
    /// Bytes of a page.
    pub page: usize,
    /// Bytes of the smallest object: at least the word, at most half a page.
    pub min: usize,
    /// Alignment of every payload.
    pub alignment: usize,
}

impl PageSizes {
    /// The largest page, in bytes.
    pub const MAX_PAGE: usize = 65_536;

    /// Whether a heap with words of `W` can have pages and objects of these sizes.
    fn check<W: Word>(&self) -> Result<(), RegionError> {
        check_alignment::<W>(self.alignment)?;
        let page = self.page.is_power_of_two() && self.page <= Self::MAX_PAGE;
        let min = self.min.is_power_of_two() && self.min >= W::BYTES && self.min <= self.page / 2;
        if page && min { Ok(()) } else { Err(RegionError::PageSizes) }
    }
}

/// A heap of pages over one region.
///
/// `W` is the word, `F` finds free objects, `S` is the region's source, `M` the meter, `P` says where entries lie, and has the values.
#[derive(Debug)]
pub struct PageHeap<W, F, S, M, P = Usual> {
    directory: Directory<W, S, M, P>,
    sizes: PageSizes,
    search: F,
    heap_errors: HeapErrors,
}

impl<W: Word, U: Unit, S: Source, M: Meter, P: Placement> PageHeap<W, Hardware<U>, S, M, P> {
    /// Brings the bitmaps that the unit holds back into the region, and lets it hold none: `check` and `walk` then see them, and the unit may
    /// serve another heap in between. Takes two accesses a word of a bitmap, at most 2 · page / min bits.
    pub fn store_bitmaps(&mut self) {
        for class in 0..Self::classes(&self.sizes) {
            let at = self.held(class);
            let held = self.directory.memory.load(at);
            if held == 0 {
                continue;
            }
            // Where entries lie in pages, the bitmap's place is held (`Bitmap::page`).
            let entry = if P::IN_PAGES { held - FIELDS } else { self.directory.entry_at(held) };
            let map = self.bitmap(held, entry, class);
            self.search.release(&mut self.directory.memory, map);
            self.directory.memory.store(at, 0);
        }
    }
}

/// The class or run of a request.
enum Wanted {
    /// An object of a class.
    Object(usize),
    /// This many pages.
    Run(usize),
}

impl<W: Word, F: BitmapSearch, S: Source, M: Meter> PageHeap<W, F, S, M> {
    /// An empty heap over the region that `source` supplies.
    pub fn from_parts(source: S, sizes: PageSizes, meter: M) -> Result<Self, RegionError>
    where
        F: Default,
    {
        Self::with_search(source, sizes, meter, F::default())
    }

    /// An empty heap whose bitmaps are searched by `search`.
    pub fn with_search(source: S, sizes: PageSizes, meter: M, search: F) -> Result<Self, RegionError> {
        Self::with_policy(source, sizes, Usual, meter, search)
    }
}

impl<W: Word, F: BitmapSearch, S: Source, M: Meter, P: Placement> PageHeap<W, F, S, M, P> {
    /// An empty heap with this policy.
    pub fn with_policy(source: S, sizes: PageSizes, policy: P, meter: M, search: F) -> Result<Self, RegionError> {
        sizes.check::<W>()?;
        let sizes = PageSizes { min: sizes.min.max(sizes.alignment.min(sizes.page / 2)), ..sizes };
        let mut memory = Memory::<W, S, M>::new(source, meter)?;
        let page = sizes.page / W::BYTES;
        let entry = if P::IN_PAGES { 1 } else { FIELDS + F::words(sizes.page / sizes.min, W::BITS) };
        let base = memory.base_address() / W::BYTES;
        let control = Self::control_words(&sizes);
        let first = (base + control + entry).next_multiple_of(page.min(GRID / W::BYTES)) - base;
        if !memory.ensure_len(first + page) {
            return Err(RegionError::TooSmall { needed: (first + page) * W::BYTES, given: memory.supplied() });
        }
        for at in control::INDEX..control {
            memory.store(at, 0);
        }
        memory.store(PLACE, control);
        memory.store(CAPACITY, (first - control) / entry);
        memory.poke(control::HIGH, 0);
        let mut directory = Directory { memory, first, page, entry, spare: control - 1, policy };
        directory.set_top(1);
        directory.clear_from(1);
        let mut heap = PageHeap { directory, sizes, search, heap_errors: HeapErrors::default() };
        if P::IN_PAGES {
            heap.keep_spare();
        }
        Ok(heap)
    }

    /// Gives the search back, and the heap up.
    pub fn into_search(self) -> F {
        self.search
    }

    fn classes(sizes: &PageSizes) -> usize {
        (sizes.page / sizes.min).trailing_zeros() as usize
    }

    /// Control words, behind which the directory begins.
    fn control_words(sizes: &PageSizes) -> usize {
        let classes = Self::classes(sizes);
        CLASSES + classes + F::control_words(classes) + if P::IN_PAGES { 2 } else { 0 }
    }

    /// The same of this heap.
    fn control(&self) -> usize {
        Self::control_words(&self.sizes)
    }

    /// Bytes of an object of a class.
    #[inline(always)]
    fn object(&self, class: usize) -> usize {
        self.sizes.min << class
    }

    /// The class of objects that hold this many bytes, at most half a page.
    #[inline(always)]
    fn class_of(&self, bytes: usize) -> usize {
        let object = bytes.next_power_of_two().max(self.sizes.min);
        (object / self.sizes.min).trailing_zeros() as usize
    }

    /// Bytes of the entry of a page of a class, where it lies apart from the directory.
    fn entry_bytes(&self, class: usize) -> usize {
        (FIELDS + F::words(self.sizes.page / self.object(class), W::BITS)) * W::BYTES
    }

    /// Objects of a page of a class that its own entry takes.
    #[inline(always)]
    fn under_entry(&self, class: usize) -> usize {
        if !P::IN_PAGES {
            return 0;
        }
        let bytes = self.entry_bytes(class);
        // The smallest objects hold their entry in any case: there is no page to put it into.
        let within = class == 0 || self.object(class) <= 2 * bytes;
        if within { bytes.div_ceil(self.object(class)) } else { 0 }
    }

    /// The bitmap in the entry of a page of a class, which begins at `entry`.
    #[inline(always)]
    fn bitmap(&self, page: usize, entry: usize, class: usize) -> Bitmap {
        let at = entry + FIELDS;
        let (page, stride) = if P::IN_PAGES { (at, 1) } else { (page, self.directory.entry) };
        Bitmap { at, objects: self.sizes.page / self.object(class), class, page, stride, held: self.held(class) }
    }

    /// Index of the word that names the page whose bitmap a unit holds for a class, where the search has such.
    #[inline(always)]
    fn held(&self, class: usize) -> usize {
        CLASSES + Self::classes(&self.sizes) + class
    }

    /// The object or run that serves a request of `size` bytes; none if nothing can.
    #[inline(always)]
    fn wanted(&self, size: usize, alignment: usize) -> Option<Wanted> {
        if size == 0 || size > W::MAX_WORDS * W::BYTES || alignment > GRID {
            return None;
        }
        let size = size.max(alignment);
        if size > self.sizes.page / 2 {
            return Some(Wanted::Run(size.div_ceil(self.sizes.page)));
        }
        Some(Wanted::Object(self.class_of(size)))
    }

    /// An object of a class for the program: index of its first word.
    #[inline(always)]
    fn allocate_object(&mut self, class: usize) -> Option<usize> {
        let (at, way) = self.take_object(class)?;
        self.directory.memory.meter.served(way);
        Some(at)
    }

    /// An object of a class: index of its first word.
    #[inline(always)]
    fn take_object(&mut self, class: usize) -> Option<(usize, ServePath)> {
        let listed = self.directory.memory.load(CLASSES + class);
        let (page, way) = if listed != 0 { (listed, ServePath::AtOnce) } else { self.another_page(class)? };
        let entry = self.directory.entry_at(page);
        let map = self.bitmap(page, entry, class);
        let memory = &mut self.directory.memory;
        let object = self.search.take(memory, map)?;
        let left = memory.load(entry + Field::Count as usize) - 1;
        memory.store(entry + Field::Count as usize, left);
        if left == 0 {
            self.directory.unlink(CLASSES + class, page);
        }
        Some((self.directory.start(page) + object * (self.object(class) / W::BYTES), way))
    }

    /// A new page of a class, or one of which the search for it gave back an object.
    #[cold]
    fn another_page(&mut self, class: usize) -> Option<(usize, ServePath)> {
        self.new_page(class).or_else(|| {
            let listed = if P::IN_PAGES { self.directory.memory.load(CLASSES + class) } else { 0 };
            (listed != 0).then_some((listed, ServePath::AtOnce))
        })
    }

    /// A page of free objects of a class, on its list.
    fn new_page(&mut self, class: usize) -> Option<(usize, ServePath)> {
        let (page, way) = self.take_run(1, 1)?;
        if P::IN_PAGES {
            let Some(entry) = self.place_entry(page, class) else {
                self.free_run(page, 1, true);
                return None;
            };
            self.directory.set_entry(page, entry);
        }
        let entry = self.directory.entry_at(page);
        let map = self.bitmap(page, entry, class);
        let under = self.under_entry(class);
        self.directory.set(page, Field::Kind, OBJECTS + class);
        self.directory.set(page, Field::Count, map.objects - under);
        F::fill(&mut self.directory.memory, map);
        for _ in 0..under {
            self.search.take(&mut self.directory.memory, map);
        }
        let order = self.directory.policy.values().order;
        let sorted = order == PageOrder::Address;
        let previous = if sorted { self.directory.before(CLASSES + class, page, order) } else { 0 };
        self.directory.link(CLASSES + class, previous, page);
        Some((page, way))
    }

    /// Where the entry of a new page of a class goes: in front of its objects, or into an object. The page of that
    /// object holds its own entry: it has more objects, so an entry that is as large, and smaller objects.
    fn place_entry(&mut self, page: usize, class: usize) -> Option<usize> {
        if self.under_entry(class) > 0 {
            return Some(self.directory.start(page));
        }
        let class = self.class_of(self.entry_bytes(class));
        self.take_object(class).map(|(at, _)| at)
    }

    /// Frees an object in the page of a class that has this entry. `spare` is for [`PageHeap::free_run`].
    #[inline(always)]
    fn free_object(&mut self, page: usize, entry: usize, class: usize, at: usize, spare: bool) {
        let map = self.bitmap(page, entry, class);
        let object = (at - self.directory.start(page)) / (self.object(class) / W::BYTES);
        let under = self.under_entry(class);
        let memory = &mut self.directory.memory;
        let free = memory.load(entry + Field::Count as usize) + 1;
        if free == map.objects - under {
            self.search.forget(memory, map);
            self.free_page(page, entry, class, free > 1, spare);
            return;
        }
        self.search.put(memory, map, object);
        memory.store(entry + Field::Count as usize, free);
        if free == 1 {
            let order = self.directory.policy.values().order;
            let previous = self.directory.before(CLASSES + class, page, order);
            self.directory.link(CLASSES + class, previous, page);
        }
    }

    /// Frees a page whose last object is freed. It is listed (P4) if another one was free before.
    fn free_page(&mut self, page: usize, entry: usize, class: usize, listed: bool, spare: bool) {
        if listed {
            self.directory.unlink(CLASSES + class, page);
        }
        if P::IN_PAGES {
            self.directory.write_used(page, 1, RUN);
            if self.under_entry(class) == 0 {
                self.free_entry(entry, spare);
            }
        }
        if P::CHECKED {
            self.directory.set(page, Field::Kind, FREE);
        }
        self.free_run(page, 1, spare);
    }

    /// Bytes of the object or run at `pointer`.
    fn size_at(&self, pointer: NonNull<u8>) -> usize {
        let page = self.directory.page_of(self.directory.memory.index(pointer));
        match self.directory.peek(page, Field::Kind) {
            kind if kind >= OBJECTS => self.object(kind - OBJECTS),
            _ => self.directory.peek(page, Field::Count) * self.sizes.page,
        }
    }

    /// Bytes from the region's base to the end of the pages below `top`.
    fn bytes_below(&self, top: usize) -> usize {
        self.directory.start(top) * W::BYTES
    }

    fn walk_page(&self, page: usize, class: usize, visit: &mut dyn FnMut(BlockView)) {
        let size = self.object(class);
        let entry = self.directory.peek_entry(page);
        let map = self.bitmap(page, entry, class);
        for object in 0..map.objects {
            let free = map.is_free(&self.directory.memory, object);
            let offset = self.directory.start(page) * W::BYTES + object * size;
            let state = if free { State::Free } else { State::Used };
            visit(BlockView { offset, size, header: 0, layer: 0, state });
        }
    }
}

impl<W: Word, F: BitmapSearch, S: Source, M: Meter, P: Placement> PageHeap<W, F, S, M, P> {
    /// The objects that hold entries.
    fn walk_entries(&self, visit: &mut dyn FnMut(BlockView)) {
        let mut cached = |at: usize, size: usize| {
            visit(BlockView { offset: at * W::BYTES, size, header: 0, layer: 0, state: State::Cached });
        };
        let size_of = |at: usize| self.object(self.directory.peek(self.directory.page_of(at), Field::Kind) - OBJECTS);
        let (top, mut page) = (self.directory.memory.peek(TOP), 1);
        while page < top {
            let entry = self.directory.peek_entry(page);
            let (kind, count) = (self.directory.peek(page, Field::Kind), self.directory.peek(page, Field::Count));
            let length = if kind >= OBJECTS { 1 } else { count.max(1) };
            let within = (page..page + length).contains(&self.directory.page_of(entry.max(self.directory.first)));
            if kind >= OBJECTS && within {
                let size = self.object(kind - OBJECTS);
                let at = |object| self.directory.start(page) + object * size / W::BYTES;
                (0..self.under_entry(kind - OBJECTS)).for_each(|object| cached(at(object), size));
            } else if kind >= OBJECTS || kind == FREE && !within {
                cached(entry, size_of(entry));
            }
            page += length;
        }
        let spare = self.directory.memory.peek(self.directory.spare);
        let mut lost = self.directory.memory.peek(self.directory.spare - 1);
        if spare != 0 {
            cached(spare, size_of(spare));
        }
        while lost != 0 {
            cached(lost, size_of(lost));
            lost = self.directory.memory.peek(lost + Field::Next as usize);
        }
    }
}

// SAFETY: P1 and P3: pages tile the region, and an object is in the bitmap or with the program.
unsafe impl<W: Word, F: BitmapSearch, S: Source, M: Meter, P: Placement> Heap for PageHeap<W, F, S, M, P> {
    type Meter = M;

    #[inline]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if alignment & alignment.wrapping_sub(1) != 0 {
            return None;
        }
        let alignment = alignment.max(self.sizes.alignment);
        let at = match self.wanted(size, alignment)? {
            Wanted::Object(class) => self.allocate_object(class)?,
            Wanted::Run(length) => self.allocate_run(length, alignment)?,
        };
        Some(self.directory.memory.pointer(at))
    }

    #[inline]
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        if P::CHECKED && !self.is_used_block(pointer) {
            return;
        }
        let at = self.directory.memory.index(pointer);
        let page = self.directory.page_of(at);
        let entry = self.directory.entry_at(page);
        let kind = self.directory.kind_of(entry);
        if kind >= OBJECTS {
            self.free_object(page, entry, kind - OBJECTS, at, true);
        } else {
            let length = self.directory.get(page, Field::Count);
            if P::CHECKED {
                self.directory.set(page, Field::Kind, FREE);
            }
            self.free_run(page, length, true);
        }
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let before = if P::CHECKED { self.heap_errors.count } else { 0 };
        // SAFETY: the caller's promise is the same.
        unsafe { self.deallocate(pointer) };
        if P::CHECKED { self.heap_errors.since(before) } else { Ok(()) }
    }

    fn heap_errors(&self) -> HeapErrors {
        self.heap_errors
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if P::CHECKED && !self.is_used_block(pointer) {
            return None;
        }
        let stays = is_aligned_to(pointer, alignment);
        if stays && self.resize(pointer, size) {
            return Some(pointer);
        }
        // SAFETY: the caller's promise is the same.
        let moved = unsafe { move_block(self, pointer, size, alignment) };
        // A smaller object is a saving, not a need.
        moved.or_else(|| (stays && size > 0 && size <= self.size_at(pointer)).then_some(pointer))
    }

    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        if P::CHECKED && self.used_at(pointer).is_err() {
            return 0;
        }
        self.size_at(pointer)
    }

    #[inline]
    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        self.size_at(pointer)
    }

    fn alignment(&self) -> usize {
        self.sizes.alignment
    }

    /// Every object and run in address order, then what the heap keeps for itself: entries in pages, and the directory,
    /// if it has pages.
    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        let top = self.directory.memory.peek(TOP);
        let (mut page, mut own) = (1, None);
        while page < top {
            let (kind, count) = (self.directory.peek(page, Field::Kind), self.directory.peek(page, Field::Count));
            if kind >= OBJECTS {
                self.walk_page(page, kind - OBJECTS, visit);
                page += 1;
                continue;
            }
            let state = if kind == FREE { State::Free } else { State::Used };
            let offset = self.directory.start(page) * W::BYTES;
            let view = BlockView { offset, size: count * self.sizes.page, header: 0, layer: 0, state };
            visit(view);
            if kind == DIRECTORY {
                own = Some(BlockView { state: State::Cached, ..view });
            }
            page += count.max(1);
        }
        if let Some(view) = own {
            visit(view);
        }
        if P::IN_PAGES {
            self.walk_entries(visit);
        }
    }

    fn check(&self) -> Result<(), Violation> {
        self.verify().map_err(|broken| Violation { offset: broken.offset * W::BYTES, ..broken })
    }

    fn control_size(&self) -> usize {
        self.directory.first * W::BYTES
    }

    fn footprint(&self) -> usize {
        self.bytes_below(self.directory.memory.peek(TOP))
    }

    #[inline]
    fn footprint_peak(&self) -> usize {
        self.bytes_below(self.directory.memory.peek(control::HIGH))
    }

    fn base(&self) -> NonNull<u8> {
        self.directory.memory.base()
    }

    #[inline(always)]
    fn meter(&self) -> &M {
        &self.directory.memory.meter
    }

    #[inline(always)]
    fn meter_mut(&mut self) -> &mut M {
        &mut self.directory.memory.meter
    }
}
