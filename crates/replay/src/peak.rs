//! Where the bytes are at the peak: the moment when the most bytes are requested and live.

use heapsmith::{Counting, Heap, RegionError, State};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::build::BuildError;
use heapsmith_spec::{Layer, Pool, Spec};
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::measures::Measures;
use crate::region::Region;

/// The footprint at the peak, by what the bytes are (Peintner et al., Table 1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AtPeak {
    /// Asked for by the program.
    pub requested: Bytes,
    /// Headers of the blocks with the program.
    pub headers: Bytes,
    /// Bytes of those blocks beyond header and request.
    pub padding: Bytes,
    /// In blocks that layers keep, and in words that they write around payloads.
    pub layers: Bytes,
    /// In free blocks.
    pub free: Bytes,
    /// Control words, and the header of the wilderness.
    pub control: Bytes,
    /// The largest free block, header included.
    pub largest_free: Bytes,
    /// The largest request that would be served without more memory.
    pub largest_request: Bytes,
}

/// Replays up to the peak that `measures` found, in a region as large as the largest footprint, and looks.
pub fn at_peak(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    measures: &Measures,
) -> Result<AtPeak, ReplayError> {
    // A guard's quarantine, a reserve, some control words and where chunks lie depend on the size of the region: theirs stays.
    let by_size = spec.layers.iter().any(|layer| !matches!(layer, Layer::FreeLists(_)))
        || spec.pool.grows_with_region()
        || matches!(&spec.pool, Pool::Chunks(_));
    let max = if by_size { u64::MAX } else { measures.footprint_peak.0.next_multiple_of(8) };
    let (event, footprint) = (measures.peak_event, measures.footprint_peak.0.next_multiple_of(8));
    let looked = with_dyn_heap(spec, region.source_for(spec, Bytes(max))?, |heap| look(heap, trace, event, footprint));
    match looked {
        // No request was ever served: the largest footprint holds no block, and nothing would be served in it.
        Err(BuildError::Region(RegionError::TooSmall { .. })) => {
            let source = region.source_for(spec, Bytes(u64::MAX))?;
            Ok(with_dyn_heap(spec, source, |heap| survey(heap, &LiveTable::new(0)))?)
        }
        looked => Ok(looked?),
    }
}

/// Replays up to an event, and looks; no request is tried that is above `max` bytes, or counts if the footprint is then.
fn look(heap: &mut dyn Heap<Meter = Counting>, trace: &PackedTrace, event: u64, max: u64) -> AtPeak {
    let live = replayed(heap, trace, event);
    let mut at_peak = survey(heap, &live);
    at_peak.largest_request = Bytes(largest_request(heap, max));
    at_peak
}

/// Replays up to an event, and it.
pub(crate) fn replayed(heap: &mut dyn Heap<Meter = Counting>, trace: &PackedTrace, event: u64) -> LiveTable {
    let mut live = LiveTable::new(trace.slots);
    for event in trace.events.iter().take(event as usize + 1) {
        live.apply(heap, event);
    }
    live
}

/// What the bytes of the footprint are now.
pub(crate) fn survey(heap: &dyn Heap<Meter = Counting>, live: &LiveTable) -> AtPeak {
    let (mut used, mut free, mut cached, mut around, mut largest, mut headers) = (0, 0, 0, 0, 0, 0);
    heap.walk(&mut |block| match block.state {
        State::Used => {
            used += block.size as u64;
            headers += block.header as u64;
            around += block.layer as u64;
        }
        State::Free => {
            free += block.size as u64;
            largest = largest.max(block.size as u64);
        }
        State::Cached => {
            cached += block.size as u64;
            headers -= block.header as u64;
        }
    });
    let requested: u64 = live.iter().map(|block| block.requested).sum();
    AtPeak {
        requested: Bytes(requested),
        headers: Bytes(headers),
        padding: Bytes(used - cached - around - requested - headers),
        layers: Bytes(cached + around),
        free: Bytes(free),
        control: Bytes(heap.footprint() as u64 - used - free),
        largest_free: Bytes(largest),
        largest_request: Bytes(0),
    }
}

/// The largest request that the heap serves now within `max` bytes. The first attempt fails, and
/// makes the heap do all that it can to serve it.
pub(crate) fn largest_request(heap: &mut dyn Heap<Meter = Counting>, max: u64) -> u64 {
    let mut table = LiveTable::new(1);
    let mut serves = |size: u64| {
        table.allocate(heap, 0, size, 1).is_some_and(|_| {
            let is_inside = heap.footprint() as u64 <= max;
            table.free(heap, 0);
            is_inside
        })
    };
    serves(max);
    let (mut served, mut refused) = (0, max + 1);
    while refused - served > 1 {
        let middle = served + (refused - served) / 2;
        if serves(middle) {
            served = middle;
        } else {
            refused = middle;
        }
    }
    served
}
