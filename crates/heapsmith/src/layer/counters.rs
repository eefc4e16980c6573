//! Counts of what a program holds and asks for, known at any time.
//!
//! ```text
//!   allocate, reallocate ──▶ heap ──▶ live blocks, free bytes, the fewest that ever were
//!                              └────▶ none: refused requests
//! ```
//!
//! The counts are the program's: a block that a layer below caches is free. They are numbers of the layer and not
//! words of the region, so addresses and accesses are those of the heap below.
//!
//! # Invariants
//!
//! - **C1** `live_blocks` blocks are with the program, and `free_bytes` and their bytes, headers included, are the region
//!   without the control words of an empty heap. A block that the heap or a layer keeps for itself counts as free.
//!
//! # Cost
//!
//! Constant time and no access for each operation; no word of the region.

use core::ptr::NonNull;

use crate::handles::{Handle, Handles, Moved};
use crate::heap::{BlockView, Heap, Priority, Violation};
use crate::heap_error::{HeapError, HeapErrors};
use crate::layer::own;
use crate::word::Word;

/// What a program holds and asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Counts {
    /// Blocks with the program.
    pub live_blocks: usize,
    /// Bytes of the region in none of them. One request gets fewer: they are in pieces, and a block has a header.
    pub free_bytes: usize,
    /// The fewest that [`Counts::free_bytes`] ever was after an operation.
    pub min_free_bytes: usize,
    /// Requests for at least a byte that got no block, reallocations included.
    pub refused: usize,
    /// Bytes of the largest request, refused or not.
    pub largest_request: usize,
}

impl Counts {
    /// A request for `size` bytes, and the bytes of the block that it got.
    fn asked(&mut self, size: usize, block: Option<usize>) {
        self.largest_request = self.largest_request.max(size);
        match block {
            Some(bytes) => {
                self.live_blocks += 1;
                self.free_bytes -= bytes;
                self.min_free_bytes = self.min_free_bytes.min(self.free_bytes);
            }
            None => self.refused += usize::from(size > 0),
        }
    }

    /// A block of this many bytes was freed.
    fn freed(&mut self, bytes: usize) {
        self.live_blocks -= 1;
        self.free_bytes += bytes;
    }
}

/// Counts the blocks and requests of the heap `H`, whose word is `W`.
///
/// ```
/// use core::mem::MaybeUninit;
/// use heapsmith::{Counters, Fixed, Heap, Tlsf};
///
/// let mut memory = [MaybeUninit::<u64>::uninit(); 512];
/// let source = Fixed::new(&mut memory);
/// let mut heap = Counters::<u32, _>::new(Tlsf::new(source)?, 4096);
/// let before = heap.counts().free_bytes;
/// assert!(heap.allocate(100, 1).is_some() && heap.allocate(100_000, 1).is_none());
/// let counts = heap.counts();
/// assert_eq!((counts.live_blocks, counts.refused, counts.largest_request), (1, 1, 100_000));
/// assert_eq!(before - counts.free_bytes, 104);
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
#[derive(Debug)]
pub struct Counters<W, H> {
    heap: H,
    counts: Counts,
    word: core::marker::PhantomData<W>,
}

impl<W: Word, H: Heap> Counters<W, H> {
    /// A layer before `heap`, of which the program has no block yet, in a region of at most `region` bytes.
    pub fn new(heap: H, region: usize) -> Self {
        let region = region.min(W::MAX_WORDS.saturating_mul(W::BYTES)) / W::BYTES * W::BYTES;
        let free_bytes = region.saturating_sub(heap.control_size());
        let counts = Counts { free_bytes, min_free_bytes: free_bytes, ..Counts::default() };
        Counters { heap, counts, word: core::marker::PhantomData }
    }

    /// What the program holds and asked for, in constant time.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Counts a request for `size` bytes that was answered so.
    fn asked(&mut self, size: usize, block: Option<NonNull<u8>>) {
        let bytes = block.map(|block| own::block_size(&self.heap, block));
        self.counts.asked(size, bytes);
    }
}

// SAFETY: the heap below keeps the promise; this layer only counts.
unsafe impl<W: Word, H: Heap> Heap for Counters<W, H> {
    type Meter = H::Meter;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate_with(Priority::default(), size, alignment)
    }

    fn allocate_with(&mut self, priority: Priority, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let block = self.heap.allocate_with(priority, size, alignment);
        self.asked(size, block);
        block
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        let _ = unsafe { self.try_deallocate(pointer) };
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let bytes = own::block_size(&self.heap, pointer);
        // SAFETY: the caller's promise is the same.
        unsafe { self.heap.try_deallocate(pointer) }?;
        self.counts.freed(bytes);
        Ok(())
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let (before, errors) = (own::block_size(&self.heap, pointer), self.heap_errors());
        // SAFETY: the caller's promise is the same.
        let moved = unsafe { self.heap.reallocate(pointer, size, alignment) };
        if moved.is_some() {
            self.counts.freed(before);
        }
        // What is no block of the heap is an error, and no request.
        if moved.is_some() || errors == self.heap_errors() {
            self.asked(size, moved);
        }
        moved
    }

    super::as_below!(walk of heap);
}

// SAFETY: the heap below keeps the promise; this layer only counts.
unsafe impl<W: Word, H: Handles> Handles for Counters<W, H> {
    fn allocate_movable(&mut self, size: usize) -> Option<Handle> {
        let handle = self.heap.allocate_movable(size);
        // SAFETY: the heap has just returned the handle.
        let block = handle.map(|handle| unsafe { self.heap.get(handle) });
        self.asked(size, block);
        handle
    }
    fn reserve_handles(&mut self, handles: usize) -> bool {
        self.heap.reserve_handles(handles)
    }
    unsafe fn free_movable(&mut self, handle: Handle) {
        // SAFETY: the caller's promise is the same.
        let bytes = unsafe { self.heap.block_size(self.heap.get(handle)) };
        // SAFETY: as above.
        unsafe { self.heap.free_movable(handle) };
        self.counts.freed(bytes);
    }
    unsafe fn get(&self, handle: Handle) -> NonNull<u8> {
        // SAFETY: the caller's promise is the same.
        unsafe { self.heap.get(handle) }
    }
    unsafe fn pin(&mut self, handle: Handle) -> NonNull<u8> {
        // SAFETY: the caller's promise is the same.
        unsafe { self.heap.pin(handle) }
    }
    unsafe fn unpin(&mut self, handle: Handle) {
        // SAFETY: the caller's promise is the same.
        unsafe { self.heap.unpin(handle) }
    }
    fn moved(&self) -> Moved {
        self.heap.moved()
    }
    fn max_moved(&self, size: usize) -> Option<usize> {
        self.heap.max_moved(size)
    }
}
