//! What a search found of the front that replaying every design finds.

use crate::exploration::Exploration;
use crate::front::{amount, hypervolume, pareto};
use crate::objective::{Objective, Objectives};

/// How near a point has to be to replace another, in every objective: a hundredth.
pub const CLOSE: f64 = 0.01;

/// A search's front compared with the true one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Agreement {
    /// Distinct places on the true front over fragmentation and accesses.
    pub places: usize,
    /// How many of them the search found exactly.
    pub found: usize,
    /// How many of them a point of the search comes close to: no more than [`CLOSE`] above in both.
    pub close: usize,
    /// Distinct places on the true front over all chosen objectives.
    pub places_all: usize,
    /// How many of them the search found exactly.
    pub found_all: usize,
    /// How many of them a point of the search comes close to in every objective.
    pub close_all: usize,
    /// The share of the box that the search's front covers over the share that the true front covers.
    pub hypervolume: f64,
}

impl Agreement {
    /// Compares a search with the exhaustive exploration of the same space, traces and goal.
    pub fn of(found: &Exploration, whole: &Exploration) -> Agreement {
        let two = [Objective::Fragmentation, Objective::Accesses];
        let all: Vec<Objective> = whole.question.goal.counted().collect();
        let (places, exact, close) = recall(&found.points, &whole.points, &two);
        let (places_all, found_all, close_all) = recall(&found.points, &whole.points, &all);
        let covered = |points: &[Objectives]| hypervolume(points, &whole.points, two);
        let hypervolume = covered(&found.points) / covered(&whole.points).max(f64::MIN_POSITIVE);
        Agreement { places, found: exact, close, places_all, found_all, close_all, hypervolume }
    }
}

/// Places on the true front, those found, and those that a point found comes close to.
fn recall(found: &[Objectives], whole: &[Objectives], over: &[Objective]) -> (usize, usize, usize) {
    let value = |point: &Objectives, objective| point.get(objective);
    let mut front: Vec<&Objectives> = pareto(whole, over).into_iter().map(|index| &whole[index]).collect();
    let mut places: Vec<&Objectives> = Vec::new();
    front.retain(|point| {
        let known = places.iter().any(|other| over.iter().all(|&one| value(other, one) == value(point, one)));
        if !known {
            places.push(point);
        }
        !known
    });
    let compared = || found.iter().filter(|point| point.is_compared());
    let within = |point: &Objectives, margin: f64| {
        compared().any(|other| over.iter().all(|&one| amount(other, one) <= amount(point, one) * (1.0 + margin)))
    };
    let count = |margin| front.iter().filter(|point| within(point, margin)).count();
    (front.len(), count(0.0), count(CLOSE))
}
