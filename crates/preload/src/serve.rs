//! From requests to heaps, and back.
//!
//! ```text
//!   allocate ──▶ large? ──▶ mapped by itself
//!            ├─▶ a guard? ──▶ in pages of its own, or the heap
//!            └─▶ the thread's lists, the thread's heap, or the heap ──refused──▶ mapped by itself
//!
//!   free ──▶ whose place is its address in? ── none ──▶ unmapped
//!        └─▶ the calling thread's lists or heap ── another thread's heap ──▶ its list of returned blocks
//! ```

use core::ptr::NonNull;
use core::sync::atomic::Ordering;

use heapsmith_spec::Threads;

use crate::page_guard::PageGuard;
use crate::process::{Process, process};
use crate::{heap_error, mapped, operators, pages, thread};
use heapsmith_capture::stack::Caller;

/// What every block is a multiple of; a request that names no alignment, or a finer one.
const ALIGNMENT: usize = 16;

/// A block of at least `size` bytes at a multiple of `alignment`, a power of two; none if there is no memory.
#[inline(always)]
pub fn allocate(size: usize, alignment: usize) -> Option<NonNull<u8>> {
    let process = process();
    let block = take(process, size, alignment);
    if let (Some(tracker), Some(block)) = (&process.tracker, block) {
        tracker.allocated(process, block, size, alignment, Caller::of_hook());
    }
    block
}

/// As [`allocate`], and not noted.
#[inline(always)]
fn take(process: &Process, size: usize, alignment: usize) -> Option<NonNull<u8>> {
    if size >= process.map_from.load(Ordering::Relaxed) {
        return large(process, size, alignment);
    }
    let size = size.max(1);
    heapsmith_sharing::allocate(process, size, alignment).or_else(|| refused(process, size, alignment))
}

/// A request that a heap refused: mapped by itself.
#[cold]
fn refused(process: &Process, size: usize, alignment: usize) -> Option<NonNull<u8>> {
    if let Some(tracker) = &process.tracker {
        tracker.counts.refused.fetch_add(1, Ordering::Relaxed);
    }
    mapped_if_possible(process, size, alignment)
}

/// A large request: mapped by itself, or from a heap where the system maps no more. Any request, where there is a guard.
#[cold]
fn large(process: &Process, size: usize, alignment: usize) -> Option<NonNull<u8>> {
    if let Some(guard) = &process.page_guard {
        return guarded(process, guard, size, alignment);
    }
    let size = size.max(1);
    mapped_if_possible(process, size, alignment).or_else(|| process.first().allocate(size, alignment))
}

/// A request with a guard: in pages of its own, or from the heap behind the layer.
fn guarded(process: &Process, guard: &PageGuard, size: usize, alignment: usize) -> Option<NonNull<u8>> {
    if guard.is_due(|| audit_period(process)) {
        process.audit();
    }
    if let Some(block) = guard.allocate(size, alignment) {
        if let Some(tracker) = &process.tracker {
            tracker.counts.mapped.fetch_add(1, Ordering::Relaxed);
        }
        return Some(block);
    }
    let size = size.max(1);
    // What is mapped by itself has no pattern around it: only where it was asked for.
    if process.settings.map_from_fixed
        && size >= process.settings.map_from
        && let Some(block) = mapped_if_possible(process, size, alignment)
    {
        return Some(block);
    }
    let arena = if process.threads == Threads::Each { thread::arena(process) } else { process.first() };
    arena.allocate(size, alignment).or_else(|| refused(process, size, alignment))
}

/// Requests until everything is verified again: as many as there may be blocks, so that each request pays for a few.
fn audit_period(process: &Process) -> usize {
    const MIN: usize = 1 << 16;
    const BLOCK: usize = 64;
    let footprints = process.arenas().iter().map(|arena| arena.work(|heap| heap.footprint()));
    (footprints.sum::<usize>() / BLOCK).max(MIN)
}

#[cold]
fn mapped_if_possible(process: &Process, size: usize, alignment: usize) -> Option<NonNull<u8>> {
    let block = if size > isize::MAX as usize { None } else { mapped::allocate(size, alignment) };
    if let (Some(tracker), Some(_)) = (&process.tracker, block) {
        tracker.counts.mapped.fetch_add(1, Ordering::Relaxed);
    }
    block
}

