//! A heap behind a lock.

use core::cell::UnsafeCell;

use crate::lock::RawLock;

/// A heap that one thread at a time uses.
///
/// ```
/// use core::mem::MaybeUninit;
/// use heapsmith::lock::Spin;
/// use heapsmith::{Fixed, Frees, Heap, Linear, Locked, Unmetered};
///
/// let mut memory = [MaybeUninit::<u64>::uninit(); 64];
/// let heap = Linear::<u32, _, _>::new(Fixed::new(&mut memory), 4, Frees::LastFirst, Unmetered)?;
/// let shared = Locked::<_, Spin>::new(heap);
/// assert!(shared.with(|heap| heap.allocate(100, 1)).is_some());
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
#[derive(Debug)]
pub struct Locked<H, L> {
    lock: L,
    heap: UnsafeCell<H>,
}

// SAFETY: the heap is reached through `with` only, by one thread at a time.
unsafe impl<H: Send, L: RawLock> Sync for Locked<H, L> {}

impl<H, L: RawLock> Locked<H, L> {
    /// The heap behind a free lock.
    pub const fn new(heap: H) -> Self {
        Locked { lock: L::FREE, heap: UnsafeCell::new(heap) }
    }

    /// Does something with the heap, alone. Not from within another `with` of the same heap.
    pub fn with<T>(&self, job: impl FnOnce(&mut H) -> T) -> T {
        struct Held<'l, L: RawLock>(&'l L);
        impl<L: RawLock> Drop for Held<'_, L> {
            fn drop(&mut self) {
                // SAFETY: it was locked before this value was made. A panic of the job comes here too.
                unsafe { self.0.unlock() }
            }
        }
        self.lock.lock();
        let _held = Held(&self.lock);
        // SAFETY: the lock is held, so nobody else has the heap.
        job(unsafe { &mut *self.heap.get() })
    }

    /// The heap, which nobody else can have.
    pub fn get_mut(&mut self) -> &mut H {
        self.heap.get_mut()
    }

    /// The heap, without its lock.
    pub fn into_inner(self) -> H {
        self.heap.into_inner()
    }
}
