//! Offline placement: every lifetime is known, and no block moves.
//!
//! ```text
//!   PackedTrace ─▶ Lifetimes ─▶ in_time    best fit, forwards and backwards      O(n log n)
//!                           ├─▶ on_top     six orders, on the skyline            O(n log n)
//!                           ├─▶ in_holes   six orders, first and tightest hole   O(p log n)
//!                           ├─▶ improve    the best order, changed at its top    O(p log n) each time
//!                           └─▶ search     bottom up, what cannot work is cut      as far as the work goes
//!                                  └─▶ the lowest Placement ─▶ verify
//! ```
//!
//! n lifetimes, of which p pairs live together. This is offline dynamic storage allocation: strongly
//! NP-hard (Garey and Johnson, 1979, problem SR2), with a placement of at most 2+ε times the peak
//! live bytes always possible, and of nearly those where each block is small compared with their sum (Buchsbaum, Karloff,
//! Kenyon, Reingold, Thorup: OPT versus LOAD in Dynamic Storage Allocation, SIAM Journal on Computing 33,
//! 2004). This module uses heuristics of the practice and takes the best result. Whether it is the minimum
//! is known where it equals the peak live bytes, and where the search came to its end.
//!
//! A step that may take more work than is left ([`PlacementEffort::work`]) is not begun, so a trace of millions of
//! blocks gets the first two alone; only thousands of blocks are searched.

mod improve;
mod in_holes;
mod in_time;
mod lifetimes;
mod on_top;
mod order;
mod search;
mod verify;

use std::sync::atomic::{AtomicBool, Ordering};

pub use lifetimes::{Lifetime, Lifetimes};
pub use verify::{Misplaced, verify};

use in_holes::{HoleFit, InHoles};
use order::PlacementOrder;

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacementEffort {
    /// Work that may be done: blocks compared with a block that overlaps with them, and blocks placed. It is
    /// counted, so the answer is the same on every machine; a second does some tens of millions.
    pub work: u64,
    /// What random changes are drawn from.
    pub seed: u64,
    /// Every offset is a multiple of this power of two, and of the alignment that its request asks for.
    pub alignment: u64,
    /// A footprint that is low enough: nothing is looked for below it. 0 is as low as possible.
    pub target: u64,
}

impl PlacementEffort {
    /// Some tenths of a second: for one trace of many.
    pub const QUICK: PlacementEffort = PlacementEffort { work: 20_000_000, seed: 1, alignment: 1, target: 0 };
    /// Some ten seconds.
    pub const USUAL: PlacementEffort = PlacementEffort { work: 400_000_000, seed: 1, alignment: 1, target: 0 };
    /// Minutes.
    pub const THOROUGH: PlacementEffort = PlacementEffort { work: 10_000_000_000, seed: 1, alignment: 1, target: 0 };
}

/// Where every block is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// Of each lifetime, in the order of [`Lifetimes::all`].
    pub offsets: Vec<u64>,
    /// Where the highest block ends.
    pub footprint: u64,
}

/// What found the placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// Best fit in the order of starts.
    Forwards,
    /// Best fit in the order of ends, backwards.
    Backwards,
    /// On top of what is placed, in an order.
    OnTop(PlacementOrder),
    /// Into the first hole, in an order.
    FirstHole(PlacementOrder),
    /// Into the tightest hole, in an order.
    TightestHole(PlacementOrder),
    /// Into the first hole, in an order that was changed step by step.
    Improved,
    /// Bottom up, with what cannot work cut.
    ExactSearch,
}

impl std::fmt::Display for Method {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Method::Forwards => f.write_str("best fit in the order of time"),
            Method::Backwards => f.write_str("best fit backwards in time"),
            Method::OnTop(order) => write!(f, "on top, {order}"),
            Method::FirstHole(order) => write!(f, "first fit, {order}"),
            Method::TightestHole(order) => write!(f, "tightest fit, {order}"),
            Method::ExactSearch => f.write_str("search bottom up"),
            Method::Improved => f.write_str("first fit, the order improved step by step"),
        }
    }
}

/// The lowest placement that was found, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solution {
    /// It.
    pub placement: Placement,
    /// What found it.
    pub method: Method,
    /// Placements that were made, or begun.
    pub placements: u64,
    /// Work that was done.
    pub work: u64,
    /// Whether holes were left unsearched, as the pairs of blocks that live together are more than the work.
    pub is_coarse: bool,
    /// Whether no placement is lower: it needs the peak live bytes, or a search has shown that less is impossible.
    pub is_optimal: bool,
    /// No placement has a lower footprint: the peak live bytes, or more where a search has shown it.
    pub min: u64,
}

