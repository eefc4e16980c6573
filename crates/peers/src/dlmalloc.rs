//! dlmalloc: Doug Lea's allocator, ported to Rust, on a region in place of the system.

use core::cell::RefCell;
use core::ptr::{self, NonNull};

use heapsmith::Fixed;

use crate::allocator::Allocator;
use crate::remainder::Remainder;

/// dlmalloc over a region.
pub struct Dlmalloc<'a>(dlmalloc::Dlmalloc<RegionPages<'a>>);

impl<'a> Dlmalloc<'a> {
    /// With the memory of `region`.
    pub fn new(region: Fixed<'a>) -> Self {
        Dlmalloc(dlmalloc::Dlmalloc::new_with_allocator(RegionPages(RefCell::new(Remainder::new(&region)))))
    }
}

/// The system that dlmalloc sees: it gives memory, and takes none back.
struct RegionPages<'a>(RefCell<Remainder<'a>>);

// SAFETY: pieces of the remainder lie in the region and overlap no earlier piece (P2).
unsafe impl dlmalloc::Allocator for RegionPages<'_> {
    fn alloc(&self, size: usize) -> (*mut u8, usize, u32) {
        match self.0.borrow_mut().take(size) {
            Some(piece) => (piece.cast().as_ptr(), piece.len(), 0),
            None => (ptr::null_mut(), 0, 0),
        }
    }
    fn remap(&self, _ptr: *mut u8, _oldsize: usize, _newsize: usize, _can_move: bool) -> *mut u8 {
        ptr::null_mut()
    }
    fn free_part(&self, _ptr: *mut u8, _oldsize: usize, _newsize: usize) -> bool {
        false
    }
    fn free(&self, _ptr: *mut u8, _size: usize) -> bool {
        false
    }
    fn can_release_part(&self, _flags: u32) -> bool {
        false
    }
    fn allocates_zeros(&self) -> bool {
        false
    }
    fn page_size(&self) -> usize {
        4096
    }
}

impl Allocator for Dlmalloc<'_> {
    type Receipt = NonNull<u8>;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: any size; the alignment is a power of two.
        NonNull::new(unsafe { self.0.c_memalign(alignment, size) })
    }
    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: NonNull<u8>) {
        // SAFETY: P1, and the caller's promise.
        unsafe { self.0.c_free(receipt.as_ptr()) };
    }
    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
        // SAFETY: P1, and the caller's promise.
        NonNull::new(unsafe { self.0.c_realloc(receipt.as_ptr(), size) })
    }
}
