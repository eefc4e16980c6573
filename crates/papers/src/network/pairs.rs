//! What a factor does to a design: the same design with one factor at no use and at full use.
//!
//! ```text
//!   matched pairs    every design of the space: (lists 4, fit 30, split 0, coalesce 70) ─ split ─▶ (…, split 100, …)
//!   in one design    the recommended one: (lists 2, fit 0, split 100, coalesce 100) with each factor turned over
//!   by itself        the plain one: (lists 0, fit 0, split 0, coalesce 0) with each factor in full use
//! ```

use std::collections::HashMap;

use heapsmith_explore::{Exploration, Objective};

use crate::network::readings::median;

/// The factors, in the order of the space.
pub(crate) const FACTORS: [&str; 4] = ["free lists", "best fit", "splitting", "coalescing"];

/// Below this change no effect on fragmentation is to be spoken of: a tenth of a point.
const NONE: f64 = 0.001;

/// Below this change no effect on accesses is: a hundredth of them.
const NONE_OF_ACCESSES: f64 = 0.01;

/// Place of the four factors, as places among the levels of each.
type Place = [usize; 4];

/// Where each design is.
pub(crate) struct Grid<'e> {
    exploration: &'e Exploration,
    at: HashMap<Place, usize>,
    full: Place,
}

/// What the change from no use to full use of a factor does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Change {
    /// Pairs whose value rises.
    pub up: usize,
    /// Pairs whose value falls.
    pub down: usize,
    /// Pairs.
    pub pairs: usize,
    /// The median change: of fragmentation in shares of the request, of accesses as a share of those at no use.
    pub median: f64,
    /// Below this it is none.
    none: f64,
}

impl Change {
    /// −1, 0 or 1: the direction of most pairs, where the median is a change to speak of.
    pub fn sign(&self) -> i8 {
        match self.median {
            change if change > self.none && self.up * 2 > self.pairs => 1,
            change if change < -self.none && self.down * 2 > self.pairs => -1,
            _ => 0,
        }
    }

    fn of(pairs: &[(f64, f64)], objective: Objective) -> Change {
        let change = |&(none, full): &(f64, f64)| match objective {
            Objective::Accesses => full / none - 1.0,
            _ => full - none,
        };
        Change {
            up: pairs.iter().filter(|(none, full)| full > none).count(),
            down: pairs.iter().filter(|(none, full)| full < none).count(),
            pairs: pairs.len(),
            median: median(pairs.iter().map(change)),
            none: if objective == Objective::Accesses { NONE_OF_ACCESSES } else { NONE },
        }
    }
}

