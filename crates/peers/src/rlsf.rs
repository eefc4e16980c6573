//! rlsf: two-level segregated fit on the whole region, with 32 lists for each power of two, as the
//! catalogue's `tlsf` has. (Its own global allocator has 64, and 32 KB of list heads.)

use core::ptr::NonNull;

use heapsmith::{Fixed, Source};
use rlsf::Tlsf;

use crate::allocator::{Allocator, Receipt, Sized, layout};

/// Powers of two from its granularity of four words, and lists for each.
const LEVELS: usize = 32;

/// TLSF over a region. Its list heads lie outside of it.
pub struct Rlsf<'a>(Box<Tlsf<'a, u32, u32, LEVELS, LEVELS>>);

impl<'a> Rlsf<'a> {
    /// With the memory of `region`.
    pub fn new(region: Fixed<'a>) -> Self {
        let mut heap = Box::new(Tlsf::new());
        // SAFETY: the region is borrowed for as long as this lives (P2).
        unsafe { heap.insert_free_block_ptr(NonNull::slice_from_raw_parts(region.base(), region.length())) };
        Rlsf(heap)
    }
}

impl Allocator for Rlsf<'_> {
    type Receipt = Sized;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<Sized> {
        let layout = layout(size, alignment)?;
        Some(Sized::new(self.0.allocate(layout)?, layout))
    }
    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: Sized) {
        // SAFETY: P1, and the caller's promise.
        unsafe { self.0.deallocate(receipt.pointer(), receipt.alignment()) };
    }
    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: Sized, size: usize) -> Option<Sized> {
        let layout = layout(size, receipt.alignment())?;
        // SAFETY: P1, the caller's promise, and the alignment is the one that the block was asked for with.
        Some(Sized::new(unsafe { self.0.reallocate(receipt.pointer(), layout) }?, layout))
    }
}
