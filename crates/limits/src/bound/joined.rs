//! Which argument bounds a pool of blocks, by its factors.

use heapsmith_spec::{BlockFactors, Coalescing};

use super::demand::Demand;
use super::{Found, Unbounded, by_size, holes};

/// Why heaps that split and never join have no bound.
pub(super) const SPLIT_ONLY: &str = "freed blocks that are not joined are split further and further: a program that frees large \
    blocks and asks for small ones, over and over, may need new memory every time";

/// Why heaps that join late have no bound for blocks that are resized.
const GROWS_AND_SHRINKS: &str = "with deferred coalescing the last block may grow into new memory, shrink, and leave a free block that the next request takes and \
    grows as well, without end: nothing is joined before a request finds no block. Immediate coalescing has a bound";

/// Why heaps whose small requests do not split have no bound.
pub(super) const TAKES_WHOLE: &str = "a small request may take a whole free block of any size: once freed, the block joins its free \
    neighbour, the next small request takes the joined block, and so on without end. With `split=always, remainder=N` a request takes \
    no more than N bytes beyond its own";

/// Heaps that split every block they can and join every two free neighbours before they take new memory;
/// and those that do neither.
pub(super) fn joined(demand: &Demand, factors: &BlockFactors, source: &'static str) -> Result<Found, Unbounded> {
    if demand.joins(factors) {
        return Ok(holes::bound(demand, source));
    }
    // An aligned block is cut out of a larger one whatever the factors say.
    if demand.aligning == 0 && demand.never_splits(factors.split) && demand.never_coalesces(factors.coalesce) {
        return Ok(by_size::whole_blocks(demand));
    }
    if factors.coalesce == Coalescing::Deferred && demand.always_splits(factors.split) {
        return Err(Unbounded(GROWS_AND_SHRINKS));
    }
    Err(Unbounded(match (demand.always_splits(factors.split), demand.never_coalesces(factors.coalesce)) {
        (true, _) => SPLIT_ONLY,
        (false, true) => {
            "some requests split their block, and nothing is joined again: blocks only become \
            smaller, and large requests may need new memory every time"
        }
        (false, false) => TAKES_WHOLE,
    }))
}

/// The region in which none of these heaps refuses, if it joins all free neighbours before it does, and splits always.
pub(super) fn full_region(demand: &Demand, factors: &BlockFactors) -> Option<Found> {
    demand
        .joins_at_last(factors)
        .then(|| holes::full_region(demand, |need| need - demand.granule.min(need), holes::Wilderness::Apart))
}
