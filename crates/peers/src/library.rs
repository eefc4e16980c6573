//! A library with `malloc` and `free`, loaded from a file and called directly.
//!
//! ```text
//!   o1heap.so ── dlopen ──▶ malloc, free, realloc ──▶ Library, an Allocator of the process
//! ```
//!
//! The library is loaded locally: its `malloc` replaces nobody else's. It stays loaded until the process ends, so a process is
//! to be started for it.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr::NonNull;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::allocator::Allocator;

type Malloc = unsafe extern "C" fn(usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void);
type Realloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;

/// The functions of a loaded library.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    malloc: Malloc,
    free: Free,
    realloc: Option<Realloc>,
}

/// Why a file is no library with an allocator.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// The system does not load it.
    #[error("the library cannot be loaded: {0}")]
    Load(String),
    /// It lacks a function.
    #[error(
        "the library {file} has no function \"{function}\": it needs malloc and free with the types of the C library"
    )]
    Lacks {
        /// The file.
        file: String,
        /// What it lacks.
        function: &'static str,
    },
}

impl Library {
    /// Loads a library. Its code runs in this process from here on.
    ///
    /// # Errors
    ///
    /// The system does not load the file, or `malloc` or `free` is not in it.
    pub fn load(path: &Path) -> Result<Library, LibraryError> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| LibraryError::Load(error.to_string()))?;
        // SAFETY: the user named this file to be run.
        let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL as c_int) };
        let library = NonNull::new(library).ok_or_else(|| LibraryError::Load(last_error()))?;
        let symbol = |name: &CStr| {
            // SAFETY: the library is open, and stays open.
            let found = unsafe { libc::dlsym(library.as_ptr(), name.as_ptr()) };
            // What a library needs is searched too, and the C library's functions are none of its own.
            // SAFETY: the handle is the one for all that was loaded with the program.
            let ours = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            NonNull::new(found).filter(|_| found != ours)
        };
        let lacks = |function| LibraryError::Lacks { file: path.display().to_string(), function };
        let malloc = symbol(c"malloc").ok_or_else(|| lacks("malloc"))?;
        let free = symbol(c"free").ok_or_else(|| lacks("free"))?;
        // SAFETY: functions of these names have these types, as the C library's have.
        unsafe {
            Ok(Library {
                malloc: core::mem::transmute::<*mut c_void, Malloc>(malloc.as_ptr()),
                free: core::mem::transmute::<*mut c_void, Free>(free.as_ptr()),
                realloc: symbol(c"realloc").map(|at| core::mem::transmute::<*mut c_void, Realloc>(at.as_ptr())),
            })
        }
    }
}

fn last_error() -> String {
    // SAFETY: null, or a text that ends with a zero until the next call.
    let text: *mut c_char = unsafe { libc::dlerror() };
    if text.is_null() {
        return "the system does not say why".to_owned();
    }
    // SAFETY: as above.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

impl Allocator for Library {
    type Receipt = NonNull<u8>;
    const OF_THE_PROCESS: bool = true;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        if alignment > 2 * size_of::<usize>() {
            return None;
        }
        // SAFETY: the function takes any size.
        NonNull::new(unsafe { (self.malloc)(size) }.cast())
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: NonNull<u8>) {
        // SAFETY: P1, and the caller's promise.
        unsafe { (self.free)(receipt.as_ptr().cast()) };
    }

    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
        // SAFETY: P1, and the caller's promise.
        NonNull::new(unsafe { (self.realloc?)(receipt.as_ptr().cast(), size) }.cast())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_library_is_refused() {
        let missing = Library::load(Path::new("/nonexistent/allocator.so"));
        assert!(matches!(missing, Err(LibraryError::Load(text)) if text.contains("allocator.so")));
    }

    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[test]
    fn a_library_without_malloc_is_refused() {
        // That of mathematics needs the C library, whose malloc is none of its own.
        let error = Library::load(Path::new("libm.so.6")).expect_err("it has no malloc");
        assert!(error.to_string().contains("no function \"malloc\""), "{error}");
    }
}
