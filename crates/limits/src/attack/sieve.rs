//! Which blocks to keep, so that what is freed cannot serve the next size.
//!
//! ```text
//!   live      ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■      kept      ■ · · · ■ · · · ■ · · ·     next size  ▣▣▣▣
//!   no hole between kept blocks has the next size; what was freed is asked for again, in new memory
//! ```
//!
//! - [`Keep::Offsets`] is Robson's: of two places modulo the next size, the one whose blocks obstruct the most;
//!   every block that covers such a place is kept. It works on *every* heap that moves nothing (Robson 1971, 1974).
//! - [`Keep::Gaps`] keeps the fewest bytes that leave no hole as large as the next block, by dynamic programming over
//!   the blocks in address order.
//! - [`Keep::Cells`] keeps the cheapest block of each aligned cell of the next block's size: for buddy systems, whose
//!   free blocks join only within such a cell (Knuth 1997, §2.5, exercise 41), and for pages.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::adversary::{Adversary, Block};

/// Which blocks stay when others are freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Keep {
    /// All.
    All,
    /// None.
    Nothing,
    /// Those that cover Robson's places.
    Offsets,
    /// The fewest bytes that leave no hole as large as the next block.
    Gaps,
    /// The cheapest of each aligned cell.
    Cells,
    /// One in this many, in address order.
    Every(u32),
}

/// Robson's place: `at` modulo `step`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    at: u64,
    step: u64,
}

impl Place {
    /// Whether the block covers such a place, counted from `origin`.
    fn is_covered(self, origin: u64, block: &Block) -> bool {
        let from = block.at.saturating_sub(origin);
        // The first place at or behind the begin.
        from.saturating_sub(self.at).next_multiple_of(self.step) + self.at < from + block.bytes
    }
}

/// Frees blocks so that few bytes keep blocks of `next` bytes from what is freed.
pub fn sieve(adversary: &mut Adversary<'_>, keep: Keep, upwards: bool, next: u64, origin: u64, place: &mut Place) {
    match keep {
        Keep::All => {}
        Keep::Nothing => adversary.keep(upwards, |_| false),
        Keep::Offsets => {
            *place = best_place(adversary, next, origin, *place);
            let place = *place;
            adversary.keep(upwards, |block| place.is_covered(origin, block));
        }
        Keep::Gaps => {
            let retained = gaps(adversary, next, origin);
            adversary.keep(upwards, |block| retained.contains(&block.at));
        }
        Keep::Cells => {
            let retained = cells(adversary, next);
            adversary.keep(upwards, |block| retained.contains(&block.at));
        }
        Keep::Every(step) => {
            let step = step.max(1) as usize;
            let retained: BTreeSet<u64> = adversary.blocks().step_by(step).map(|block| block.at).collect();
            adversary.keep(upwards, |block| retained.contains(&block.at));
        }
    }
}

/// Of the places modulo `next` that refine the last one, the place whose blocks cover the most.
fn best_place(adversary: &Adversary<'_>, next: u64, origin: u64, last: Place) -> Place {
    if last.step == 0 || !next.is_multiple_of(last.step) {
        return Place { at: 0, step: next };
    }
    let places = (0..next / last.step).map(|number| Place { at: last.at + number * last.step, step: next });
    let blocked = |place: &Place| -> u64 {
        let covering = adversary.blocks().filter(|block| place.is_covered(origin, block));
        covering.map(|block| next.saturating_sub(block.bytes)).sum()
    };
    // Of equals the first.
    let mut best: Option<(u64, Place)> = None;
    for place in places {
        let blocked = blocked(&place);
        if best.is_none_or(|(max, _)| blocked > max) {
            best = Some((blocked, place));
        }
    }
    best.map_or(Place { at: 0, step: next }, |(_, place)| place)
}

/// The blocks to keep so that no hole has `next` bytes: as much footprint as possible after what is freed is asked
/// for again.
fn gaps(adversary: &Adversary<'_>, next: u64, origin: u64) -> BTreeSet<u64> {
    let blocks: Vec<Block> = adversary.blocks().copied().collect();
    // Cheapest way to keep blocks up to each, it included, and the block kept before it.
    let mut cost: Vec<u64> = Vec::with_capacity(blocks.len());
    let mut before: Vec<Option<usize>> = Vec::with_capacity(blocks.len());
    // Candidates for the block kept before, ascending in address and in cost.
    let mut near: VecDeque<usize> = VecDeque::new();
    for (number, block) in blocks.iter().enumerate() {
        while near
            .front()
            .is_some_and(|&other| block.at.saturating_sub(blocks[other].end()) >= next && other + 1 < number)
        {
            near.pop_front();
        }
        let from_origin = (block.at.saturating_sub(origin) < next).then_some((0, None));
        let from_near = near.front().map(|&other| (cost[other], Some(other)));
        let (min_size, previous) = from_origin.or(from_near).unwrap_or((0, None));
        cost.push(min_size + block.requested);
        before.push(previous);
        while near.back().is_some_and(|&other| cost[other] >= cost[number]) {
            near.pop_back();
        }
        near.push_back(number);
    }
    // All above the last kept block is freed: its end, and what may be requested again behind it.
    let last =
        (0..blocks.len()).max_by_key(|&number| (blocks[number].end() as i128 - i128::from(cost[number]), number));
    let chain = std::iter::successors(last, |&number| before[number]);
    chain.map(|number| blocks[number].at).collect()
}

/// The cheapest block of each aligned cell of `next` bytes, rounded up to a power of two.
fn cells(adversary: &Adversary<'_>, next: u64) -> BTreeSet<u64> {
    let cell = next.next_power_of_two();
    let mut cheapest: BTreeMap<u64, Block> = BTreeMap::new();
    for block in adversary.blocks() {
        let retained = cheapest.entry(block.at / cell).or_insert(*block);
        if block.requested < retained.requested {
            *retained = *block;
        }
    }
    cheapest.values().map(|block| block.at).collect()
}
