//! snmalloc, by its functions for Rust: they take size and alignment again.

use core::ptr::NonNull;

use crate::allocator::{Allocator, Receipt, Sized, layout};

/// snmalloc.
pub struct Snmalloc;

impl Allocator for Snmalloc {
    type Receipt = Sized;
    const OF_THE_PROCESS: bool = true;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<Sized> {
        let layout = layout(size, alignment)?;
        // SAFETY: size and alignment are those of a layout.
        let pointer = unsafe { snmalloc_sys::sn_rust_alloc(layout.align(), layout.size()) };
        Some(Sized::new(NonNull::new(pointer.cast())?, layout))
    }
    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: Sized) {
        let layout = receipt.layout();
        // SAFETY: P1, and the caller's promise.
        unsafe { snmalloc_sys::sn_rust_dealloc(receipt.pointer().as_ptr().cast(), layout.align(), layout.size()) };
    }
    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: Sized, size: usize) -> Option<Sized> {
        let (old, new) = (receipt.layout(), layout(size, receipt.alignment())?);
        let pointer = receipt.pointer().as_ptr().cast();
        // SAFETY: P1, and the caller's promise.
        let pointer = unsafe { snmalloc_sys::sn_rust_realloc(pointer, old.align(), old.size(), size) };
        Some(Sized::new(NonNull::new(pointer.cast())?, new))
    }
}
