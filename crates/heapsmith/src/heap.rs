//! The interface of all heaps.

use core::alloc::Layout;
use core::ptr::NonNull;
use core::sync::atomic::AtomicU16;

use crate::heap_error::{HeapError, HeapErrors};
use crate::meter::Meter;

/// Status of a block as `walk` reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum State {
    /// With the program, or kept by a layer: the pool does not know which.
    Used,
    /// Free in the pool.
    Free,
    /// Kept by a layer. Such a block was reported as used before, by its pool.
    Cached,
}

/// A block as `walk` reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct BlockView {
    /// Bytes from the region's base to the block's header.
    pub offset: usize,
    /// Bytes of the block, header included.
    pub size: usize,
    /// Bytes of the block that are header.
    pub header: usize,
    /// Bytes of the block that a layer wrote around its payload; 0 in what is not with the program.
    pub layer: usize,
    /// Its status.
    pub state: State,
}

/// The first broken invariant that `check` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Violation {
    /// Number and sense of the invariant, as in the docs of its module.
    pub invariant: &'static str,
    /// Bytes from the region's base to the place where it is broken.
    pub offset: usize,
}

impl core::fmt::Display for Violation {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.invariant)
    }
}

impl core::error::Error for Violation {}

/// A region as [`Heap::regions`] reports it.
#[derive(Debug)]
pub struct RegionView<'h, M> {
    /// Bytes from the heap's base to that of the region.
    pub offset: usize,
    /// Bytes before its first block.
    pub control_size: usize,
    /// Its bytes up to the wilderness, now.
    pub footprint: usize,
    /// The most that these ever were.
    pub footprint_peak: usize,
    /// Its wilderness, in bytes from its own base, if something lies behind it ([`Heap::hole`]).
    pub hole: Option<(usize, usize)>,
    /// Bytes of a table behind it, which are a part of the footprint ([`Heap::table_size`]).
    pub table_size: usize,
    /// What was counted in it.
    pub meter: &'h M,
}

/// How urgent a request is.
///
/// A heap without a `reserve` layer makes no difference between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Priority {
    /// Refused while it would cut into the reserve. The priority of [`Heap::allocate`].
    #[default]
    Low,
    /// May use the reserve.
    High,
}

/// A heap: one region, its blocks, and the operations on them.
///
/// Requests that cannot be served are answered with `None`, and the heap stays
/// as it was: a size of zero, a size that no region of this word can hold (with
/// its alignment), an alignment that is not a power of two, and a region that
/// is full. No method panics, allocates elsewhere or formats.
///
/// The methods take sizes and alignments as numbers, as a trace or a C interface has them;
/// those that take a [`Layout`] do the same with what Rust knows of a type.
///
/// | method | time | a pointer that is no live block of this heap |
/// |---|---|---|
/// | `allocate` | of the design: see its module | |
/// | `deallocate`, `try_deallocate`, `reallocate` | of the design | undefined, but for what [`crate::heap_error`] lists |
/// | `usable_size`, `block_size` | O(1) | undefined |
/// | `walk`, `check`, `audit` | O(blocks) | |
/// | the others | O(1) | |
///
/// # Safety
///
/// Other code trusts an implementation: collections write to the blocks that it returns.
///
/// - A block that [`Heap::allocate`] or [`Heap::reallocate`] returned is valid for reads and writes of the
///   bytes that [`Heap::usable_size`] returns, at least those requested, and a multiple of the requested alignment.
/// - It overlaps no other live block and nothing that the heap uses itself, until it is freed, or resized successfully.
/// - It stays so however the heap is moved, for as long as the heap's region exists.
/// - A resized block holds the bytes that the old one held, up to the smaller of both sizes.
/// - Every payload is a multiple of [`Heap::alignment`] bytes.
/// - No method unwinds.
pub unsafe trait Heap {
    /// The meter that counts the heap's work.
    type Meter: Meter;

    /// A block of at least `size` bytes at a multiple of `alignment` bytes; 0
    /// and 1 mean the heap's own alignment.
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>>;

    /// A block for a value of this layout; none for a layout of 0 bytes.
    #[inline]
    fn allocate_layout(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        self.allocate(layout.size(), layout.align())
    }

    /// As [`Heap::allocate`], with a priority.
    fn allocate_with(&mut self, priority: Priority, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let _ = priority;
        self.allocate(size, alignment)
    }

