//! A heap as the program's allocator.

use core::alloc::{GlobalAlloc, Layout};
use core::ptr::{NonNull, null_mut};

use crate::heap::Heap;
use crate::lock::{Locked, RawLock};
use crate::memory::RegionError;
use crate::source::{Fixed, StaticRegion};

/// Makes a heap over the region of a [`Global`].
type Make<H> = fn(Fixed<'static>) -> Result<H, RegionError>;

/// The state of the heap.
#[derive(Debug)]
enum Slot<H> {
    /// Not made: no request came yet.
    Unmade,
    /// Made.
    Made(H),
    /// Its region is too small, or somebody else's.
    Failed,
}

/// A heap over a [`StaticRegion`], for `#[global_allocator]`.
///
/// The heap is made at the first request. If its region is too small, or was taken by
/// somebody else, every request is refused.
///
/// ```
/// use heapsmith::{Global, Heap, Spin, StaticRegion, Tlsf};
///
/// static REGION: StaticRegion<65_536> = StaticRegion::new();
/// #[global_allocator]
/// static HEAP: Global<Tlsf, Spin, 65_536> = Global::new(&REGION, Tlsf::new);
///
/// let numbers: Vec<u32> = (0..100).collect();
/// assert_eq!(HEAP.with(|heap| heap.check()), Some(Ok(())));
/// # drop(numbers);
/// ```
#[derive(Debug)]
pub struct Global<H, L, const BYTES: usize> {
    heap: Locked<Slot<H>, L>,
    region: &'static StaticRegion<BYTES>,
    make: Make<H>,
}

impl<H: Heap, L: RawLock, const BYTES: usize> Global<H, L, BYTES> {
    /// A heap that `make` makes over `region` at the first request.
    pub const fn new(region: &'static StaticRegion<BYTES>, make: Make<H>) -> Self {
        Global { heap: Locked::new(Slot::Unmade), region, make }
    }

    /// Runs a job with shared access to the locked heap; none if the heap could not be made. The job must not
    /// allocate from this heap: it would wait for ever.
    pub fn with<T>(&self, job: impl FnOnce(&H) -> T) -> Option<T> {
        self.alone(|heap| job(heap))
    }

    /// Runs a job with exclusive access to the locked heap; none if the heap could not be made. The job must
    /// allocate from this heap through its argument only.
    ///
    /// # Safety
    ///
    /// The job leaves the heap in its place: it does not exchange it for another one.
    pub unsafe fn with_mut<T>(&self, job: impl FnOnce(&mut H) -> T) -> Option<T> {
        self.alone(job)
    }

    fn alone<T>(&self, job: impl FnOnce(&mut H) -> T) -> Option<T> {
        self.heap.alone(|slot| {
            if let Slot::Unmade = slot {
                *slot = self.make();
            }
            match slot {
                Slot::Made(heap) => Some(job(heap)),
                _ => None,
            }
        })
    }

    #[cold]
    fn make(&self) -> Slot<H> {
        match self.region.take().map(self.make) {
            Some(Ok(heap)) => Slot::Made(heap),
            _ => Slot::Failed,
        }
    }
}

fn raw(block: Option<Option<NonNull<u8>>>) -> *mut u8 {
    block.flatten().map_or(null_mut(), NonNull::as_ptr)
}

// SAFETY: blocks are disjoint, have the layout's size and alignment and stay
// where they are until they are freed, as `Heap` promises; nothing unwinds.
unsafe impl<H: Heap, L: RawLock, const BYTES: usize> GlobalAlloc for Global<H, L, BYTES> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        raw(self.alone(|heap| heap.allocate(layout.size(), layout.align())))
    }

    unsafe fn dealloc(&self, pointer: *mut u8, _layout: Layout) {
        if let Some(pointer) = NonNull::new(pointer) {
            // SAFETY: the caller promises that this is a live block of this allocator.
            self.alone(|heap| unsafe { heap.deallocate(pointer) });
        }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let Some(pointer) = NonNull::new(pointer) else { return null_mut() };
        // SAFETY: as for `dealloc`.
        raw(self.alone(|heap| unsafe { heap.reallocate(pointer, size, layout.align()) }))
    }
}
