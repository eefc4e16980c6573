//! Blocks that are mapped by themselves: large ones, and those that no heap could serve.
//!
//! ```text
//!   base                          payload
//!    ├── … ── SEAL BASE LENGTH SIZE ┼── SIZE bytes ── … ──┤ base + LENGTH
//! ```
//!
//! Invariant B1: the four words before the payload are as [`allocate`] wrote them; the seal depends on the
//! payload's address.
//!
//! Freeing one gives its memory back at once. As a program that frees a size is likely to ask for it again, requests up to
//! that size go to the heap from then on ([`heapsmith_sharing::raised`]).

use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::pages;
use crate::process::Process;
use crate::restricted::{Use, forbids};

const SEAL: usize = 0x6865_6170_736d_6974;

/// Bytes that are mapped for such blocks now, and at most at once.
pub static LIVE: AtomicUsize = AtomicUsize::new(0);

#[repr(C)]
struct Header {
    seal: usize,
    base: usize,
    length: usize,
    size: usize,
}

/// Bytes before a payload that are read to tell whether it is one.
pub const HEADER: usize = size_of::<Header>();

impl Header {
    /// The address of this block's header.
    fn of(block: NonNull<u8>) -> NonNull<Header> {
        // SAFETY: B1, where the block is one.
        unsafe { block.cast::<Header>().sub(1) }
    }

    /// The header of this block, if it is one that was mapped by itself.
    ///
    /// # Safety
    ///
    /// The 32 bytes before the block can be read.
    unsafe fn read(block: NonNull<u8>) -> Option<Header> {
        // SAFETY: the caller's promise.
        let header = unsafe { Header::of(block).read() };
        (header.seal == SEAL ^ block.as_ptr().addr()).then_some(header)
    }
}

/// A block of zeros, or none.
#[cold]
pub fn allocate(size: usize, alignment: usize) -> Option<NonNull<u8>> {
    let before = size_of::<Header>().max(alignment);
    // A mapping begins at a page: only a coarser alignment needs room to choose.
    let spare = if alignment > pages::SIZE { alignment } else { 0 };
    let length = size.checked_add(before)?.checked_add(spare)?.checked_next_multiple_of(pages::SIZE)?;
    let base = pages::map(length)?;
    let block = NonNull::new((base.addr() + before).next_multiple_of(alignment.max(16)) as *mut u8)?;
    seal(block, base.addr(), length, size);
    LIVE.fetch_add(length, Ordering::Relaxed);
    Some(block)
}

fn seal(block: NonNull<u8>, base: usize, length: usize, size: usize) {
    let header = Header { seal: SEAL ^ block.as_ptr().addr(), base, length, size };
    // SAFETY: the payload begins at least a header behind the mapping's base, at a multiple of 16.
    unsafe { Header::of(block).write(header) };
}

/// Bytes of a block that the program may use, and bytes that it asked for; none if it is no block of these.
///
/// # Safety
///
/// The 32 bytes before the block can be read.
pub unsafe fn sizes(block: NonNull<u8>) -> Option<(usize, usize)> {
    // SAFETY: the caller's promise.
    let header = unsafe { Header::read(block) }?;
    Some((header.base + header.length - block.as_ptr().addr(), header.size))
}

/// Frees a block; false if it is none of these.
///
/// # Safety
///
/// The block is live, or its 32 bytes before it can be read.
#[cold]
pub unsafe fn deallocate(process: &Process, block: NonNull<u8>) -> bool {
    // SAFETY: the caller's promise.
    let Some(header) = (unsafe { Header::read(block) }) else { return false };
    let adapts = !process.settings.map_from_fixed && process.page_guard.is_none();
    if adapts && let Some(from) = heapsmith_sharing::raised(process.map_from.load(Ordering::Relaxed), header.size) {
        process.map_from.store(from, Ordering::Relaxed);
    }
    LIVE.fetch_sub(header.length, Ordering::Relaxed);
    // SAFETY: the mapping is this block's own, and the caller gives it away.
    unsafe { pages::unmap(header.base as *mut u8, header.length) };
    true
}

/// Makes a block another size, by moving its pages, if at all; none if it stays as it was.
///
/// # Safety
///
/// The block is a live one of these.
pub unsafe fn reallocate(block: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
    // SAFETY: the caller's promise.
    let header = unsafe { Header::read(block) }?;
    let before = block.as_ptr().addr() - header.base;
    let length = size.checked_add(before)?.checked_next_multiple_of(pages::SIZE)?;
    let mut base = header.base;
    if length != header.length {
        if forbids(Use::Remap) {
            return None;
        }
        // SAFETY: the mapping is the block's own; the owner of the block gets the new address.
        let moved = unsafe { libc::mremap(base as *mut _, header.length, length, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED {
            return None;
        }
        base = moved.addr();
        LIVE.fetch_add(length, Ordering::Relaxed);
        LIVE.fetch_sub(header.length, Ordering::Relaxed);
    }
    let block = NonNull::new((base + before) as *mut u8)?;
    seal(block, base, length, size);
    Some(block)
}
