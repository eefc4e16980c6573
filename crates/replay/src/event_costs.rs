//! What each operation of a replay costs, one by one, and what becomes of requests of two priorities.
//!
//! ```text
//!   events   + + - + - …        + allocate, - free
//!   costs    9 7 5 9 5 …        words of metadata read and written
//! ```
//!
//! Sums over all of them are [`replay`](crate::replay)'s; this is for sums over some, such as those of a phase of the
//! program or of the moments when the most blocks are live.
//!
//! Source of the question: Peintner, Bukhatwa, Patel, Table 2 and section 3 (requests of low priority are refused when
//! memory is short).

use heapsmith::{Counting, Heap, Priority};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::region::Region;

/// What an operation cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventCost {
    /// Words of metadata that it read and wrote.
    pub accesses: u64,
    /// Whether it was served; a free always is.
    pub is_served: bool,
}

/// Replays `trace` in a region of `size` bytes and reports the cost of every event, in their order. A request has the
/// priority that `priority` gives the index of its event; a heap without a `reserve` layer makes no difference between
/// them.
///
/// # Errors
///
/// The heap cannot be made in the region.
pub fn event_costs(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    size: Bytes,
    priority: impl Fn(usize) -> Priority,
) -> Result<Vec<EventCost>, ReplayError> {
    Ok(with_dyn_heap(spec, region.source_for(spec, size)?, |heap| costs(heap, trace, priority))?)
}

fn costs(
    heap: &mut dyn Heap<Meter = Counting>,
    trace: &PackedTrace,
    priority: impl Fn(usize) -> Priority,
) -> Vec<EventCost> {
    let mut live = LiveTable::new(trace.slots);
    let events = trace.events.iter().enumerate();
    let cost = |(index, event)| {
        let before = heap.meter().accesses;
        let is_served = live.apply_with(heap, event, priority(index));
        EventCost { accesses: heap.meter().accesses - before, is_served }
    };
    events.map(cost).collect()
}