/// Places all blocks as low as the effort allows.
///
/// # Panics
///
/// If blocks of the placement overlap, which [`verify`] looks for: that is a bug.
pub fn place(lifetimes: &Lifetimes, effort: PlacementEffort) -> Solution {
    place_until(lifetimes, effort, &AtomicBool::new(false))
}

/// As [`place`], with the best so far as soon as `stop` is set.
///
/// # Panics
///
/// As [`place`].
pub fn place_until(lifetimes: &Lifetimes, effort: PlacementEffort, stop: &AtomicBool) -> Solution {
    let first = in_time::best_fit(lifetimes.all());
    let mut best = Best::new(lifetimes, first, effort, stop);
    best.try_with(Method::Backwards, |_| in_time::best_fit(&lifetimes.backwards()));
    let orders: Vec<(PlacementOrder, Vec<u32>)> =
        PlacementOrder::ALL.iter().map(|&order| (order, order.of(lifetimes))).collect();
    for (order, blocks) in &orders {
        best.try_with(Method::OnTop(*order), |_| on_top::on_top(lifetimes, blocks));
    }
    let mut holes = InHoles::new(lifetimes);
    for (order, blocks) in &orders {
        best.try_in_holes(&mut holes, Method::FirstHole(*order), blocks, HoleFit::First);
    }
    for (order, blocks) in &orders {
        best.try_in_holes(&mut holes, Method::TightestHole(*order), blocks, HoleFit::Tightest);
    }
    // A hundred changes, or a sixteenth of what is left; then all but a sixteenth of the remainder.
    let share = |best: &Best<'_>| effort.work.saturating_sub(best.placed.work) / 16;
    let until = best.placed.work + share(&best).min(100 * best.each);
    improve::improve(lifetimes, &mut holes, &mut best, until);
    let for_search = 15 * share(&best);
    search::lower(lifetimes, &mut best, for_search, stop);
    improve::improve(lifetimes, &mut holes, &mut best, effort.work);
    best.placed.is_optimal = best.placed.placement.footprint <= best.min;
    best.placed.is_coarse &= !best.is_done();
    best.placed.min = best.min;
    let Best { placed, .. } = best;
    if let Err(wrong) = verify(lifetimes, &placed.placement.offsets, placed.placement.footprint) {
        panic!("the placement by {} is wrong: {wrong}", placed.method);
    }
    placed
}

/// The best so far, and what work is left.
struct Best<'s> {
    placed: Solution,
    /// No placement is lower: the peak live bytes, or more where a search has shown it.
    min: u64,
    /// Work of a placement into holes, at most.
    each: u64,
    effort: PlacementEffort,
    stop: &'s AtomicBool,
}

impl<'s> Best<'s> {
    fn new(lifetimes: &Lifetimes, placement: Placement, effort: PlacementEffort, stop: &'s AtomicBool) -> Best<'s> {
        let blocks = lifetimes.all().len() as u64;
        let placed = Solution {
            placement,
            method: Method::Forwards,
            placements: 1,
            work: blocks,
            is_coarse: true,
            is_optimal: false,
            min: lifetimes.live(),
        };
        Best { placed, min: lifetimes.live(), each: blocks + lifetimes.pairs(), effort, stop }
    }

    /// Nothing can be lower, or nothing lower is wanted.
    fn is_done(&self) -> bool {
        self.placed.placement.footprint <= self.min.max(self.effort.target)
    }

    /// Whether another placement into holes may be made.
    fn goes_on(&self) -> bool {
        self.goes_on_until(self.effort.work)
    }

    /// Whether it may before so much work is done.
    fn goes_on_until(&self, work: u64) -> bool {
        !self.is_done() && self.placed.work + self.each <= work && !self.stop.load(Ordering::Relaxed)
    }

    fn take(&mut self, method: Method, placement: Placement) {
        if placement.footprint < self.placed.placement.footprint {
            (self.placed.placement, self.placed.method) = (placement, method);
        }
    }

    fn try_with(&mut self, method: Method, place: impl FnOnce(&Best<'_>) -> Placement) {
        if !self.is_done() {
            let placement = place(self);
            self.placed.placements += 1;
            self.placed.work += placement.offsets.len() as u64;
            self.take(method, placement);
        }
    }

    /// Places into holes, if the work is left; it gives up where it would not be better.
    fn try_in_holes(&mut self, holes: &mut InHoles<'_>, method: Method, order: &[u32], fit: HoleFit) {
        if !self.goes_on() {
            return;
        }
        self.placed.is_coarse = false;
        let before = holes.work;
        let placement = holes.place(order, fit, self.placed.placement.footprint - 1);
        self.placed.placements += 1;
        self.placed.work += holes.work - before;
        if let Some(placement) = placement {
            self.take(method, placement);
        }
    }
}

/// The least multiple of a power of two from `offset` on.
fn align_up(offset: u64, alignment: u64) -> u64 {
    (offset + (alignment - 1)) & !(alignment - 1)
}
