//! What each factor does to each objective, and how much of the variance over a family it explains: alone, and
//! together with one other.
//!
//! A family is a full factorial, so its factors are orthogonal: the sum of squares between a factor's levels,
//! over the total sum of squares, is its share (η², Fisher's analysis of variance); the sum between the cells of two
//! factors, less what each has alone, is the share of their interaction. What is left over is the share of three and
//! more together. The main effects are Table 2 of Mamagkakis et al. 2006, computed.

use crate::exploration::Exploration;
use crate::objective::{Objective, Objectives};
use crate::space::Design;

/// The effect of one factor on one objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The objective.
    pub objective: Objective,
    /// Index into the factors of the family.
    pub factor: usize,
    /// Mean of the objective over all designs at each level.
    pub means: Vec<f64>,
    /// Share of the variance that the factor explains, 0 to 1.
    pub share: f64,
}

impl Effect {
    /// The change from no use to full use of the factor.
    pub fn change(&self) -> f64 {
        self.last() - self.first()
    }

    /// The mean at the first level: no use.
    pub fn first(&self) -> f64 {
        self.means.first().copied().unwrap_or(0.0)
    }

    /// The mean at the last level: full use.
    pub fn last(&self) -> f64 {
        self.means.last().copied().unwrap_or(0.0)
    }
}

/// What two factors do together beyond what each does alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// The objective.
    pub objective: Objective,
    /// Indexes into the factors of the family.
    pub factors: (usize, usize),
    /// Share of the variance that the two explain beyond their main effects, 0 to 1.
    pub share: f64,
}

/// Every factor's effect on every objective over a family; none if designs of it were left out, as what is left
/// is no factorial.
pub fn effects(exploration: &Exploration, family: usize) -> Vec<Effect> {
    let Some(sample) = Sample::of(exploration, family) else { return Vec::new() };
    let each = |objective| {
        let variance = sample.variance(objective);
        let factors = 0..sample.levels.len();
        factors.map(move |factor| (objective, variance, factor)).collect::<Vec<_>>()
    };
    let all = Objective::COUNTED.into_iter().flat_map(each);
    all.map(|(objective, variance, factor)| {
        let means = sample.means(objective, &[factor]);
        Effect { objective, factor, share: variance.share(&means), means }
    })
    .collect()
}

/// The interaction of every two factors of a family; none if [`effects`] has none.
pub fn interactions(exploration: &Exploration, family: usize) -> Vec<Interaction> {
    let Some(sample) = Sample::of(exploration, family) else { return Vec::new() };
    let mut found = Vec::new();
    for objective in Objective::COUNTED {
        let variance = sample.variance(objective);
        let alone: Vec<f64> =
            (0..sample.levels.len()).map(|factor| variance.share(&sample.means(objective, &[factor]))).collect();
        for second in 1..sample.levels.len() {
            for first in 0..second {
                let together = variance.share(&sample.means(objective, &[first, second]));
                let share = (together - alone[first] - alone[second]).max(0.0);
                found.push(Interaction { objective, factors: (first, second), share });
            }
        }
    }
    found
}

/// The share of an objective's variance over all designs that the choice of the family explains; none if designs
/// were left out.
pub fn between_families(exploration: &Exploration, objective: Objective) -> Option<f64> {
    if exploration.pruned > 0 {
        return None;
    }
    let value = |index: usize| exploration.points[index].get(objective);
    let all: Vec<f64> = (0..exploration.points.len()).map(value).collect();
    let variance = Variance::of(&all);
    let mut sums = vec![(0.0, 0.0); exploration.families.0.len()];
    for (index, row) in exploration.rows.iter().enumerate() {
        let (sum, count) = &mut sums[usize::from(row.design.family)];
        (*sum, *count) = (*sum + value(index), *count + 1.0);
    }
    let between: f64 = sums.iter().filter(|s| s.1 > 0.0).map(|(s, n)| n * (s / n - variance.mean).powi(2)).sum();
    Some(if variance.total > 0.0 { between / variance.total } else { 0.0 })
}

/// Every design of a family with its values.
struct Sample<'a> {
    designs: Vec<(&'a Design, &'a Objectives)>,
    /// How many levels each factor has.
    levels: Vec<usize>,
}

/// How values are spread: their mean, and the sum of their squared distances to it.
#[derive(Clone, Copy)]
struct Variance {
    mean: f64,
    total: f64,
    count: usize,
}

impl Variance {
    fn of(values: &[f64]) -> Variance {
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        Variance { mean, total: values.iter().map(|value| (value - mean).powi(2)).sum(), count: values.len() }
    }

    /// The share that cells of one size explain by their means.
    fn share(&self, means: &[f64]) -> f64 {
        let each = self.count as f64 / means.len().max(1) as f64;
        let between: f64 = means.iter().map(|mean| each * (mean - self.mean).powi(2)).sum();
        if self.total > 0.0 { between / self.total } else { 0.0 }
    }
}

impl<'a> Sample<'a> {
    fn of(exploration: &'a Exploration, family: usize) -> Option<Sample<'a>> {
        let factors = &exploration.families.0.get(family)?.factors;
        let all = exploration.rows.iter().zip(&exploration.points);
        let own = all.filter(|(row, _)| usize::from(row.design.family) == family);
        let designs: Vec<_> = own.map(|(row, point)| (&row.design, point)).collect();
        let levels: Vec<usize> = factors.iter().map(|factor| factor.levels.len()).collect();
        (designs.len() == levels.iter().product()).then_some(Sample { designs, levels })
    }

    fn variance(&self, objective: Objective) -> Variance {
        Variance::of(&self.designs.iter().map(|(_, point)| point.get(objective)).collect::<Vec<f64>>())
    }

    /// The mean of the designs in each cell of some factors' levels.
    fn means(&self, objective: Objective, factors: &[usize]) -> Vec<f64> {
        let cells: usize = factors.iter().map(|&factor| self.levels[factor]).product();
        let mut sums = vec![0.0; cells];
        for (design, point) in &self.designs {
            let place = |cell, &factor: &usize| cell * self.levels[factor] + usize::from(design.levels[factor]);
            sums[factors.iter().fold(0, place)] += point.get(objective);
        }
        let each = self.designs.len() as f64 / cells.max(1) as f64;
        sums.iter_mut().for_each(|sum| *sum /= each.max(1.0));
        sums
    }
}
