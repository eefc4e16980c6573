//! A heap that was emitted as C and compiled, loaded into this process and called as the C of any program calls it.
//!
//! ```text
//!   library.so ── dlopen ──▶ `heapsmith_compiled`, a table of functions ──▶ CompiledHeap, shared
//!                                                                              │ in (a region)
//!                                                                              ▼
//!                                                                           Compiled, an Allocator of the region
//! ```
//!
//! The struct of the heap is in memory of its own, as a program has it among its variables; the region has all else.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::marker::PhantomData;
use core::ptr::NonNull;
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use heapsmith::{Fixed, Source};

use crate::allocator::Allocator;

/// The library's table, as `emit/c/timed.c` writes it.
#[repr(C)]
struct Table {
    /// Bytes of the heap's struct.
    bytes: usize,
    /// The largest region that the heap can have.
    max_region: usize,
    /// What every block is aligned to, in bytes.
    alignment: usize,
    init: unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> bool,
    allocate: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    allocate_aligned: unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
    reallocate: unsafe extern "C" fn(*mut c_void, *mut c_void, usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, *mut c_void),
}

/// A compiled heap that was loaded.
#[derive(Debug)]
pub struct CompiledHeap {
    library: NonNull<c_void>,
    table: NonNull<Table>,
}

// SAFETY: the table is constant, and the library has no variables.
unsafe impl Send for CompiledHeap {}
// SAFETY: as above.
unsafe impl Sync for CompiledHeap {}

/// Why a library is no compiled heap: what the system says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the compiled heap cannot be loaded: {0}")]
pub struct LoadError(String);

impl LoadError {
    fn last() -> LoadError {
        // SAFETY: null, or a text that ends with a zero until the next call.
        let text: *mut c_char = unsafe { libc::dlerror() };
        if text.is_null() {
            return LoadError("it has no table of functions".to_owned());
        }
        // SAFETY: as above.
        LoadError(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
    }
}

impl CompiledHeap {
    /// Loads a library. The file may be removed afterwards.
    ///
    /// # Errors
    ///
    /// What the system says.
    ///
    /// # Trust
    ///
    /// The library is code of this process from here on, as what a linker puts into it: it has to be of the C that heapsmith
    /// emits for timing, from a folder that nobody else can enter.
    pub fn load(path: &Path) -> Result<CompiledHeap, LoadError> {
        let name = CString::new(path.as_os_str().as_bytes()).map_err(|error| LoadError(error.to_string()))?;
        // SAFETY: the library is the caller's, as described above.
        let library = NonNull::new(unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL as c_int) });
        let library = library.ok_or_else(LoadError::last)?;
        // SAFETY: the library is open.
        match NonNull::new(unsafe { libc::dlsym(library.as_ptr(), c"heapsmith_compiled".as_ptr()) }) {
            Some(table) => Ok(CompiledHeap { library, table: table.cast() }),
            None => {
                let error = LoadError::last();
                // SAFETY: nothing of it is used.
                unsafe { libc::dlclose(library.as_ptr()) };
                Err(error)
            }
        }
    }

    fn table(&self) -> &Table {
        // SAFETY: the library is open as long as this lives, and its table has this type by the promise of `load`.
        unsafe { self.table.as_ref() }
    }

    /// An empty heap in a region; none if it is too small.
    pub fn in_region<'a>(&'a self, region: &Fixed<'a>) -> Option<Compiled<'a>> {
        let table = self.table();
        let mut state = vec![0_u64; table.bytes.div_ceil(8)].into_boxed_slice();
        let bytes = region.length().min(table.max_region);
        // SAFETY: the struct has this many bytes, and is aligned as a word; the region is borrowed for as long as the heap lives.
        let made = unsafe { (table.init)(state.as_mut_ptr().cast(), region.base().as_ptr().cast(), bytes) };
        made.then_some(Compiled { table, alignment: table.alignment, state, region: PhantomData })
    }
}

impl Drop for CompiledHeap {
    fn drop(&mut self) {
        // SAFETY: heaps of it borrow it, so there are none.
        unsafe { libc::dlclose(self.library.as_ptr()) };
    }
}

/// A compiled heap in a region.
pub struct Compiled<'a> {
    table: &'a Table,
    /// The table's.
    alignment: usize,
    state: Box<[u64]>,
    region: PhantomData<Fixed<'a>>,
}

impl Compiled<'_> {
    fn state(&mut self) -> *mut c_void {
        self.state.as_mut_ptr().cast()
    }
}

impl Allocator for Compiled<'_> {
    type Receipt = NonNull<u8>;

    #[inline(always)]
    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let (table, state) = (self.table, self.state());
        // SAFETY: the heap was initialised; the alignment is a power of two.
        let block = unsafe {
            if alignment <= self.alignment {
                (table.allocate)(state, size)
            } else {
                (table.allocate_aligned)(state, size, alignment)
            }
        };
        NonNull::new(block.cast())
    }

    #[inline(always)]
    unsafe fn deallocate(&mut self, receipt: NonNull<u8>) {
        // SAFETY: P1, and the caller's promise.
        unsafe { (self.table.free)(self.state(), receipt.as_ptr().cast()) };
    }

    #[inline(always)]
    unsafe fn reallocate(&mut self, receipt: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
        // SAFETY: P1, and the caller's promise.
        let block = unsafe { (self.table.reallocate)(self.state(), receipt.as_ptr().cast(), size, 1) };
        NonNull::new(block.cast())
    }
}
