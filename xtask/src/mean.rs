//! The geometric mean of ratios that rounds gave, and how sure it is.

use std::fmt;

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A geometric mean, and the interval that has the true one in 95 of 100 cases, by Student's distribution over the logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    pub ratio: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Mean {
    /// Of a ratio for each round; none of fewer than two rounds, or where a ratio is not above 0.
    pub fn of(ratios: impl IntoIterator<Item = f64>) -> Option<Mean> {
        let logs: Vec<f64> = ratios.into_iter().map(f64::ln).collect();
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0);
        // Two-sided, so a fortieth above.
        let quantile = StudentsT::new(0.0, 1.0, count - 1.0).ok()?.inverse_cdf(1.0 - 0.025);
        let half = quantile * (variance / count).sqrt();
        half.is_finite().then(|| Mean { ratio: mean.exp(), low: (mean - half).exp(), high: (mean + half).exp() })
    }
}

/// `0.97 (0.95 to 0.99)`.
impl fmt::Display for Mean {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.2} ({:.2} to {:.2})", self.ratio, self.low, self.high))
    }
}

#[cfg(test)]
mod tests {
    use super::Mean;

    #[test]
    fn the_interval_is_that_of_students_table() {
        // Logarithms -1, 0, 1: variance 1, and 4.303 is the table's quantile of two degrees of freedom.
        let mean = Mean::of([(-1.0_f64).exp(), 1.0, 1.0_f64.exp()]).expect("three rounds");
        assert!((mean.ratio - 1.0).abs() < 1e-12);
        assert!((mean.high.ln() - 4.303 / 3.0_f64.sqrt()).abs() < 1e-3, "{mean:?}");
        assert!((mean.high * mean.low - 1.0).abs() < 1e-9, "{mean:?}");
    }

    #[test]
    fn rounds_that_agree_leave_no_doubt() {
        assert_eq!(Mean::of([0.5; 4]).map(|mean| mean.to_string()).as_deref(), Some("0.50 (0.50 to 0.50)"));
    }

    #[test]
    fn one_round_and_no_time_have_no_interval() {
        assert_eq!(Mean::of([1.0]), None);
        assert_eq!(Mean::of([]), None);
        assert_eq!(Mean::of([0.0, 1.0, 1.0]), None);
    }
}