    /// Frees a block. A heap that refuses to leaves the block used and
    /// remembers why ([`Heap::heap_errors`]).
    ///
    /// # Safety
    ///
    /// `pointer` came from this heap and was not freed since. A heap that
    /// detects a heap error (table in [`crate::heap_error`]) may be misused in that way.
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>);

    /// Frees a block. Returns an error if the heap refuses: the block then stays used.
    ///
    /// # Safety
    ///
    /// As for [`Heap::deallocate`].
    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        // SAFETY: the caller's promise is the same.
        unsafe { self.deallocate(pointer) };
        Ok(())
    }

    /// The heap errors that this heap detected.
    fn heap_errors(&self) -> HeapErrors {
        HeapErrors::default()
    }

    /// The last heap error that this heap detected.
    fn last_heap_error(&self) -> Option<HeapError> {
        self.heap_errors().last
    }

    /// Makes a block at least `size` bytes large, in place where its neighbour
    /// allows, and keeps its contents up to the smaller of both sizes. The
    /// result is a multiple of `alignment`, which is the alignment that the
    /// block was requested with. On `None` the block is unchanged.
    ///
    /// # Safety
    ///
    /// As for [`Heap::deallocate`].
    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>>;

    /// Makes a block suit the layout `new`, as [`Heap::reallocate`] does.
    ///
    /// # Safety
    ///
    /// As for [`Heap::deallocate`].
    unsafe fn reallocate_layout(&mut self, pointer: NonNull<u8>, new: Layout) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise is the same.
        unsafe { self.reallocate(pointer, new.size(), new.align()) }
    }

    /// Bytes that the owner of the block may use: at least the requested size.
    ///
    /// # Safety
    ///
    /// As for [`Heap::deallocate`]: the heap reads the size next to the payload.
    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize;

    /// Bytes of the block, header included.
    ///
    /// # Safety
    ///
    /// As for [`Heap::usable_size`].
    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize;

    /// The alignment of every payload, in bytes, whatever the request.
    fn alignment(&self) -> usize;

    /// Every block in address order, then the blocks that layers keep.
    fn walk(&self, visit: &mut dyn FnMut(BlockView));

    /// Verifies every invariant and names the first that is broken. Time linear
    /// in the number of blocks.
    fn check(&self) -> Result<(), Violation>;

    /// Reports the heap errors that can be seen now, before anything is freed: what was written around live blocks, and
    /// into blocks in quarantine. Those of live blocks come as the walk meets them, so what follows a damaged block has
    /// not been trusted yet. A heap without a guard sees none. Time linear in the blocks and in the bytes in quarantine.
    fn audit(&self, found: &mut dyn FnMut(HeapError)) {
        let _ = found;
    }

    /// Has layers mix a number into what they write around blocks and into freed ones, so that what a program writes there
    /// cannot look like theirs. To be called before the first request, and on a guard before a layer goes in
    /// front of it that has a block of its own ([`Reserve`](crate::Reserve)): blocks from before count as damaged. Costs
    /// nothing in accesses or bytes. The number is 0 where it was never called; a heap without a guard has no use for it.
    fn set_secret(&mut self, secret: usize) {
        let _ = secret;
    }

    /// Has spans note the class of the span over each unit of [`SpanValues::UNIT`](crate::parts::SpanValues::UNIT) bytes, or of a
    /// span where those are shorter, from 1, and 0 where there is none. The first is that of the last multiple of
    /// [`SpanValues::UNIT`](crate::parts::SpanValues::UNIT) bytes at or before the region's base. The entry of a block's first
    /// byte stays the same while the block is used, so its owner may read it while another thread has the heap. To be called before
    /// the first request. Whether anything is noted: a heap that is no layer of spans has none. The upper byte is the owner
    /// ([`Heap::serve`]). Costs no access.
    ///
    /// # Safety
    ///
    /// The entries are 0, and live as long as the heap.
    unsafe fn publish_classes(&mut self, entries: NonNull<[AtomicU16]>) -> bool {
        let _ = entries;
        false
    }

    /// Has requests served from the spans of an owner from now on, from 1 to as many as spans were made
    /// for ([`Spans::owned`](crate::Spans::owned)); 0 is nobody, as before the first call. Who is served makes no difference to a block that is freed.
    fn serve(&mut self, owner: usize) {
        let _ = owner;
    }

    /// Bytes that the heap needs before its first block: control words and alignment.
    fn control_size(&self) -> usize;

    /// Bytes of the region up to the wilderness, now; of a heap with something at both ends, all but the wilderness between.
    fn footprint(&self) -> usize;

    /// Where the wilderness begins and ends, in bytes from the region's base, if blocks may lie behind it, or a table.
    /// [`Heap::walk`] leaves it out.
    fn hole(&self) -> Option<(usize, usize)> {
        None
    }

    /// Bytes behind the wilderness that say what the blocks are, in whole words, now; 0 of most heaps, which say it elsewhere.
    fn table_size(&self) -> usize {
        0
    }

    /// The most that [`Heap::footprint`] ever was (*high-water mark*).
    fn footprint_peak(&self) -> usize;

    /// Bytes of a region in which, as in every larger one, all blocks of this heap would have lain where they did: the high-water
    /// mark, of one that grows into its wilderness. One that finds its wilderness among the free blocks needs more.
    fn sufficient_region(&self) -> usize {
        self.footprint_peak()
    }

    /// The regions of the heap, in its order of preference: one, but behind [`Regions`](crate::Regions).
    fn regions(&self, visit: &mut dyn FnMut(RegionView<'_, Self::Meter>)) {
        visit(RegionView {
            offset: 0,
            control_size: self.control_size(),
            footprint: self.footprint(),
            footprint_peak: self.footprint_peak(),
            hole: self.hole(),
            table_size: self.table_size(),
            meter: self.meter(),
        });
    }

    /// The region's first byte.
    fn base(&self) -> NonNull<u8>;

    /// The meter.
    fn meter(&self) -> &Self::Meter;

    /// The meter, for a layer that reports its own words.
    fn meter_mut(&mut self) -> &mut Self::Meter;
}

