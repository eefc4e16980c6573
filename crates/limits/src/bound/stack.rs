//! A stack: blocks freed last in, first out leave no holes.

use heapsmith_spec::Stack;

use super::demand::Demand;
use super::{Bounded, Found, Room, Term, Unbounded, WorstCase, shown};

/// Why a stack behind a quarantine has no bound.
const OUT_OF_ORDER: &str = "a quarantine frees blocks in the order in which they come to it, which a stack \
    refuses: they stay used. Use guard(quarantine=0)";

impl Bounded for Stack {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        if demand.program.reallocates {
            return Err(Unbounded("a block below the last cannot grow: it moves, and stays used where it was"));
        }
        if demand.program.out_of_order {
            return Err(Unbounded("the program frees blocks that are not the last: they stay used"));
        }
        if demand.quarantined() > 0 {
            return Err(Unbounded(OUT_OF_ORDER));
        }
        let bytes = demand.blocks_of(demand.program.live).saturating_add(demand.retained().bytes);
        Ok(Found {
            footprint: demand.control.saturating_add(bytes),
            formula: "C + M",
            terms: vec![
                Term::new("C", "bytes before the first block", shown(demand.control)),
                Term::new("M", "most bytes in used blocks", shown(bytes)),
            ],
            numbers: format!("{} + {}", shown(demand.control), shown(bytes)),
            source: "blocks follow one another: there are no holes",
        })
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        WorstCase::of(3, 3, "constant")
    }

    fn requires(&self) -> Option<&'static str> {
        Some("blocks are freed in the reverse order of their allocation")
    }

    fn block(&self, demand: &Demand, below: u64) -> Option<u64> {
        Some(demand.linear_block(below))
    }
}
