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
use heapsmith_spec::build::{HandlesJob, with_handles, words_for};
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
    /// Bytes of the block that serves it.
    pub block: Bytes,
    /// Bytes moved for it, headers included.
    pub moved: Bytes,
    /// The most that it may move.
    pub bound: Bytes,
    /// What a whole compaction would have moved, before the request.
    pub compaction: Bytes,
    /// The largest free block, before the request.
    pub largest_free: Bytes,
}

/// What a replay through handles gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MovableMeasures {
    /// Requests.
    pub requests: u64,
    /// Requests that were refused.
    pub failed: u64,
    /// Those of them for which as many bytes as their block has were free.
    pub failed_with_room: u64,
    /// Requests that were served before the first that was refused; all, if none was.
    pub until_refused: u64,
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

/// How a trace is replayed through handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovableOptions {
    /// Whether blocks may be moved.
    pub moving: Moving,
    /// Room for all handles is reserved at the beginning, as in a machine that has a table of them; else it is made
    /// between other blocks, as handles are needed.
    pub reserve_handles: bool,
}

impl MovableOptions {
    /// Blocks may move, and handles are reserved.
    pub const MOVING: MovableOptions = MovableOptions { moving: Moving::Allowed, reserve_handles: true };
    /// No block moves, and handles are reserved.
    pub const PINNED: MovableOptions = MovableOptions { moving: Moving::Pinned, reserve_handles: true };
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
    options: MovableOptions,
) -> Result<MovableMeasures, ReplayError> {
    let mut play = |moments: &[MovedFor]| {
        let job = Movable { spec, bytes, trace, options, moments };
        with_handles(spec, region.source(bytes), Counting::default(), job)
    };
    let first = play(&[])?;
    // Compactions are worked out in a second replay, the same as the first, and only where something was moved: a walk
    // over all blocks before every request would cost more than all else.
    if first.moved.is_empty() { Ok(first) } else { Ok(play(&first.moved)?) }
}

struct Movable<'t> {
    spec: &'t Spec,
    bytes: Bytes,
    trace: &'t PackedTrace,
    options: MovableOptions,
    /// The requests before which a compaction is worked out.
    moments: &'t [MovedFor],
}

impl HandlesJob<Counting> for Movable<'_> {
    type Output = MovableMeasures;

    fn run<H: Handles<Meter = Counting>>(self, mut heap: H) -> MovableMeasures {
        let mut measures = MovableMeasures::default();
        let mut slots: Vec<Option<Handle>> = vec![None; self.trace.slots];
        // Without room for all of them some requests are refused.
        let _ = self.options.reserve_handles && heap.reserve_handles(self.trace.slots);
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
            let before = moment.map_or(Before::default(), |_| Before::of(&heap));
            *slot = self.allocate(&mut heap, index as u64, event.size.max(1), before, &mut measures);
            if self.options.moving == Moving::Pinned
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

impl Movable<'_> {
    fn allocate<H: Handles<Meter = Counting>>(
        &self,
        heap: &mut H,
        event: u64,
        size: u64,
        before: Before,
        measures: &mut MovableMeasures,
    ) -> Option<Handle> {
        let moved_before = heap.moved().bytes;
        let handle = heap.allocate_movable(size as usize);
        let block = words_for(self.spec, size).map(|words| Bytes(words as u64 * u64::from(self.spec.word.bytes())));
        measures.requests += 1;
        measures.until_refused += u64::from(handle.is_some() && measures.failed == 0);
        if handle.is_none() {
            measures.failed += 1;
            measures.failed_with_room += u64::from(block.is_some_and(|block| block <= free(heap, self.bytes)));
        }
        let moved = Bytes(heap.moved().bytes - moved_before);
        if let Some(block) = block
            && moved > Bytes(0)
        {
            let bound = Bytes(heap.max_moved(size as usize).unwrap_or(0) as u64);
            let Before { compaction, largest_free } = before;
            measures.moved.push(MovedFor { event, size, block, moved, bound, compaction, largest_free });
        }
        handle
    }
}

/// Bytes of the free blocks, and of the smallest blocks that the wilderness has room for.
fn free<H: Handles>(heap: &H, region: Bytes) -> Bytes {
    let (mut free, min) = (0, heap.alignment() as u64);
    heap.walk(&mut |block| free += if block.state == State::Free { block.size as u64 } else { 0 });
    Bytes(free + region.0.saturating_sub(heap.footprint() as u64) / min * min)
}

/// A heap before a request that makes blocks move.
#[derive(Default)]
struct Before {
    compaction: Bytes,
    largest_free: Bytes,
}

impl Before {
    /// A compaction moves the used blocks behind a hole, without those that the heap keeps for itself: these stay.
    fn of<H: Handles>(heap: &H) -> Before {
        let mut cached = Vec::new();
        heap.walk(&mut |block| {
            if block.state == State::Cached {
                cached.push(block.offset);
            }
        });
        let (mut hole, mut bytes, mut largest) = (false, 0, 0);
        heap.walk(&mut |block| match block.state {
            State::Used if cached.contains(&block.offset) => hole = false,
            State::Used if hole => bytes += block.size as u64,
            State::Free => (hole, largest) = (true, largest.max(block.size as u64)),
            _ => {}
        });
        Before { compaction: Bytes(bytes), largest_free: Bytes(largest) }
    }
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
            let mut play = |bytes, options| replay_movable(&spec, &trace, &mut region, Bytes(bytes), options);
            // The smallest region in which the small blocks are served, and with them all but the last request.
            let bytes = (512..16_384)
                .step_by(8)
                .find(|&bytes| play(bytes, MovableOptions::PINNED).is_ok_and(|measures| measures.failed == 1));
            let bytes = bytes.expect("there is one");
            assert!(play(bytes, MovableOptions::PINNED).expect("a heap").moved.is_empty());
            let measures = play(bytes, MovableOptions::MOVING).expect("a heap");
            let [moved] = measures.moved[..] else { panic!("one request moves blocks: {measures:?}") };
            assert!(measures.failed == 0 && moved.event == 96, "{heap}: {measures:?}");
            assert!(moved.moved <= moved.bound && moved.moved < moved.compaction, "{heap}: {moved:?}");
            assert!(moved.largest_free < moved.block && moved.block == Bytes(128), "{heap}: {moved:?}");
            let pinned = play(bytes, MovableOptions::PINNED).expect("a heap");
            assert_eq!((pinned.failed_with_room, pinned.until_refused, measures.until_refused), (1, 64, 65));
            let short = play(bytes - 512, MovableOptions::MOVING).expect("a heap");
            assert!(short.failed > short.failed_with_room, "{heap}: memory is short: {short:?}");
        }
    }

    #[test]
    fn a_heap_that_moves_nothing_is_refused() {
        let (trace, spec) = (trace(), "list".parse().expect("a spec"));
        let mut region = Region::for_trace(&trace).expect("memory");
        let outcome = replay_movable(&spec, &trace, &mut region, Bytes(65_536), MovableOptions::MOVING);
        assert!(matches!(outcome, Err(ReplayError::Build(_))), "{outcome:?}");
    }
}
