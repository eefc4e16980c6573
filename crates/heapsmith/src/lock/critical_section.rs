//! A lock for firmware: interrupts are masked while it is held.

use core::cell::UnsafeCell;

use critical_section::RestoreState;

use crate::lock::RawLock;

/// A lock that holds a critical section of the crate `critical-section`, which the board's crate implements.
///
/// Critical sections nest and this lock does not: to lock it twice at once would make two users of one heap,
/// so the program is aborted. An interrupt may use the heap; it waits until the section ends.
#[derive(Debug)]
pub struct CriticalSection {
    /// The state that the section restores; none while the lock is free. Read and written inside a section only.
    restore: UnsafeCell<Option<RestoreState>>,
}

// SAFETY: the cell is used inside a critical section only, which one core and context at a time can be in.
unsafe impl Sync for CriticalSection {}

// SAFETY: a critical section excludes all others but those that nest in it; of these the first aborts.
unsafe impl RawLock for CriticalSection {
    const FREE: Self = CriticalSection { restore: UnsafeCell::new(None) };

    fn lock(&self) {
        // SAFETY: `unlock` releases it, in the reverse order of what a job of `Locked` acquires meanwhile.
        let restore = unsafe { critical_section::acquire() };
        // SAFETY: inside a critical section.
        let held = unsafe { &mut *self.restore.get() };
        if held.is_some() {
            locked_twice();
        }
        *held = Some(restore);
    }

    unsafe fn unlock(&self) {
        // SAFETY: the caller holds the lock, so this is inside its critical section.
        if let Some(restore) = unsafe { (*self.restore.get()).take() } {
            // SAFETY: it is what `acquire` returned in `lock`.
            unsafe { critical_section::release(restore) }
        }
    }
}

/// Ends the program: a panic does not unwind out of a C function, and an allocator must not unwind.
#[cold]
extern "C" fn locked_twice() {
    panic!("a heap was used while the same context held its lock")
}
