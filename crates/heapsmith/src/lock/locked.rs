//! A heap behind a lock.

use core::cell::UnsafeCell;

use crate::lock::RawLock;

/// A heap that one thread at a time uses. `&Locked` is an allocator of collections with the feature `allocator-api2`.
///
/// ```
/// use core::mem::MaybeUninit;
/// use heapsmith::{Fixed, Heap, Locked, Spin, Tlsf};
///
/// let mut memory = [MaybeUninit::<u64>::uninit(); 256];
/// let shared = Locked::<_, Spin>::new(Tlsf::new(Fixed::new(&mut memory))?);
/// assert_eq!(shared.with(|heap| heap.check()), Ok(()));
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
#[derive(Debug)]
pub struct Locked<H, L> {
    lock: L,
    heap: UnsafeCell<H>,
}

// SAFETY: the heap is reached with the lock held only, by one thread at a time.
unsafe impl<H: Send, L: RawLock> Sync for Locked<H, L> {}

impl<H, L: RawLock> Locked<H, L> {
    /// The heap behind a free lock.
    pub const fn new(heap: H) -> Self {
        Locked { lock: L::FREE, heap: UnsafeCell::new(heap) }
    }

    /// Looks at the heap, alone. Not from within another use of the same heap, which would wait for ever.
    pub fn with<T>(&self, job: impl FnOnce(&H) -> T) -> T {
        self.alone(|heap| job(heap))
    }

    /// Does something with the heap, alone. Not from within another use of the same heap.
    ///
    /// # Safety
    ///
    /// The job leaves the heap in its place: it does not exchange it for another one, as collections
    /// hold blocks of this one.
    pub unsafe fn with_mut<T>(&self, job: impl FnOnce(&mut H) -> T) -> T {
        self.alone(job)
    }

    /// Does something with the heap while the lock is held.
    pub(super) fn alone<T>(&self, job: impl FnOnce(&mut H) -> T) -> T {
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

    /// The heap, with exclusive access.
    pub fn get_mut(&mut self) -> &mut H {
        self.heap.get_mut()
    }

    /// The heap, without its lock.
    pub fn into_inner(self) -> H {
        self.heap.into_inner()
    }
}
