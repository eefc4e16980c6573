//! Pages of the system: mapped, committed, given back.

use core::ffi::c_void;
use core::ptr::{NonNull, null_mut};

use heapsmith::Source;

/// Bytes of a page of x86-64 and of most others.
pub const SIZE: usize = 4096;

/// The least that a region is made longer by, and the part of its length that it is made longer by.
const STEP: usize = 1 << 20;
const PART: usize = 8;

fn map_as(length: usize, protection: i32) -> Option<*mut u8> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a mapping at a place of the system's choice touches no memory that is in use.
    let at = unsafe { libc::mmap(null_mut(), length, protection, flags, -1, 0) };
    (at != libc::MAP_FAILED).then_some(at.cast())
}

/// `length` bytes of zeros, a whole number of pages.
pub fn map(length: usize) -> Option<*mut u8> {
    map_as(length, libc::PROT_READ | libc::PROT_WRITE)
}

/// Address space without memory.
pub fn reserve(length: usize) -> Option<*mut u8> {
    map_as(length, libc::PROT_NONE)
}

/// Gives a mapping back.
///
/// # Safety
///
/// It is a mapping, or a part of one, that nobody uses any more.
pub unsafe fn unmap(at: *mut u8, length: usize) {
    // SAFETY: the caller's promise. What the system refuses stays mapped.
    unsafe { libc::munmap(at.cast::<c_void>(), length) };
}

/// Gives the memory of the whole pages in a range back; they are zeros when they are used again.
/// Returns the bytes of these pages.
///
/// # Safety
///
/// The range is mapped, and what stands in it is needed no more.
pub unsafe fn release(from: usize, to: usize) -> usize {
    let (from, to) = (from.next_multiple_of(SIZE), to / SIZE * SIZE);
    if from >= to {
        return 0;
    }
    // SAFETY: the caller's promise.
    unsafe { libc::madvise(from as *mut c_void, to - from, libc::MADV_DONTNEED) };
    to - from
}

/// A region in reserved address space, committed as its heap grows.
///
/// The heap is told the length in steps, so that it asks once in a megabyte or in an eighth of its
/// length; a page has memory when it is first touched.
#[derive(Debug)]
pub struct Reserved {
    base: NonNull<u8>,
    reserved: usize,
    committed: usize,
}

// SAFETY: the reserve belongs to this value alone.
unsafe impl Send for Reserved {}

impl Reserved {
    /// A region at `base`.
    ///
    /// # Safety
    ///
    /// `reserved` bytes from there, a whole number of pages, are reserved and nobody else's, for ever.
    pub unsafe fn new(base: NonNull<u8>, reserved: usize) -> Self {
        Reserved { base, reserved, committed: 0 }
    }
}

// SAFETY: what was committed is valid, nobody else's, and stays so.
unsafe impl Source for Reserved {
    fn base(&self) -> NonNull<u8> {
        self.base
    }

    fn length(&self) -> usize {
        self.committed
    }

    fn limit(&self) -> usize {
        self.reserved
    }

    #[cold]
    fn grow(&mut self, wanted: usize) -> usize {
        let ample = wanted.saturating_add((self.committed / PART).max(STEP));
        for length in [ample, wanted] {
            let length = length.checked_next_multiple_of(SIZE).unwrap_or(usize::MAX).min(self.reserved);
            if length < wanted || length <= self.committed {
                continue;
            }
            let access = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: pages of the reserve, which are this region's own.
            let denied = unsafe { libc::mprotect(self.base.as_ptr().cast(), length, access) } != 0;
            if !denied {
                self.committed = length;
                break;
            }
        }
        self.committed
    }
}
