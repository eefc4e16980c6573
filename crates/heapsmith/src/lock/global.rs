//! A heap as the program's allocator.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::mem::MaybeUninit;
use core::ptr::{NonNull, null_mut};

use crate::heap::Heap;
use crate::lock::{Locked, RawLock};
use crate::memory::RegionError;
use crate::source::Fixed;

/// Makes a heap over the region of a [`Global`].
type Make<H> = fn(Fixed<'static>) -> Result<H, RegionError>;

/// The region begins at a multiple of 64 bytes, so that payload addresses do
/// not depend on where the linker put the static, up to that alignment.
#[derive(Debug)]
#[repr(align(64))]
struct Storage<const BYTES: usize>(UnsafeCell<[MaybeUninit<u8>; BYTES]>);

/// A heap over a region of `BYTES` bytes in the value itself, for `#[global_allocator]`.
///
/// The heap is made at the first request. If its region is too small every
/// request is refused. The region is uninitialised memory, so it costs no
/// space in the program's file. `examples/global.rs` is a whole program.
#[derive(Debug)]
pub struct Global<H, L, const BYTES: usize> {
    heap: Locked<Option<H>, L>,
    make: Make<H>,
    storage: Storage<BYTES>,
}

// SAFETY: the storage is reached through the heap only, and the heap through its lock.
unsafe impl<H: Send, L: RawLock, const BYTES: usize> Sync for Global<H, L, BYTES> {}

impl<H: Heap, L: RawLock, const BYTES: usize> Global<H, L, BYTES> {
    /// A heap that `make` makes at the first request.
    ///
    /// # Safety
    ///
    /// The value is a `static`: it neither moves nor ends once it was used.
    pub const unsafe fn new(make: Make<H>) -> Self {
        let storage = Storage(UnsafeCell::new([MaybeUninit::uninit(); BYTES]));
        Global { heap: Locked::new(None), make, storage }
    }

    /// Does something with the heap, alone; none if the region is too small for
    /// it. The job must not allocate from this heap by other ways than its argument.
    pub fn with<T>(&self, job: impl FnOnce(&mut H) -> T) -> Option<T> {
        self.heap.with(|slot| {
            if slot.is_none() {
                let base = NonNull::new(self.storage.0.get())?.cast();
                // SAFETY: the value is a static, and its storage is handed out here, once: a heap
                // that could not be made has not kept it.
                let region = unsafe { Fixed::from_raw(base, BYTES) };
                *slot = (self.make)(region).ok();
            }
            slot.as_mut().map(job)
        })
    }
}

fn raw(block: Option<Option<NonNull<u8>>>) -> *mut u8 {
    block.flatten().map_or(null_mut(), NonNull::as_ptr)
}

// SAFETY: blocks are disjoint, have the layout's size and alignment and stay
// where they are until they are freed, as `Heap` promises; nothing unwinds.
unsafe impl<H: Heap, L: RawLock, const BYTES: usize> GlobalAlloc for Global<H, L, BYTES> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        raw(self.with(|heap| heap.allocate(layout.size(), layout.align())))
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _layout: Layout) {
        if let Some(pointer) = NonNull::new(pointer) {
            // SAFETY: the caller promises that this is a live block of this allocator.
            self.with(|heap| unsafe { heap.deallocate(pointer) });
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(pointer) = NonNull::new(pointer) else { return null_mut() };
        // SAFETY: as for `dealloc`.
        raw(self.with(|heap| unsafe { heap.reallocate(pointer, size, layout.align()) }))
    }
}
