//! The functions that a program calls instead of its allocator's.
//!
//! A free is written down before the block is freed, an allocation after the block was
//! allocated: so wherever a block goes from one thread to another, the stamps are in order.
//! A reallocation does both, and is written in two halves.

use core::ffi::{c_int, c_long, c_void};

use heapsmith_capture::event::Event;
use heapsmith_capture::record::record;
use heapsmith_capture::{cold, current, reserve};

use crate::{bootstrap, next_symbol, own_functions};
use heapsmith_capture::format::operation;
use heapsmith_capture::system::{
    ENOMEM, Limit, PR_SET_SECCOMP, SC_PAGESIZE, SECCOMP_MODE_STRICT, SECCOMP_SET_MODE_FILTER, SECCOMP_SET_MODE_STRICT,
    SYS_EXIT_GROUP, SYS_PRLIMIT64, SYS_SECCOMP, Start, set_errno, sysconf,
};
use heapsmith_capture::thread::MANY;

type Block = *mut c_void;

/// Writes an event down, unless the program's own allocator is recorded in place of this one.
///
/// # Safety
///
/// As [`record`].
#[inline(always)]
unsafe fn note(event: Event) {
    if !own_functions::instead() {
        // SAFETY: the caller's promise.
        unsafe { record(event) };
    }
}

#[inline(always)]
fn allocated(block: Block, size: usize, alignment: usize) -> Block {
    // A block of `bootstrap` is recorded like any other: nothing else has its address.
    if !block.is_null() {
        let event = Event { operation: operation::ALLOCATE, address: block as usize, size, alignment };
        // SAFETY: this is a hook.
        unsafe { note(event) };
    }
    block
}

