//! A trace through handles, in a heap that moves blocks to serve a request.
//!
//! Every allocation is a movable one, in a region of fixed size, so that requests come for which there is room but
//! no block. Of each request for which blocks were moved it reports how much, what the bound is, and what a whole
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

use crate::error::ReplayError;
use crate::region::Region;

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

/// Whether blocks may be moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moving {
    /// They may.
    Allowed,
    /// Every block is pinned as soon as it is there: the same heap, with the same handles, without moving.
    Pinned,
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
    moving: Moving,
) -> Result<MovableMeasures, ReplayError> {
    let mut play = |moments: &[MovedFor]| {
        with_handles(spec, region.source(bytes), Counting::default(), Movable { trace, moving, moments })
    };
    let first = play(&[])?;
    // Compactions are worked out in a second replay, the same as the first, and only where something was moved: a walk
    // over all blocks before every request would cost more than all else.
    if first.moved.is_empty() { Ok(first) } else { Ok(play(&first.moved)?) }
}

struct Movable<'t> {
    trace: &'t PackedTrace,
    moving: Moving,
    /// The requests before which a compaction is worked out.
    moments: &'t [MovedFor],
}

impl HandlesJob<Counting> for Movable<'_> {
    type Output = MovableMeasures;

    fn run<H: Handles<Meter = Counting>>(self, mut heap: H) -> MovableMeasures {
        let mut measures = MovableMeasures::default();
        let mut slots: Vec<Option<Handle>> = vec![None; self.trace.slots];
        let mut moments = self.moments.iter().map(|moment| moment.event).peekable();
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
            let moment = moments.next_if(|&moment| moment == index as u64);
            let compaction = Bytes(if moment.is_some() { compaction(&heap) } else { 0 });
            *slot = allocate(&mut heap, index as u64, event.size.max(1), compaction, &mut measures);
            if self.moving == Moving::Pinned
                && let Some(handle) = *slot
            {
                // SAFETY: the handle came from this heap just now.
                unsafe { heap.pin(handle) };
            }
        }
        measures.accesses = heap.meter().accesses;
        measures
    }
}

fn allocate<H: Handles<Meter = Counting>>(
    heap: &mut H,
    event: u64,
    size: u64,
    compaction: Bytes,
    measures: &mut MovableMeasures,
) -> Option<Handle> {
    measures.requests += 1;
    let before = heap.moved().bytes;
    let handle = heap.allocate_movable(size as usize);
    measures.failed += u64::from(handle.is_none());
    let moved = Bytes(heap.moved().bytes - before);
    if moved > Bytes(0) {
        let bound = Bytes(heap.max_moved(size as usize).unwrap_or(0) as u64);
        measures.moved.push(MovedFor { event, size, served: handle.is_some(), moved, bound, compaction });
    }
    handle
}

/// Bytes of the used blocks behind a hole, without those that the heap keeps for itself: these stay where they are.
fn compaction<H: Handles>(heap: &H) -> u64 {
    let mut cached = Vec::new();
    heap.walk(&mut |block| {
        if block.state == State::Cached {
            cached.push(block.offset);
        }
    });
    let (mut hole, mut bytes) = (false, 0);
    heap.walk(&mut |block| match block.state {
        State::Used if cached.contains(&block.offset) => hole = false,
        State::Used if hole => bytes += block.size as u64,
        State::Free => hole = true,
        _ => {}
    });
    bytes
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Event, Origin, Trace};

    use super::*;

    /// Every other of 64 small blocks is freed; then comes a request that none of the holes serves.
    fn trace() -> PackedTrace {
        let mut trace = Trace::new(Origin::new("every other", ""));
        let allocate = |id, size| Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 });
        trace.events.extend((0..64).map(|id| allocate(id, 12)));
        trace.events.extend((0..64).step_by(2).map(|id| Event::at(100 + id, Action::Free { id })));
        trace.events.push(allocate(1000, 100));
        PackedTrace::new(&trace).expect("a trace")
    }

    #[test]
    fn moving_serves_what_is_refused_without_it_and_moves_no_more_than_it_may() {
        let trace = trace();
        for heap in ["buddy(knuth, defragment=on-demand)", "buddy(estranged, defragment=on-demand)"] {
            let spec: Spec = heap.parse().expect("a spec");
            let mut region = Region::for_trace(&trace).expect("memory");
            let mut play = |bytes, moving| replay_movable(&spec, &trace, &mut region, Bytes(bytes), moving);
            // The smallest region in which the small blocks are served, and with them all but the last request.
            let bytes = (512..16_384)
                .step_by(8)
                .find(|&bytes| play(bytes, Moving::Pinned).is_ok_and(|measures| measures.failed == 1));
            let bytes = bytes.expect("there is one");
            assert!(play(bytes, Moving::Pinned).expect("a heap").moved.is_empty());
            let measures = play(bytes, Moving::Allowed).expect("a heap");
            let [moved] = measures.moved[..] else { panic!("one request moves blocks: {measures:?}") };
            assert!(measures.failed == 0 && moved.served && moved.event == 96, "{heap}: {measures:?}");
            assert!(moved.moved <= moved.bound && moved.moved < moved.compaction, "{heap}: {moved:?}");
        }
    }

    #[test]
    fn a_heap_that_moves_nothing_is_refused() {
        let (trace, spec) = (trace(), "list".parse().expect("a spec"));
        let mut region = Region::for_trace(&trace).expect("memory");
        let outcome = replay_movable(&spec, &trace, &mut region, Bytes(65_536), Moving::Allowed);
        assert!(matches!(outcome, Err(ReplayError::Build(_))), "{outcome:?}");
    }
}
