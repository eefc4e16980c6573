//! Buddy systems: at most 1 + log2(n) times what is live, and a little.
//!
//! Cells are places where blocks of an order may lie. Let `E_k` be the cells of order k that are blocks or divided
//! further, M the peak live bytes and 2^k the bytes of order k, from the smallest order asked for, m, to the largest, n.
//!
//! A block of order k + 1 is divided only when no block of order k is free, in Knuth's system as in the estranged one,
//! which divides before it glues. So then every cell of order k is used whole, of which there are M/2^k at most, or
//! divided, of which there are about half as many as cells of order k − 1. With what the ends of the region add (a cell
//! cut off below, one begun above, one skipped to reach the next place),
//!
//! ```text
//!   E_k ≤ E_{k−1}/2 + M/2^k + 3      E_m ≤ M/m + 3
//!   2^k·E_k ≤ M·(1 + log2(2^k/m)) + 3·2^(k+1)
//! ```
//!
//! and for the largest order, where growth ends, the bound is C + M·(1 + log2(n/m)) + 4n. M(1 + log2 n) is the
//! published form (Knuth 1997, §2.5, exercise 41, for a memory that begins as one block).
//!
//! A region skips to the next place for a larger block, and this adds at most one cell to each order until a request of
//! that order or below grows the region again, which it does only when every cell of the order is used or divided.

use heapsmith_spec::{Buddy, BuddySystem, Defragment};

use super::demand::{Demand, saturated};
use super::{Bounded, Found, Room, Term, Unbounded, WorstCase, shown};

impl Bounded for Buddy {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        Ok(bound(demand))
    }

    fn worst_case(&self, demand: &Demand, room: Room) -> WorstCase {
        if self.defragment == Defragment::OnDemand && room.footprint.is_none() {
            return WorstCase::none("what is moved for a request is not counted here");
        }
        if self.system == BuddySystem::Estranged {
            let formula = "a free is constant; an allocation may glue all pairs of buddies".to_owned();
            return WorstCase { allocate: None, free: Some(16), formula };
        }
        let Some(footprint) = room.footprint else { return WorstCase::none("it grows with the region") };
        let orders = u64::from((footprint / demand.word).max(1).ilog2() + 1);
        WorstCase::of(7 * orders + 10, 10 * orders + 10, "7K + 10, 10K + 10, K the orders up to the bound's footprint")
    }

    fn counts_trapped(&self) -> bool {
        true
    }

    fn requires(&self) -> Option<&'static str> {
        Some("no block is moved: it was not asked for by a handle")
    }
}

fn bound(demand: &Demand) -> Found {
    let retained = demand.retained();
    let own = demand.own_blocks();
    let live = u128::from(demand.blocks_of(demand.program.live));
    let bytes = saturated(live + u128::from(retained.bytes) + u128::from(own.bytes));
    let min_size = own.min_size.map_or(demand.min_block(), |min_size| min_size.min(demand.min_block()));
    let max_size = demand.largest_block().max(own.max);
    let orders = u64::from((max_size / min_size).ilog2());
    let control = demand.control;
    let footprint =
        saturated(u128::from(control) + u128::from(bytes) * u128::from(1 + orders) + 4 * u128::from(max_size));
    Found {
        footprint,
        formula: "C + M·(1 + log2(n/m)) + 4n",
        terms: vec![
            Term::new("C", "bytes before the first block", shown(control)),
            Term::new("M", "most bytes in used blocks, each a power of two of words", shown(bytes)),
            Term::new("n", "bytes of the largest block", shown(max_size)),
            Term::new("m", "bytes of the smallest block", shown(min_size)),
        ],
        numbers: format!("{} + {} · {} + 4 · {}", shown(control), shown(bytes), 1 + orders, shown(max_size)),
        source: "Knuth 1997, §2.5, exercise 41 (M(1 + log2 n)), with this heap's cut-off ends and its growth",
    }
}
