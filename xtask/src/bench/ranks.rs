//! Spearman's correlation of ranks.

/// How alike two lists of figures rank what they are of: 1 where in the same order, -1 where in the reverse. Equal values share
/// their ranks.
pub fn spearman(one: &[f64], other: &[f64]) -> f64 {
    correlation(&ranks(one), &ranks(other))
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + (equal + 1.0) / 2.0
    };
    values.iter().map(rank).collect()
}

fn correlation(a: &[f64], b: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let (mean_a, mean_b) = (mean(a), mean(b));
    let sum = |of: fn(f64, f64) -> f64| a.iter().zip(b).map(|(a, b)| of(a - mean_a, b - mean_b)).sum::<f64>();
    let spread = (sum(|a, _| a * a) * sum(|_, b| b * b)).sqrt();
    if spread > 0.0 { sum(|a, b| a * b) / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_correlated_and_not_values() {
        assert!((correlation(&ranks(&[1.0, 2.0, 300.0]), &ranks(&[4.0, 5.0, 6.0])) - 1.0).abs() < 1e-12);
        assert!((correlation(&ranks(&[1.0, 2.0, 3.0]), &ranks(&[6.0, 5.0, 4.0])) + 1.0).abs() < 1e-12);
        assert_eq!(ranks(&[5.0, 5.0, 1.0]), [2.5, 2.5, 1.0]);
    }
}
