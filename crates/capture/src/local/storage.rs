//! The words of a thread in storage of its own.
//!
//! A thread-local of Rust in a shared library is found by `__tls_get_addr`, which may
//! allocate, and so call the very hook that asks. The initial-exec form of thread-local
//! storage is at a fixed distance from the thread pointer; a library that is preloaded
//! may use it, as its storage is laid out before the program starts. Stable Rust cannot
//! name that form, so it is written here in assembly.

use core::arch::{asm, global_asm};

use crate::thread::Thread;

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

/// Reads a word of this thread's own storage.
#[inline(always)]
pub(super) fn get<const WORD: usize>() -> *mut Thread {
    let word: *mut Thread;
    // SAFETY: it is one of the three words of this thread.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov {0}, qword ptr fs:[{0} + {at}]",
            out(reg) word, at = const WORD * 8, options(nostack, preserves_flags, readonly));
    }
    word
}

/// Writes a word of this thread's own storage.
#[inline(always)]
pub(super) fn set<const WORD: usize>(word: *mut Thread) {
    // SAFETY: it is one of the three words of this thread.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov qword ptr fs:[{0} + {at}], {1}",
            out(reg) _, in(reg) word, at = const WORD * 8, options(nostack, preserves_flags));
    }
}
