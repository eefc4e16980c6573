//! Pages of the system for the state of processes and threads.

use crate::system::{MADV_WIPEONFORK, MAP_PRIVATE_ANONYMOUS, madvise, map};

/// Bytes of a page at most, so that a state has a page of its own.
const PAGE: usize = 4096;

/// Memory that a forked child sees as zeros; null when there is none.
pub fn wiped_pages(length: usize) -> *mut u8 {
    let length = length.next_multiple_of(PAGE);
    let at = map(length, MAP_PRIVATE_ANONYMOUS, -1, 0);
    // SAFETY: the pages were just mapped. Without this advice a child would write to its parent's file.
    if !at.is_null() && unsafe { madvise(at.cast(), length, MADV_WIPEONFORK) } != 0 {
        return core::ptr::null_mut();
    }
    at
}
