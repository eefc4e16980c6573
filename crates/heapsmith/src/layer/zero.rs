//! Zeroed storage.
//!
//! ```text
//!   allocate    ──▶ heap ──▶ the whole payload is set to 0
//!   reallocate  ──▶ heap ──▶ what the block gained, or gave up in place, is set to 0
//! ```
//!
//! Under a `guard` the guard's words are written after the zeroes; before one,
//! the payload that the guard lets be used is set to 0. Both orders are sound.
//!
//! # Invariants
//!
//! - **Z1** Every byte of a payload that its owner did not write is 0, from the
//!   last requested size to the usable size as well.
//!
//! # Cost
//!
//! Time linear in the payload. Payload bytes are no metadata, so accesses are the heap's.
//!
//! Source: Donahue et al. 2001, §2.4 (Java storage is initialised, mostly to zeroes, when it is handed out).

use core::ptr::NonNull;

use crate::heap::{BlockView, Heap, Priority, Violation};
use crate::heap_error::{HeapError, HeapErrors};

/// Zeroes the blocks that the heap `H` allocates.
#[derive(Debug)]
pub struct Zero<H> {
    heap: H,
}

impl<H: Heap> Zero<H> {
    /// A layer before `heap`.
    pub const fn new(heap: H) -> Self {
        Zero { heap }
    }

    /// Sets the payload to 0 from byte `from` to its usable end.
    ///
    /// # Safety
    ///
    /// `pointer` is a live block of the heap.
    unsafe fn clear(&mut self, pointer: NonNull<u8>, from: usize) {
        // SAFETY: the block is live; the heap lets its owner use `end` bytes, and nobody else has them.
        unsafe {
            let end = self.heap.usable_size(pointer);
            if from < end {
                pointer.as_ptr().add(from).write_bytes(0, end - from);
            }
        }
    }
}

// SAFETY: the heap below keeps the promise; this layer writes payloads before it hands them out.
unsafe impl<H: Heap> Heap for Zero<H> {
    type Meter = H::Meter;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate_with(Priority::default(), size, alignment)
    }

    fn allocate_with(&mut self, priority: Priority, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let pointer = self.heap.allocate_with(priority, size, alignment)?;
        // SAFETY: the heap has just returned it.
        unsafe { self.clear(pointer, 0) };
        Some(pointer)
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        unsafe { self.heap.deallocate(pointer) }
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        // SAFETY: the caller's promise is the same.
        unsafe { self.heap.try_deallocate(pointer) }
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        // SAFETY: the caller's promise is the same, and the heap has just returned what is cleared.
        unsafe {
            let before = self.heap.usable_size(pointer);
            let moved = self.heap.reallocate(pointer, size, alignment)?;
            self.clear(moved, before.min(size));
            Some(moved)
        }
    }

    super::as_below!(walk of heap);
}
