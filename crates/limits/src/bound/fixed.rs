//! Blocks of one size: as many as were ever live at once.

use heapsmith_spec::Fixed;

use super::demand::Demand;
use super::{Bounded, Found, Room, Term, Unbounded, WorstCase, shown};

impl Bounded for Fixed {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        let blocks = demand.count_of(demand.program.live).saturating_add(demand.quarantined());
        let block = demand.largest_block();
        Ok(Found {
            footprint: demand.control.saturating_add(blocks.saturating_mul(block)),
            formula: "C + B·b",
            terms: vec![
                Term::new("C", "bytes before the first block", shown(demand.control)),
                Term::new("B", "most blocks used at once", shown(blocks)),
                Term::new("b", "bytes of a block", shown(block)),
            ],
            numbers: format!("{} + {} · {}", shown(demand.control), shown(blocks), shown(block)),
            source: "any free block serves any request: exact",
        })
    }

    fn worst_case(&self, _: &Demand, _: Room) -> WorstCase {
        WorstCase::of(3, 3, "constant")
    }

    fn block(&self, demand: &Demand, below: u64) -> Option<u64> {
        let block = self.size.next_multiple_of(demand.word).next_multiple_of(demand.spec.alignment.into());
        (below <= block).then_some(block)
    }
}
