//! Where the bytes are along a trace, and what the heap could still serve.
//!
//! ```text
//!   trace     ├──────┼──────┼──────┼──────┤      moments: the last event of each of K equal parts
//!   replays   ├─────▶?
//!             ├────────────▶?                    ? walk the blocks, then ask for the largest request
//!             ├───────────────────▶?
//! ```
//!
//! The largest request is found by asking, and a heap that is asked coalesces, flushes lists and splits: it is not the
//! heap that it was. So each moment has its own replay, in a region of one size.
//!
//! Cost: K/2 replays of the trace. The answer is the same on every machine.
//!
//! A request is larger than the largest free block where the wilderness serves it, or what coalesces on request; smaller
//! where the design does not look at every block, or keeps them for other sizes.

use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::{Regions, Spec};
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::peak::{AtPeak, largest_request, replayed, survey};
use crate::region::Region;

/// A heap at one moment of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// The last event that was replayed, from 0.
    pub event: u64,
    /// Blocks with the program.
    pub blocks: u64,
    /// Bytes of the region up to the wilderness now, headers and holes included.
    pub footprint: Bytes,
    /// Most that they were so far.
    pub footprint_peak: Bytes,
    /// What the bytes are.
    pub bytes: AtPeak,
}

impl Moment {
    /// `footprint / requested − 1` now; none while nothing is requested.
    pub fn fragmentation(&self) -> Option<f64> {
        let requested = self.bytes.requested.0;
        (requested > 0).then(|| self.footprint.0 as f64 / requested as f64 - 1.0)
    }
}

/// Looks at the heap at this many moments of the trace, in a region of `size` bytes.
pub fn over_time(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    size: Bytes,
    moments: usize,
) -> Result<Vec<Moment>, ReplayError> {
    let events = trace.events.len();
    let moments = moments.clamp(1, events.max(1));
    let ends = (1..=moments).map(|part| (part as u128 * events as u128 / moments as u128) as u64);
    at_events(spec, trace, region, size, &ends.map(|end| end.saturating_sub(1)).collect::<Vec<u64>>())
}

/// Looks at the heap after each of these events, counted from 0, in a region of `size` bytes; nowhere in a trace without
/// events.
pub fn at_events(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    size: Bytes,
    events: &[u64],
) -> Result<Vec<Moment>, ReplayError> {
    let size = spec.regions().map_or(size.0.min(region.size().0), Regions::size);
    let at = |&event: &u64| {
        let moment = with_dyn_heap(spec, region.source_for(spec, Bytes(size))?, |heap| {
            let live = replayed(heap, trace, event);
            let mut bytes = survey(heap, &live);
            let (footprint, footprint_peak) = (Bytes(heap.footprint() as u64), Bytes(heap.footprint_peak() as u64));
            bytes.largest_request = Bytes(largest_request(heap, size));
            Moment { event, blocks: live.iter().count() as u64, footprint, footprint_peak, bytes }
        });
        moment.map_err(ReplayError::from)
    };
    if trace.events.is_empty() { Ok(Vec::new()) } else { events.iter().map(at).collect() }
}
