//! What each of several regions serves, and what that costs where their accesses differ.
//!
//! ```text
//!   event ──▶ heap ──▶ address ──▶ region: bytes live, blocks, what spilled over
//!               └────▶ meter of each region: metadata accesses
//!
//!   weighted cost = Σ over the regions: cost · (metadata accesses + words of payload)
//! ```
//!
//! A footprint says how much memory is needed, and not which: a program with all of its small blocks in external memory is
//! slow. The weighted cost is a model of that, in cycles: each metadata access costs what an access of its region does, and so
//! does each word of payload, which a program is taken to write once and read once in the region that its block lies in. A block
//! that moves is read once more where it was and written once more where it goes. Real programs use some blocks a thousand times and
//! others never, and caches hide some of the accesses: the model compares placements of one program, and tells no time.

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::{NamedRegion, Regions, Spec};
use heapsmith_trace::{Bytes, Operation, PackedTrace};

use crate::error::ReplayError;
use crate::live::{Live, LiveTable};
use crate::region::Region;

/// What one region served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionMeasures {
    /// The region, as the spec has it.
    pub region: NamedRegion,
    /// Most bytes of it ever used, headers, holes and control words included.
    pub footprint_peak: Bytes,
    /// Most bytes requested and live in it.
    pub requested_peak: Bytes,
    /// Blocks that it served, moved ones included.
    pub blocks: u64,
    /// Bytes that were requested for them.
    pub bytes: u64,
    /// Of the blocks, those that came to it though their size begins in another region: it was full, or all others were. A block
    /// that is resized in its region stays there whatever its size, and is none.
    pub spilled: u64,
    /// Metadata words read and written.
    pub accesses: u64,
    /// Words of payload read and written, by the model.
    pub payload: u64,
}

impl RegionMeasures {
    /// Cycles of all accesses, by the model.
    pub fn cycles(&self) -> u64 {
        (self.accesses + self.payload).saturating_mul(self.region.cost.into())
    }
}

/// What the regions of a heap served, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ByRegion {
    /// The regions.
    pub regions: Vec<RegionMeasures>,
    /// Requests that all of them refused.
    pub refused: u64,
}

impl ByRegion {
    /// The weighted cost: cycles of all accesses of all regions, by the model.
    pub fn cycles(&self) -> u64 {
        self.regions.iter().map(RegionMeasures::cycles).fold(0, u64::saturating_add)
    }

    /// Blocks that were not served where their sizes begin.
    pub fn spilled(&self) -> u64 {
        self.regions.iter().map(|region| region.spilled).sum()
    }
}

/// Replays `trace` through the heap of `spec`, and measures each of its regions; none for a heap without `regions`.
///
/// # Errors
///
/// A region does not suit the heap.
pub fn by_region(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<Option<ByRegion>, ReplayError> {
    let Some(regions) = spec.regions() else { return Ok(None) };
    let (word, source) = (u64::from(spec.word.bytes()), region.source_for(spec, Bytes(u64::MAX))?);
    Ok(Some(with_dyn_heap(spec, source, |heap| {
        let mut watch = Watch::new(regions, trace.slots, word);
        trace
            .events
            .iter()
            .for_each(|event| watch.step(heap, event.operation, event.slot, event.size, event.alignment()));
        watch.finish(heap)
    })?))
}

/// The state of such a replay.
struct Watch<'s> {
    spec: &'s Regions,
    live: LiveTable,
    word: u64,
    /// Bytes requested and live in each region now.
    requested: Vec<u64>,
    found: ByRegion,
}

impl<'s> Watch<'s> {
    fn new(spec: &'s Regions, slots: usize, word: u64) -> Self {
        let none = |region: &NamedRegion| RegionMeasures {
            region: region.clone(),
            footprint_peak: Bytes(0),
            requested_peak: Bytes(0),
            blocks: 0,
            bytes: 0,
            spilled: 0,
            accesses: 0,
            payload: 0,
        };
        let found = ByRegion { regions: spec.regions.iter().map(none).collect(), refused: 0 };
        Watch { spec, live: LiveTable::new(slots), word, requested: vec![0; spec.regions.len()], found }
    }

    fn step(
        &mut self,
        heap: &mut dyn Heap<Meter = Counting>,
        operation: Operation,
        slot: u32,
        size: u64,
        alignment: u64,
    ) {
        match operation {
            Operation::Allocate => match self.live.allocate(heap, slot, size, alignment) {
                Some(block) => {
                    let region = self.region(heap, block);
                    self.served(region, size, None);
                    self.found.regions[region].payload += 2 * self.words(size);
                }
                None => self.found.refused += 1,
            },
            Operation::Free => {
                let region = self.live.get(slot).map(|block| self.region(heap, block));
                if let (Some(region), Some(block)) = (region, self.live.free(heap, slot)) {
                    self.requested[region] -= block.requested;
                }
            }
            Operation::Reallocate => {
                let from = self.live.get(slot);
                let place = from.map(|block| (self.region(heap, block), self.live.offset(heap, block)));
                match (place, self.live.reallocate(heap, slot, size)) {
                    (Some((region, at)), Ok(Some((old, new)))) => self.resized(heap, (region, at, old), new),
                    (_, Err(())) => self.found.refused += 1,
                    _ => {}
                }
            }
        }
    }

    /// Counts a block that has another size now, and perhaps another place.
    fn resized(&mut self, heap: &dyn Heap<Meter = Counting>, (from, at, old): (usize, usize, Live), new: Live) {
        let to = self.region(heap, new);
        self.requested[from] -= old.requested;
        let (before, after) = (self.words(old.requested), self.words(new.requested));
        if self.live.offset(heap, new) == at {
            self.requested[to] += new.requested;
            self.note_peak(to);
        } else {
            self.served(to, new.requested, Some(from));
            self.found.regions[from].payload += before.min(after);
            self.found.regions[to].payload += before.min(after);
        }
        self.found.regions[to].payload += 2 * after.saturating_sub(before);
    }

    /// Counts a block of `size` bytes in a region, to which it came from another place or none.
    fn served(&mut self, region: usize, size: u64, from: Option<usize>) {
        let begins = self.spec.first_for(size.max(1));
        let found = &mut self.found.regions[region];
        found.blocks += 1;
        found.bytes += size;
        found.spilled += u64::from(begins != region && from != Some(region));
        self.requested[region] += size;
        self.note_peak(region);
    }

    fn note_peak(&mut self, region: usize) {
        let peak = &mut self.found.regions[region].requested_peak;
        *peak = (*peak).max(Bytes(self.requested[region]));
    }

    /// The region that a block lies in. They are one behind the other.
    fn region(&self, heap: &dyn Heap<Meter = Counting>, block: Live) -> usize {
        let (mut end, at) = (0, self.live.offset(heap, block) as u64);
        let lies_in = |region: &NamedRegion| {
            end += region.size;
            at < end
        };
        self.spec.regions.iter().position(lies_in).unwrap_or(self.spec.regions.len() - 1)
    }

    fn words(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.word)
    }

    fn finish(mut self, heap: &dyn Heap<Meter = Counting>) -> ByRegion {
        let mut views = self.found.regions.iter_mut();
        heap.regions(&mut |view| {
            if let Some(found) = views.next() {
                found.footprint_peak = Bytes(view.footprint_peak as u64);
                found.accesses = view.meter.accesses;
            }
        });
        drop(views);
        self.found
    }
}
