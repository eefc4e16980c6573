//! A trace through handles, in a heap that moves blocks to serve a request.
//!
//! Every allocation is a movable one, in a region of a given size, so that requests come for which there is room but
//! no block. Of each request for which blocks were moved it is told how much, what the bound is, and what a whole
//! compaction would have moved at that moment.
//!
//! ```text
//!   │used│free│used│free│used│ …      compaction: every used block behind a hole slides to the front
//!          └──◀──┘     └◀─┘
//! ```
//!
//! Source of the question: Donahue et al. 2001, §2.8 (defragmentation on demand against a mass defragmentation).
#![allow(unsafe_code)]

use heapsmith::{Counting, Handle, Handles, State};
use heapsmith_spec::Spec;
use heapsmith_spec::build::{HandlesJob, with_handles};
use heapsmith_trace::{Bytes, Operation, PackedTrace};

use crate::region::Region;
use crate::run::ReplayError;

/// A request for which blocks were moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedFor {
    /// Index of the event.
    pub event: u64,
    /// Bytes requested.
    pub size: u64,
    /// Whether it was served then.
    pub served: bool,
    /// Bytes moved for it, headers included.
    pub moved: Bytes,
    /// The most that it may move.
    pub bound: Bytes,
    /// What a whole compaction would have moved, before the request.
    pub compaction: Bytes,
}

/// What a replay through handles gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MovableMeasures {
    /// Requests.
    pub requests: u64,
    /// Requests that were refused.
    pub failed: u64,
    /// The requests for which blocks were moved.
    pub moved: Vec<MovedFor>,
    /// Metadata words read and written, in all.
    pub accesses: u64,
}

/// Replays `trace` through handles of the heap of `spec` in a region of `bytes`.
///
/// A reallocation is a free and an allocation of the new size. Zero bytes are requested as one.
///
/// # Errors
///
/// [`ReplayError::Build`] if the heap moves no blocks, or cannot be made in the region.
pub fn replay_movable(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    bytes: Bytes,
) -> Result<MovableMeasures, ReplayError> {
    Ok(with_handles(spec, region.source(bytes), Counting::default(), Movable { trace })?)
}

struct Movable<'t> {
    trace: &'t PackedTrace,
}

impl HandlesJob<Counting> for Movable<'_> {
    type Output = MovableMeasures;

    fn run<H: Handles<Meter = Counting>>(self, mut heap: H) -> MovableMeasures {
        let mut measures = MovableMeasures::default();
        let mut slots: Vec<Option<Handle>> = vec![None; self.trace.slots];
        for (index, event) in self.trace.events.iter().enumerate() {
            let slot = &mut slots[event.slot as usize];
            if event.operation != Operation::Allocate
                && let Some(handle) = slot.take()
            {
                // SAFETY: a slot's handle came from this heap, and leaves the table here.
                unsafe { heap.free_movable(handle) };
            }
            if event.operation == Operation::Free {
                continue;
            }
            *slot = allocate(&mut heap, index as u64, event.size.max(1), &mut measures);
        }
        measures.accesses = heap.meter().accesses;
        measures
    }
}

fn allocate<H: Handles<Meter = Counting>>(
    heap: &mut H,
    event: u64,
    size: u64,
    measures: &mut MovableMeasures,
) -> Option<Handle> {
    measures.requests += 1;
    let before = heap.moved().bytes;
    // A compaction is looked at where it would come about: before the request changes anything.
    let compaction = compaction(heap);
    let handle = heap.allocate_movable(size as usize);
    measures.failed += u64::from(handle.is_none());
    let moved = heap.moved().bytes - before;
    if moved > 0 {
        measures.moved.push(MovedFor {
            event,
            size,
            served: handle.is_some(),
            moved: Bytes(moved),
            bound: Bytes(heap.most_moved(size as usize).unwrap_or(0) as u64),
            compaction: Bytes(compaction),
        });
    }
    handle
}

/// Bytes of the used blocks behind a hole, without those that the heap keeps for itself: these stay where they are.
fn compaction<H: Handles>(heap: &H) -> u64 {
    let mut kept = Vec::new();
    heap.walk(&mut |block| {
        if block.state == State::Kept {
            kept.push(block.offset);
        }
    });
    let (mut hole, mut bytes) = (false, 0);
    heap.walk(&mut |block| match block.state {
        State::Used if kept.contains(&block.offset) => hole = false,
        State::Used if hole => bytes += block.size as u64,
        State::Free => hole = true,
        _ => {}
    });
    bytes
}
