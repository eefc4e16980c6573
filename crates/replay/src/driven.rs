//! A heap driven one operation at a time, by somebody who looks at what it answers.
//!
//! ```text
//!   Spec ──drive──▶ Driven: allocate ─▶ slot and offset      an adversary chooses the next
//!                           free slot                        operation by the offsets so far
//! ```
//!
//! What is asked is the same as in a replay, so a trace of the same operations has the same footprint and accesses.

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_trace::Bytes;

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::region::Region;

/// Where a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedBlock {
    /// Its slot.
    pub slot: u32,
    /// Bytes from the region's base to its payload.
    pub offset: u64,
    /// Bytes of the block, header included.
    pub block: u64,
}

/// A heap that is driven.
pub struct Driven<'h> {
    heap: &'h mut dyn Heap<Meter = Counting>,
    live: LiveTable,
    empty: Vec<u32>,
    requested: u64,
    requested_peak: u64,
    accesses: u64,
    accesses_max: u64,
}

impl core::fmt::Debug for Driven<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Driven").field("requested", &self.requested).field("footprint", &self.footprint()).finish()
    }
}

/// Makes the heap of `spec` in all of `region`, with room for `blocks` live blocks, and hands it to `driver`.
///
/// # Errors
///
/// The heap cannot be made.
pub fn drive<T>(
    spec: &Spec,
    region: &mut Region,
    blocks: u32,
    driver: impl FnOnce(&mut Driven<'_>) -> T,
) -> Result<T, ReplayError> {
    drive_in(spec, region, Bytes(u64::MAX), blocks, driver)
}

/// The same in the first `bytes` of the region.
///
/// # Errors
///
/// The heap cannot be made.
pub fn drive_in<T>(
    spec: &Spec,
    region: &mut Region,
    bytes: Bytes,
    blocks: u32,
    driver: impl FnOnce(&mut Driven<'_>) -> T,
) -> Result<T, ReplayError> {
    let source = region.source_for(spec, bytes)?;
    Ok(with_dyn_heap(spec, source, |heap| {
        let accesses = heap.meter().accesses;
        let live = LiveTable::new(blocks as usize);
        let empty = (0..blocks).rev().collect();
        driver(&mut Driven { heap, live, empty, requested: 0, requested_peak: 0, accesses, accesses_max: 0 })
    })?)
}

/// What is driven: a heap, or a reference allocator in a process of its own.
pub trait Drive {
    /// Requests a block; none if it is refused, or no slot is left.
    fn allocate(&mut self, size: u64) -> Option<PlacedBlock>;
    /// The same at a multiple of `alignment` bytes; none if it is refused, or nobody aligns here.
    fn allocate_aligned(&mut self, size: u64, alignment: u64) -> Option<PlacedBlock> {
        if alignment <= 1 { self.allocate(size) } else { None }
    }
    /// Frees the block of a slot.
    fn free(&mut self, slot: u32);
    /// Resizes the block of a slot; none if it is refused, or nobody resizes here.
    fn reallocate(&mut self, _slot: u32, _size: u64) -> Option<PlacedBlock> {
        None
    }
    /// The most bytes requested and live so far.
    fn requested_peak(&self) -> Bytes;
    /// The largest footprint so far.
    fn footprint_peak(&self) -> Bytes;
    /// The most metadata accesses of one operation so far, refused requests left out.
    fn accesses_max(&self) -> u64;
}

impl Drive for Driven<'_> {
    fn allocate(&mut self, size: u64) -> Option<PlacedBlock> {
        self.allocate_aligned(size, 1)
    }

    fn allocate_aligned(&mut self, size: u64, alignment: u64) -> Option<PlacedBlock> {
        let slot = self.empty.pop()?;
        let Some(live) = self.live.allocate(self.heap, slot, size, alignment) else {
            self.accesses = self.heap.meter().accesses;
            self.empty.push(slot);
            return None;
        };
        self.count();
        self.requested += size;
        self.requested_peak = self.requested_peak.max(self.requested);
        Some(PlacedBlock { slot, offset: self.live.offset(self.heap, live) as u64, block: live.block })
    }

    fn free(&mut self, slot: u32) {
        if let Some(live) = self.live.free(self.heap, slot) {
            self.requested -= live.requested;
            self.empty.push(slot);
            self.count();
        }
    }

    fn reallocate(&mut self, slot: u32, size: u64) -> Option<PlacedBlock> {
        let Ok(Some((old, new))) = self.live.reallocate(self.heap, slot, size) else {
            self.accesses = self.heap.meter().accesses;
            return None;
        };
        self.count();
        self.requested = self.requested - old.requested + size;
        self.requested_peak = self.requested_peak.max(self.requested);
        Some(PlacedBlock { slot, offset: self.live.offset(self.heap, new) as u64, block: new.block })
    }

    fn requested_peak(&self) -> Bytes {
        Bytes(self.requested_peak)
    }

    fn footprint_peak(&self) -> Bytes {
        Bytes(self.heap.footprint_peak() as u64)
    }

    fn accesses_max(&self) -> u64 {
        self.accesses_max
    }
}

impl Driven<'_> {
    fn count(&mut self) {
        let now = self.heap.meter().accesses;
        self.accesses_max = self.accesses_max.max(now - self.accesses);
        self.accesses = now;
    }

    /// Bytes requested and live now.
    pub fn requested(&self) -> Bytes {
        Bytes(self.requested)
    }

    /// Bytes of the region up to the wilderness, now.
    pub fn footprint(&self) -> Bytes {
        Bytes(self.heap.footprint() as u64)
    }

    /// What the heap has done so far.
    pub fn meter(&self) -> Counting {
        *self.heap.meter()
    }
}
