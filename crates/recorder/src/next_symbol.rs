//! The allocator that the program would have without the recorder.
//!
//! Every function starts as one that looks all of them up (`dlsym` with `RTLD_NEXT`, so a
//! program that brings its own allocator keeps it) and then calls the one that was meant:
//! the way after the first call is a plain indirect call. `dlsym` may allocate; what is
//! asked while it looks comes from [`bootstrap`](crate::bootstrap). Where the library was loaded into a program that runs
//! already, nothing comes after it, and what all modules see is the real one.

use core::ffi::{CStr, c_int, c_long, c_void};
use core::mem::transmute;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::{attach, bootstrap};
use heapsmith_capture::asked;
use heapsmith_capture::system::{ENOMEM, RTLD_NEXT, Start, dlsym, set_errno};

type Block = *mut c_void;

macro_rules! next_symbol {
    ($($name:ident $slot:ident $look:ident ($($argument:ident: $type:ty),*) -> $result:ty, $bootstrap:expr;)*) => {
        $(
            static $slot: AtomicPtr<c_void> = AtomicPtr::new($look as *mut c_void);

            unsafe extern "C" fn $look($($argument: $type),*) -> $result {
                if !resolve() {
                    return $bootstrap;
                }
                if $slot.load(Ordering::Relaxed) == $look as *mut c_void {
                    // The C library has no such function: nobody could have called it.
                    return $bootstrap;
                }
                // SAFETY: the caller's arguments go to the function that the caller meant.
                unsafe { $name($($argument),*) }
            }

            /// The real function of this name.
            ///
            /// # Safety
            ///
            /// As that function in C.
            #[inline(always)]
            pub unsafe fn $name($($argument: $type),*) -> $result {
                // SAFETY: the slot holds a function of this signature: `$look`, or what the C library has by the name.
                let function = unsafe {
                    transmute::<*mut c_void, unsafe extern "C" fn($($type),*) -> $result>($slot.load(Ordering::Relaxed))
                };
                // SAFETY: the caller vouches for the arguments.
                unsafe { function($($argument),*) }
            }
        )*

        fn look_up_all() {
            $(look_up(&$slot, concat!(stringify!($name), "\0"));)*
        }
    };
}

next_symbol! {
    malloc MALLOC malloc_first(size: usize) -> Block, bootstrap::allocate(size, 16).cast();
    calloc CALLOC calloc_first(count: usize, size: usize) -> Block,
        count.checked_mul(size).map_or(core::ptr::null_mut(), |bytes| bootstrap::allocate(bytes, 16).cast());
    realloc REALLOC realloc_first(block: Block, size: usize) -> Block,
        if block.is_null() { bootstrap::allocate(size, 16).cast() } else { core::ptr::null_mut() };
    free FREE free_first(block: Block) -> (), { let _ = block; };
    posix_memalign POSIX_MEMALIGN posix_memalign_first(to: *mut Block, alignment: usize, size: usize) -> c_int,
        { let _ = (to, alignment, size); ENOMEM };
    aligned_alloc ALIGNED_ALLOC aligned_alloc_first(alignment: usize, size: usize) -> Block,
        bootstrap::allocate(size, alignment).cast();
    memalign MEMALIGN memalign_first(alignment: usize, size: usize) -> Block, bootstrap::allocate(size, alignment).cast();
    valloc VALLOC valloc_first(size: usize) -> Block, bootstrap::allocate(size, 4096).cast();
    pvalloc PVALLOC pvalloc_first(size: usize) -> Block, bootstrap::allocate(size, 4096).cast();
    malloc_usable_size MALLOC_USABLE_SIZE usable_first(block: Block) -> usize, { let _ = block; 0 };
    pthread_create PTHREAD_CREATE pthread_create_first(
        thread: *mut c_void, attributes: *const c_void, start: Start, argument: *mut c_void) -> c_int,
        { let _ = (thread, attributes, start, argument); 11 };
    prctl PRCTL prctl_first(option: c_int, a: usize, b: usize, c: usize, d: usize) -> c_int,
        { let _ = (option, a, b, c, d); -1 };
    syscall SYSCALL syscall_first(
        number: c_long, a: usize, b: usize, c: usize, d: usize, e: usize, f: usize) -> c_long,
        { let _ = (number, a, b, c, d, e, f); -1 };
}

fn look_up(slot: &AtomicPtr<c_void>, name: &'static str) {
    let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { return };
    let found = match asked::attached() {
        true => attach::real(name),
        // SAFETY: the name ends with a zero.
        false => unsafe { dlsym(RTLD_NEXT, name.as_ptr()) },
    };
    if !found.is_null() {
        slot.store(found, Ordering::Relaxed);
    }
}

/// Looks all functions up before the first is called.
pub fn prepare() {
    resolve();
}

/// Looks all functions up; returns false to callers during the look-up.
#[cold]
fn resolve() -> bool {
    static LOOKING: AtomicBool = AtomicBool::new(false);
    if LOOKING.swap(true, Ordering::Acquire) {
        set_errno(ENOMEM);
        return false;
    }
    look_up_all();
    LOOKING.store(false, Ordering::Release);
    true
}
