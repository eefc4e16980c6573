//! Every block of a replay: where it is, from when to when.
//!
//! ```text
//!   address ▲   ┌───────┐ ┌──┐        a rectangle for each block;
//!           │ ┌─┴──┬────┴─┴──┴─┐      what no block covers below the
//!           │ │    │           │      footprint is free: holes
//!           └─┴────┴───────────┴──▶ events
//! ```
//!
//! A block that moves or changes its size is another block from then on. Cost: a replay, and 40 bytes for each block.

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::live::{Live, LiveTable};
use crate::region::Region;

/// A block from its allocation to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLife {
    /// The event that allocated it.
    pub begin: u64,
    /// The event that freed it, or the number of events.
    pub end: u64,
    /// Bytes from the region's base to its payload.
    pub offset: u64,
    /// Its bytes, header included.
    pub block: u64,
    /// Bytes that were asked for.
    pub requested: u64,
}

/// All blocks of a heap on a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockLives {
    /// The blocks, by the event that ended them.
    pub lives: Vec<BlockLife>,
    /// The footprint after each event that changed it.
    pub footprint: Vec<(u64, Bytes)>,
    /// Events of the trace.
    pub events: u64,
}

impl BlockLives {
    /// The largest footprint.
    pub fn peak(&self) -> Bytes {
        self.footprint.iter().map(|&(_, bytes)| bytes).max().unwrap_or_default()
    }
}

/// Every block of a heap along a trace.
///
/// # Errors
///
/// [`ReplayError`] when the heap cannot be built.
pub fn block_lives(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<BlockLives, ReplayError> {
    Ok(with_dyn_heap(spec, region.source_for(spec, Bytes(u64::MAX))?, |heap| watch(heap, trace))?)
}

fn watch(heap: &mut dyn Heap<Meter = Counting>, trace: &PackedTrace) -> BlockLives {
    let mut live = LiveTable::new(trace.slots);
    let mut open: Vec<Option<BlockLife>> = vec![None; trace.slots];
    let mut found = BlockLives { lives: Vec::new(), footprint: Vec::new(), events: trace.events.len() as u64 };
    for (index, event) in trace.events.iter().enumerate() {
        let index = index as u64;
        live.apply(heap, event);
        let now = live.get(event.slot).map(|block: Live| BlockLife {
            begin: index,
            end: found.events,
            offset: live.offset(heap, block) as u64,
            block: block.block,
            requested: block.requested,
        });
        let place = |life: &BlockLife| (life.offset, life.block, life.requested);
        let slot = &mut open[event.slot as usize];
        if slot.as_ref().map(place) != now.as_ref().map(place) {
            found.lives.extend(slot.take().map(|life| BlockLife { end: index, ..life }));
            *slot = now;
        }
        let footprint = Bytes(heap.footprint() as u64);
        if found.footprint.last().is_none_or(|&(_, last)| last != footprint) {
            found.footprint.push((index, footprint));
        }
    }
    found.lives.extend(open.into_iter().flatten());
    found
}
