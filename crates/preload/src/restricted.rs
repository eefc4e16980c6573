//! A program that restricts its system calls (seccomp): the heaps go on with what was mapped before.
//!
//! ```text
//!   prctl, syscall ──filter──▶ which calls of heapsmith it forbids ──▶ mmap? every region gets a reserve
//!                                                                  └─▶ noted; `pages` makes none of them from here on
//! ```
//!
//! What a filter forbids ends the program, so it has to be known before. The library replaces the two functions that
//! set a filter, and asks the filter itself ([`crate::filter`]). A filter that permits what the library calls changes nothing.
//! One that was set before the program began (by a sandbox that starts it) cannot be read: it has to permit the calls.

use core::slice;
use core::sync::atomic::{AtomicU8, Ordering};

use libc::{c_int, c_long, sock_fprog};

use crate::filter::{Call, permits};
use crate::process::begun;
use crate::{pages, record};

/// What the library asks the system for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Use {
    /// Pages.
    Map = 1,
    /// Giving a mapping back.
    Unmap = 2,
    /// Making a mapping longer.
    Remap = 4,
    /// Giving the memory of pages back.
    Release = 8,
    /// Writing statistics.
    Tell = 16,
    /// Asking for huge pages.
    Advise = 32,
}

/// The uses that the program forbade itself.
static FORBIDDEN: AtomicU8 = AtomicU8::new(0);

/// All uses.
const ALL: u8 = 63;

/// Whether the program forbade itself what this use takes.
pub fn forbids(what: Use) -> bool {
    FORBIDDEN.load(Ordering::Relaxed) & what as u8 != 0
}

/// Does what may set a filter, and goes on without what the filter forbids. `asks` is the call, a number below 0 if it was
/// refused.
fn while_setting(uses: u8, asks: impl FnOnce() -> isize) -> isize {
    let before = FORBIDDEN.load(Ordering::Relaxed);
    if uses & Use::Map as u8 != 0 && before & Use::Map as u8 == 0 {
        begun().into_iter().flat_map(|process| process.arenas()).for_each(|arena| arena.prepare());
    }
    FORBIDDEN.fetch_or(uses, Ordering::Relaxed);
    let recording = record::restrict(uses == ALL);
    let outcome = asks();
    if outcome < 0 {
        FORBIDDEN.store(before, Ordering::Relaxed);
        recording.into_iter().for_each(record::unrestrict);
    }
    outcome
}

/// The uses that a filter forbids.
///
/// # Safety
///
/// What it points to is a filter, or it is null.
unsafe fn forbidden_by(filter: *const sock_fprog) -> u8 {
    const NEITHER: u64 = u64::MAX;
    let call = |number, arguments| Call { number, arguments };
    let at = pages::SIZE as u64;
    let (length, access, flags) = (at, pages::ACCESS as u64, pages::FLAGS as u64);
    let calls = [
        (Use::Map, call(libc::SYS_mmap, [0, length, access, flags, NEITHER, 0])),
        (Use::Map, call(libc::SYS_mmap, [at, length, access, flags | libc::MAP_FIXED_NOREPLACE as u64, NEITHER, 0])),
        (Use::Unmap, call(libc::SYS_munmap, [at, length, 0, 0, 0, 0])),
        (Use::Remap, call(libc::SYS_mremap, [at, length, 2 * length, libc::MREMAP_MAYMOVE as u64, 0, 0])),
        (Use::Advise, call(libc::SYS_madvise, [at, length, libc::MADV_HUGEPAGE as u64, 0, 0, 0])),
        (Use::Release, call(libc::SYS_madvise, [at, length, libc::MADV_DONTNEED as u64, 0, 0, 0])),
        (Use::Tell, call(libc::SYS_openat, [libc::AT_FDCWD as u64, at, libc::O_WRONLY as u64, 0, 0, 0])),
        (Use::Tell, call(libc::SYS_openat, [libc::AT_FDCWD as u64, at, libc::O_RDONLY as u64, 0, 0, 0])),
        (Use::Tell, call(libc::SYS_read, [3, at, length, 0, 0, 0])),
        (Use::Tell, call(libc::SYS_write, [3, at, length, 0, 0, 0])),
        (Use::Tell, call(libc::SYS_close, [3, 0, 0, 0, 0, 0])),
        (Use::Tell, call(libc::SYS_getpid, [0; 6])),
        (Use::Tell, call(libc::SYS_mincore, [at, length, at, 0, 0, 0])),
        (Use::Tell, call(libc::SYS_getrusage, [0, at, 0, 0, 0, 0])),
    ];
    // SAFETY: the caller's promise.
    let steps = match unsafe { filter.as_ref() } {
        // SAFETY: the caller's promise.
        Some(filter) if !filter.filter.is_null() => unsafe {
            slice::from_raw_parts(filter.filter, usize::from(filter.len))
        },
        _ => &[],
    };
    calls.iter().filter(|(_, call)| !permits(steps, *call)).fold(0, |all, (what, _)| all | *what as u8)
}

/// `prctl`, with the system's answer.
///
/// # Safety
///
/// As the C library's function.
pub unsafe fn prctl(option: c_int, arguments: [usize; 4]) -> isize {
    let [a, b, c, d] = arguments;
    // SAFETY: the caller's promise.
    let asks = || unsafe { call(libc::SYS_prctl, [option as usize, a, b, c, d, 0]) };
    if option != libc::PR_SET_SECCOMP {
        return asks();
    }
    let uses = match a as u32 {
        libc::SECCOMP_MODE_STRICT => ALL,
        // SAFETY: the caller's promise.
        _ => unsafe { forbidden_by(b as *const sock_fprog) },
    };
    while_setting(uses, asks)
}

/// Any system call, with the system's answer.
///
/// # Safety
///
/// As the C library's `syscall`.
pub unsafe fn syscall(number: c_long, arguments: [usize; 6]) -> isize {
    // SAFETY: the caller's promise.
    let asks = || unsafe { call(number, arguments) };
    if number != libc::SYS_seccomp {
        return asks();
    }
    let mode = arguments[0] as u32;
    let uses = match mode {
        libc::SECCOMP_SET_MODE_STRICT => ALL,
        // SAFETY: the caller's promise.
        libc::SECCOMP_SET_MODE_FILTER => unsafe { forbidden_by(arguments[2] as *const sock_fprog) },
        _ => return asks(),
    };
    while_setting(uses, asks)
}

/// # Safety
///
/// That of the call.
unsafe fn call(number: c_long, arguments: [usize; 6]) -> isize {
    let [a, b, c, d, e, f] = arguments;
    let answer;
    // SAFETY: the system's convention: it changes these registers, and what the call itself is for.
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number as isize => answer,
            in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e, in("r9") f,
            lateout("rcx") _, lateout("r11") _,
            options(nostack),
        );
    }
    answer
}
