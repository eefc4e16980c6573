//! What a replay costs by the kind of operation, and over stretches of the trace.
//!
//! ```text
//!   events   + + - + - - + …        allocate: +    free: -    reallocate: ~
//!                └─────┘ a stretch: what belongs together, such as the change of a program's phase
//! ```
//!
//! Source of the question: Peintner, Bukhatwa, Patel, Table 2 (allocation, freeing, both, and the swap of a unit).

use std::ops::Range;

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, Operation, PackedTrace};

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::region::Region;

/// Metadata words read and written by operations of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindCost {
    /// Operations.
    pub operations: u64,
    /// All their accesses.
    pub accesses: u64,
    /// Those of the dearest.
    pub max: u64,
}

impl KindCost {
    /// Accesses of an operation on average.
    pub fn mean(self) -> f64 {
        self.accesses as f64 / self.operations.max(1) as f64
    }

    fn add(&mut self, accesses: u64) {
        self.operations += 1;
        self.accesses += accesses;
        self.max = self.max.max(accesses);
    }
}

/// Costs by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kinds {
    /// Requests.
    pub allocate: KindCost,
    /// Frees.
    pub free: KindCost,
    /// Reallocations.
    pub reallocate: KindCost,
    /// Each stretch as if it were one operation.
    pub stretch: KindCost,
}

/// Replays `trace` in a region of `size` bytes and reports its cost by kind. `stretches` are ranges of events, in
/// order and without overlap.
pub fn kinds(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    size: Bytes,
    stretches: &[Range<usize>],
) -> Result<Kinds, ReplayError> {
    Ok(with_dyn_heap(spec, region.source(size), |heap| count(heap, trace, stretches))?)
}

fn count(heap: &mut dyn Heap<Meter = Counting>, trace: &PackedTrace, stretches: &[Range<usize>]) -> Kinds {
    let mut live = LiveTable::new(trace.slots);
    let (mut kinds, mut stretches, mut within) = (Kinds::default(), stretches.iter().peekable(), 0);
    for (index, event) in trace.events.iter().enumerate() {
        let before = heap.meter().accesses;
        live.apply(heap, event);
        let kind = match event.operation {
            Operation::Allocate => &mut kinds.allocate,
            Operation::Free => &mut kinds.free,
            Operation::Reallocate => &mut kinds.reallocate,
        };
        let accesses = heap.meter().accesses - before;
        kind.add(accesses);
        if stretches.peek().is_some_and(|stretch| stretch.contains(&index)) {
            within += accesses;
        }
        if stretches.next_if(|stretch| stretch.end <= index + 1).is_some() {
            kinds.stretch.add(std::mem::take(&mut within));
        }
    }
    kinds
}
