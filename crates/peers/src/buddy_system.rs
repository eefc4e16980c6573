//! buddy_system_allocator: binary buddies, a list for each order, on the whole region.

use core::marker::PhantomData;

use heapsmith::{Fixed, Source};

use crate::allocator::{Allocator, Receipt, Sized, layout, moved};

/// Blocks of up to 2^47 bytes: no region is larger.
const ORDERS: usize = 48;

/// buddy_system_allocator over a region.
pub struct BuddySystem<'a>(buddy_system_allocator::Heap<ORDERS>, PhantomData<Fixed<'a>>);

impl<'a> BuddySystem<'a> {
    /// With the memory of `region`.
    pub fn new(region: Fixed<'a>) -> Self {
        let mut heap = buddy_system_allocator::Heap::empty();
        // SAFETY: the region is borrowed for as long as this lives (P2).
        unsafe { heap.init(region.base().as_ptr().expose_provenance(), region.length()) };
        BuddySystem(heap, PhantomData)
    }
}

impl Allocator for BuddySystem<'_> {
    type Receipt = Sized;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<Sized> {
        let layout = layout(size, alignment)?;
        Some(Sized::new(self.0.alloc(layout).ok()?, layout))
    }
    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: Sized) {
        // SAFETY: P1, and the caller's promise.
        unsafe { self.0.dealloc(receipt.pointer(), receipt.layout()) };
    }
    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: Sized, size: usize) -> Option<Sized> {
        // SAFETY: the caller's promise.
        unsafe { moved(self, receipt, size) }
    }
}
