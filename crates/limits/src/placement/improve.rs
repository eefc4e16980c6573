//! The order of a placement changed step by step.
//!
//! The block that ends highest goes earlier in the order, before a block that is live at
//! the same time, or two such blocks change places; and all are placed anew. What is no worse is kept. This is
//! squeaky wheel optimization (Joslin and Clements, Journal of Artificial Intelligence Research 10, 1999), as compilers of
//! neural networks do it on such orders (hill climbing in Apache TVM's unified static memory planner, 2021).

use heapsmith_trace::Draws;

use super::in_holes::{HoleFit, InHoles};
use super::lifetimes::Lifetimes;
use super::{Best, Method, Placement};

/// Changes the order of the best placement until so much work is done in all.
pub(super) fn improve(lifetimes: &Lifetimes, holes: &mut InHoles<'_>, best: &mut Best<'_>, until: u64) {
    let mut draws = Draws::new(best.effort.seed ^ until);
    let mut current = best.placed.placement.clone();
    // From the bottom up: first fit in this order puts no block higher.
    let mut order: Vec<u32> = (0..lifetimes.all().len() as u32).collect();
    order.sort_by_key(|&block| current.offsets[block as usize]);
    while best.goes_on_until(until) {
        let mut changed = order.clone();
        change(lifetimes, &current, &mut changed, &mut draws);
        let before = holes.work;
        let placement = holes.place(&changed, HoleFit::First, current.footprint);
        best.placed.placements += 1;
        best.placed.work += (holes.work - before).max(1);
        if let Some(placement) = placement {
            (current, order) = (placement.clone(), changed);
            best.take(Method::Improved, placement);
        }
    }
}

/// Moves one of the highest blocks forward.
fn change(lifetimes: &Lifetimes, placement: &Placement, order: &mut [u32], draws: &mut Draws) {
    let all = lifetimes.all();
    let top = |&block: &u32| placement.offsets[block as usize] + all[block as usize].size;
    let highest: Vec<usize> = (0..order.len()).filter(|&place| top(&order[place]) == placement.footprint).collect();
    let troubled = highest[draws.below(highest.len() as u64) as usize];
    // A step away at times: what is below the highest block may be what has to go.
    let mut from = troubled;
    for _ in 0..draws.below(3) {
        from = overlapping(lifetimes, order, from, draws).unwrap_or(from);
    }
    if let Some(to) = overlapping(lifetimes, order, from, draws) {
        if draws.happens(0.5) {
            order.swap(from, to);
        } else {
            let (low, high) = (from.min(to), from.max(to));
            order[low..=high].rotate_right(1);
        }
    }
}

/// The place of a random block that overlaps with that at `place` and comes earlier.
fn overlapping(lifetimes: &Lifetimes, order: &[u32], place: usize, draws: &mut Draws) -> Option<usize> {
    let block = &lifetimes.all()[order[place] as usize];
    let meets = |&other: &usize| lifetimes.all()[order[other] as usize].meets(block);
    let others = (0..place).filter(meets).count() as u64;
    (others > 0).then(|| (0..place).filter(meets).nth(draws.below(others) as usize)).flatten()
}
