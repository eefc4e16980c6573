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
/// requests or break a constraint are left out, and those of which an objective is not
/// known, unless that is so of all. Equal points are all on the front.
///
/// Time O(points × front) after sorting.
pub fn pareto(points: &[Objectives], over: &[Objective]) -> Vec<usize> {
    let serving: Vec<usize> = (0..points.len()).filter(|&index| points[index].is_compared()).collect();
    let is_known = |index: &usize| over.iter().all(|&objective| points[*index].get(objective).is_finite());
    let known: Vec<usize> = serving.iter().copied().filter(is_known).collect();
    let compared = if known.is_empty() { serving } else { known };
    pareto_of(compared, over.len(), |index, objective| points[index].get(over[objective]))
}

/// As [`pareto`], of `candidates` with values in this many objectives, whatever these are.
pub fn pareto_of(mut candidates: Vec<usize>, objectives: usize, value: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let compare = |a: usize, b: usize| {
        let mut orders = (0..objectives).map(|objective| value(a, objective).total_cmp(&value(b, objective)));
        orders.find(|order| order.is_ne()).unwrap_or(std::cmp::Ordering::Equal)
    };
    let at_most = |a: usize, b: usize| (0..objectives).all(|objective| value(a, objective) <= value(b, objective));
    // A point can be dominated only by one that comes before it in this order.
    candidates.sort_by(|&a, &b| compare(a, b).then(a.cmp(&b)));
    let mut front: Vec<usize> = Vec::new();
    let mut unique: Vec<usize> = Vec::new();
    for index in candidates {
        let repeats = unique.last().is_some_and(|&last| at_most(last, index) && at_most(index, last));
        if !repeats {
            if unique.iter().any(|&other| at_most(other, index)) {
                continue;
            }
            unique.push(index);
        }
        front.push(index);
    }
    front.sort_unstable();
    front
}

/// The front over two objectives as a line to draw: ascending in the first, one index (the lowest) for each place.
pub fn front_2d(points: &[Objectives], over: [Objective; 2]) -> Vec<usize> {
    let mut front = pareto(points, &over);
    front.sort_by(|&a, &b| {
        let by = |objective| points[a].get(objective).total_cmp(&points[b].get(objective));
        by(over[0]).then(by(over[1])).then(a.cmp(&b))
    });
    front.dedup_by_key(|&mut index| over.map(|objective| points[index].get(objective).to_bits()));
    front
}

/// How far `point` falls short of the front over some objectives: the least factor, less one, by which all would have
/// to shrink for no design to beat it in all of them. 0 is on the front. Of fragmentation it is the footprint that
/// shrinks, which is one more.
pub fn distance<'a>(point: &Objectives, points: impl IntoIterator<Item = &'a Objectives>, over: &[Objective]) -> f64 {
    let factors = points.into_iter().filter(|other| other.is_compared()).map(|other| {
        let each = over.iter().map(|&objective| amount(point, objective) / amount(other, objective));
        each.fold(f64::INFINITY, f64::min)
    });
    factors.fold(1.0, f64::max) - 1.0
}

/// How far `point` lies behind a front: the least factor, less one, by which all objectives of one point of the front
/// would have to grow for it to be no better. 0 is on the front, or before it.
pub(crate) fn epsilon(point: &Objectives, front: &[Objectives], over: &[Objective]) -> f64 {
    let behind = |other: &Objectives| {
        let each = over.iter().map(|&objective| amount(point, objective) / amount(other, objective));
        each.fold(1.0, f64::max)
    };
    front.iter().map(behind).fold(f64::INFINITY, f64::min) - 1.0
}

/// A value as an amount, so that two can be compared by a factor.
pub(crate) fn amount(point: &Objectives, objective: Objective) -> f64 {
    let value = point.get(objective);
    if objective.is_scale() { value.max(0.5) } else { 1.0 + value }
}

/// The share of a box of amounts that `points` dominate, by their logarithms: how much of what could be had a front
/// holds. The box goes from the best of `within` in each objective to the worst (Zitzler and Thiele 1999, the size of
/// the space covered). For two objectives.
pub fn hypervolume(points: &[Objectives], within: &[Objectives], over: [Objective; 2]) -> f64 {
    let place = |point: &Objectives| over.map(|objective| amount(point, objective).ln());
    let compared = || within.iter().filter(|point| point.is_compared()).map(place);
    let end = |side: usize, pick: fn(f64, f64) -> f64, start: f64| compared().map(|at| at[side]).fold(start, pick);
    let (min, max) = (
        [0, 1].map(|side| end(side, f64::min, f64::INFINITY)),
        [0, 1].map(|side| end(side, f64::max, f64::NEG_INFINITY)),
    );
    let area = (max[0] - min[0]) * (max[1] - min[1]);
    if !area.is_normal() {
        return 1.0;
    }
    let mut ceiling = max[1];
    let mut covered = 0.0;
    for index in front_2d(points, over) {
        let [x, y] = place(&points[index]);
        covered += (max[0] - x).max(0.0) * (ceiling - y.max(min[1])).max(0.0);
        ceiling = ceiling.min(y);
    }
    covered / area
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
        assert_eq!(front_2d(&points, BOTH), [0, 1, 4]);
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
    fn the_distance_is_the_factor_to_the_front() {
        let points = [Objectives::point(0.0, 10.0), Objectives::point(1.0, 5.0)];
        assert_eq!(distance(&points[0], &points, &BOTH), 0.0);
        let behind = Objectives::point(1.2, 5.5);
        assert!((distance(&behind, &points, &BOTH) - 0.1).abs() < 1e-12);
    }

    #[test]
    fn hypervolume_is_the_share_of_the_box_that_is_dominated() {
        let e = std::f64::consts::E;
        // By logarithms: (0, 2), (1, 1), (2, 0).
        let points = [(0.0, e * e), (e - 1.0, e), (e * e - 1.0, 1.0)].map(|(f, a)| Objectives::point(f, a));
        assert!((hypervolume(&points, &points, BOTH) - 0.25).abs() < 1e-12);
        assert!((hypervolume(&points[..1], &points, BOTH) - 0.0).abs() < 1e-12);
        let best = Objectives::point(0.0, 1.0);
        let all = [points[0], points[2], best];
        assert!((hypervolume(&[best], &all, BOTH) - 1.0).abs() < 1e-12);
    }
}
