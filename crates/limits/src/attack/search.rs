//! A guided search over plans: from the constructions, by small changes, keeping what hurts more.
//!
//! ```text
//!   constructions ─▶ the best few ─▶ one of them, changed a little ─▶ carried out on the heap
//!                        ▲                                                │
//!                        └──────────── if it hurts more ──────────────────┘
//! ```
//!
//! The same seed gives the same search. What the adversary does depends on the heap's answers, so a plan is more than
//! a trace: the same plan hurts heaps of different designs in different ways.

use std::collections::HashSet;

use super::comb::Comb;
use super::model::BlockModel;
use super::plan::{Carve, Plan, Round};
use super::random::Random;
use super::sieve::Keep;

/// Plans that are changed further.
const ELITE: usize = 4;

/// Candidates with what they came to.
#[derive(Debug)]
pub struct PlanSearch<'d, 's> {
    blocks: &'d BlockModel<'d, 's>,
    random: Random,
    /// The best so far, the best first.
    elite: Vec<(u64, Plan)>,
    seen: HashSet<Plan>,
}

impl<'d, 's> PlanSearch<'d, 's> {
    /// A search by this seed.
    pub fn new(blocks: &'d BlockModel<'d, 's>, seed: u64) -> PlanSearch<'d, 's> {
        PlanSearch { blocks, random: Random::new(seed), elite: Vec::new(), seen: HashSet::new() }
    }

    /// Notes what a plan came to.
    pub fn note(&mut self, plan: Plan, score: u64) {
        self.seen.insert(plan.clone());
        let place = self.elite.partition_point(|&(other, _)| other >= score);
        self.elite.insert(place, (score, plan));
        self.elite.truncate(ELITE);
    }

    /// A plan that was not tried, near one of the best; none if none turns up.
    pub fn next(&mut self) -> Option<Plan> {
        for _ in 0..100 {
            // The better, the more often.
            let place = self.random.below(self.elite.len() as u64 + 1).min(self.random.below(self.elite.len() as u64));
            let mut plan = self.elite.get(place as usize)?.1.clone();
            for _ in 0..=self.random.below(2) {
                self.change(&mut plan);
            }
            if !self.seen.contains(&plan) {
                return Some(plan);
            }
        }
        None
    }

    fn change(&mut self, plan: &mut Plan) {
        match plan {
            Plan::Rounds(rounds) => self.change_rounds(rounds),
            Plan::Carve(carve) => self.change_carve(carve),
            Plan::Comb(comb) => self.change_comb(comb),
            Plan::Chain(chain) => {
                let place = self.random.below(chain.fillers.len() as u64) as usize;
                chain.fillers[place] = self.near(chain.fillers[place]);
            }
            Plan::Shrink(shrink) => {
                shrink.size = self.near(shrink.size);
                shrink.small = self.near(shrink.small).min(shrink.size);
            }
            Plan::Aligned(plan) => self.change(plan),
        }
    }

    fn change_rounds(&mut self, rounds: &mut Vec<Round>) {
        let length = rounds.len() as u64;
        let place = self.random.below(length) as usize;
        match self.random.below(7) {
            0 => {
                let block = self.near(rounds[place].block);
                (rounds[place].block, rounds[place].size) = (block, self.blocks.last_request(block));
            }
            1 => rounds[place].keep = self.keep(),
            2 => rounds[place].percent = self.random.within(50, 100) as u8,
            3 => rounds[place].upwards = !rounds[place].upwards,
            4 if length > 1 => drop(rounds.remove(place)),
            5 => {
                let low = rounds[place].block;
                let high = rounds.get(place + 1).map_or(self.blocks.largest_block(), |next| next.block);
                let block = self.random.within(low.min(high), low.max(high));
                let keep = rounds[place].keep;
                let size = self.blocks.last_request(block);
                rounds.insert(place + 1, Round { keep, upwards: true, size, block, percent: 100 });
            }
            _ => {
                // The first size that needs the block: as many blocks as may be live.
                let first = self.blocks.first_request(rounds[place].block);
                rounds[place].size = first;
            }
        }
    }

    fn change_carve(&mut self, carve: &mut Carve) {
        match self.random.below(4) {
            0 => carve.small = self.near(carve.small),
            1 => {
                let place = self.random.below(carve.hole.len() as u64) as usize;
                carve.hole[place] = self.near(carve.hole[place]);
            }
            2 => carve.filler = carve.filler.map(|filler| self.near(filler)),
            _ => {
                let block = self.blocks.need(carve.hole[0]).unwrap_or(0);
                let filler = block.saturating_sub(self.blocks.need(carve.small).unwrap_or(0));
                carve.filler = if carve.filler.is_some() { None } else { Some(self.blocks.last_request(filler)) };
            }
        }
    }

    fn change_comb(&mut self, comb: &mut Comb) {
        match self.random.below(4) {
            0 => comb.small = self.near(comb.small),
            1 => {
                // Fewer, or every one twice: holes that grow slower.
                let keep = self.random.within(1, 3) as usize;
                comb.teeth = comb.teeth.iter().step_by(keep).cloned().collect();
            }
            2 => {
                let twice = comb.teeth.iter().flat_map(|tooth| [tooth.clone(), tooth.clone()]);
                comb.teeth = twice.take(2_000).collect();
            }
            _ => {
                let skip = self.random.below(comb.teeth.len() as u64) as usize;
                comb.teeth.drain(..skip);
            }
        }
    }

    /// A number near this one: a granule away, a little, or a factor of up to two.
    fn near(&mut self, number: u64) -> u64 {
        let by = match self.random.below(3) {
            0 => self.blocks.granule(),
            1 => number / 16 + 1,
            _ => self.random.below(number / 2 + 1),
        };
        let near = if self.random.below(2) == 0 { number.saturating_sub(by) } else { number + by };
        near.clamp(1, self.blocks.largest_block())
    }

    fn keep(&mut self) -> Keep {
        match self.random.below(6) {
            0 => Keep::All,
            1 => Keep::Nothing,
            2 => Keep::Offsets,
            3 => Keep::Gaps,
            4 => Keep::Cells,
            _ => Keep::Every(self.random.within(2, 8) as u32),
        }
    }
}
