//! Blocks without headers: first fit by address over whole units, and a table outside.

use heapsmith::parts::Format;
use heapsmith_spec::{Bitmap, Spec};

use super::demand::Demand;
use super::{Bounded, Found, Room, Term, Unbounded, WorstCase, first_fit, holes, shown};

/// Units whose bits are in a byte.
const IN_BYTE: u64 = 8;

/// Words of a free block.
const LINKS: u64 = 2;

impl Bounded for Bitmap {
    /// The lowest free block that is large enough serves, and free neighbours are one: as a list by address whose blocks have
    /// no header.
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        let blocks = first_fit::or(demand, holes::bound(demand, holes::SOURCE));
        let units = (blocks.footprint - demand.control).div_ceil(demand.granule);
        let table = units.div_ceil(IN_BYTE).next_multiple_of(demand.word);
        let of_blocks = format!("{} = {}", blocks.formula, shown(blocks.footprint));
        let mut terms = blocks.terms;
        terms.push(Term::new("F", "the bound of the blocks alone", of_blocks));
        terms.push(Term::new("T", "a byte for eight units of them", shown(table)));
        Ok(Found {
            footprint: blocks.footprint.saturating_add(table),
            formula: "F + T",
            terms,
            numbers: format!("{} + {}", blocks.numbers, shown(table)),
            source: blocks.source,
        })
    }

    fn aligns(&self) -> bool {
        true
    }

    /// Every free block is before a used one, and is looked at in two words; a block is as long as its bits say.
    fn worst_case(&self, demand: &Demand, room: Room) -> WorstCase {
        if room.footprint.is_none() {
            return WorstCase::none("linear in the free blocks, of which there is no bound that we know");
        }
        let used = demand.count_of(demand.program.live) + demand.retained().blocks + demand.own_blocks().blocks;
        let bits = (demand.largest_block() + demand.aligning) / demand.granule / IN_BYTE;
        let max = 2 * (used + 1) + bits + 32;
        WorstCase::of(max, max, "every free block looked at, and the bits of a block")
    }

    fn block(&self, demand: &Demand, below: u64) -> Option<u64> {
        let bytes = below.max(LINKS * demand.word).checked_next_multiple_of(demand.granule)?;
        (bytes <= demand.spec.max_region()).then_some(bytes)
    }

    /// A remainder that holds no links is not split off.
    fn granule_and_slack(&self, spec: &Spec, _: Format) -> [usize; 2] {
        let granule = (spec.alignment / spec.word.bytes()) as usize;
        [granule, (LINKS as usize).next_multiple_of(granule) - granule]
    }
}