macro_rules! hooks {
    ($($(#[$note:meta])* fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty $body:block)*) => {
        $(
            $(#[$note])*
            ///
            /// # Safety
            ///
            /// As the C library's function of this name.
            #[allow(non_snake_case, reason = "the names are the C library's")]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
                // SAFETY: the caller's arguments go to the real function as they came; blocks of `bootstrap` go to it.
                unsafe { $body }
            }
        )*

        /// The same functions by names that no other library has. Where this library was loaded late, another one's functions
        /// precede those above, even here.
        #[allow(non_snake_case, dead_code, reason = "the names are the C library's; tables lead to those that matter late")]
        pub mod own {
            use super::*;

            $(
                #[allow(missing_docs, reason = "as above")]
                pub unsafe extern "C" fn $name($($argument: $type),*) -> $result {
                    distinct();
                    // SAFETY: as above.
                    unsafe { $body }
                }
            )*
        }
    };
}

hooks! {
    /// `malloc`.
    fn malloc(size: usize) -> Block { allocated(next_symbol::malloc(size), size, 0) }

    /// `calloc`.
    fn calloc(count: usize, size: usize) -> Block {
        allocated(next_symbol::calloc(count, size), count.wrapping_mul(size), 0)
    }

    /// `free`.
    fn free(block: Block) -> () {
        if block.is_null() || bootstrap::owns(block.cast()) {
            return;
        }
        note(Event { operation: operation::FREE, address: block as usize, size: 0, alignment: 0 });
        next_symbol::free(block)
    }

    /// `realloc`.
    fn realloc(block: Block, size: usize) -> Block { reallocate(block, size) }

    /// `reallocarray`.
    fn reallocarray(block: Block, count: usize, size: usize) -> Block {
        match count.checked_mul(size) {
            Some(bytes) => reallocate(block, bytes),
            None => {
                set_errno(ENOMEM);
                core::ptr::null_mut()
            }
        }
    }

    /// `posix_memalign`.
    fn posix_memalign(to: *mut Block, alignment: usize, size: usize) -> c_int {
        let outcome = next_symbol::posix_memalign(to, alignment, size);
        if outcome == 0 {
            allocated(*to, size, alignment);
        }
        outcome
    }

    /// `aligned_alloc`.
    fn aligned_alloc(alignment: usize, size: usize) -> Block {
        allocated(next_symbol::aligned_alloc(alignment, size), size, alignment)
    }

    /// `memalign`.
    fn memalign(alignment: usize, size: usize) -> Block {
        // The C library rounds an alignment that is no power of two up to one.
        allocated(next_symbol::memalign(alignment, size), size, alignment.checked_next_power_of_two().unwrap_or(0))
    }

    /// `valloc`.
    fn valloc(size: usize) -> Block { allocated(next_symbol::valloc(size), size, page()) }

    /// `pvalloc`.
    fn pvalloc(size: usize) -> Block { allocated(next_symbol::pvalloc(size), size, page()) }

    /// `malloc_usable_size`.
    fn malloc_usable_size(block: Block) -> usize {
        if !own_functions::instead() {
            current::asks_size();
        }
        if bootstrap::owns(block.cast()) { bootstrap::size(block.cast()) } else { next_symbol::malloc_usable_size(block) }
    }

    /// `pthread_create`: from the first second thread on, every event is stamped.
    fn pthread_create(thread: *mut c_void, attributes: *const c_void, start: Start, argument: *mut c_void) -> c_int {
        MANY.store(true, core::sync::atomic::Ordering::Relaxed);
        let mine = heapsmith_capture::local::thread();
        if !mine.is_null() {
            (*mine).shared = 0;
        }
        next_symbol::pthread_create(thread, attributes, start, argument)
    }

    /// `prctl`: may restrict system calls. In C it takes what it needs; registers hold the same.
    fn prctl(option: c_int, a: usize, b: usize, c: usize, d: usize) -> c_int {
        let restricts = restricting(option == PR_SET_SECCOMP, a == SECCOMP_MODE_STRICT);
        let outcome = next_symbol::prctl(option, a, b, c, d);
        restricts.settle(outcome == 0);
        outcome
    }

    /// `syscall`: may restrict system calls, and is how `seccomp` is called.
    fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
        let mode = a as c_long;
        let sets = number == SYS_SECCOMP && (mode == SECCOMP_SET_MODE_STRICT || mode == SECCOMP_SET_MODE_FILTER);
        let restricts = restricting(sets, mode == SECCOMP_SET_MODE_STRICT);
        let outcome = next_symbol::syscall(number, a, b, c, d, e, f);
        restricts.settle(outcome == 0);
        outcome
    }

    /// `setrlimit`: may limit what the recording needs.
    fn setrlimit(which: c_int, limit: *const Limit) -> c_int { limit_own(which, limit, core::ptr::null_mut()) }

    /// `setrlimit64`.
    fn setrlimit64(which: c_int, limit: *const Limit) -> c_int { limit_own(which, limit, core::ptr::null_mut()) }

    /// `prlimit`.
    fn prlimit(process: c_int, which: c_int, limit: *const Limit, before: *mut Limit) -> c_int {
        if process == 0 { limit_own(which, limit, before) } else { ask_limit(process, which, limit, before) }
    }

    /// `prlimit64`.
    fn prlimit64(process: c_int, which: c_int, limit: *const Limit, before: *mut Limit) -> c_int {
        if process == 0 { limit_own(which, limit, before) } else { ask_limit(process, which, limit, before) }
    }

    /// `_exit`, which calls no destructors: shells end so.
    fn _exit(code: c_int) -> () { leave(code) }

    /// `_Exit`.
    fn _Exit(code: c_int) -> () { leave(code) }
}

/// Limits the process itself, after the recording took what it may need.
///
/// # Safety
///
/// As `prlimit`.
unsafe fn limit_own(which: c_int, limit: *const Limit, before: *mut Limit) -> c_int {
    // SAFETY: the caller's promise.
    unsafe {
        cold::limit(which, limit);
        ask_limit(0, which, limit, before)
    }
}

/// # Safety
///
/// As `prlimit`, which is this system call.
unsafe fn ask_limit(process: c_int, which: c_int, limit: *const Limit, before: *mut Limit) -> c_int {
    let (limit, before) = (limit as usize, before as usize);
    // SAFETY: the caller's promise.
    unsafe { next_symbol::syscall(SYS_PRLIMIT64, process as usize, which as usize, limit, before, 0, 0) as c_int }
}

/// No instruction, but a difference: of two functions that are alike the compiler may make one, and then both have the name
/// by which another library's is found.
#[inline(always)]
fn distinct() {
    // SAFETY: it is a comment.
    unsafe { core::arch::asm!("# of this library", options(nomem, nostack, preserves_flags)) };
}

/// A call that may restrict the process's system calls.
struct Restricting {
    may: bool,
    before: bool,
}

#[inline(always)]
fn restricting(may: bool, strict: bool) -> Restricting {
    let before = reserve::restricted();
    if may {
        cold::restrict(strict);
    }
    Restricting { may, before }
}

impl Restricting {
    /// The call was made; a restriction that was refused is none.
    #[inline(always)]
    fn settle(self, done: bool) {
        if self.may && !self.before && !done {
            reserve::set_restricted(false);
        }
    }
}

/// # Safety
///
/// As `_exit`.
unsafe fn leave(code: c_int) {
    cold::end_of_process();
    // SAFETY: ends the process.
    unsafe { next_symbol::syscall(SYS_EXIT_GROUP, code as usize, 0, 0, 0, 0, 0) };
}

/// Both functions that reallocate; inlined, as the hook's own frame gives the call site.
#[inline(always)]
unsafe fn reallocate(block: Block, size: usize) -> Block {
    // SAFETY: the caller's arguments go to the real function as they came; blocks of `bootstrap` do not go to it.
    unsafe {
        if block.is_null() {
            return allocated(next_symbol::realloc(block, size), size, 0);
        }
        if bootstrap::owns(block.cast()) {
            return leave_early(block, size);
        }
        let begins = operation::REALLOCATE_BEGINS;
        note(Event { operation: begins, address: block as usize, size: 0, alignment: 0 });
        let block = next_symbol::realloc(block, size);
        let ends = operation::REALLOCATE_ENDS;
        note(Event { operation: ends, address: block as usize, size, alignment: 0 });
        block
    }
}

/// Moves a block that was asked for too early to the real allocator.
#[cold]
unsafe fn leave_early(block: Block, size: usize) -> Block {
    // SAFETY: both blocks have as many bytes as are copied; `block` is one of `bootstrap`.
    unsafe {
        let moved = malloc(size);
        if !moved.is_null() {
            core::ptr::copy_nonoverlapping(
                block.cast::<u8>(),
                moved.cast::<u8>(),
                size.min(bootstrap::size(block.cast())),
            );
        }
        moved
    }
}

fn page() -> usize {
    // SAFETY: asks for a number.
    unsafe { sysconf(SC_PAGESIZE) as usize }
}