/// A borrowed heap is a heap, of known type or not (`&mut dyn Heap<Meter = M>`).
///
/// The second form takes the type of the pool away from rarely used layers, so
/// that they are compiled once and not for every pool. Each operation costs a
/// call through a table; accesses, visits and addresses are the same.
// SAFETY: the promise is that of the borrowed heap, which nobody else can reach meanwhile.
unsafe impl<H: Heap + ?Sized> Heap for &mut H {
    type Meter = H::Meter;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        (**self).allocate(size, alignment)
    }
    fn allocate_with(&mut self, priority: Priority, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        (**self).allocate_with(priority, size, alignment)
    }
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        unsafe { (**self).deallocate(pointer) }
    }
    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        // SAFETY: the caller's promise is the same.
        unsafe { (**self).try_deallocate(pointer) }
    }
    fn heap_errors(&self) -> HeapErrors {
        (**self).heap_errors()
    }
    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise is the same.
        unsafe { (**self).reallocate(pointer, size, alignment) }
    }
    unsafe fn usable_size(&self, pointer: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise is the same.
        unsafe { (**self).usable_size(pointer) }
    }
    unsafe fn block_size(&self, pointer: NonNull<u8>) -> usize {
        // SAFETY: the caller's promise is the same.
        unsafe { (**self).block_size(pointer) }
    }
    fn alignment(&self) -> usize {
        (**self).alignment()
    }
    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        (**self).walk(visit);
    }
    fn check(&self) -> Result<(), Violation> {
        (**self).check()
    }
    fn audit(&self, found: &mut dyn FnMut(HeapError)) {
        (**self).audit(found);
    }
    fn set_secret(&mut self, secret: usize) {
        (**self).set_secret(secret);
    }
    unsafe fn publish_classes(&mut self, entries: NonNull<[AtomicU16]>) -> bool {
        // SAFETY: the caller's promise is the same.
        unsafe { (**self).publish_classes(entries) }
    }
    fn serve(&mut self, owner: usize) {
        (**self).serve(owner);
    }
    fn control_size(&self) -> usize {
        (**self).control_size()
    }
    fn footprint(&self) -> usize {
        (**self).footprint()
    }
    fn hole(&self) -> Option<(usize, usize)> {
        (**self).hole()
    }
    fn table_size(&self) -> usize {
        (**self).table_size()
    }
    fn footprint_peak(&self) -> usize {
        (**self).footprint_peak()
    }
    fn sufficient_region(&self) -> usize {
        (**self).sufficient_region()
    }
    fn regions(&self, visit: &mut dyn FnMut(RegionView<'_, Self::Meter>)) {
        (**self).regions(visit);
    }
    fn base(&self) -> NonNull<u8> {
        (**self).base()
    }
    fn meter(&self) -> &Self::Meter {
        (**self).meter()
    }
    fn meter_mut(&mut self) -> &mut Self::Meter {
        (**self).meter_mut()
    }
}
