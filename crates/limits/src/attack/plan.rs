//! Plans of attack: what is done round by round, with sizes and choices that a search can change.
//!
//! ```text
//!   rounds   keep some ─▶ fill with the next size ─▶ keep some ─▶ fill …      Robson 1971, 1974; Knuth, ex. 41
//!   carve    a smallest block is put at one end of a hole; what is left serves no large request, so the next
//!            hole is made of new memory, one after another                     Robson 1977; Knuth, ex. 42
//! ```
//!
//! To carve, a smallest block must be put where it is wanted. A policy that takes what was freed last, or the largest
//! hole, does so by itself. One that takes the smallest hole gets one of just that size: a `filler` takes all of
//! the hole but so much, the smallest block takes the rest, and the filler is freed. ([`comb`](super::comb) does so for
//! many holes at once.)

use super::adversary::{Adversary, Block};
use super::chain::Chain;
use super::comb::Comb;
use super::sieve::{Keep, Place, sieve};

/// A round: free some, then ask for one size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Round {
    /// What stays.
    pub keep: Keep,
    /// Whether blocks are freed in the order of their addresses.
    pub upwards: bool,
    /// Bytes asked for.
    pub size: u64,
    /// Bytes of the block that this takes.
    pub block: u64,
    /// Percent of the live bytes that are filled.
    pub percent: u8,
}

/// Holes behind smallest blocks, one after another.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Carve {
    /// The blocks that a hole is made of.
    pub hole: Vec<u64>,
    /// What takes all but a smallest block of it, where the policy needs that.
    pub filler: Option<u64>,
    /// The block that stays.
    pub small: u64,
}

/// A plan of attack.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Plan {
    /// Rounds.
    Rounds(Vec<Round>),
    /// Carving, hole by hole.
    Carve(Carve),
    /// Carving, many holes at once.
    Comb(Comb),
    /// Holes in a row.
    Chain(Chain),
    /// Shrinking in place.
    Shrink(Shrink),
    /// Another plan, with every request aligned as coarsely as the program may.
    Aligned(Box<Plan>),
}

/// Blocks that shrink where they are, each before the hole that it leaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shrink {
    /// Bytes asked for.
    pub size: u64,
    /// Bytes that stay.
    pub small: u64,
}

impl Shrink {
    fn carry_out(self, adversary: &mut Adversary<'_>) {
        loop {
            adversary.fill(self.size, adversary.program().live);
            let is_large = |block: &&Block| block.requested > self.small;
            let mut large: Vec<u64> = adversary.blocks().filter(is_large).map(|block| block.at).collect();
            // The last stays: what it left would become never-used memory again.
            let last = large.pop();
            if large.is_empty() {
                let _ = last.and_then(|at| adversary.reallocate(at, self.small));
                adversary.fill(adversary.program().max_size, adversary.program().live);
                return;
            }
            for at in large.into_iter().rev() {
                if adversary.reallocate(at, self.small).is_none() {
                    return;
                }
            }
        }
    }
}

impl Plan {
    /// Carries the plan out.
    pub fn carry_out(&self, adversary: &mut Adversary<'_>) {
        match self {
            Plan::Rounds(rounds) => carry_out_rounds(rounds, adversary),
            Plan::Carve(carve) => carve.carry_out(adversary),
            Plan::Comb(comb) => comb.carry_out(adversary),
            Plan::Chain(chain) => chain.carry_out(adversary),
            Plan::Shrink(shrink) => shrink.carry_out(adversary),
            Plan::Aligned(plan) => {
                adversary.align(u64::MAX);
                plan.carry_out(adversary);
            }
        }
    }
}

fn carry_out_rounds(rounds: &[Round], adversary: &mut Adversary<'_>) {
    let (mut origin, mut place) = (0, Place::default());
    for round in rounds {
        if adversary.is_over() {
            return;
        }
        sieve(adversary, round.keep, round.upwards, round.block, origin, &mut place);
        let live = u128::from(adversary.program().live) * u128::from(round.percent) / 100;
        adversary.fill(round.size, live as u64);
        if origin == 0 {
            origin = adversary.blocks().next().map_or(0, |block| block.at);
        }
    }
}

impl Carve {
    fn carry_out(&self, adversary: &mut Adversary<'_>) {
        let Some(mut hole) = self.blocks_of_hole(adversary) else { return };
        // Each time one smallest block more is live, so it ends.
        while let Some(next) = self.blocks_of_hole(adversary) {
            let (first, others) = hole.split_at(hole.len().min(1));
            first.iter().for_each(|&at| adversary.free(at));
            let filler = self.filler.and_then(|size| adversary.allocate(size));
            let small = adversary.allocate(self.small);
            if let Some(filler) = filler {
                adversary.free(filler.at);
            }
            others.iter().for_each(|&at| adversary.free(at));
            hole = next;
            if small.is_none() {
                break;
            }
        }
        // What is left goes into the largest blocks, which the holes do not serve.
        let max_size = adversary.program().max_size;
        let live = adversary.program().live;
        adversary.fill(max_size, live);
    }

    /// The blocks that will be a hole, if they fit.
    fn blocks_of_hole(&self, adversary: &mut Adversary<'_>) -> Option<Vec<u64>> {
        self.hole.iter().map(|&size| adversary.allocate(size).map(|block| block.at)).collect()
    }
}
