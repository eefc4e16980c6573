//! Runs that were disturbed, found as hyperfine finds them.
//!
//! A run is an outlier where its modified Z-score exceeds 14.826: its distance from the median, in units of the median distance
//! (Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993; the threshold is that of hyperfine 1.18,
//! `src/outlier_detection.rs`). The first run by itself says that caches were cold.

use crate::result::Race;
use crate::statistics::median;
use crate::{Measure, Run};

/// hyperfine's threshold of a modified Z-score.
const THRESHOLD: f64 = 14.826;

/// Distances from the median, as numbers of standard deviations of a normal distribution, are this share of modified Z-scores.
const SCALE: f64 = 0.6745;

/// The outliers of an entrant, in wall time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outliers {
    /// Rounds whose run is an outlier, counted from 1.
    pub rounds: Vec<u32>,
    /// Whether the first run is a slow one.
    pub slow_first: bool,
}

/// The outliers of an entrant.
pub fn outliers(race: &Race, entrant: usize) -> Outliers {
    let runs: Vec<&Run> = race.runs_of(entrant).collect();
    let values: Vec<f64> = runs.iter().map(|run| Measure::Clock.of(run)).collect();
    let scores = scores(&values);
    let found = scores.iter().zip(&runs).filter(|(score, _)| score.abs() > THRESHOLD);
    Outliers {
        rounds: found.map(|(_, run)| run.round + 1).collect(),
        slow_first: scores.first().is_some_and(|&score| score > THRESHOLD),
    }
}

/// Modified Z-scores.
fn scores(values: &[f64]) -> Vec<f64> {
    let Some(middle) = median(values) else { return Vec::new() };
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    // Where most values are the same, any other would be infinitely far.
    let distance = median(&distances).unwrap_or(0.0).max(f64::EPSILON);
    values.iter().map(|value| SCALE * (value - middle) / distance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_far_from_the_others_is_an_outlier() {
        let mut values: Vec<f64> = (0..20).map(|number| 1.0 + f64::from(number) * 0.001).collect();
        assert!(scores(&values).iter().all(|score| score.abs() < THRESHOLD));
        values[4] = 2.0;
        let far: Vec<usize> = (0..20).filter(|&at| scores(&values)[at].abs() > THRESHOLD).collect();
        assert_eq!(far, [4]);
        assert!(scores(&[]).is_empty());
    }
}
