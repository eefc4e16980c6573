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
use core::ptr::without_provenance_mut;

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

/// Reads a word of this thread's own storage.
#[inline(always)]
fn get<const WORD: usize>() -> *mut Thread {
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
fn set<const WORD: usize>(word: *mut Thread) {
    // SAFETY: it is one of the three words of this thread.
    unsafe {
        asm!("mov {0}, qword ptr [rip + heapsmith_local@GOTTPOFF]", "mov qword ptr fs:[{0} + {at}], {1}",
            out(reg) _, in(reg) word, at = const WORD * 8, options(nostack, preserves_flags));
    }
}

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
