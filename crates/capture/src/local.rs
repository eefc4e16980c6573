//! Three words for every thread, reached without a call.
//!
//! A thread-local of Rust in a shared library is found by `__tls_get_addr`, which may
//! allocate, and so call the very hook that asks. The initial-exec form of thread-local
//! storage is at a fixed distance from the thread pointer; a library that is preloaded
//! may use it, as its storage is laid out before the program starts. Stable Rust cannot
//! name that form, so it is written here in assembly.
//!
//! ```text
//!   heapsmith_local + 0   *mut Thread, null before the first event
//!   heapsmith_local + 8   flags: BUSY, ENDED, and then the number that the thread had
//!   heapsmith_local + 16  where the thread entered its program's own allocator; 0 outside
//! ```

use core::arch::{asm, global_asm};

use crate::thread::Thread;

/// The thread is inside the recorder: what it allocates there is not recorded.
pub const BUSY: u64 = 1;
/// The thread's storage was released: the thread is about to end.
pub const ENDED: u64 = 2;
/// The first bit in the flags of the number of a thread that ended.
pub const NUMBER_AT: u32 = 2;

global_asm!(
    ".pushsection .tbss.heapsmith_local, \"awT\", @nobits",
    ".balign 16",
    ".hidden heapsmith_local",
    ".globl heapsmith_local",
    ".type heapsmith_local, @object",
    ".size heapsmith_local, 24",
    "heapsmith_local:",
    ".zero 24",
    ".popsection",
);

/// The calling thread's state; null when it has none yet, or no longer.
#[inline(always)]
pub fn thread() -> *mut Thread {
    let thread: *mut Thread;
    // SAFETY: reads the first word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov {0}, qword ptr fs:[{0}]",
            out(reg) thread, options(nostack, preserves_flags, readonly));
    }
    thread
}

/// Sets the calling thread's state.
pub fn set_thread(thread: *mut Thread) {
    // SAFETY: writes the first word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov qword ptr fs:[{0}], {1}",
            out(reg) _, in(reg) thread, options(nostack, preserves_flags));
    }
}

/// The calling thread's flags.
pub fn flags() -> u64 {
    let flags: u64;
    // SAFETY: reads the second word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov {0}, qword ptr fs:[{0} + 8]",
            out(reg) flags, options(nostack, preserves_flags, readonly));
    }
    flags
}

/// Sets the calling thread's flags.
pub fn set_flags(flags: u64) {
    // SAFETY: writes the second word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov qword ptr fs:[{0} + 8], {1}",
            out(reg) _, in(reg) flags, options(nostack, preserves_flags));
    }
}

/// Where on its stack the calling thread has entered its program's own allocator; 0 where it is outside. What that asks
/// itself for is its own affair.
pub fn inside() -> usize {
    let inside: usize;
    // SAFETY: reads the third word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov {0}, qword ptr fs:[{0} + 16]",
            out(reg) inside, options(nostack, preserves_flags, readonly));
    }
    inside
}

/// The calling thread enters its program's own allocator, or leaves it.
pub fn set_inside(inside: usize) {
    // SAFETY: writes the third word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov qword ptr fs:[{0} + 16], {1}",
            out(reg) _, in(reg) inside, options(nostack, preserves_flags));
    }
}
