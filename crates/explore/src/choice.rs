//! The pick over the traces and their changed copies.
//!
//! 1. **Near everywhere.** Of the candidates those remain that are within [`OVERFITTED`] of the front of every copy that
//!    binds; if there is none, those that are nearest.
//! 2. **No bad trade.** Of two objectives none is left that gives away over a tenth of one, on the traces, for under a tenth of
//!    the other: what is a better trade has a smaller product, so the smallest product always remains.
//! 3. **The best in the mean.** Each preference weighs some objectives by their logarithm, so that a tenth less counts alike
//!    wherever it is: `memory` the footprint, `speed` the work (accesses, or the counted cost), `bounded` the most expensive
//!    operation, `balanced` the product of footprint and work.
//!    In the mean the traces weigh as much as all copies together: they are what the program did, and the copies are what it
//!    could do.
//! 4. **The plainest within noise.** The best is better than a plainer design by a mean over the traces and copies, and this
//!    gain varies between them. A gain that is smaller than its standard deviation, up to [`MAX_NOISE`], or smaller than
//!    [`MIN_GAIN`], justifies no level: the plainest design within that is taken.
//!
//! An allocation costs something besides its accesses: [`CALL`] of them, or [`CALL_CYCLES`].

use crate::exploration::Exploration;
use crate::front::amount;
use crate::objective::{Objective, Objectives};
use crate::pick::Preference;
use crate::plainness::Plainness;
use crate::robust::changes::CHANGES;
use crate::robust::{Held, OVERFITTED};

/// A gain of less is none.
const MIN_GAIN: f64 = 0.01;

/// A gain of more is one, whatever it varies.
const MAX_NOISE: f64 = 0.03;

/// What is not given away of one objective for less of the other.
const TRADE: f64 = 1.1;

/// What a plainer design may be worse in objectives that its preference does not weigh.
const ASIDE: f64 = 0.1;

/// What a call costs, in accesses: replays of the heaps of the catalogue take about as long as if each operation had this
/// many more.
const CALL: f64 = 2.0;

/// What a call costs, in model cycles: replays of the heaps of the catalogue on recorded programs take about as long as if
/// each operation had this many more (`bench/results/truth.csv`).
const CALL_CYCLES: f64 = 6.0;

/// The choice of an exploration.
pub(crate) struct Choice<'e> {
    pub exploration: &'e Exploration,
    /// The values of every design on the traces; those that are excluded are not chosen.
    pub points: &'e [Objectives],
    pub preference: Preference,
    /// What work is ranked by: accesses, or the counted cost.
    pub work: Objective,
}

