//! Allocators with the interface of the C library: `malloc`, `free`, `realloc`, `aligned_alloc`.
//!
//! Each is the four functions of its library, called without anything between.

use core::ffi::c_void;
use core::ptr::NonNull;

use crate::allocator::Allocator;

/// Whether `malloc` aligns a block of `size` bytes so by itself: as any object of that size may
/// need it, and to no more than two words. (Size classes below two words are aligned to one.)
#[inline(always)]
fn is_natural(size: usize, alignment: usize) -> bool {
    alignment == 1 || alignment <= size && alignment <= 2 * size_of::<usize>()
}

macro_rules! c_allocator {
    ($(#[$doc:meta])* $name:ident: $malloc:path, $free:path, $realloc:path, $aligned:expr) => {
        $(#[$doc])*
        pub struct $name;

        impl Allocator for $name {
            type Receipt = NonNull<u8>;
            const OF_THE_PROCESS: bool = true;

            #[inline(always)]
            fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
                // SAFETY: the functions take any size, and an alignment that is a power of two.
                let pointer: *mut c_void = unsafe {
                    if is_natural(size, alignment) { $malloc(size) } else { ($aligned)(alignment, size) }
                };
                NonNull::new(pointer.cast())
            }
            #[inline(always)]
            unsafe fn deallocate(&mut self, receipt: NonNull<u8>) {
                // SAFETY: P1, and the caller's promise.
                unsafe { $free(receipt.as_ptr().cast()) };
            }
            #[inline(always)]
            unsafe fn reallocate(&mut self, receipt: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
                // SAFETY: P1, and the caller's promise.
                let pointer: *mut c_void = unsafe { $realloc(receipt.as_ptr().cast(), size) };
                NonNull::new(pointer.cast())
            }
        }
    };
}

c_allocator! {
    /// The C library's.
    Libc: libc::malloc, libc::free, libc::realloc, |alignment, size: usize| {
        libc::aligned_alloc(alignment, size.next_multiple_of(alignment))
    }
}

c_allocator! {
    /// mimalloc.
    Mimalloc: libmimalloc_sys::mi_malloc, libmimalloc_sys::mi_free, libmimalloc_sys::mi_realloc, |alignment, size| {
        libmimalloc_sys::mi_malloc_aligned(size, alignment)
    }
}

#[cfg(feature = "jemalloc")]
c_allocator! {
    /// jemalloc, its functions prefixed so that it does not become the process's own.
    Jemalloc: tikv_jemalloc_sys::malloc, tikv_jemalloc_sys::free, tikv_jemalloc_sys::realloc, |alignment, size: usize| {
        tikv_jemalloc_sys::aligned_alloc(alignment, size.next_multiple_of(alignment))
    }
}
