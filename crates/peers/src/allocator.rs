//! What a replay asks of an allocator: the narrow trait that heaps and peers share.
//!
//! [`heapsmith::Heap`] asks for more (a walk over all blocks, a footprint, a meter), which no
//! peer has. The least that all can do is here, and every heap can do it.

use core::alloc::Layout;
use core::ptr::NonNull;

use heapsmith::Heap;

/// What the owner of a block keeps, in order to free it.
pub trait Receipt: Copy {
    /// The payload.
    fn pointer(self) -> NonNull<u8>;
}

/// Allocators that free by the pointer alone.
impl Receipt for NonNull<u8> {
    #[inline(always)]
    fn pointer(self) -> NonNull<u8> {
        self
    }
}

/// The receipt of allocators that take size and alignment again on free: 16 bytes, as
/// a slot of a replay should not be larger than it must.
#[derive(Clone, Copy, Debug)]
pub struct Sized {
    pointer: NonNull<u8>,
    /// The size, and in the lowest six bits the alignment's logarithm.
    layout: u64,
}

const LOG2_BITS: u32 = 6;

impl Sized {
    /// Of a block that was asked for with `layout`.
    #[inline(always)]
    pub(crate) fn new(pointer: NonNull<u8>, layout: Layout) -> Sized {
        let log2 = u64::from(layout.align().trailing_zeros());
        Sized { pointer, layout: (layout.size() as u64) << LOG2_BITS | log2 }
    }

    /// What the block was asked for with.
    #[inline(always)]
    pub(crate) fn layout(self) -> Layout {
        let size = (self.layout >> LOG2_BITS) as usize;
        // SAFETY: P3, and no allocator has a block of 2^58 bytes or more.
        unsafe { Layout::from_size_align_unchecked(size, self.alignment()) }
    }

    /// The alignment that it was asked for with.
    #[inline(always)]
    pub(crate) fn alignment(self) -> usize {
        1 << (self.layout & ((1 << LOG2_BITS) - 1))
    }
}

impl Receipt for Sized {
    #[inline(always)]
    fn pointer(self) -> NonNull<u8> {
        self.pointer
    }
}

/// An allocator, ours or a peer.
pub trait Allocator {
    /// What its blocks are freed by.
    type Receipt: Receipt;

    /// Whether its blocks outlive it, so that what is not freed stays lost to the process.
    const OF_THE_PROCESS: bool = false;

    /// A block of at least `size` bytes, above 0, at a multiple of `alignment` bytes, a power of
    /// two; 1 means the allocator's own alignment.
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<Self::Receipt>;

    /// Frees a block.
    ///
    /// # Safety
    ///
    /// The receipt came from this allocator, and its block was neither freed nor resized since.
    unsafe fn deallocate(&mut self, receipt: Self::Receipt);

    /// Gives a block `size` bytes, above 0, and keeps its contents up to the smaller of both sizes.
    /// On `None` the block is as it was, and so is its receipt.
    ///
    /// # Safety
    ///
    /// As for [`Allocator::deallocate`].
    unsafe fn reallocate(&mut self, receipt: Self::Receipt, size: usize) -> Option<Self::Receipt>;
}

impl<H: Heap> Allocator for H {
    type Receipt = NonNull<u8>;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        Heap::allocate(self, size, alignment)
    }
    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        unsafe { Heap::deallocate(self, receipt) };
    }
    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise is the same.
        unsafe { Heap::reallocate(self, receipt, size, 1) }
    }
}

/// The layout of a request to an allocator that takes layouts; none if no block can be so large.
#[inline(always)]
pub(crate) fn layout(size: usize, alignment: usize) -> Option<Layout> {
    Layout::from_size_align(size, alignment.max(size_of::<usize>()))
        .ok()
        .filter(|layout| layout.size() as u64 >> 57 == 0)
}

/// Reallocates as Rust's [`GlobalAlloc`](core::alloc::GlobalAlloc) does for allocators that
/// have nothing better: a new block, the contents copied, the old block freed.
///
/// # Safety
///
/// As for [`Allocator::deallocate`].
pub(crate) unsafe fn moved<A: Allocator<Receipt = Sized>>(allocator: &mut A, old: Sized, size: usize) -> Option<Sized> {
    let new = allocator.allocate(size, old.alignment())?;
    let kept = old.layout().size().min(size);
    // SAFETY: both blocks have `kept` bytes, and two live blocks do not overlap (P1).
    unsafe { core::ptr::copy_nonoverlapping(old.pointer.as_ptr(), new.pointer.as_ptr(), kept) };
    // SAFETY: the caller's promise.
    unsafe { allocator.deallocate(old) };
    Some(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receipt_gives_the_layout_back() {
        for (size, alignment) in [(1, 8), (24, 16), (1 << 40, 4096), ((1 << 57) - 1, 8)] {
            let layout = layout(size, alignment).expect("a layout");
            let receipt = Sized::new(NonNull::dangling(), layout);
            assert_eq!(receipt.layout(), layout);
        }
        assert_eq!(layout(1 << 57, 8), None);
    }
}
