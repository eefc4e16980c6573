//! What a play took of the system.

use std::mem::MaybeUninit;

/// What the threads of a play took of the system.
pub(crate) struct Used {
    /// Nanoseconds of processors, but for this thread.
    pub processors: u64,
    /// Pages that were touched for the first time.
    pub faults: u64,
}

impl Used {
    /// What they took until now.
    pub fn now() -> Used {
        let mut usage = MaybeUninit::<libc::rusage>::zeroed();
        // SAFETY: the call writes into the place that it is passed.
        let usage = unsafe {
            libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
            usage.assume_init()
        };
        // This thread goes on between the two, so its own time is asked first.
        let own = own_time();
        let processors = clock(libc::CLOCK_PROCESS_CPUTIME_ID).saturating_sub(own);
        Used { processors, faults: usage.ru_minflt as u64 }
    }
}

/// Nanoseconds of processors that this thread took.
pub(crate) fn own_time() -> u64 {
    clock(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn clock(which: libc::clockid_t) -> u64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: the call writes the time into the place that it is passed.
    let time = unsafe {
        libc::clock_gettime(which, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
