//! A locked heap as an allocator of collections.
//!
//! A block of 0 bytes is a dangling pointer that never reaches the heap.

use core::alloc::Layout;
use core::ptr::{NonNull, slice_from_raw_parts_mut};

use allocator_api2::alloc::{AllocError, Allocator};

use crate::heap::Heap;
use crate::lock::{Locked, RawLock};

/// A pointer to nothing at a multiple of the layout's alignment.
fn nothing(layout: Layout) -> NonNull<u8> {
    NonNull::new(core::ptr::without_provenance_mut(layout.align())).unwrap_or(NonNull::dangling())
}

/// The payload as a slice of this many bytes; none is an error.
fn slice(block: Option<NonNull<u8>>, size: usize) -> Result<NonNull<[u8]>, AllocError> {
    let block = block.ok_or(AllocError)?;
    NonNull::new(slice_from_raw_parts_mut(block.as_ptr(), size)).ok_or(AllocError)
}

impl<H: Heap, L: RawLock> Locked<H, L> {
    fn resize(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if old.size() == 0 {
            return self.allocate(new);
        }
        if new.size() == 0 {
            // SAFETY: the callers below promise that the block is live.
            self.alone(|heap| unsafe { heap.deallocate(block) });
            return slice(Some(nothing(new)), 0);
        }
        // SAFETY: as above.
        slice(self.alone(|heap| unsafe { heap.reallocate(block, new.size(), new.align()) }), new.size())
    }
}

impl<H: Heap, L: RawLock> Locked<H, L> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        if layout.size() == 0 {
            return slice(Some(nothing(layout)), 0);
        }
        slice(self.alone(|heap| heap.allocate(layout.size(), layout.align())), layout.size())
    }
}

// SAFETY: blocks stay valid until they are freed, wherever the reference goes:
// the heap is borrowed, and every copy of the reference is the same heap.
unsafe impl<H: Heap, L: RawLock> Allocator for &Locked<H, L> {
    fn allocate(&self, layout: Layout) -> Result<NonNull<[u8]>, AllocError> {
        (**self).allocate(layout)
    }

    unsafe fn deallocate(&self, block: NonNull<u8>, layout: Layout) {
        if layout.size() > 0 {
            // SAFETY: the caller promises that the block is live.
            self.alone(|heap| unsafe { heap.deallocate(block) });
        }
    }

    unsafe fn grow(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.resize(block, old, new)
    }

    unsafe fn grow_zeroed(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Result<NonNull<[u8]>, AllocError> {
        let grown = self.resize(block, old, new)?;
        // SAFETY: the block has `new.size()` bytes, of which the first `old.size()` are kept.
        unsafe { grown.cast::<u8>().add(old.size()).as_ptr().write_bytes(0, new.size() - old.size()) };
        Ok(grown)
    }

    unsafe fn shrink(&self, block: NonNull<u8>, old: Layout, new: Layout) -> Result<NonNull<[u8]>, AllocError> {
        self.resize(block, old, new)
    }
}
