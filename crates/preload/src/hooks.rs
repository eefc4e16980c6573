//! The functions that a program calls: `malloc` and its relatives, with the results and the `errno` of C, POSIX and the
//! GNU C library.
//!
//! | function | of 0 bytes | without memory | wrong alignment |
//! |---|---|---|---|
//! | `malloc`, `calloc` | a block | null, `ENOMEM` | |
//! | `realloc` | frees the block, null | null, `ENOMEM`; the block stays | |
//! | `posix_memalign` | a block | `ENOMEM` | `EINVAL`; neither touches `errno` or its argument |
//! | `aligned_alloc` | a block | null, `ENOMEM` | null, `EINVAL` |
//! | `memalign` | a block | null, `ENOMEM` | rounded up to a power of two, as the GNU C library does |
//!
//! `free` and `malloc_usable_size` of null do nothing; `free` keeps `errno` (POSIX.1-2024).

use core::ffi::{c_int, c_long, c_void};
use core::ptr::{NonNull, null_mut};

use crate::process::{begun, process};
use crate::{record, restricted, serve, statistics};

type Block = *mut c_void;

/// What the C library's own blocks are multiples of.
const NATURAL: usize = 16;

fn set_errno(number: c_int) {
    // SAFETY: the C library gives a place that is the thread's own.
    unsafe { *libc::__errno_location() = number };
}

#[cold]
fn refused(why: c_int) -> Block {
    set_errno(why);
    null_mut()
}

#[inline(always)]
fn answer(block: Option<NonNull<u8>>) -> Block {
    match block {
        Some(block) => block.as_ptr().cast(),
        None => refused(libc::ENOMEM),
    }
}

#[inline(always)]
fn aligned(alignment: usize, size: usize) -> Block {
    answer(serve::allocate(size, alignment.max(NATURAL)))
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
            #[cfg_attr(heapsmith_library, unsafe(no_mangle))]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> $result $body
        )*
    };
}

hooks! {
    /// `malloc`.
    fn malloc(size: usize) -> Block { answer(serve::allocate(size, NATURAL)) }

    /// `free`.
    fn free(block: Block) -> () {
        if let Some(block) = NonNull::new(block) {
            // SAFETY: the caller's promise.
            unsafe { serve::free(block.cast()) };
        }
    }

    /// `calloc`.
    fn calloc(count: usize, size: usize) -> Block {
        let Some(bytes) = count.checked_mul(size) else { return refused(libc::ENOMEM) };
        let Some(block) = serve::allocate(bytes, NATURAL) else { return refused(libc::ENOMEM) };
        if !serve::is_fresh(block) {
            // SAFETY: the block has this many bytes.
            unsafe { block.write_bytes(0, bytes) };
        }
        block.as_ptr().cast()
    }

    /// `realloc`.
    fn realloc(block: Block, size: usize) -> Block {
        let Some(block) = NonNull::new(block) else { return answer(serve::allocate(size, NATURAL)) };
        // SAFETY: the caller's promise.
        unsafe {
            if size == 0 {
                serve::free(block.cast());
                return null_mut();
            }
            answer(serve::reallocate(block.cast(), size))
        }
    }

    /// `reallocarray`.
    fn reallocarray(block: Block, count: usize, size: usize) -> Block {
        match count.checked_mul(size) {
            // SAFETY: the caller's promise.
            Some(bytes) => unsafe { realloc(block, bytes) },
            None => refused(libc::ENOMEM),
        }
    }

    /// `posix_memalign`.
    fn posix_memalign(to: *mut Block, alignment: usize, size: usize) -> c_int {
        if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<Block>()) {
            return libc::EINVAL;
        }
        // SAFETY: the thread's own.
        let kept = unsafe { *libc::__errno_location() };
        let block = serve::allocate(size, alignment.max(NATURAL));
        set_errno(kept);
        match block {
            Some(block) => {
                // SAFETY: the caller's promise.
                unsafe { *to = block.as_ptr().cast() };
                0
            }
            None => libc::ENOMEM,
        }
    }

    /// `aligned_alloc`.
    fn aligned_alloc(alignment: usize, size: usize) -> Block {
        if alignment.is_power_of_two() { aligned(alignment, size) } else { refused(libc::EINVAL) }
    }

    /// `memalign`.
    fn memalign(alignment: usize, size: usize) -> Block {
        match alignment.checked_next_power_of_two() {
            Some(alignment) => aligned(alignment, size),
            None => refused(libc::EINVAL),
        }
    }

    /// `valloc`.
    fn valloc(size: usize) -> Block { aligned(page(), size) }

    /// `pvalloc`.
    fn pvalloc(size: usize) -> Block {
        match size.max(1).checked_next_multiple_of(page()) {
            Some(size) => aligned(page(), size),
            None => refused(libc::ENOMEM),
        }
    }

    /// `prctl`: may restrict system calls. In C it takes what it needs; registers hold the same.
    fn prctl(option: c_int, a: usize, b: usize, c: usize, d: usize) -> c_int {
        // SAFETY: the caller's promise.
        told(unsafe { restricted::prctl(option, [a, b, c, d]) }) as c_int
    }

    /// `syscall`: may restrict system calls, and is how `seccomp` is called.
    fn syscall(number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long {
        // SAFETY: the caller's promise.
        told(unsafe { restricted::syscall(number, [a, b, c, d, e, f]) })
    }

    /// `_exit`, which calls no destructors: shells end so. May be called from a signal handler, so nothing is verified.
    fn _exit(code: c_int) -> () { leave(code) }

    /// `_Exit`.
    fn _Exit(code: c_int) -> () { leave(code) }

    /// `malloc_usable_size`.
    fn malloc_usable_size(block: Block) -> usize {
        // SAFETY: the caller's promise.
        NonNull::new(block).map_or(0, |block| unsafe { serve::usable(block.cast()) })
    }

    /// `malloc_trim`: gives memory back to the system; 1 if there was some.
    fn malloc_trim(_left: usize) -> c_int {
        let released: usize = begun().unwrap_or_else(process).arenas().iter().map(|arena| arena.trim()).sum();
        c_int::from(released > 0)
    }
}

/// What a function says that asked the system: -1 and `errno` where that answered with an error.
#[inline(always)]
fn told(answer: isize) -> c_long {
    const LAST_ERROR: isize = -4095;
    if (LAST_ERROR..0).contains(&answer) {
        set_errno(-answer as c_int);
        return -1;
    }
    answer as c_long
}

fn leave(code: c_int) {
    statistics::write();
    record::ended();
    // SAFETY: ends the process.
    unsafe { libc::syscall(libc::SYS_exit_group, code) };
}

fn page() -> usize {
    // SAFETY: asks for a number.
    usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(crate::pages::SIZE)
}
