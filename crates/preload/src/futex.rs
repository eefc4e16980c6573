//! A lock that waits in the kernel, and is not there while the process has one thread.
//!
//! States: 0 free, 1 held, 2 held and somebody waits. Source: Drepper 2011, *Futexes Are Tricky*, the second mutex.

use core::sync::atomic::{AtomicU32, Ordering};

use heapsmith::lock::RawLock;

unsafe extern "C" {
    /// The C library's own note that the calling thread is the only one (glibc 2.32).
    static __libc_single_threaded: u8;
}

/// Whether the process has one thread. What was skipped because of it need not be made up for: a
/// second thread is started by the first, and not in the midst of a call to the heap.
#[inline(always)]
pub fn alone() -> bool {
    // SAFETY: a byte that is written where threads begin and end; read as a whole, as the C library's programs do.
    unsafe { (&raw const __libc_single_threaded).read_volatile() != 0 }
}

/// How often a thread looks before it sleeps, as in emitted libraries (`crates/emit/c/malloc.c`): the lock is mostly held for a few
/// dozen instructions, at times for some thousand, and to sleep and be woken takes longer than either.
const LOOKS: usize = 400;

/// The lock.
#[derive(Debug, Default)]
pub struct Futex(AtomicU32);

impl Futex {
    #[cold]
    fn wait(&self) {
        for _ in 0..LOOKS {
            let is_free = self.0.load(Ordering::Relaxed) == 0;
            if is_free && self.0.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
                return;
            }
            core::hint::spin_loop();
        }
        while self.0.swap(2, Ordering::Acquire) != 0 {
            // SAFETY: waits while the word is 2; woken too early it asks again.
            unsafe {
                libc::syscall(libc::SYS_futex, self.0.as_ptr(), libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG, 2, 0)
            };
        }
    }

    /// Does `job` alone.
    #[inline(always)]
    pub fn with<T>(&self, job: impl FnOnce() -> T) -> T {
        if alone() {
            return job();
        }
        self.lock();
        let outcome = job();
        // SAFETY: taken above, and nothing unwinds.
        unsafe { self.unlock() };
        outcome
    }
}

// SAFETY: only one thread changes 0 to another number, and release pairs with acquire.
unsafe impl RawLock for Futex {
    const FREE: Self = Futex(AtomicU32::new(0));

    #[inline(always)]
    fn lock(&self) {
        if self.0.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_err() {
            self.wait();
        }
    }

    #[inline(always)]
    unsafe fn unlock(&self) {
        if self.0.swap(0, Ordering::Release) == 2 {
            // SAFETY: wakes one that waits.
            unsafe { libc::syscall(libc::SYS_futex, self.0.as_ptr(), libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
        }
    }
}