impl<'e> Grid<'e> {
    /// Of a sweep of the classic space.
    pub fn of(exploration: &'e Exploration) -> Grid<'e> {
        let factors = &exploration.families.0[exploration.classic().unwrap_or(0)].factors;
        let levels = |index: usize| [0, 1, 2, 3].map(|at| usize::from(exploration.rows[index].design.levels[at]));
        Grid {
            exploration,
            at: (0..exploration.rows.len()).map(|index| (levels(index), index)).collect(),
            full: [0, 1, 2, 3].map(|factor| factors[factor].levels.len() - 1),
        }
    }

    /// The value of a design; none if it refused a request.
    fn value(&self, levels: Place, objective: Objective) -> Option<f64> {
        let point = &self.exploration.points[*self.at.get(&levels)?];
        point.is_compared().then(|| point.get(objective))
    }

    fn pair(&self, levels: Place, factor: usize, objective: Objective) -> Option<(f64, f64)> {
        let (mut none, mut full) = (levels, levels);
        (none[factor], full[factor]) = (0, self.full[factor]);
        Some((self.value(none, objective)?, self.value(full, objective)?))
    }

    /// Over every pair of designs that differ in this factor alone.
    pub fn matched(&self, factor: usize, objective: Objective) -> Change {
        let mut begins: Vec<Place> = self.at.keys().copied().filter(|levels| levels[factor] == 0).collect();
        begins.sort_unstable();
        let pairs = begins.into_iter().filter_map(|levels| self.pair(levels, factor, objective));
        Change::of(&pairs.collect::<Vec<_>>(), objective)
    }

    /// In the recommended design with this many lists alone. Its free lists are turned off, not made the most.
    pub fn in_recommended(&self, lists: usize, factor: usize, objective: Objective) -> Change {
        let recommended = [lists, 0, self.full[2], self.full[3]];
        let pair = match factor {
            0 => {
                let without = [0, recommended[1], recommended[2], recommended[3]];
                self.value(without, objective).zip(self.value(recommended, objective))
            }
            _ => self.pair(recommended, factor, objective),
        };
        Change::of(&pair.into_iter().collect::<Vec<_>>(), objective)
    }

    /// In the plain design, which uses no factor. Its free lists are as many as the recommended design has.
    pub fn by_itself(&self, lists: usize, factor: usize, objective: Objective) -> Change {
        let mut used = [0; 4];
        used[factor] = if factor == 0 { lists } else { self.full[factor] };
        let pair = self.value([0; 4], objective).zip(self.value(used, objective));
        Change::of(&pair.into_iter().collect::<Vec<_>>(), objective)
    }

    /// The value of the recommended design with this many lists.
    pub fn recommended(&self, lists: usize, objective: Objective) -> Option<f64> {
        self.value([lists, 0, self.full[2], self.full[3]], objective)
    }

    /// The index of the recommended design with this many lists.
    pub fn recommended_design(&self, lists: usize) -> Option<usize> {
        self.at.get(&[lists, 0, self.full[2], self.full[3]]).copied()
    }

    /// The values of all designs with first fit and full splitting.
    pub fn first_fit_and_fully_splitting(&self, objective: Objective) -> Vec<f64> {
        let own = self.at.keys().copied().filter(|levels| levels[1] == 0 && levels[2] == self.full[2]);
        own.filter_map(|levels| self.value(levels, objective)).collect()
    }

    /// The share of accesses that best fit adds to first fit, at each level of splitting: the median over matched pairs.
    pub fn best_fit_by_splitting(&self) -> Vec<f64> {
        let added = |split: usize| {
            let begins = self.at.keys().copied().filter(|levels| levels[1] == 0 && levels[2] == split);
            let pairs: Vec<(f64, f64)> =
                begins.filter_map(|levels| self.pair(levels, 1, Objective::Accesses)).collect();
            Change::of(&pairs, Objective::Accesses).median
        };
        (0..=self.full[2]).map(added).collect()
    }

    /// The share of accesses that full splitting adds where the fit is the best: the median over matched pairs.
    pub fn splitting_with_best_fit(&self) -> f64 {
        let begins = self.at.keys().copied().filter(|levels| levels[1] == self.full[1] && levels[2] == 0);
        let pairs: Vec<(f64, f64)> = begins.filter_map(|levels| self.pair(levels, 2, Objective::Accesses)).collect();
        Change::of(&pairs, Objective::Accesses).median
    }

    /// What best fit adds at each level of splitting in the recommended design alone.
    pub fn best_fit_in_recommended_by_splitting(&self, lists: usize) -> Vec<f64> {
        let added = |split: usize| {
            let pair = self.pair([lists, 0, split, self.full[3]], 1, Objective::Accesses);
            Change::of(&pair.into_iter().collect::<Vec<_>>(), Objective::Accesses).median
        };
        (0..=self.full[2]).map(added).collect()
    }

    /// The values of all designs with full coalescing.
    pub fn fully_coalescing(&self, objective: Objective) -> Vec<f64> {
        let full = self.at.keys().copied().filter(|levels| levels[3] == self.full[3]);
        full.filter_map(|levels| self.value(levels, objective)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_the_direction_of_the_majority_and_none_where_it_is_small() {
        let change = |pairs: &[(f64, f64)], objective| Change::of(pairs, objective);
        let up = change(&[(0.1, 0.3), (0.1, 0.2), (0.3, 0.2)], Objective::Internal);
        assert_eq!((up.up, up.down, up.pairs, up.sign()), (2, 1, 3, 1));
        assert_eq!(change(&[(0.1, 0.1005)], Objective::Internal).sign(), 0);
        let faster = change(&[(10.0, 5.0)], Objective::Accesses);
        assert_eq!((faster.sign(), faster.median), (-1, -0.5));
        assert_eq!(change(&[], Objective::Accesses).sign(), 0);
    }
}
