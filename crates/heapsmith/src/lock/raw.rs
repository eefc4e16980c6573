//! The interface of locks, and a spin lock.

/// Mutual exclusion.
///
/// # Safety
///
/// From the return of [`RawLock::lock`] to the call of [`RawLock::unlock`] no
/// other call of `lock` on the same value returns, and what was written before
/// an `unlock` is seen after the next `lock`. Neither allocates nor panics.
pub unsafe trait RawLock: Sync {
    /// A free lock.
    #[allow(clippy::declare_interior_mutable_const)] // Every use makes a lock of its own.
    const FREE: Self;

    /// Waits until the lock is free and takes it.
    fn lock(&self);

    /// Gives the lock back.
    ///
    /// # Safety
    ///
    /// The caller holds the lock.
    unsafe fn unlock(&self);
}

/// A lock that waits in a loop.
///
/// Not for code that an interrupt may run while the interrupted code holds it.
#[cfg(target_has_atomic = "8")]
#[derive(Debug, Default)]
pub struct Spin(core::sync::atomic::AtomicBool);

// SAFETY: only one thread swaps `false` for `true`, and release pairs with acquire.
#[cfg(target_has_atomic = "8")]
unsafe impl RawLock for Spin {
    const FREE: Self = Spin(core::sync::atomic::AtomicBool::new(false));

    fn lock(&self) {
        use core::sync::atomic::Ordering::{Acquire, Relaxed};
        while self.0.swap(true, Acquire) {
            while self.0.load(Relaxed) {
                core::hint::spin_loop();
            }
        }
    }

    unsafe fn unlock(&self) {
        self.0.store(false, core::sync::atomic::Ordering::Release);
    }
}
