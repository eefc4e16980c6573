//! What every heap can do.

use core::ptr::NonNull;

use crate::meter::Meter;

/// Status of a block as `walk` reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// With the program, or kept by a layer: the pool does not know which.
    Used,
    /// Free in the pool.
    Free,
    /// Kept by a layer. Such a block was reported as used before, by its pool.
    Kept,
}

/// A block as `walk` reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockView {
    /// Bytes from the region's base to the block's header.
    pub offset: usize,
    /// Bytes of the block, header included.
    pub size: usize,
    /// Bytes of the block that are header.
    pub header: usize,
    /// Its status.
    pub state: State,
}

/// The first broken invariant that `check` found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A heap: one region, its blocks, and the operations on them.
///
/// Requests that cannot be served are answered with `None`, and the heap stays
/// as it was: a size of zero, a size that no region of this word can hold (with
/// its alignment), an alignment that is not a power of two, and a region that
/// is full.
pub trait Heap {
    /// What the heap reports its work to.
    type Meter: Meter;

    /// A block of at least `size` bytes at a multiple of `alignment` bytes; 0
    /// and 1 stand for the heap's own alignment.
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>>;

    /// Frees a block.
    ///
    /// # Safety
    ///
    /// `pointer` came from this heap and was not freed since.
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>);

    /// Makes a block at least `size` bytes large, in place where its neighbour
    /// allows, and keeps its contents up to the smaller of both sizes. The
    /// result is a multiple of `alignment`, which is the alignment that the
    /// block was asked for with. On `None` the block is as it was.
    ///
    /// # Safety
    ///
    /// As for [`Heap::deallocate`].
    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>>;

    /// Bytes that the owner of the block may use: at least what was asked for.
    fn usable_size(&self, pointer: NonNull<u8>) -> usize;

    /// Bytes of the block, header included.
    fn block_size(&self, pointer: NonNull<u8>) -> usize;

    /// Every block in address order, then the blocks that layers keep.
    fn walk(&self, visit: &mut dyn FnMut(BlockView));

    /// Verifies every invariant and names the first that is broken. Time linear
    /// in the number of blocks.
    fn check(&self) -> Result<(), Violation>;

    /// Bytes that the heap needs before its first block: control words and alignment.
    fn control_size(&self) -> usize;

    /// Bytes of the region up to the wilderness, now.
    fn footprint(&self) -> usize;

    /// The most that [`Heap::footprint`] ever was (*high-water mark*).
    fn footprint_peak(&self) -> usize;

    /// The region's first byte.
    fn base(&self) -> NonNull<u8>;

    /// The meter.
    fn meter(&self) -> &Self::Meter;
}
