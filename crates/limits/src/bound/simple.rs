//! Pools without free blocks to choose from.

use super::demand::Demand;
use super::{Found, Term, shown};

/// Why a bump allocator has no bound.
pub(super) const BUMP: &str = "a bump allocator gives nothing back while a block is live: it needs all that is ever \
    asked for, however little of it is live";

/// Why a stack behind a quarantine has none.
pub(super) const OUT_OF_ORDER: &str = "a quarantine frees blocks in the order in which they come to it, which a stack \
    refuses: they stay used. Use guard(quarantine=0)";

/// Blocks of one size: as many as were ever live at once.
pub(super) fn fixed(demand: &Demand) -> Found {
    let blocks = demand.count_of(demand.program.live).saturating_add(demand.quarantined());
    let block = demand.largest_block();
    Found {
        footprint: demand.control.saturating_add(blocks.saturating_mul(block)),
        formula: "C + B·b",
        terms: vec![
            Term::new("C", "bytes before the first block", shown(demand.control)),
            Term::new("B", "most blocks used at once", shown(blocks)),
            Term::new("b", "bytes of a block", shown(block)),
        ],
        numbers: format!("{} + {} · {}", shown(demand.control), shown(blocks), shown(block)),
        source: "any free block serves any request: exact",
    }
}

/// A stack that is freed last in, first out has no holes.
pub(super) fn stack(demand: &Demand) -> Found {
    let bytes = demand.blocks_of(demand.program.live).saturating_add(demand.retained().bytes);
    Found {
        footprint: demand.control.saturating_add(bytes),
        formula: "C + M",
        terms: vec![
            Term::new("C", "bytes before the first block", shown(demand.control)),
            Term::new("M", "most bytes in used blocks", shown(bytes)),
        ],
        numbers: format!("{} + {}", shown(demand.control), shown(bytes)),
        source: "blocks stand one behind the other: there are no holes",
    }
}