impl Choice<'_> {
    /// The index of the chosen design; none if no candidate serves and keeps the constraints.
    pub fn make(&self) -> Option<usize> {
        let robust = &self.exploration.robust;
        let is_compared = |index: &usize| self.points[*index].is_compared();
        let serving: Vec<usize> = if robust.is_empty() {
            (0..self.points.len()).filter(is_compared).collect()
        } else {
            robust.indices().filter(is_compared).collect()
        };
        let far = |index: usize| robust.held(index).map_or(0.0, |held| held.worst().0);
        let near = serving.iter().map(|&index| far(index)).fold(f64::INFINITY, f64::min).max(OVERFITTED);
        let near: Vec<usize> = serving.into_iter().filter(|&index| far(index) <= near).collect();
        let places: Vec<Vec<f64>> = near.iter().map(|&index| self.place(index)).collect();
        let is_bad = |place: &[f64]| places.iter().any(|other| is_better_trade(other, place));
        let near: Vec<usize> =
            near.iter().zip(&places).filter(|(_, place)| !is_bad(place)).map(|(&index, _)| index).collect();
        let best = near.iter().copied().min_by(|&a, &b| self.compare(a, b))?;
        let alike = near.into_iter().filter(|&index| index == best || self.is_alike(index, best));
        alike.min_by(|&a, &b| {
            let plainness = |index: usize| Plainness::of(&self.exploration.rows[index].design.spec);
            plainness(a).cmp(&plainness(b)).then(self.compare(a, b))
        })
    }

    /// The objectives that the preference weighs, in sum; then those that decide between equals.
    fn weighed(&self) -> (Vec<Objective>, Vec<Objective>) {
        use Objective::{Accesses, Fragmentation, MaxOp, P99};
        let balanced = self.exploration.question.goal.balanced();
        match self.preference {
            Preference::Balanced => {
                (balanced.map(|one| if one == Accesses { self.work } else { one }).to_vec(), vec![MaxOp])
            }
            Preference::Speed => (vec![self.work], vec![Fragmentation, MaxOp]),
            Preference::Memory => (vec![Fragmentation], vec![self.work, MaxOp]),
            Preference::Bounded => (vec![MaxOp], vec![P99, Fragmentation, Accesses]),
        }
    }

    /// The logarithm of what a design has of an objective, on the traces and then on each copy; of what is not known, that
    /// of the largest number.
    fn values(&self, index: usize, objective: Objective) -> Vec<f64> {
        let held: &[Objectives] = self.exploration.robust.held(index).map_or(&[], |Held { points, .. }| points);
        // What no replay counts is known of the traces alone.
        let held = if objective.is_counted() { held } else { &[] };
        let call = match objective {
            Objective::Accesses => CALL,
            Objective::Cost => CALL_CYCLES,
            _ => 0.0,
        };
        [&self.points[index]]
            .into_iter()
            .chain(held)
            .map(|point| (amount(point, objective) + call).min(f64::MAX).ln())
            .collect()
    }

    /// The logarithms of what a design has of the weighed objectives on the traces.
    fn place(&self, index: usize) -> Vec<f64> {
        self.weighed().0.into_iter().map(|objective| self.values(index, objective)[0]).collect()
    }

    fn mean(&self, index: usize, objective: Objective) -> f64 {
        mean(&self.values(index, objective))
    }

    fn compare(&self, a: usize, b: usize) -> std::cmp::Ordering {
        let (sum, ties) = self.weighed();
        let of = |index: usize| {
            let weighed: f64 = sum.iter().map(|&objective| self.mean(index, objective)).sum();
            std::iter::once(weighed)
                .chain(ties.iter().map(|&objective| self.mean(index, objective)))
                .collect::<Vec<_>>()
        };
        let orders = of(a).into_iter().zip(of(b)).map(|(a, b)| a.total_cmp(&b));
        orders.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then).then(a.cmp(&b))
    }

    /// Whether what `best` is better than a design is noise.
    fn is_alike(&self, index: usize, best: usize) -> bool {
        let (sum, ties) = self.weighed();
        let gains = |objective: Objective| -> Vec<f64> {
            let (own, best) = (self.values(index, objective), self.values(best, objective));
            // Phases and attacks differ by more than what is noise.
            let counts = std::iter::once(true).chain(CHANGES.iter().map(|change| change.is_binding));
            let each = own.into_iter().zip(best).zip(counts).filter(|(_, counts)| *counts);
            each.map(|((own, best), _)| own - best).collect()
        };
        let aside = ties.iter().chain(&self.exploration.question.goal.objectives);
        // No two runs measure the same time, so it decides only where it is weighed.
        let aside = aside.filter(|&&tie| tie != Objective::Time && !sum.contains(&tie));
        sum.iter().all(|&objective| is_noise(&gains(objective)))
            && aside.into_iter().all(|&objective| mean(&gains(objective)) <= ASIDE)
    }
}

/// Whether a place saves more than a [`TRADE`] of one of two objectives for less of the other; places are logarithms.
fn is_better_trade(this: &[f64], other: &[f64]) -> bool {
    let ([memory, work], [other_memory, other_work]) = (this, other) else { return false };
    let (memory, work, trade) = (other_memory - memory, other_work - work, TRADE.ln());
    (memory > trade && work > -trade) || (work > trade && memory > -trade)
}

/// The mean of a value on the traces and of values on their copies, where the first weighs as much as all others.
fn mean(values: &[f64]) -> f64 {
    match values {
        [] => 0.0,
        [own] => *own,
        [own, copies @ ..] => (own + copies.iter().sum::<f64>() / copies.len() as f64) / 2.0,
    }
}

/// Whether the mean of some gains is smaller than what they vary.
fn is_noise(gains: &[f64]) -> bool {
    let gain = mean(gains);
    let squares: Vec<f64> = gains.iter().map(|each| (each - gain).powi(2)).collect();
    gain <= mean(&squares).sqrt().clamp(MIN_GAIN, MAX_NOISE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_better_trade_saves_a_tenth_of_one_for_less_of_the_other() {
        let better = |this: [f64; 2], other: [f64; 2]| is_better_trade(&this.map(f64::ln), &other.map(f64::ln));
        assert!(better([1.0, 5.2], [1.12, 5.0]) && better([1.09, 5.0], [1.0, 5.6]));
        assert!(!better([1.0, 5.6], [1.12, 5.0]), "an eighth for an eighth");
        assert!(!better([1.0, 5.2], [1.09, 5.0]), "less than a tenth");
        assert!(!is_better_trade(&[1.0], &[2.0]), "one objective is asked for");
    }

    #[test]
    fn a_gain_is_noise_where_it_varies_more_than_it_is() {
        assert!(is_noise(&[0.005, 0.005]), "less than is worth a level");
        assert!(!is_noise(&[0.02, 0.02]), "small, and the same everywhere");
        assert!(is_noise(&[0.06, -0.02]), "2% that are a loss on a copy");
        assert!(!is_noise(&[0.06, -0.02, 0.06]), "4%, as the trace weighs as much as both copies");
        assert!(!is_noise(&[0.5, -0.3]), "a tenth is a gain");
        assert!(is_noise(&[-0.5, -0.5]), "a loss is none");
    }
}
