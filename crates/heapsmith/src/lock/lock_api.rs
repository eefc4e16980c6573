//! Any lock of the crate `lock_api`.

use lock_api::RawMutex;

use crate::lock::RawLock;

/// A lock made of a `lock_api::RawMutex`: that of `parking_lot`, of `spin`, or of a system.
#[derive(Debug)]
pub struct LockApi<R>(R);

// SAFETY: `RawMutex` promises mutual exclusion. The guard is dropped where it was made, so it never changes its thread.
unsafe impl<R: RawMutex + Sync> RawLock for LockApi<R> {
    const FREE: Self = LockApi(R::INIT);

    fn lock(&self) {
        self.0.lock();
    }

    unsafe fn unlock(&self) {
        // SAFETY: the caller holds the lock.
        unsafe { self.0.unlock() }
    }
}
