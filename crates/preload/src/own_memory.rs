//! Memory for the library itself: specs are read and tables are made before `malloc` can serve, and by
//! code that must never call it.
//!
//! A bump of mapped pieces. Freed memory stays unused, as requests are few: one for each heap.

use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicUsize, Ordering};

use heapsmith::lock::{RawLock, Spin};

use crate::pages;

/// Bytes of a piece.
const PIECE: usize = 256 << 10;

/// The bump.
pub struct OwnMemory {
    lock: Spin,
    next: AtomicUsize,
    end: AtomicUsize,
}

impl Default for OwnMemory {
    fn default() -> Self {
        OwnMemory::new()
    }
}

impl OwnMemory {
    /// Nothing yet.
    pub const fn new() -> Self {
        OwnMemory { lock: Spin::FREE, next: AtomicUsize::new(0), end: AtomicUsize::new(0) }
    }

    fn take(&self, layout: Layout) -> Option<*mut u8> {
        let (next, end) = (self.next.load(Ordering::Relaxed), self.end.load(Ordering::Relaxed));
        let at = next.next_multiple_of(layout.align());
        if next != 0 && at.checked_add(layout.size()).is_some_and(|after| after <= end) {
            self.next.store(at + layout.size(), Ordering::Relaxed);
            return Some(at as *mut u8);
        }
        let length = layout.size().checked_add(layout.align())?.max(PIECE).checked_next_multiple_of(pages::SIZE)?;
        let base = pages::map(length)? as usize;
        let at = base.next_multiple_of(layout.align());
        self.next.store(at + layout.size(), Ordering::Relaxed);
        self.end.store(base + length, Ordering::Relaxed);
        Some(at as *mut u8)
    }
}

// SAFETY: under the lock every byte of a piece is handed out once, at the asked alignment, and never again.
unsafe impl GlobalAlloc for OwnMemory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.lock.lock();
        let taken = self.take(layout);
        // SAFETY: taken above.
        unsafe { self.lock.unlock() };
        taken.unwrap_or(core::ptr::null_mut())
    }

    /// Every piece is fresh from the system, and nothing is handed out twice.
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise is the same.
        unsafe { self.alloc(layout) }
    }

    unsafe fn dealloc(&self, _pointer: *mut u8, _layout: Layout) {}
}
