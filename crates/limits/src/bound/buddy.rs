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

//!
//! A heap that begins as one block has no ends: each division adds at most the cell that it divides, so
//! 2^k·E_k ≤ M·(1 + log2(2^k/m)) + 2^(k+1), and a request of order k is refused only if its cells fill the block. None is
//! where the block has more than M·(1 + log2(n/m)) + 2n bytes; P is the power of two above. Gluing has no part in either
//! argument but that a refusal comes after it.
//! Where blocks are resized in place a block is divided whatever else is free, and neither argument holds. But a cell of
//! order n without a used block in it is one free block once all that is free is glued, and serves every request. So the
//! region grows only when each has one: C + (B + 5)·n, with four cells for the ends and one by which
//! the last block grows in place. The same holds where none is resized, and is less for few blocks.
//!
//! # The worst operation of the estranged system
//!
//! Gluing joins all pairs that wait, so there is no number for it. Where at most N pairs wait, it joins no more than N·K:
//! a join takes one pair off its list and puts at most one of the next order there, so no more than N wait at any time,
//! and each of the N is joined at most once an order. Where never-used memory is taken before gluing and the region has
//! room for the bound, nothing is ever glued.

use heapsmith_spec::{Buddy, BuddySystem, Defragment, Glue, Grow, Pool, Spec, Start};

use super::demand::{Demand, saturated};
use super::{Bounded, Found, Room, Term, Unbounded, WorstCase, shown};

impl Bounded for Buddy {
    fn bound(&self, demand: &Demand) -> Result<Found, Unbounded> {
        let cells = cells(self, demand);
        if demand.program.reallocates {
            return cells;
        }
        let divided = match self.start {
            Start::Wilderness => bound(demand),
            Start::OneBlock => whole(self, demand),
        };
        Ok(match cells {
            Ok(cells) if cells.footprint < divided.footprint => cells,
            _ => divided,
        })
    }

    fn worst_case(&self, demand: &Demand, room: Room) -> WorstCase {
        if self.defragment == Defragment::OnDemand && room.footprint.is_none() {
            return WorstCase::none("what is moved for a request is not counted here");
        }
        let orders = room.footprint.map(|footprint| u64::from((footprint / demand.word).max(1).ilog2() + 1));
        let Some(k) = orders else { return WorstCase::none("it grows with the region") };
        if self.system == BuddySystem::Knuth {
            let formula = "7K + 10, 10K + 10, K the orders up to the bound's footprint";
            return WorstCase::of(7 * k + 10, 10 * k + 10, formula);
        }
        match (self.glue, self.grow) {
            (Glue::Bounded(pairs), _) => {
                let allocate = 21 * u64::from(pairs) * k + 22 * k + 20;
                WorstCase::of(allocate, 6 * k + 20, "21NK + 22K + 20, 6K + 20, N pairs wait, K orders")
            }
            (Glue::All, Grow::BeforeGluing) if room.enough => {
                WorstCase::of(22 * k + 20, 16, "22K + 20, 16, K orders: with room for the bound nothing is glued")
            }
            (Glue::All, _) => {
                let formula = "a free is constant; an allocation may glue all pairs of buddies".to_owned();
                WorstCase { allocate: None, free: Some(16), formula }
            }
        }
    }

    fn counts_trapped(&self) -> bool {
        true
    }

    fn requires(&self) -> Option<&'static str> {
        match (self.start, self.defragment) {
            (Start::OneBlock, _) => {
                Some("a region of these bytes and no more: the one block is as large as the region holds")
            }
            (_, Defragment::OnDemand) => Some("no block is moved: none was asked for by a handle"),
            _ => None,
        }
    }
}

/// Whether a heap of this pool begins as one block, as large as its region holds.
pub(super) fn begins_as_one_block(pool: &Pool) -> bool {
    matches!(pool, Pool::Buddy(Buddy { start: Start::OneBlock, .. }))
}

/// What the argument is about: the bytes in used blocks, those of the smallest and the largest block, and the orders
/// between them.
struct Blocks {
    bytes: u64,
    min: u64,
    max: u64,
    orders: u64,
}

