//! The instructions of a search unit.

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::region::Region;

/// Instructions that the search unit of a heap carries out over a trace, of one cycle each; 0 for a heap without one.
pub fn unit_instructions(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<u64, ReplayError> {
    Ok(with_dyn_heap(spec, region.source_for(spec, Bytes(u64::MAX))?, |heap| count(heap, trace))?)
}

fn count(heap: &mut dyn Heap<Meter = Counting>, trace: &PackedTrace) -> u64 {
    let mut live = LiveTable::new(trace.slots);
    for event in &trace.events {
        live.apply(heap, event);
    }
    heap.meter().unit
}
