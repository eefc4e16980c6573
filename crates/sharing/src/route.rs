//! From requests to arenas and lists, and back.

use core::ptr::NonNull;

use heapsmith::{Heap, Meter};
use heapsmith_spec::{Spec, Threads};

use crate::budget::Budget;
use crate::lists::Lists;
use crate::owners::Owners;
use crate::sizes::Sizes;

/// A heap behind its lock, with the list of its blocks that other threads freed.
pub trait Arena {
    /// What the heap's work is counted by.
    type Meter: Meter;

    /// A block, or none, after the heap got back what others freed.
    fn allocate(&self, size: usize, alignment: usize) -> Option<NonNull<u8>>;

    /// Frees a block of this heap for a thread that it serves.
    ///
    /// # Safety
    ///
    /// As for [`Heap::deallocate`].
    unsafe fn deallocate(&self, block: NonNull<u8>);

    /// Frees a block of this heap for a thread that another heap serves: it waits until the heap works next.
    ///
    /// # Safety
    ///
    /// As for [`Heap::deallocate`].
    unsafe fn send_back(&self, block: NonNull<u8>);

    /// Frees the blocks that `next` gives, until it gives none, under one lock; how many there were.
    ///
    /// # Safety
    ///
    /// They are blocks of this heap, as for [`Heap::deallocate`]. The heap detects no heap errors.
    unsafe fn take_back(&self, next: impl FnMut() -> Option<NonNull<u8>>) -> usize;

    /// Does something with the heap, alone, after it got back what others freed.
    fn work<T>(&self, job: impl FnOnce(&mut dyn Heap<Meter = Self::Meter>) -> T) -> T;
}

/// What serves the threads of a program. Its methods answer for the calling thread.
pub trait Shared {
    /// Its heaps.
    type Arena: Arena;

    /// How threads share.
    fn threads(&self) -> Threads;

    /// The arena of the main thread, and the pool of all lists.
    fn first(&self) -> &Self::Arena;

    /// The arena that serves the calling thread, where each has one.
    fn own(&self) -> &Self::Arena;

    /// The lists of each thread, where threads have lists.
    fn sizes(&self) -> Option<&Sizes>;

    /// What those lists may hold.
    fn budget(&self) -> &Budget;

    /// The owners of spans, where they have some.
    fn owners(&self) -> Option<&Owners>;

    /// Does something with the calling thread's lists; nothing, where it has none.
    fn with_lists<T>(&self, job: impl FnOnce(&mut Lists) -> T) -> Option<T>;

    /// Whether there is one thread: then nobody waits for a lock.
    fn is_alone(&self) -> bool;

    /// Whether a block is freed at once, whichever thread frees it: the heap detects heap errors.
    fn frees_at_once(&self) -> bool;

    /// A block was sent to another thread. Only who counts looks at it.
    #[inline(always)]
    fn sent(&self) {}

    /// The calling thread took blocks that were sent to it. Only who counts looks at it.
    #[inline(always)]
    fn received(&self, _blocks: u64) {}

    /// Lists read and wrote this many words of metadata. Only who counts looks at it.
    #[inline(always)]
    fn accesses(&self, _words: u64) {}
}

/// A block for the calling thread, or none.
#[inline(always)]
pub fn allocate<S: Shared>(shared: &S, size: usize, alignment: usize) -> Option<NonNull<u8>> {
    match shared.threads() {
        Threads::One => shared.first().allocate(size, alignment),
        Threads::Each => shared.own().allocate(size, alignment),
        Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => listed(shared, size, alignment),
    }
}

#[inline(always)]
fn listed<S: Shared>(shared: &S, size: usize, alignment: usize) -> Option<NonNull<u8>> {
    if alignment <= Spec::MALLOC_ALIGNMENT as usize
        && let Some(list) = shared.sizes().and_then(|sizes| sizes.of_request(size))
        && let Some(block) = shared.with_lists(|lists| lists.pop(shared, list).or_else(|| lists.fetch(shared, list)))
    {
        return block;
    }
    shared.first().allocate(size, alignment)
}

/// Frees a block of `arena` for the calling thread.
///
/// # Safety
///
/// It is a live block of [`allocate`], or the heap is one that detects what is done wrong.
#[inline(always)]
pub unsafe fn free<S: Shared>(shared: &S, arena: &S::Arena, block: NonNull<u8>) {
    // SAFETY: the caller's promise.
    unsafe {
        match shared.threads() {
            Threads::One => arena.deallocate(block),
            Threads::Each if core::ptr::eq(arena, shared.own()) => arena.deallocate(block),
            Threads::Each if shared.frees_at_once() => arena.deallocate(block),
            Threads::Each => arena.send_back(block),
            Threads::Lists | Threads::ListsWithin(_) | Threads::Owned => {
                shared.accesses(1);
                let list = shared.sizes().and_then(|sizes| sizes.of_block(block));
                if list.and_then(|list| shared.with_lists(|lists| lists.push(shared, list, block))).is_none() {
                    arena.deallocate(block);
                }
            }
        }
    }
}
