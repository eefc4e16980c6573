//! A reserve that only urgent requests may use.
//!
//! ```text
//!   region  ┌────────────────────────────┬───────────────────┬──────────────┐
//!           │ control and used blocks    │ free              │ reserve      │
//!           └────────────────────────────┴───────────────────┴──────────────┘
//!             low priority: up to here ──────────────────────▶│
//!             high priority: up to here ────────────────────────────────────▶
//! ```
//!
//! A request of low priority is refused while it would leave less than the
//! reserve free, whatever the heap could serve; one of high priority is refused
//! only by the heap. [`Heap::allocate`] and [`Heap::reallocate`] ask with low
//! priority; [`Heap::allocate_with`] says which.
//!
//! Free is the region's limit less control words and used blocks. Blocks that a
//! layer below keeps (free lists, a quarantine) count as free, since that layer
//! returns them when the heap fails. A request counts with its size, a block
//! with all its words: the reserve can fall short by one block's header and
//! padding. Bytes are reserved, not a block: a reserve in pieces may not serve a
//! large request.
//!
//! # Invariants
//!
//! - **R1** The control word is the number of words in used blocks, kept ones and this layer's own not counted.
//!
//! # Cost
//!
//! Allocate, deallocate and reallocate: 2 accesses more, and 1 to refuse. Space: a block of a word.
//!
//! Source: Peintner, Bukhatwa, Patel, §3 (fault tolerance: when memory runs
//! short, jobs of low priority are blocked in favour of those of high priority).

use core::ptr::NonNull;

use crate::heap::{BlockView, Heap, Priority, State, Violation};
use crate::heap_error::{HeapError, HeapErrors};
use crate::layer::own;
use crate::memory::RegionError;
use crate::word::Word;

/// Counts of the requests of one priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct PriorityStatistics {
    /// Requests.
    pub requests: u64,
    /// Of these, refused to keep the reserve.
    pub blocked: u64,
    /// Of these, refused by the heap.
    pub failed: u64,
}

/// Keeps a part of the region of the heap `H` for requests of high priority.
#[derive(Debug)]
pub struct Reserve<W, H> {
    heap: H,
    /// Bytes that requests of low priority may fill, control words included.
    limit: usize,
    /// The layer's own block: one word, the words in used blocks.
    control: usize,
    statistics: [PriorityStatistics; 2],
    word: core::marker::PhantomData<W>,
}

impl<W: Word, H: Heap> Reserve<W, H> {
    /// A layer before the empty `heap` in a region of at most `region` bytes, of
    /// which `percent` of a hundred are reserved. `W` is the heap's word, or one that it aligns payloads to.
    pub fn new(mut heap: H, region: usize, percent: u8) -> Result<Self, RegionError> {
        let region = region.min(W::MAX_WORDS.saturating_mul(W::BYTES));
        let reserved = region / 100 * usize::from(percent) + region % 100 * usize::from(percent) / 100;
        own::check_below::<W>(&heap)?;
        let control = own::control_block::<W>(&mut heap, 1)?;
        let word = core::marker::PhantomData;
        Ok(Reserve { heap, limit: region.saturating_sub(reserved), control, statistics: Default::default(), word })
    }

    /// Counts of the requests of `priority`, reallocations included.
    pub fn statistics(&self, priority: Priority) -> PriorityStatistics {
        self.statistics[priority as usize]
    }

    /// Whether `more` bytes leave the reserve whole; and the words used now.
    fn leaves_reserve(&mut self, more: usize) -> (bool, usize) {
        let used = own::load::<W>(&mut self.heap, self.control);
        // SAFETY: O1: the layer's own block is live.
        let own = unsafe { self.heap.block_size(own::pointer::<W>(&self.heap, self.control)) };
        let now = self.heap.control_size() + own + used * W::BYTES;
        (now.saturating_add(more) <= self.limit, used)
    }

    /// Words of a block.
    fn block_words(&self, pointer: NonNull<u8>) -> usize {
        own::block_size(&self.heap, pointer) / W::BYTES
    }
}

// SAFETY: the heap below keeps the promise; this layer only refuses.
unsafe impl<W: Word, H: Heap> Heap for Reserve<W, H> {
    type Meter = H::Meter;

    fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        self.allocate_with(Priority::default(), size, alignment)
    }

    fn allocate_with(&mut self, priority: Priority, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let (leaves, used) = self.leaves_reserve(size);
        let statistics = &mut self.statistics[priority as usize];
        statistics.requests += 1;
        if priority == Priority::Low && !leaves {
            statistics.blocked += 1;
            return None;
        }
        let Some(pointer) = self.heap.allocate_with(priority, size, alignment) else {
            statistics.failed += 1;
            return None;
        };
        let words = self.block_words(pointer);
        own::store::<W>(&mut self.heap, self.control, used + words);
        Some(pointer)
    }

    unsafe fn deallocate(&mut self, pointer: NonNull<u8>) {
        // SAFETY: the caller's promise is the same.
        let _ = unsafe { self.try_deallocate(pointer) };
    }

    unsafe fn try_deallocate(&mut self, pointer: NonNull<u8>) -> Result<(), HeapError> {
        let words = self.block_words(pointer);
        // SAFETY: the caller's promise is the same.
        unsafe { self.heap.try_deallocate(pointer) }?;
        let used = own::load::<W>(&mut self.heap, self.control);
        own::store::<W>(&mut self.heap, self.control, used - words);
        Ok(())
    }

    unsafe fn reallocate(&mut self, pointer: NonNull<u8>, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let before = self.block_words(pointer);
        // SAFETY: the caller's promise is the same.
        let usable = unsafe { self.heap.usable_size(pointer) };
        let (leaves, used) = self.leaves_reserve(size.saturating_sub(usable));
        let statistics = &mut self.statistics[Priority::Low as usize];
        statistics.requests += 1;
        if size > usable && !leaves {
            statistics.blocked += 1;
            return None;
        }
        // SAFETY: the caller's promise is the same.
        let Some(moved) = (unsafe { self.heap.reallocate(pointer, size, alignment) }) else {
            statistics.failed += 1;
            return None;
        };
        let after = self.block_words(moved);
        own::store::<W>(&mut self.heap, self.control, used - before + after);
        Some(moved)
    }

    fn walk(&self, visit: &mut dyn FnMut(BlockView)) {
        own::walk::<W>(&self.heap, self.control, visit);
    }

    fn check(&self) -> Result<(), Violation> {
        self.heap.check()?;
        let (mut used, mut cached) = (0, 0);
        self.walk(&mut |block| match block.state {
            State::Used => used += block.size,
            State::Cached => cached += block.size,
            State::Free => {}
        });
        if used - cached != own::peek::<W>(&self.heap, self.control) * W::BYTES {
            let invariant = "R1: the count of words in used blocks is wrong";
            return Err(Violation { invariant, offset: self.control * W::BYTES });
        }
        Ok(())
    }

    super::as_below!(blocks of heap);
}
