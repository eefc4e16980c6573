//! The footprint over time.

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::region::Region;

/// The footprint along a trace: at most `points` pairs of event index and the
/// largest footprint since the pair before.
pub fn footprint_curve(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    points: usize,
) -> Result<Vec<(u64, Bytes)>, ReplayError> {
    let step = trace.events.len().div_ceil(points.max(1)).max(1);
    Ok(with_dyn_heap(spec, region.source_for(spec, Bytes(u64::MAX))?, |heap| watch(heap, trace, step))?)
}

fn watch(heap: &mut dyn Heap<Meter = Counting>, trace: &PackedTrace, step: usize) -> Vec<(u64, Bytes)> {
    let mut live = LiveTable::new(trace.slots);
    let mut curve = Vec::with_capacity(trace.events.len() / step + 1);
    let mut max = 0;
    for (index, event) in trace.events.iter().enumerate() {
        live.apply(heap, event);
        max = max.max(heap.footprint() as u64);
        if (index + 1) % step == 0 || index + 1 == trace.events.len() {
            curve.push((index as u64, Bytes(max)));
            max = 0;
        }
    }
    curve
}
