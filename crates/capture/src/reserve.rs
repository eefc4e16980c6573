//! What a program can still be recorded into once it restricts its system calls (seccomp), or lowers its own limits.

use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

use crate::format::{GRANULE, RESTRICTED_CALLS};

/// Granules that are mapped for what comes after a restriction: 16 MiB, or a million events.
pub const RESERVED: u64 = 64;

/// Whether this process, or one that it was forked from, restricted its system calls.
static RESTRICTED: AtomicBool = AtomicBool::new(false);

/// Whether the process may not ask the system any more.
#[inline(always)]
pub fn restricted() -> bool {
    RESTRICTED.load(Ordering::Relaxed)
}

/// Notes that the process restricted its system calls, or that the restriction was refused.
pub fn set_restricted(is: bool) {
    RESTRICTED.store(is, Ordering::Release);
}

/// Granules in a row, mapped and not used yet.
#[repr(C)]
pub struct Reserve {
    at: AtomicPtr<u8>,
    first: AtomicU64,
    used: AtomicU64,
}

impl Reserve {
    /// Whether it was mapped.
    pub fn is_filled(&self) -> bool {
        !self.at.load(Ordering::Relaxed).is_null()
    }

    /// Takes the granules from number `first` on, which are mapped at `at`.
    pub fn fill(&self, first: u64, at: *mut u8) {
        self.first.store(first, Ordering::Relaxed);
        self.at.store(at, Ordering::Release);
    }

    /// The next granule: its number, and where it is mapped.
    pub fn take(&self) -> Result<(u64, *mut u8), c_int> {
        let at = self.at.load(Ordering::Acquire);
        let number = self.used.fetch_add(1, Ordering::Relaxed);
        if at.is_null() || number >= RESERVED {
            return Err(RESTRICTED_CALLS);
        }
        Ok((self.first.load(Ordering::Relaxed) + number, at.wrapping_add(number as usize * GRANULE)))
    }
}
