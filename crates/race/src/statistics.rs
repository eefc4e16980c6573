//! Ratios with intervals.
//!
//! Every round gives a pair of runs, of an entrant and of the baseline, so what slows a machine for a while slows both. The ratio of an
//! entrant is the mean of the logarithms of its pairs' ratios, the outer fifth of them on either side left out (a trimmed mean, which
//! a few disturbed rounds do not move), and its interval is what 95% of 2,000 resamples of the rounds give (the percentile
//! bootstrap: Efron and Tibshirani, An Introduction to the Bootstrap, 1993, §13.3; the trimmed mean: Wilcox, Introduction to Robust
//! Estimation and Hypothesis Testing, 2012, §4.4).

use heapsmith_trace::Draws;

/// Resamples of an interval.
const RESAMPLES: usize = 2000;

/// The share of the ratios that is left out on either side.
const TRIMMED: f64 = 0.2;

/// The ratio of an entrant to the baseline, with its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The ratio; 1 is no change.
    pub ratio: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Change {
    /// The ratio of the first of each pair to the second; none without pairs, or of numbers that are not above 0.
    pub fn of(pairs: &[(f64, f64)], seed: u64) -> Option<Change> {
        let mut logarithms: Vec<f64> = pairs.iter().map(|(own, baseline)| (own / baseline).ln()).collect();
        if logarithms.is_empty() || logarithms.iter().any(|logarithm| !logarithm.is_finite()) {
            return None;
        }
        let mut draws = Draws::new(seed);
        let count = logarithms.len() as u64;
        let mut resample = vec![0.0; logarithms.len()];
        let mut means: Vec<f64> = (0..RESAMPLES)
            .map(|_| {
                resample.iter_mut().for_each(|drawn| *drawn = logarithms[draws.below(count) as usize]);
                trimmed_mean(&mut resample)
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let (low, high) = (means[RESAMPLES * 25 / 1000], means[RESAMPLES * 975 / 1000 - 1]);
        Some(Change { ratio: trimmed_mean(&mut logarithms).exp(), low: low.exp(), high: high.exp() })
    }

    /// Half of the interval's width.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }

    /// Whether the interval leaves no change out.
    pub fn is_certain(&self) -> bool {
        self.high < 1.0 || self.low > 1.0
    }
}

/// As percent of change, with half of the interval.
impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (percent, half) = ((self.ratio - 1.0) * 100.0, self.half_width() * 100.0);
        let text = if percent.abs() < 99.95 {
            format!("{percent:+.1}% ±{half:.1}")
        } else {
            format!("{percent:+.0}% ±{half:.0}")
        };
        f.pad(&text)
    }
}

/// The mean without the outer fifth on either side; sorts the values.
fn trimmed_mean(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let outer = (values.len() as f64 * TRIMMED) as usize;
    let inner = &values[outer..values.len() - outer];
    inner.iter().sum::<f64>() / inner.len() as f64
}

/// The median; none of nothing.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        count if count % 2 == 1 => Some(sorted[middle]),
        _ => Some((sorted[middle - 1] + sorted[middle]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_covers_the_ratio_in_about_19_of_20_cases() {
        let mut covered = 0;
        for case in 0..200 {
            let mut draws = Draws::new(case);
            // Sums of twelve uniform draws are nearly normal.
            let mut noise = || (0..12).map(|_| draws.uniform()).sum::<f64>() - 6.0;
            let pairs: Vec<(f64, f64)> = (0..20).map(|_| (0.95 + noise() * 0.02, 1.0 + noise() * 0.02)).collect();
            let change = Change::of(&pairs, case).expect("pairs");
            covered += usize::from(change.low <= 0.95 && 0.95 <= change.high);
        }
        assert!((176..=198).contains(&covered), "{covered} of 200");
    }

    #[test]
    fn a_few_disturbed_rounds_do_not_move_a_ratio() {
        let mut pairs = vec![(0.9, 1.0); 20];
        pairs[3].0 = 40.0;
        pairs[11].1 = 7.0;
        let change = Change::of(&pairs, 1).expect("pairs");
        assert!((change.ratio - 0.9).abs() < 1e-9 && change.half_width() < 1e-9, "{change:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let pairs: Vec<(f64, f64)> = (1..20).map(|number| (f64::from(number), 10.0)).collect();
        assert_eq!(Change::of(&pairs, 7), Change::of(&pairs, 7));
        assert_ne!(Change::of(&pairs, 7), Change::of(&pairs, 8));
        assert_eq!((Change::of(&[], 1), Change::of(&[(0.0, 1.0)], 1)), (None, None));
    }

    #[test]
    fn a_change_reads_as_percent() {
        assert_eq!(Change { ratio: 0.9, low: 0.89, high: 0.91 }.to_string(), "-10.0% ±1.0");
        assert_eq!(Change { ratio: 3.0, low: 2.0, high: 4.0 }.to_string(), "+200% ±100");
        assert_eq!(median(&[3.0, 1.0, 2.0, 10.0]), Some(2.5));
    }
}
