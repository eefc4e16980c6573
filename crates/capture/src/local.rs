//! Three words for every thread, reached without a call.
//!
//! ```text
//!   word 0  *mut Thread, null before the first event
//!   word 1  flags: BUSY, ENDED, and then the number that the thread had
//!   word 2  where the thread entered its program's own allocator; 0 outside
//! ```
//!
//! A library that is preloaded has them in storage of the thread's own (`local/storage.rs`); one that is put into a program
//! without a dynamic linker has none, and a table of its own (`local/table.rs`).

use core::ptr::without_provenance_mut;

use crate::thread::Thread;

#[cfg(not(heapsmith_alone))]
mod storage;
#[cfg(heapsmith_alone)]
#[path = "local/table.rs"]
mod storage;

#[cfg(heapsmith_alone)]
pub use storage::{begin, end};
use storage::{get, set};

/// The thread is inside the recorder: what it allocates there is not recorded.
pub const BUSY: u64 = 1;
/// The thread's storage was released: the thread is about to end.
pub const ENDED: u64 = 2;
/// The first bit in the flags of the number of a thread that ended.
pub const NUMBER_AT: u32 = 2;

/// The calling thread's state; null when it has none yet, or no longer.
#[inline(always)]
pub fn thread() -> *mut Thread {
    get::<0>()
}

/// Sets the calling thread's state.
pub fn set_thread(thread: *mut Thread) {
    set::<0>(thread);
}

/// The calling thread's flags.
pub fn flags() -> u64 {
    get::<1>().addr() as u64
}

/// Sets the calling thread's flags.
pub fn set_flags(flags: u64) {
    set::<1>(without_provenance_mut(flags as usize));
}

/// Where on its stack the calling thread has entered its program's own allocator; 0 where it is outside. What that asks
/// itself for is its own affair.
pub fn inside() -> usize {
    get::<2>().addr()
}

/// The calling thread enters its program's own allocator, or leaves it.
pub fn set_inside(inside: usize) {
    set::<2>(without_provenance_mut(inside));
}
