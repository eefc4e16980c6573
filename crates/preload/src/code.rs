//! The memory of the library's own code.
//!
//! Reading a spec and making a heap of it takes far more code than serving from it, and the code of every other heap is
//! never run. The system maps sixteen pages of a file where one is touched, so all of it would be resident: a megabyte
//! and a half that the program does not need. Pages that were dropped are read again from the file when they are run.

use core::ffi::c_void;

use libc::{Elf64_Ehdr, Elf64_Phdr};

use crate::pages;

/// Drops the library's code from memory, and has it come back page by page. Called when the process has begun.
pub fn drop_what_has_run() {
    // SAFETY: a structure of numbers and pointers.
    let mut found: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: looks up an address of this library.
    if unsafe { libc::dladdr(drop_what_has_run as *const c_void, &raw mut found) } == 0 {
        return;
    }
    let base = found.dli_fbase.cast::<u8>();
    // SAFETY: a loaded library begins with its header, which its table of segments follows.
    let segments = unsafe {
        let header = &*base.cast::<Elf64_Ehdr>();
        let table = base.add(header.e_phoff as usize).cast::<Elf64_Phdr>();
        core::slice::from_raw_parts(table, usize::from(header.e_phnum))
    };
    for segment in segments.iter().filter(|segment| segment.p_type == libc::PT_LOAD) {
        if segment.p_flags & libc::PF_W != 0 {
            continue;
        }
        let from = base as usize + segment.p_vaddr as usize;
        let (from, to) =
            (from.next_multiple_of(pages::SIZE), (from + segment.p_memsz as usize) / pages::SIZE * pages::SIZE);
        if from < to {
            // SAFETY: pages of a file that nobody writes: what is dropped is read again.
            unsafe {
                libc::madvise(from as *mut c_void, to - from, libc::MADV_RANDOM);
                libc::madvise(from as *mut c_void, to - from, libc::MADV_DONTNEED);
            }
        }
    }
}
