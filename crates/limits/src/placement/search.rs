//! Search for a placement within a capacity, bottom up, for some thousand blocks.
//!
//! ```text
//!   capacity ┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄┄        a step: one block on what is placed below it, never below the block
//!            │    ┌───┐                before. A block that is passed over has to lie on one that is not
//!            │┌───┴┬──┴─┐   ┌──┐       placed yet, which raises its lowest offset
//!            └┴────┴────┴───┴──┴
//! ```
//!
//! Of all placements within the capacity, take one whose offsets have the smallest sum. Every block of it lies on another or
//! on the bottom, so from the bottom up it is a sequence of such steps, whatever the order of equal offsets. The search, if it ends,
//! has found a placement or shown that there is none. It cuts a branch where
//!
//! 1. at some moment the bytes still to be placed do not fit above the lowest offsets that are left to them (`bounds`);
//! 2. a block could be placed whole below all that follows, which a smallest sum excludes;
//! 3. a block that was passed over has nothing left that it could lie on (`bounds`);
//! 4. the same blocks with the same lowest offsets were searched before, in this or another order (`failed`).
//!
//! Blocks that are left fall apart into groups that do not meet in time. Each is searched by itself, in an order of its own (`rank`).
//!
//! Source: Moffitt, MiniMalloc (ASPLOS 2023), written anew from its description: canonical solutions, section inference,
//! dominance, dynamic ordering and decomposition are its words. What a block that is passed over has to lie on (3), bytes above
//! each lowest offset of a moment (1) and failed groups (4) are additions: with them all eleven published
//! problems take some thousand steps. A search that takes long mostly took a wrong turn early (Gomes, Selman, Kautz, AAAI
//! 1998), so it is begun again: each capacity in several orders of equal offsets, with ever more steps, and after the first round
//! also in orders that draws have loosened.

mod bounds;
mod descend;
mod failed;
mod rank;

use std::sync::atomic::AtomicBool;

use heapsmith_trace::Draws;

use super::lifetimes::Lifetimes;
use super::{Best, Method};
use descend::Descent;
use rank::Ranking;

/// Blocks that are searched at most: a step is a level of recursion.
const BLOCKS: usize = 4096;
/// Moments of all blocks together, and pairs of blocks that live together, at most: the lists of who lives when.
const MOMENTS: u64 = 4_000_000;
/// Capacities of a round.
const CAPACITIES: u32 = 8;

/// How a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchEnd {
    /// All blocks are placed.
    Solved,
    /// There is no placement within the capacity.
    Impossible,
    /// The work was done first, or it was stopped.
    GaveUp,
}

/// Searches for placements lower than the best, for as long as `work` goes. Each round begins with the lowest capacity that
/// is of use, continues with halves of what is between it and the best, and gives each search twice the work of the round before.
pub(super) fn lower(lifetimes: &Lifetimes, best: &mut Best<'_>, work: u64, stop: &AtomicBool) {
    let moments: u64 = lifetimes.all().iter().map(|lifetime| u64::from(lifetime.length())).sum();
    if lifetimes.all().len() > BLOCKS || moments > MOMENTS || lifetimes.pairs() > MOMENTS {
        return;
    }
    let mut search = Descent::new(lifetimes, stop);
    let mut draws = Draws::new(best.effort.seed);
    let mut rankings = Ranking::all(lifetimes);
    let usual = rankings.len();
    let unit = unit(lifetimes);
    let mut each = 100 * lifetimes.all().len() as u64;
    while !best.is_done() && search.goes_on(work) {
        round(&mut search, best, &rankings, unit, each, work);
        each *= 2;
        rankings.truncate(usual);
        let loosened: Vec<Ranking> = rankings.iter().map(|ranking| ranking.loosened(lifetimes, &mut draws)).collect();
        rankings.extend(loosened);
    }
}

/// Searches each capacity of a round in all orders.
fn round(search: &mut Descent<'_>, best: &mut Best<'_>, rankings: &[Ranking], unit: u64, each: u64, work: u64) {
    let mut low = best.min.max(best.effort.target / unit * unit);
    let mut capacity = low;
    for _ in 0..CAPACITIES {
        if low >= best.placed.placement.footprint || !search.goes_on(work) {
            return;
        }
        let before = search.work();
        let mut outcomes = rankings.iter().map(|ranking| {
            let remainder = work.saturating_sub(search.work());
            search.run(capacity, ranking, each.min(remainder))
        });
        let outcome = outcomes.find(|&outcome| outcome != SearchEnd::GaveUp);
        best.placed.placements += 1;
        best.placed.work += search.work() - before;
        match outcome {
            Some(SearchEnd::Solved) => best.take(Method::ExactSearch, search.placement()),
            Some(SearchEnd::Impossible) => {
                low = capacity + unit;
                best.min = best.min.max(low);
            }
            _ => low = capacity + unit,
        }
        if best.is_done() {
            return;
        }
        capacity = low + best.placed.placement.footprint.saturating_sub(unit + low) / 2 / unit * unit;
    }
}

/// What divides every offset that a block can be let down to.
fn unit(lifetimes: &Lifetimes) -> u64 {
    let divisor = |a: u64, b: u64| {
        let (mut a, mut b) = (a, b);
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // An offset of 0 has every alignment, so only what is rounded up must be divided: to an alignment above 1.
    let all = lifetimes.all().iter();
    let alignments = all.clone().map(|lifetime| lifetime.alignment).filter(|&alignment| alignment > 1);
    all.map(|lifetime| lifetime.size).chain(alignments).fold(0, divisor).max(1)
}
