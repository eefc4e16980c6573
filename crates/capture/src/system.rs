//! What is asked of the system, declared here because this crate has no dependencies:
//! Linux with glibc (or another C library that has these), 64-bit; or Linux alone (`heapsmith_alone`, `system/alone.rs`).

#![allow(missing_docs, reason = "functions and numbers have the names of the C library, which documents them")]

#[cfg(heapsmith_alone)]
mod alone;

#[cfg(heapsmith_alone)]
pub use alone::*;
#[cfg(not(heapsmith_alone))]
pub use c_library::*;

use core::ffi::{c_char, c_int, c_long, c_uint, c_void};

/// A time of `clock_gettime`.
#[repr(C)]
pub struct Timespec {
    /// Seconds.
    pub seconds: i64,
    /// Nanoseconds within the second.
    pub nanoseconds: i64,
}

/// A limit of `getrlimit`.
#[repr(C)]
pub struct Limit {
    /// The limit that holds.
    pub current: u64,
    /// What it may be raised to.
    pub maximum: u64,
}

/// What `dladdr` says of an address.
#[repr(C)]
pub struct Module {
    /// The path of its file.
    pub name: *const c_char,
    /// Where the file begins in memory.
    pub base: *mut c_void,
    /// The symbol at or before the address.
    pub symbol: *const c_char,
    /// Where that is.
    pub address: *mut c_void,
}

/// What the dynamic linker says of a module that is loaded.
#[repr(C)]
pub struct Image {
    /// What an address in the file is less than in memory.
    pub bias: usize,
    /// The path of its file.
    pub name: *const c_char,
    /// Its program headers.
    pub segments: *const Segment,
    /// How many there are.
    pub count: u16,
}

/// A program header.
#[repr(C)]
pub struct Segment {
    /// What it is.
    pub kind: c_uint,
    /// Whether it is to be read, written, run.
    pub flags: c_uint,
    /// Where in the file it begins.
    pub offset: usize,
    /// Its address in the file.
    pub address: usize,
    /// Not used.
    pub physical: usize,
    /// Bytes in the file.
    pub stored: usize,
    /// Bytes in memory.
    pub size: usize,
    /// Its alignment.
    pub alignment: usize,
}

/// What the C library says of the module that an address is in.
#[repr(C)]
pub struct Object {
    flags: u64,
    /// The first address of the module.
    pub start: usize,
    /// The first address behind it.
    pub end: usize,
    /// Its entry in the dynamic linker's list.
    pub link: *const Link,
    /// Its `.eh_frame_hdr`; null where it has none.
    pub tables: *const u8,
    reserved: [u64; 8],
}

impl Object {
    /// None.
    pub const NONE: Object =
        Object { flags: 0, start: 0, end: 0, link: core::ptr::null(), tables: core::ptr::null(), reserved: [0; 8] };
}

/// The public part of the dynamic linker's entry.
#[repr(C)]
pub struct Link {
    /// What an address in the file is less than in memory.
    pub bias: usize,
    /// The path; empty for the program.
    pub name: *const core::ffi::c_char,
}

/// Looks at a module; another value than 0 ends the visits.
pub type Visit = unsafe extern "C" fn(image: *const Image, size: usize, with: *mut c_void) -> c_int;

/// The start routine of a thread.
pub type Start = extern "C" fn(*mut c_void) -> *mut c_void;

/// What the C library has.
#[cfg(not(heapsmith_alone))]
mod c_library {
    use core::ffi::{c_char, c_int, c_long, c_uint, c_void};

    use super::{Limit, Module, Timespec, Visit};

