//! Ratios of two that took turns, with their spread.

use statrs::distribution::{Binomial, DiscreteCDF};
use statrs::statistics::{Data, OrderStatistics};

/// Probability that the true median lies below the interval, and as much above.
const TAIL: f64 = 0.025;

/// The median of the ratios of the rounds, and the interval that holds the true median with 95% confidence.
///
/// The interval is distribution-free: how many of n rounds lie below the true median is
/// binomial with p = 1/2, so its quantiles are the ranks of the interval's ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    pub median: f64,
    pub low: f64,
    pub high: f64,
}

impl Ratio {
    /// Of `ours` to `theirs`, round by round.
    pub fn of(ours: &[f64], theirs: &[f64]) -> Ratio {
        let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect();
        let count = ratios.len();
        // Fewer rounds have no such interval; their ends are shown.
        let below = match Binomial::new(0.5, count as u64) {
            Ok(rounds) if rounds.cdf(0) < TAIL => rounds.inverse_cdf(TAIL) as usize,
            _ => 0,
        };
        let mut ratios = Data::new(ratios);
        // Ranks count from 1.
        let rank = |rank: usize| rank.clamp(1, count.max(1));
        Ratio {
            median: ratios.median(),
            low: ratios.order_statistic(rank(below)),
            high: ratios.order_statistic(rank(count + 1 - below.min(count))),
        }
    }

    /// The median.
    pub fn median(self) -> f64 {
        self.median
    }

    /// The upper end of the interval.
    pub fn high(self) -> f64 {
        self.high
    }
}

impl std::fmt::Display for Ratio {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.2} ({:.2}-{:.2})", self.median, self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_31_rounds_is_that_of_the_tables() {
        let ours: Vec<f64> = (1..=31).map(f64::from).collect();
        let ratio = Ratio::of(&ours, &[1.0; 31]);
        // The sign test's ranks for n = 31: the 10th smallest and the 10th largest.
        assert_eq!((ratio.low, ratio.median, ratio.high), (10.0, 16.0, 22.0));
    }

    #[test]
    fn rounds_are_compared_pairwise() {
        let ratio = Ratio::of(&[10.0, 200.0, 30.0], &[20.0, 400.0, 60.0]);
        assert_eq!((ratio.low, ratio.median, ratio.high), (0.5, 0.5, 0.5));
    }
}
