//! The one clock that orders the events of all threads.
//!
//! Ticks are those of the processor's time stamp counter where that counter is invariant,
//! which on Linux means that it runs alike on all processors; else nanoseconds of the
//! monotonic clock. The counter may be read before an earlier load has its value, so a thread that takes a block from
//! another (a miss of the caches) and frees it may stamp that before the other's last event of the block. A fence would
//! forbid it, and make recordings of several threads half as dear again; the decoder knows instead.
//!
//! Cost: 20 to 40 cycles with the counter, about twice that without.

use core::arch::x86_64::{__cpuid, _rdtsc};
use core::ffi::c_int;

use crate::system::{CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, Timespec, clock_gettime};

/// Whether the time stamp counter can be the clock.
pub fn counter_is_invariant() -> bool {
    const ADVANCED_POWER: u32 = 0x8000_0007;
    // SAFETY: every x86-64 processor has the instruction.
    #[allow(unused_unsafe, reason = "the oldest compiler that is promised takes the call for unsafe")]
    let leaf = |number| unsafe { __cpuid(number) };
    leaf(0x8000_0000).eax >= ADVANCED_POWER && leaf(ADVANCED_POWER).edx & (1 << 8) != 0
}

/// The time stamp counter.
#[inline(always)]
pub fn counter() -> u64 {
    // SAFETY: every x86-64 processor has the counter.
    unsafe { _rdtsc() }
}

/// The clock's ticks.
pub fn ticks(from_counter: bool) -> u64 {
    if from_counter { counter() } else { nanoseconds() }
}

/// Nanoseconds of the monotonic clock.
#[inline(never)]
pub fn nanoseconds() -> u64 {
    read(CLOCK_MONOTONIC)
}

/// Nanoseconds of processors that this process has taken: a system call, where the other clocks are read without one.
pub fn processor_time() -> u64 {
    read(CLOCK_PROCESS_CPUTIME_ID)
}

fn read(clock: c_int) -> u64 {
    let mut time = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: `time` is a time to be written to.
    unsafe { clock_gettime(clock, &mut time) };
    time.seconds as u64 * 1_000_000_000 + time.nanoseconds as u64
}
