//! What the C library would do, in a library that is put into a program without one to share: system calls, and what the
//! program got from the system when it began.
//!
//! ```text
//!   stack of a program that begins:   argc  argv … 0  envp … 0  (kind, value) … 0
//! ```
//!
//! The program's own C library is linked into it, keeps its state to itself, and is not called. A failure's number lies here,
//! so the program's `errno` is not touched.
//!
//! Source: System V ABI for x86-64 §3.4, and the numbers of system calls of Linux on x86-64.

use core::arch::asm;
use core::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use core::ptr::{null, null_mut};
use core::sync::atomic::{AtomicI32, AtomicPtr, AtomicUsize, Ordering};

use super::{Image, Limit, Link, MAP_PRIVATE_ANONYMOUS, Module, Object, Segment, Timespec, Visit, map};

/// Segments that a program may have; what is behind them is not looked at.
const SEGMENTS: usize = 64;

/// Kinds of segments.
const LOAD: c_uint = 1;
const UNWIND_TABLES: c_uint = 0x6474_e550;

/// Kinds of values behind the environment.
const PROGRAM_HEADERS: usize = 3;
const PROGRAM_HEADER_COUNT: usize = 5;
const CAPABILITIES_2: usize = 26;
/// Among the capabilities: a program may read the address of its thread.
const MAY_READ_THREAD: usize = 2;

/// The error of a system that does not know a call, and of a name that is not known.
const ENOSYS: c_int = 38;

/// What the variables that are for this library begin with.
const OURS: &[u8] = b"HEAPSMITH_";

/// Those of the program's environment, as it was when it began: programs write over it (to set their title).
static ENVIRONMENT: AtomicPtr<*const c_char> = AtomicPtr::new(null_mut());
/// Where the first thread's stack ends, as far as it is of use.
static STACK_END: AtomicUsize = AtomicUsize::new(0);
/// The program's segments.
static HEADERS: AtomicPtr<Segment> = AtomicPtr::new(null_mut());
static HEADER_COUNT: AtomicUsize = AtomicUsize::new(0);
/// The program, as its [`Link`] is: what an address in its file is less than in memory, and its path, which is empty.
#[repr(C)]
struct Program {
    bias: AtomicUsize,
    name: AtomicPtr<c_char>,
}

static PROGRAM: Program = Program { bias: AtomicUsize::new(0), name: AtomicPtr::new(c"".as_ptr().cast_mut()) };
/// The system's function that reads clocks without a call of it; 0 where it has none.
static CLOCK: AtomicUsize = AtomicUsize::new(0);
static ERRNO: AtomicI32 = AtomicI32::new(0);

/// Takes in what the program got; false where its threads cannot be distinguished.
///
/// # Safety
///
/// `stack` is where the stack pointer of a program is that has not begun, and `clock` the system's function that reads clocks, or 0.
pub unsafe fn begin(stack: *const usize, clock: usize) -> bool {
    CLOCK.store(clock, Ordering::Relaxed);
    // SAFETY: the system has laid it out so, each list with a zero behind it.
    unsafe {
        let environment = stack.add(*stack + 2);
        ENVIRONMENT.store(ours(environment.cast()), Ordering::Relaxed);
        let mut at = environment;
        while *at != 0 {
            at = at.add(1);
        }
        STACK_END.store(at as usize, Ordering::Relaxed);
        let (mut may_read, mut values) = (false, at.add(1));
        while *values != 0 {
            match (*values, *values.add(1)) {
                (PROGRAM_HEADERS, at) => HEADERS.store(at as *mut Segment, Ordering::Relaxed),
                (PROGRAM_HEADER_COUNT, count) => HEADER_COUNT.store(count.min(SEGMENTS), Ordering::Relaxed),
                (CAPABILITIES_2, has) => may_read = has & MAY_READ_THREAD != 0,
                _ => {}
            }
            values = values.add(2);
        }
        PROGRAM.bias.store(bias(), Ordering::Relaxed);
        may_read
    }
}

/// A copy of the variables that are for this library, with a null behind them; null where there is no memory for it.
///
/// # Safety
///
/// `environment` is a list of texts with a null behind it.
unsafe fn ours(environment: *const *const c_char) -> *mut *const c_char {
    // SAFETY: the caller's promise.
    let texts = || unsafe {
        let from = |at: usize| (!(*environment.add(at)).is_null()).then(|| CStr::from_ptr(*environment.add(at)).to_bytes_with_nul());
        (0..).map_while(from).filter(|text| text.starts_with(OURS))
    };
    let list = size_of::<*const c_char>() * (texts().count() + 1);
    let copy = map(list + texts().map(<[u8]>::len).sum::<usize>(), MAP_PRIVATE_ANONYMOUS, -1, 0);
    if copy.is_null() {
        return null_mut();
    }
    let (copies, mut to) = (copy.cast::<*const c_char>(), copy.wrapping_add(list));
    for (number, text) in texts().enumerate() {
        // SAFETY: there is room for the list and all texts; behind the list there are zeros.
        unsafe {
            core::ptr::copy_nonoverlapping(text.as_ptr(), to, text.len());
            copies.add(number).write(to.cast());
        }
        to = to.wrapping_add(text.len());
    }
    copies
}

