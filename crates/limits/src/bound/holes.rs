//! Heaps whose every free block is too small for the request that makes them grow.
//!
//! ```text
//!   ┌──────┬────────┬──────┬────────┬──────┬ … ┬─────────┐
//!   │ hole │ used   │ hole │ used   │ used │   │ request │
//!   └──────┴────────┴──────┴────────┴──────┴ … ┴─────────┘
//!    < need          < need                     ▲ new memory
//! ```
//!
//! A pool that joins all free neighbours, and finds a free block wherever one serves, grows for a request only when
//! each hole is smaller than it. No two holes touch and none touches the wilderness, so each is before a used
//! block: there are no more holes than used blocks, and each has a granule less than the request at most.
//!
//! This is the most that can be said of best fit, but for lower terms: Robson's attack on it reaches
//! Mn − O(M + n²) units (Knuth 1997, §2.5, exercise 42). It holds for next fit, worst fit and first fit in lists of
//! any order, and for bins, as no argument on them uses where a block is taken from.

use super::demand::{Demand, SizeStep, saturated};
use super::retained::Retained;
use super::{Found, Term, shown};

/// Where the argument is from.
pub(super) const SOURCE: &str = "each hole is before a live block and smaller than the request that finds none: \
    counted here; Robson 1977 for the order of growth";
/// The same, for best fit.
pub(super) const BEST_FIT: &str = "each hole is before a live block and smaller than the request that finds \
    none: counted here; that best fit can be made to need Mn − O(M + n²) is Robson's (1977; Knuth 1997, §2.5, ex. 42)";

pub(super) fn bound(demand: &Demand, source: &'static str) -> Found {
    with_holes(
        demand,
        demand.retained(),
        |need| need - demand.granule.min(need),
        Wilderness::Apart,
        source,
        "largest hole: n less a granule",
    )
}

/// What is left of the region.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wilderness {
    /// No hole: it serves whatever it has room for.
    Apart,
    /// A hole that is found like the others.
    AHole,
}

impl Wilderness {
    /// Bytes in which a request that needs `need` finds its place for certain, where holes of up to `hole` bytes are passed over.
    fn serving(self, demand: &Demand, need: u64, hole: u64) -> u64 {
        match self {
            Wilderness::Apart => need,
            Wilderness::AHole => need.max(hole + demand.granule),
        }
    }
}

/// The bound of a region in which no request is refused, whatever layers keep: before one is, they give back all of it and the
/// pool joins all that is free, so that every hole is before a used block of the program and smaller than what a request wants.
pub(super) fn full_region(demand: &Demand, hole: impl Fn(u64) -> u64, wilderness: Wilderness) -> Found {
    const SOURCE: &str = "before a request is refused, layers give back all that they keep and free neighbours are joined: then each \
        hole is before a block of the program and smaller than the request; counted here";
    let meaning = "largest hole that such a request finds too small";
    with_holes(demand, Retained::default(), hole, wilderness, SOURCE, meaning)
}

/// The bound where a request that needs `need` bytes leaves no hole larger than `hole(need)`, and layers keep so much. A
/// request with a coarse alignment needs a hole with more.
pub(super) fn with_holes(
    demand: &Demand,
    retained: Retained,
    hole: impl Fn(u64) -> u64,
    wilderness: Wilderness,
    source: &'static str,
    meaning: &'static str,
) -> Found {
    let hole = |need: u64| hole(need + demand.aligning);
    let last = |need: u64| wilderness.serving(demand, need + demand.aligning, hole(need)) + growth(demand);
    let mut worst_case = (0, demand.steps()[0]);
    for &step in demand.steps() {
        let total = total(demand, retained, &hole, last(step.need), step);
        if total > worst_case.0 {
            worst_case = (total, step);
        }
    }
    let (footprint, step) = worst_case;
    let (others, count) = demand.others(step.from);
    let bytes = demand.blocks_of(others) + retained.bytes;
    let blocks = count + retained.blocks;
    let (control, hole) = (demand.control, hole(step.need));
    let need = last(step.need);
    Found {
        footprint,
        formula: "C + n + M + B·h",
        terms: vec![
            demand.control_term(),
            Term::new(
                "n",
                "bytes of the block of the request that finds no hole, with what its alignment takes and what the last grows in place",
                shown(need),
            ),
            Term::new("M", "most bytes in the other used blocks", shown(bytes)),
            Term::new("B", "most other used blocks", shown(blocks)),
            Term::new("h", meaning, shown(hole)),
        ],
        numbers: format!(
            "{} + {} + {} + {} · {}",
            shown(control),
            shown(need),
            shown(bytes),
            shown(blocks),
            shown(hole)
        ),
        source,
    }
}

/// Most bytes when a request of this step takes new memory, `last` bytes of it.
fn total(demand: &Demand, retained: Retained, hole: &impl Fn(u64) -> u64, last: u64, step: SizeStep) -> u64 {
    let (others, count) = demand.others(step.from);
    let blocks = u128::from(count + retained.blocks);
    let bytes = u128::from(demand.blocks_of(others)) + u128::from(retained.bytes);
    saturated(u128::from(demand.control + last) + bytes + blocks * u128::from(hole(step.need)))
}

/// Bytes by which the last block may grow in place above where an allocation put it: its begin lies below the bound for
/// allocations, and it has no more than the largest block.
fn growth(demand: &Demand) -> u64 {
    if demand.program.reallocates { demand.largest_block() + demand.slack } else { 0 }
}
