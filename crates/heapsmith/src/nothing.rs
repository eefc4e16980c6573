//! The null allocator: it does nothing, so a measured loop costs only itself.

use core::hint::black_box;
use core::ptr::NonNull;

use crate::heap::{BlockView, Heap, Violation};
use crate::meter::Unmetered;

/// Answers every request with the same dangling pointer. Only for timing: its
/// blocks hold nothing.
#[derive(Clone, Copy, Debug)]
pub struct Nothing(());

impl Nothing {
    /// The null allocator.
    ///
    /// # Safety
    ///
    /// It breaks the promise of [`Heap`]: callers must not read or write its blocks or pass it to a collection.
    #[inline]
    pub const unsafe fn new() -> Self {
        Nothing(())
    }
}

// SAFETY: who made the value promised to use no block of it (`Nothing::new`).
unsafe impl Heap for Nothing {
    type Meter = Unmetered;

    #[inline]
    fn allocate(&mut self, size: usize, _alignment: usize) -> Option<NonNull<u8>> {
        black_box(size);
        Some(NonNull::dangling())
    }
    #[inline]
    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        black_box(pointer);
    }
    #[inline]
    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, _alignment: usize) -> Option<NonNull<u8>> {
        black_box(size);
        Some(pointer)
    }
    unsafe fn usable_size(&self, _pointer: NonNull<u8>) -> usize {
        0
    }
    unsafe fn block_size(&self, _pointer: NonNull<u8>) -> usize {
        0
    }
    fn alignment(&self) -> usize {
        1
    }
    fn walk(&self, _visit: &mut dyn FnMut(BlockView)) {}
    fn check(&self) -> Result<(), Violation> {
        Ok(())
    }
    fn control_size(&self) -> usize {
        0
    }
    fn footprint(&self) -> usize {
        0
    }
    fn footprint_peak(&self) -> usize {
        0
    }
    fn base(&self) -> NonNull<u8> {
        NonNull::dangling()
    }
    fn meter(&self) -> &Unmetered {
        &Unmetered
    }
    fn meter_mut(&mut self) -> &mut Unmetered {
        // SAFETY: a type without size needs no memory, so a dangling reference to it is a reference.
        unsafe { NonNull::dangling().as_mut() }
    }
}
