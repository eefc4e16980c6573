//! Where a subject puts the blocks of a trace: what two forms of one heap are compared by.

use heapsmith::Source;
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_peers::{Allocator, Work, with_peer};
use heapsmith_trace::{Bytes, PackedEvent, PackedTrace};

use crate::error::ReplayError;
use crate::live::null_allocator;
use crate::region::Region;
use crate::slots::Slots;
use crate::subject::Subject;

/// After each event, how far behind the region's beginning the block of its slot lies, in a region of `size` bytes, or all
/// of it if it has less; none where there is no block.
///
/// # Errors
///
/// A subject that cannot be made in the region.
pub fn offsets(
    subject: &Subject,
    trace: &PackedTrace,
    region: &mut Region,
    size: Bytes,
) -> Result<Vec<Option<usize>>, ReplayError> {
    let source = match subject.spec() {
        Some(spec) => region.source_for(spec, size)?,
        None => region.source(size),
    };
    let work = Offsets { events: &trace.events, slots: trace.slots, base: source.base().as_ptr().addr() };
    Ok(match subject {
        Subject::Nothing => work.run(null_allocator()),
        Subject::Peer(peer) => with_peer(*peer, source, work)?,
        Subject::Compiled(spec, loaded) => match loaded.in_region(&source) {
            Some(heap) => work.run(heap),
            None => with_dyn_heap(spec, source, |heap| work.run(heap))?,
        },
        Subject::Heap(spec) => with_dyn_heap(spec, source, |heap| work.run(heap))?,
    })
}

struct Offsets<'t> {
    events: &'t [PackedEvent],
    slots: usize,
    base: usize,
}

impl Work for Offsets<'_> {
    type Output = Vec<Option<usize>>;

    fn run<A: Allocator>(self, mut allocator: A) -> Self::Output {
        let mut slots = Slots::new(self.slots);
        let step = |event: &PackedEvent| {
            slots.step(&mut allocator, event);
            slots.address(event.slot).map(|address| address.wrapping_sub(self.base))
        };
        let offsets = self.events.iter().map(step).collect();
        if A::OF_THE_PROCESS {
            slots.release(&mut allocator);
        }
        offsets
    }
}
