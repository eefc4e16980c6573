//! The Pareto front: the designs that no other beats in everything.

use crate::objective::{Objective, Objectives};

/// Whether `a` is nowhere worse than `b` and somewhere better.
pub fn dominates(a: &Objectives, b: &Objectives, over: &[Objective]) -> bool {
    let mut better = false;
    for &objective in over {
        let (a, b) = (a.get(objective), b.get(objective));
        if a > b {
            return false;
        }
        better |= a < b;
    }
    better
}

/// Indexes of the points that no other dominates, ascending. Points that refuse
/// requests are left out. Equal points are all on the front.
///
/// Time O(points × front) after sorting.
pub fn pareto(points: &[Objectives], over: &[Objective]) -> Vec<usize> {
    let serving = (0..points.len()).filter(|&index| points[index].failed == 0).collect();
    pareto_of(serving, over.len(), |index, objective| points[index].get(over[objective]))
}

/// As [`pareto`], of `candidates` with values in so many objectives, whatever these are.
pub fn pareto_of(mut candidates: Vec<usize>, objectives: usize, value: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let key = |index: usize| (0..objectives).map(move |objective| (index, objective));
    let compare = |a: usize, b: usize| {
        let orders = key(a).zip(key(b)).map(|(a, b)| value(a.0, a.1).total_cmp(&value(b.0, b.1)));
        orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
    };
    let at_most = |a: usize, b: usize| key(a).zip(key(b)).all(|(a, b)| value(a.0, a.1) <= value(b.0, b.1));
    // A point can be dominated only by one that comes before it in this order.
    candidates.sort_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    let mut front: Vec<usize> = Vec::new();
    let mut distinct: Vec<usize> = Vec::new();
    for index in candidates {
        let repeats = distinct.last().is_some_and(|&last| at_most(last, index) && at_most(index, last));
        if !repeats {
            if distinct.iter().any(|&other| at_most(other, index)) {
                continue;
            }
            distinct.push(index);
        }
        front.push(index);
    }
    front.sort_unstable();
    front
}

/// The front over fragmentation and accesses as a line to draw: ascending in
/// fragmentation, one index (the lowest) for each place.
pub fn staircase(points: &[Objectives]) -> Vec<usize> {
    let over = [Objective::Fragmentation, Objective::Accesses];
    let mut front = pareto(points, &over);
    front.sort_by(|&a, &b| {
        let by = |objective| points[a].get(objective).total_cmp(&points[b].get(objective));
        by(Objective::Fragmentation).then(by(Objective::Accesses)).then(a.cmp(&b))
    });
    front.dedup_by_key(|&mut index| over.map(|objective| points[index].get(objective).to_bits()));
    front
}

/// How far `point` falls short of the front over footprint and accesses: the
/// least factor, less one, by which both would have to shrink for no design to
/// beat it in both. 0 is on the front.
pub fn shortfall(point: &Objectives, points: &[Objectives]) -> f64 {
    let coordinates = |p: &Objectives| (1.0 + p.get(Objective::Fragmentation), p.get(Objective::Accesses));
    let (memory, cost) = coordinates(point);
    let factors = points.iter().filter(|other| other.failed == 0).map(|other| {
        let (other_memory, other_cost) = coordinates(other);
        (memory / other_memory).min(cost / other_cost)
    });
    factors.fold(1.0, f64::max) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];

    #[test]
    fn what_another_beats_is_not_on_the_front_and_equals_are() {
        let points = [(0.1, 9.0), (0.2, 5.0), (0.2, 5.0), (0.3, 5.0), (0.5, 1.0), (0.1, 9.5)]
            .map(|(f, a)| Objectives::point(f, a));
        assert_eq!(pareto(&points, &BOTH), [0, 1, 2, 4]);
        assert_eq!(staircase(&points), [0, 1, 4]);
    }

    #[test]
    fn a_design_that_refuses_requests_is_not_compared() {
        let mut points = [Objectives::point(0.1, 1.0), Objectives::point(0.2, 2.0)];
        points[0].failed = 1;
        assert_eq!(pareto(&points, &BOTH), [1]);
    }

    #[test]
    fn the_front_agrees_with_the_definition() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 60) as f64
        };
        let points: Vec<Objectives> = (0..300).map(|_| Objectives::point(next(), next())).collect();
        let direct: Vec<usize> =
            (0..points.len()).filter(|&i| !points.iter().any(|other| dominates(other, &points[i], &BOTH))).collect();
        assert_eq!(pareto(&points, &BOTH), direct);
    }

    #[test]
    fn shortfall_is_the_factor_to_the_front() {
        let points = [Objectives::point(0.0, 10.0), Objectives::point(1.0, 5.0)];
        assert_eq!(shortfall(&points[0], &points), 0.0);
        let behind = Objectives::point(1.2, 5.5);
        assert!((shortfall(&behind, &points) - 0.1).abs() < 1e-12);
    }
}