/// Frees a block.
///
/// # Safety
///
/// It is a live block of [`allocate`], or the heap is one that detects what is done wrong.
#[inline(always)]
pub unsafe fn free(block: NonNull<u8>) {
    let process = process();
    // SAFETY: the caller's promise.
    let free = || unsafe { give(process, block) };
    match &process.tracker {
        Some(tracker) => tracker.frees(process, block, Caller::of_hook(), free),
        None => free(),
    }
}

/// As [`free`], and not noted.
///
/// # Safety
///
/// As for [`free`].
#[inline(always)]
unsafe fn give(process: &Process, block: NonNull<u8>) {
    let Some(arena) = process.arena_of(block) else {
        // SAFETY: the caller's promise.
        return unsafe { unmap(process, block) };
    };
    // SAFETY: the caller's promise.
    unsafe { heapsmith_sharing::free(process, arena, block) };
}

#[cold]
unsafe fn unmap(process: &Process, block: NonNull<u8>) {
    if let Some(guard) = process.page_guard.as_ref().filter(|guard| guard.owns(block.as_ptr().addr())) {
        if let Err(found) = guard.deallocate(block) {
            heap_error::stop(&found, guard.base(), block);
        }
        return operators::freed(block);
    }
    // SAFETY: the caller's promise; a foreign pointer is detected where possible, and memory that cannot be read ends the program.
    if is_foreign(process, block) || !unsafe { mapped::deallocate(process, block) } {
        heap_error::foreign(block);
    }
}

/// Whether a pointer to no heap's block can be none that was mapped by itself. A guard asks the system what is there.
pub fn is_foreign(process: &Process, block: NonNull<u8>) -> bool {
    let at = block.as_ptr().addr();
    let header = || at.saturating_sub(mapped::HEADER);
    process.covers(at) || (process.guarded && !(at.is_multiple_of(ALIGNMENT) && pages::is_mapped(header())))
}

/// Makes a block another size; none if it cannot, and the block is as it was.
///
/// # Safety
///
/// As for [`free`].
#[inline(always)]
pub unsafe fn reallocate(block: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
    let process = process();
    let size = size.max(1);
    // SAFETY: the caller's promise.
    let resize = || unsafe { resize(process, block, size) };
    match &process.tracker {
        Some(tracker) => tracker.reallocates(process, block, size, Caller::of_hook(), resize),
        None => resize(),
    }
}

unsafe fn resize(process: &Process, block: NonNull<u8>, size: usize) -> Option<NonNull<u8>> {
    let large = size >= process.map_from.load(Ordering::Relaxed);
    // SAFETY: the caller's promise: a block of this home, or a mapped one.
    let in_place = unsafe {
        match process.arena_of(block) {
            Some(_) if large => None,
            Some(arena) => arena.reallocate(block, size),
            None if large && !process.guarded => mapped::reallocate(block, size),
            None => None,
        }
    };
    if in_place.is_some() {
        return in_place;
    }
    let moved = take(process, size, ALIGNMENT)?;
    // SAFETY: both blocks have as many bytes as are copied, and the caller gives up the old one.
    unsafe {
        moved.copy_from_nonoverlapping(block, size.min(usable(block)));
        give(process, block);
    }
    Some(moved)
}

/// The bytes of a block that the program may use.
///
/// # Safety
///
/// As for [`free`].
pub unsafe fn usable(block: NonNull<u8>) -> usize {
    let process = process();
    match process.arena_of(block) {
        Some(arena) => arena.usable(block),
        None if process.covers(block.as_ptr().addr()) => guarded_size(process, block).unwrap_or(0),
        None if is_foreign(process, block) => 0,
        // SAFETY: the caller's promise.
        None => unsafe { mapped::sizes(block) }.map_or(0, |(usable, _)| usable),
    }
}

/// The bytes that a live block was asked for with, where a guard knows it.
pub fn guarded_size(process: &Process, block: NonNull<u8>) -> Option<usize> {
    match (process.arena_of(block), &process.page_guard) {
        (Some(arena), Some(_)) => Some(arena.usable(block)).filter(|size| *size > 0),
        (None, Some(guard)) if guard.owns(block.as_ptr().addr()) => guard.usable(block),
        _ => None,
    }
}

/// Whether a block is one of zeros, fresh from the system.
pub fn is_fresh(block: NonNull<u8>) -> bool {
    process().arena_of(block).is_none()
}
