//! Two words for every thread, reached without a call.
//!
//! A thread-local of Rust in a shared library is found by `__tls_get_addr`, which may allocate: it would
//! call the very function that asks. The initial-exec form lies at a fixed distance from the thread
//! pointer; a library that is preloaded may use it, as its storage is laid out before the program starts.
//! Stable Rust cannot name that form, so it is written here in assembly.
//!
//! ```text
//!   heapsmith_thread + 0   what serves the thread: its heap, or its lists; 0 before its first request
//!   heapsmith_thread + 8   1 when the thread is about to end
//! ```

use core::arch::{asm, global_asm};

global_asm!(
    ".pushsection .tbss.heapsmith_thread, \"awT\", @nobits",
    ".balign 16",
    ".hidden heapsmith_thread",
    ".globl heapsmith_thread",
    ".type heapsmith_thread, @object",
    ".size heapsmith_thread, 16",
    "heapsmith_thread:",
    ".zero 16",
    ".popsection",
);

/// What serves the calling thread.
#[inline(always)]
pub fn serving<T>() -> *mut T {
    let it: *mut T;
    // SAFETY: reads the first word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_thread@GOTTPOFF]", "mov {0}, qword ptr fs:[{0}]",
            out(reg) it, options(nostack, preserves_flags, readonly));
    }
    it
}

/// Sets what serves the calling thread.
pub fn serve_by<T>(it: *mut T) {
    // SAFETY: writes the first word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_thread@GOTTPOFF]", "mov qword ptr fs:[{0}], {1}",
            out(reg) _, in(reg) it, options(nostack, preserves_flags));
    }
}

/// Whether the calling thread is about to end.
pub fn ends() -> bool {
    let flag: u64;
    // SAFETY: reads the second word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_thread@GOTTPOFF]", "mov {0}, qword ptr fs:[{0} + 8]",
            out(reg) flag, options(nostack, preserves_flags, readonly));
    }
    flag != 0
}

/// Notes that the calling thread is about to end.
pub fn end() {
    // SAFETY: writes the second word of this thread's own storage.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_thread@GOTTPOFF]", "mov qword ptr fs:[{0} + 8], {1}",
            out(reg) _, in(reg) 1_u64, options(nostack, preserves_flags));
    }
}
