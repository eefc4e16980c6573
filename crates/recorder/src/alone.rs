//! How the recorder begins in a program that is linked statically.
//!
//! ```text
//!   heapsmith record ──holds the program at its first instruction──▶ puts this library into it ──▶ heapsmith_begin
//! ```

use core::ffi::c_int;
use core::sync::atomic::Ordering;

use heapsmith_capture::thread::MANY;
use heapsmith_capture::{local, system};

/// Begins to record: 0, or 1 where the system does not let a program distinguish its threads by itself, or has no memory.
///
/// # Safety
///
/// `stack` is the stack pointer of a program that has not begun, and `clock` the system's function that reads clocks, or 0.
#[unsafe(no_mangle)]
unsafe extern "C" fn heapsmith_begin(stack: *const usize, clock: usize) -> c_int {
    // SAFETY: the caller's promise.
    if !unsafe { system::begin(stack, clock) } || !local::begin() {
        return 1;
    }
    MANY.store(true, Ordering::Relaxed);
    crate::begin();
    0
}