    #[link(name = "c")]
    unsafe extern "C" {
        pub fn mmap(
            at: *mut c_void,
            length: usize,
            protection: c_int,
            flags: c_int,
            file: c_int,
            offset: i64,
        ) -> *mut c_void;
        pub fn munmap(at: *mut c_void, length: usize) -> c_int;
        pub fn mprotect(at: *mut c_void, length: usize, protection: c_int) -> c_int;
        pub fn madvise(at: *mut c_void, length: usize, advice: c_int) -> c_int;
        fn open(path: *const c_char, flags: c_int, ...) -> c_int;
        pub fn close(file: c_int) -> c_int;
        pub fn read(file: c_int, to: *mut c_void, length: usize) -> isize;
        pub fn pwrite(file: c_int, from: *const c_void, length: usize, offset: i64) -> isize;
        pub fn unlink(path: *const c_char) -> c_int;
        pub fn posix_fallocate(file: c_int, offset: i64, length: i64) -> c_int;
        pub fn readlink(path: *const c_char, to: *mut c_char, length: usize) -> isize;
        pub fn getrlimit(which: c_int, limit: *mut Limit) -> c_int;
        pub fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
        pub fn getenv(name: *const c_char) -> *const c_char;
        pub fn getpid() -> c_int;
        pub fn getppid() -> c_int;
        pub fn sched_yield() -> c_int;
        fn prctl(option: c_int, ...) -> c_int;
        pub fn sysconf(name: c_int) -> c_long;
        pub fn dladdr(address: *const c_void, module: *mut Module) -> c_int;
        pub fn dl_iterate_phdr(visit: Visit, with: *mut c_void) -> c_int;
        pub fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
        pub fn pthread_key_create(key: *mut c_uint, destructor: extern "C" fn(*mut c_void)) -> c_int;
        pub fn pthread_setspecific(key: c_uint, value: *const c_void) -> c_int;
        pub fn __errno_location() -> *mut c_int;
    }

    /// # Safety
    ///
    /// The path ends with a zero.
    pub unsafe fn open_with_mode(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { open(path, flags, mode) }
    }

    /// # Safety
    ///
    /// `value` is what the option needs.
    pub unsafe fn set_process(option: c_int, value: *mut u64) -> c_int {
        // SAFETY: the caller's promise.
        unsafe { prctl(option, value) }
    }
}

pub const PROT_READ: c_int = 1;
pub const PROT_READ_WRITE: c_int = 3;
pub const PROT_READ_EXECUTE: c_int = 5;
pub const PROT_READ_WRITE_EXECUTE: c_int = 7;
pub const MAP_SHARED: c_int = 1;
pub const MAP_PRIVATE_ANONYMOUS: c_int = 0x22;
/// Fails where something is mapped already (Linux 4.17).
pub const MAP_FIXED_NOREPLACE: c_int = 0x10_0000;
/// Pages that a forked child sees as zeros (Linux 4.14).
pub const MADV_WIPEONFORK: c_int = 18;
pub const O_RDONLY_CLOEXEC: c_int = 0o2_000_000;
pub const O_RDWR_CLOEXEC: c_int = 0o2_000_002;
pub const O_CREATE_NEW: c_int = 0o300;
pub const CLOCK_MONOTONIC: c_int = 1;
pub const CLOCK_PROCESS_CPUTIME_ID: c_int = 2;
pub const RLIMIT_FSIZE: c_int = 1;
pub const RLIMIT_NOFILE: c_int = 7;
pub const SC_PAGESIZE: c_int = 30;
/// `dlsym`: the first that has the name.
pub const RTLD_DEFAULT: *mut c_void = core::ptr::null_mut();
/// `dlsym`: the next library after this one.
pub const RTLD_NEXT: *mut c_void = usize::MAX as *mut c_void;

/// `prctl`: the thread's name; the system calls that it may do.
pub const PR_GET_NAME: c_int = 16;
pub const PR_SET_SECCOMP: c_int = 22;
pub const SYS_EXIT_GROUP: c_long = 231;
pub const SYS_PRLIMIT64: c_long = 302;
pub const SYS_SECCOMP: c_long = 317;
/// `seccomp`: its modes, and the first of them as `prctl` numbers it.
pub const SECCOMP_SET_MODE_STRICT: c_long = 0;
pub const SECCOMP_SET_MODE_FILTER: c_long = 1;
pub const SECCOMP_MODE_STRICT: usize = 1;

pub const EINTR: c_int = 4;
pub const ENOMEM: c_int = 12;
pub const EEXIST: c_int = 17;
pub const EFBIG: c_int = 27;
pub const ENOSPC: c_int = 28;
pub const ENAMETOOLONG: c_int = 36;

/// The calling thread's `errno`.
pub fn errno() -> c_int {
    // SAFETY: the C library gives a place that is the thread's own.
    unsafe { *__errno_location() }
}

/// Sets the calling thread's `errno`.
pub fn set_errno(value: c_int) {
    // SAFETY: the C library gives a place that is the thread's own.
    unsafe { *__errno_location() = value }
}

/// Maps memory; null where the system refuses.
pub fn map(length: usize, flags: c_int, file: c_int, offset: u64) -> *mut u8 {
    // SAFETY: a mapping at a place of the system's choice touches no memory that is in use.
    let at = unsafe { mmap(core::ptr::null_mut(), length, PROT_READ_WRITE, flags, file, offset as i64) };
    if at as usize == usize::MAX { core::ptr::null_mut() } else { at.cast() }
}
