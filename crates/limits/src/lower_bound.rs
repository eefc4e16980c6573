//! The lower bound of a trace: what no heap goes below.
//!
//! ```text
//!   placed    the best offline placement found: it knows all lifetimes and moves no block
//!   ──────
//!   live      peak live bytes: below it nothing can go
//! ```
//!
//! `live` is certain. `placed` is a placement that exists, verified, without headers or any other words of a
//! heap: a heap that comes near it leaves nothing to gain, and one that could know lifetimes would go no lower than
//! between the two.

use heapsmith_trace::{Bytes, PackedTrace};

use crate::placement::{Lifetimes, Method, PlacementEffort, place};

/// What no heap goes below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LowerBound {
    /// Peak live bytes.
    pub live: Bytes,
    /// The footprint of the lowest placement that was found.
    pub placed: Bytes,
    /// Blocks that were placed: allocations, and reallocations to another size.
    pub blocks: u64,
    /// Pairs of blocks that live together.
    pub pairs: u64,
    /// What found the placement.
    pub method: Method,
    /// Placements that were made, or begun.
    pub placements: u64,
    /// Work that was done ([`PlacementEffort::work`]).
    pub work: u64,
    /// Whether too many blocks live together to search holes: a lower placement is likely.
    pub is_coarse: bool,
    /// Whether no placement is lower.
    pub is_optimal: bool,
    /// No placement has a lower footprint: `live`, or more where a search has shown it.
    pub proven: Bytes,
}

impl LowerBound {
    /// `placed / live − 1`: the overhead of holes in an offline placement.
    pub fn fragmentation(&self) -> f64 {
        if self.live.0 == 0 { 0.0 } else { self.placed.0 as f64 / self.live.0 as f64 - 1.0 }
    }
}

/// The lower bound of a trace.
///
/// ```
/// use heapsmith_limits::{PlacementEffort, lower_bound};
/// use heapsmith_trace::{Action, Bytes, Event, PackedTrace, Trace};
///
/// let mut trace = Trace::default();
/// for (id, size) in [(0, 100), (1, 50)] {
///     trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 }));
/// }
/// let lower_bound = lower_bound(&PackedTrace::new(&trace)?, PlacementEffort::QUICK);
/// assert_eq!((lower_bound.live, lower_bound.placed), (Bytes(150), Bytes(150)));
/// # Ok::<(), heapsmith_trace::TraceError>(())
/// ```
pub fn lower_bound(trace: &PackedTrace, effort: PlacementEffort) -> LowerBound {
    let lifetimes = Lifetimes::of(trace, effort.alignment);
    let placed = place(&lifetimes, effort);
    LowerBound {
        live: Bytes(lifetimes.live()),
        placed: Bytes(placed.placement.footprint),
        blocks: lifetimes.all().len() as u64,
        pairs: lifetimes.pairs(),
        method: placed.method,
        placements: placed.placements,
        work: placed.work,
        is_coarse: placed.is_coarse,
        is_optimal: placed.is_optimal,
        proven: Bytes(placed.min),
    }
}