fn segments() -> &'static [Segment] {
    let at = HEADERS.load(Ordering::Relaxed);
    if at.is_null() {
        return &[];
    }
    // SAFETY: the system said where they are and how many; they stay.
    unsafe { core::slice::from_raw_parts(at, HEADER_COUNT.load(Ordering::Relaxed)) }
}

/// The headers are in the first segment that is loaded, which begins with the file.
fn bias() -> usize {
    const BEHIND_FILE_HEADER: usize = 64;
    let first = segments().iter().find(|segment| segment.kind == LOAD && segment.offset == 0);
    let base = (HEADERS.load(Ordering::Relaxed) as usize).wrapping_sub(BEHIND_FILE_HEADER);
    first.map_or(0, |first| base.wrapping_sub(first.address))
}

/// # Safety
///
/// That of the call.
unsafe fn call(number: c_long, arguments: [usize; 6]) -> isize {
    let result: isize;
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the caller's promise; the system changes these registers alone.
    unsafe {
        asm!("syscall", inlateout("rax") number as isize => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d,
            in("r8") e, in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack));
    }
    result
}

/// What the C library makes of a result: -1, and the error apart.
fn result(result: isize) -> isize {
    if (-4095..0).contains(&result) {
        ERRNO.store(-result as c_int, Ordering::Relaxed);
        return -1;
    }
    result
}

macro_rules! calls {
    ($($name:ident $number:literal ($($argument:ident: $kind:ty),*) -> $back:ty;)*) => {$(
        /// The system call.
        ///
        /// # Safety
        ///
        /// That of the C library's function.
        pub unsafe fn $name($($argument: $kind),*) -> $back {
            let mut all = [0; 6];
            let given: &[usize] = &[$($argument as usize),*];
            all[..given.len()].copy_from_slice(given);
            // SAFETY: the caller's promise.
            result(unsafe { call($number, all) }) as $back
        }
    )*};
}

