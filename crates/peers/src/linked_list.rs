//! linked_list_allocator: one list of free memory in address order, first fit, on the whole region.

use core::marker::PhantomData;

use heapsmith::{Fixed, Source};

use crate::allocator::{Allocator, Receipt, Sized, layout, moved};

/// linked_list_allocator over a region.
pub struct LinkedList<'a>(linked_list_allocator::Heap, PhantomData<Fixed<'a>>);

/// The allocator panics when a region has no room for its first node, wherever the region begins.
const MIN_REGION: usize = 3 * size_of::<usize>();

impl<'a> LinkedList<'a> {
    /// With the memory of `region`. In a region of less than three words every request is refused.
    pub fn new(region: Fixed<'a>) -> Self {
        if region.length() < MIN_REGION {
            return LinkedList(linked_list_allocator::Heap::empty(), PhantomData);
        }
        // SAFETY: the region is borrowed for as long as this lives (P2).
        let heap = unsafe { linked_list_allocator::Heap::new(region.base().as_ptr(), region.length()) };
        LinkedList(heap, PhantomData)
    }
}

impl Allocator for LinkedList<'_> {
    type Receipt = Sized;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<Sized> {
        let layout = layout(size, alignment)?;
        Some(Sized::new(self.0.allocate_first_fit(layout).ok()?, layout))
    }
    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: Sized) {
        // SAFETY: P1, and the caller's promise.
        unsafe { self.0.deallocate(receipt.pointer(), receipt.layout()) };
    }
    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: Sized, size: usize) -> Option<Sized> {
        // SAFETY: the caller's promise.
        unsafe { moved(self, receipt, size) }
    }
}
