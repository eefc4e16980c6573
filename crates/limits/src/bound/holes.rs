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
    with_holes(demand, |need| need - demand.granule.min(need), source, "largest hole: n less a granule")
}

/// The bound where a request that needs `need` bytes leaves no hole larger than `hole(need)`.
pub(super) fn with_holes(
    demand: &Demand,
    hole: impl Fn(u64) -> u64,
    source: &'static str,
    meaning: &'static str,
) -> Found {
    let retained = demand.retained();
    let mut worst_case = (0, demand.steps()[0]);
    for &step in demand.steps() {
        let total = total(demand, retained, &hole, step);
        if total > worst_case.0 {
            worst_case = (total, step);
        }
    }
    let (footprint, step) = worst_case;
    let others = demand.program.live - step.from;
    let (bytes, blocks) = (demand.blocks_of(others) + retained.bytes, demand.count_of(others) + retained.blocks);
    let (control, hole) = (demand.control, hole(step.need));
    Found {
        footprint,
        formula: "C + n + M + B·h",
        terms: vec![
            Term::new("C", "bytes before the first block", shown(control)),
            Term::new("n", "bytes of the block of the request that finds no hole", shown(step.need)),
            Term::new("M", "most bytes in the other used blocks", shown(bytes)),
            Term::new("B", "most other used blocks", shown(blocks)),
            Term::new("h", meaning, shown(hole)),
        ],
        numbers: format!(
            "{} + {} + {} + {} · {}",
            shown(control),
            shown(step.need),
            shown(bytes),
            shown(blocks),
            shown(hole)
        ),
        source,
    }
}

/// Most bytes when a request of this step takes new memory.
fn total(demand: &Demand, retained: Retained, hole: &impl Fn(u64) -> u64, step: SizeStep) -> u64 {
    let others = demand.program.live - step.from;
    let blocks = u128::from(demand.count_of(others) + retained.blocks);
    let bytes = u128::from(demand.blocks_of(others)) + u128::from(retained.bytes);
    saturated(u128::from(demand.control + step.need) + bytes + blocks * u128::from(hole(step.need)))
}