calls! {
    read 0 (file: c_int, to: *mut c_void, length: usize) -> isize;
    close 3 (file: c_int) -> c_int;
    munmap 11 (at: *mut c_void, length: usize) -> c_int;
    mprotect 10 (at: *mut c_void, length: usize, protection: c_int) -> c_int;
    pwrite 18 (file: c_int, from: *const c_void, length: usize, offset: i64) -> isize;
    sched_yield 24 () -> c_int;
    madvise 28 (at: *mut c_void, length: usize, advice: c_int) -> c_int;
    getpid 39 () -> c_int;
    unlink 87 (path: *const c_char) -> c_int;
    readlink 89 (path: *const c_char, to: *mut c_char, length: usize) -> isize;
    getrlimit 97 (which: c_int, limit: *mut Limit) -> c_int;
    getppid 110 () -> c_int;
    ask_clock 228 (clock: c_int, time: *mut Timespec) -> c_int;
    mmap 9 (at: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    open_with_mode 2 (path: *const c_char, flags: c_int, mode: c_uint) -> c_int;
    set_process 157 (option: c_int, value: *mut u64) -> c_int;
    fallocate 285 (file: c_int, mode: c_int, offset: i64, length: i64) -> c_int;
}

/// # Safety
///
/// `time` is a time to be written to.
pub unsafe fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int {
    let function = CLOCK.load(Ordering::Relaxed);
    // SAFETY: the caller's promise; the system's function has this signature.
    unsafe {
        if function == 0 {
            return ask_clock(clock, time);
        }
        core::mem::transmute::<usize, unsafe extern "C" fn(c_int, *mut Timespec) -> c_int>(function)(clock, time)
    }
}

/// Returns the error, as the C library's does.
///
/// # Safety
///
/// None is needed.
pub unsafe fn posix_fallocate(file: c_int, offset: i64, length: i64) -> c_int {
    // SAFETY: it changes a file alone.
    if unsafe { fallocate(file, 0, offset, length) } == 0 { 0 } else { ERRNO.load(Ordering::Relaxed) }
}

/// # Safety
///
/// The name ends with a zero.
pub unsafe fn getenv(name: *const c_char) -> *const c_char {
    // SAFETY: the caller's promise; the environment is a list of texts with a zero behind it.
    unsafe {
        let (name, mut at) = (CStr::from_ptr(name).to_bytes(), ENVIRONMENT.load(Ordering::Relaxed).cast_const());
        while !at.is_null() && !(*at).is_null() {
            let value = CStr::from_ptr(*at).to_bytes().strip_prefix(name).and_then(|behind| behind.strip_prefix(b"="));
            if let Some(value) = value {
                return value.as_ptr().cast();
            }
            at = at.add(1);
        }
    }
    null()
}

/// The program is the only module.
///
/// # Safety
///
/// `visit` may be called with `with`.
pub unsafe fn dl_iterate_phdr(visit: Visit, with: *mut c_void) -> c_int {
    let (segments, bias) = (segments(), PROGRAM.bias.load(Ordering::Relaxed));
    let image = Image { bias, name: c"".as_ptr(), segments: segments.as_ptr(), count: segments.len() as u16 };
    // SAFETY: the caller's promise.
    unsafe { visit(&raw const image, size_of::<Image>(), with) }
}

/// No symbol has a place in a file that can be looked up.
///
/// # Safety
///
/// None is needed.
pub unsafe fn dladdr(_: *const c_void, _: *mut Module) -> c_int {
    0
}

/// The two names that a walk up the stack asks for.
///
/// # Safety
///
/// The name ends with a zero.
pub unsafe fn dlsym(_: *mut c_void, name: *const c_char) -> *mut c_void {
    // SAFETY: the caller's promise.
    match unsafe { CStr::from_ptr(name) }.to_bytes() {
        b"_dl_find_object" => find_object as *mut c_void,
        b"__libc_stack_end" => STACK_END.as_ptr().cast(),
        _ => null_mut(),
    }
}

/// What the C library's `_dl_find_object` does.
unsafe extern "C" fn find_object(address: u64, object: *mut Object) -> c_int {
    let (segments, bias) = (segments(), PROGRAM.bias.load(Ordering::Relaxed));
    let loaded = || segments.iter().filter(|segment| segment.kind == LOAD);
    let start = loaded().map(|segment| bias.wrapping_add(segment.address)).min();
    let end = loaded().map(|segment| bias.wrapping_add(segment.address + segment.size)).max();
    // Linkers leave them out of some programs, whose sites then are of one frame.
    let tables = segments.iter().find(|segment| segment.kind == UNWIND_TABLES);
    let (Some(start), Some(end)) = (start, end) else { return -1 };
    if !(start..end).contains(&(address as usize)) {
        return -1;
    }
    // SAFETY: there is room for an object.
    unsafe {
        (*object).start = start;
        (*object).end = end;
        (*object).tables = tables.map_or(null(), |tables| bias.wrapping_add(tables.address) as *const u8);
        (*object).link = (&raw const PROGRAM).cast::<Link>();
    }
    0
}

/// No thread's end is announced: the next one at the same address takes its place.
///
/// # Safety
///
/// None is needed.
pub unsafe fn pthread_key_create(_: *mut c_uint, _: extern "C" fn(*mut c_void)) -> c_int {
    ENOSYS
}

/// # Safety
///
/// None is needed.
pub unsafe fn pthread_setspecific(_: c_uint, _: *const c_void) -> c_int {
    ENOSYS
}

/// Where the last error's number is. Of two threads that fail at once one may see the other's.
///
/// # Safety
///
/// None is needed.
pub unsafe fn __errno_location() -> *mut c_int {
    ERRNO.as_ptr()
}

/// What compilers call without being asked.
mod memory {
    use core::arch::asm;

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
        // SAFETY: the caller's promise; the instruction calls nothing.
        unsafe { asm!("rep movsb", inout("rcx") length => _, inout("rdi") to => _, inout("rsi") from => _) };
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memmove(to: *mut u8, from: *const u8, length: usize) -> *mut u8 {
        if (to as usize).wrapping_sub(from as usize) >= length {
            // SAFETY: they overlap in no byte that is read after it was written.
            return unsafe { memcpy(to, from, length) };
        }
        // SAFETY: the caller's promise, from the last byte on.
        unsafe {
            asm!("std", "rep movsb", "cld", inout("rcx") length => _, inout("rdi") to.wrapping_add(length).wrapping_sub(1) => _,
                inout("rsi") from.wrapping_add(length).wrapping_sub(1) => _);
        }
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memset(to: *mut u8, byte: i32, length: usize) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { asm!("rep stosb", inout("rcx") length => _, inout("rdi") to => _, in("al") byte as u8) };
        to
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn memcmp(one: *const u8, other: *const u8, length: usize) -> i32 {
        let mut at = 0;
        while at < length {
            // SAFETY: the caller's promise.
            let (a, b) = unsafe { (core::ptr::read_volatile(one.add(at)), core::ptr::read_volatile(other.add(at))) };
            if a != b {
                return i32::from(a) - i32::from(b);
            }
            at += 1;
        }
        0
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn bcmp(one: *const u8, other: *const u8, length: usize) -> i32 {
        // SAFETY: the caller's promise.
        unsafe { memcmp(one, other, length) }
    }

    #[unsafe(no_mangle)]
    unsafe extern "C" fn strlen(text: *const u8) -> usize {
        let mut at = text;
        // SAFETY: the text ends with a zero.
        while unsafe { core::ptr::read_volatile(at) } != 0 {
            at = at.wrapping_add(1);
        }
        at as usize - text as usize
    }

    #[unsafe(no_mangle)]
    extern "C" fn abort() -> ! {
        // SAFETY: it ends the process.
        unsafe { asm!("ud2", options(noreturn)) }
    }
}
