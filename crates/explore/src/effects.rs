//! Main effects: what each technique does to each objective, and how much of
//! the variance over the space it explains.
//!
//! The space is a full factorial, so the techniques are orthogonal: the sum of
//! squares between a technique's levels, over the total sum of squares, is its
//! share (η², Fisher's analysis of variance). What the four leave over is the
//! share of their interactions. This is Table 2 of Mamagkakis et al. 2006,
//! computed.

use crate::exploration::{Exploration, Row};
use crate::objective::{Objective, Objectives};
use crate::space::FACTORS;

/// The effect of one technique on one objective.
#[derive(Debug, Clone, PartialEq)]
pub struct Effect {
    /// The objective.
    pub objective: Objective,
    /// Index into [`FACTORS`].
    pub factor: usize,
    /// Mean of the objective over all designs at each level.
    pub means: [f64; 10],
    /// Share of the variance that the technique explains, 0 to 1.
    pub share: f64,
}

impl Effect {
    /// The change from no use to full use of the technique.
    pub fn change(&self) -> f64 {
        self.means[9] - self.means[0]
    }
}

/// Every technique's effect on every objective; none where designs were cut short, as what is left of the
/// space is no factorial.
pub fn effects(exploration: &Exploration) -> Vec<Effect> {
    if exploration.pruned > 0 {
        return Vec::new();
    }
    let all =
        Objective::ALL.into_iter().flat_map(|objective| (0..FACTORS.len()).map(move |factor| (objective, factor)));
    all.map(|(objective, factor)| effect(&exploration.rows, &exploration.points, objective, factor)).collect()
}

fn effect(rows: &[Row], points: &[Objectives], objective: Objective, factor: usize) -> Effect {
    let mut sums = [0.0; 10];
    let mut counts = [0_u32; 10];
    let mut total = 0.0;
    for (row, point) in rows.iter().zip(points) {
        let level = row.design.levels[factor] as usize;
        sums[level] += point.get(objective);
        counts[level] += 1;
        total += point.get(objective);
    }
    let mean = total / points.len().max(1) as f64;
    let means: [f64; 10] = std::array::from_fn(|level| sums[level] / f64::from(counts[level].max(1)));
    let between: f64 = means.iter().zip(counts).map(|(m, count)| f64::from(count) * (m - mean).powi(2)).sum();
    let within: f64 = points.iter().map(|point| (point.get(objective) - mean).powi(2)).sum();
    let share = if within > 0.0 { between / within } else { 0.0 };
    Effect { objective, factor, means, share }
}
