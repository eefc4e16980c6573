//! The blocks of a heap at a moment of a trace: what a heap map is drawn from.

use heapsmith::{BlockView, Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::region::Region;

/// A heap at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapMap {
    /// Its blocks by offset. What a layer keeps is reported twice, the second time as kept.
    pub blocks: Vec<BlockView>,
    /// Bytes of the region up to the wilderness.
    pub footprint: Bytes,
}

/// Replays the first `events` events, and looks.
pub fn heap_map(spec: &Spec, trace: &PackedTrace, region: &mut Region, events: usize) -> Result<HeapMap, ReplayError> {
    Ok(with_dyn_heap(spec, region.source_for(spec, Bytes(u64::MAX))?, |heap| look(heap, trace, events))?)
}

fn look(heap: &mut dyn Heap<Meter = Counting>, trace: &PackedTrace, events: usize) -> HeapMap {
    let mut live = LiveTable::new(trace.slots);
    for event in trace.events.iter().take(events) {
        live.apply(heap, event);
    }
    let mut blocks = Vec::new();
    heap.walk(&mut |block| blocks.push(block));
    // A stable order: of two views of one block, that of the pool comes first.
    blocks.sort_by_key(|block| block.offset);
    HeapMap { blocks, footprint: Bytes(heap.footprint() as u64) }
}