fn blocks(demand: &Demand) -> Blocks {
    let retained = demand.retained();
    let own = demand.own_blocks();
    let live = u128::from(demand.blocks_of(demand.program.live));
    let bytes = saturated(live + u128::from(retained.bytes) + u128::from(own.bytes));
    let min = own.min_size.map_or(demand.min_block(), |min_size| min_size.min(demand.min_block()));
    let max = demand.largest_block().max(own.max);
    Blocks { bytes, min, max, orders: u64::from((max / min).ilog2()) }
}

/// Bytes before the table: two words, the heads of the lists, and those of master words.
fn control(buddy: &Buddy, spec: &Spec, demand: &Demand) -> u64 {
    let smallest = heapsmith_spec::build::words_for(spec, 1).unwrap_or(1).ilog2();
    let largest = (spec.word.max_region() / demand.word).max(1).ilog2();
    let lists = if buddy.system == BuddySystem::Estranged { 2 } else { 1 };
    let masters = if buddy.defragment == Defragment::OnDemand { 2 } else { 0 };
    demand.word * (2 + lists * u64::from(largest + 1 - smallest.min(largest)) + masters)
}

/// The bound of a heap that begins as one block.
fn whole(buddy: &Buddy, demand: &Demand) -> Found {
    let Blocks { bytes, min, max, orders } = blocks(demand);
    let control = control(buddy, demand.spec, demand);
    let all = saturated(u128::from(bytes) * u128::from(1 + orders) + 2 * u128::from(max) + 1);
    let block = all.checked_next_power_of_two().unwrap_or(u64::MAX);
    let footprint = saturated(u128::from(control) + u128::from(block) + u128::from(block / 16) + 4096);
    Found {
        footprint,
        formula: "C + P + P/16 + 4096",
        terms: vec![
            Term::new("C", "bytes of control words before the table of headers", shown(control)),
            Term::new("P", "the block, the power of two above M·(1 + log2(n/m)) + 2n", shown(block)),
            Term::new("M", "most bytes in used blocks, each a power of two of words", shown(bytes)),
            Term::new("n", "bytes of the largest block", shown(max)),
            Term::new("m", "bytes of the smallest block", shown(min)),
        ],
        numbers: format!("{} + {} + {} + 4,096", shown(control), shown(block), shown(block / 16)),
        source: "Knuth 1997, §2.5, exercise 41 (M(1 + log2 n)), with the table of this heap and its alignment",
    }
}

/// The bound that counts cells of the largest block: the only one where blocks are resized in place, which divides a block whatever
/// is free, and the lower one for few blocks.
fn cells(buddy: &Buddy, demand: &Demand) -> Result<Found, Unbounded> {
    if buddy.start == Start::OneBlock || buddy.system == BuddySystem::Estranged && buddy.grow == Grow::BeforeGluing {
        return Err(Unbounded(
            "no bound is derived for blocks that are resized in a heap that begins as one block or grows before it glues: \
                use start=wilderness and grow=after-gluing",
        ));
    }
    if let (BuddySystem::Estranged, Glue::Bounded(_)) = (buddy.system, buddy.glue) {
        return Err(Unbounded(
            "no bound is derived for blocks that are resized where pairs of buddies may wait: use glue=all",
        ));
    }
    let Blocks { max, .. } = blocks(demand);
    let (control, retained) = (demand.control, demand.retained());
    let used = demand.count_of(demand.program.live) + retained.blocks + demand.own_blocks().blocks;
    let footprint = saturated(u128::from(control) + (u128::from(used) + 5) * u128::from(max));
    Ok(Found {
        footprint,
        formula: "C + (B + 5)·n",
        terms: vec![
            Term::new("C", "bytes before the first block", shown(control)),
            Term::new("B", "most used blocks", shown(used)),
            Term::new("n", "bytes of the largest block", shown(max)),
        ],
        numbers: format!("{} + {} · {}", shown(control), shown(used + 5), shown(max)),
        source: "a cell of the largest block that holds no used block is one free block, which serves: counted here",
    })
}

fn bound(demand: &Demand) -> Found {
    let Blocks { bytes, min: min_size, max: max_size, orders } = blocks(demand);
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
