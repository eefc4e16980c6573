//! Correlation of ranks.

/// Spearman's correlation of pairs: 1 where both rank them alike, -1 where one ranks them as the other backwards, 0 where
/// neither tells anything of the other. Equal values share their mean rank.
///
/// ```
/// use heapsmith_trace::rank_correlation;
///
/// assert_eq!(rank_correlation(&[(1.0, 10.0), (2.0, 100.0), (3.0, 101.0)]), 1.0);
/// ```
pub fn rank_correlation(pairs: &[(f64, f64)]) -> f64 {
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (first, second) = (ranks(&first), ranks(&second));
    let middle = (pairs.len() as f64 - 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    let spread = sum(&first, &first) * sum(&second, &second);
    if spread > 0.0 { sum(&first, &second) / spread.sqrt() } else { 0.0 }
}

fn ranks(values: &[f64]) -> Vec<f64> {
    let count = values.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; count];
    let mut from = 0;
    while from < count {
        let to = (from..count).find(|&at| values[order[at]] > values[order[from]]).unwrap_or(count);
        (from..to).for_each(|at| ranks[order[at]] = (from + to - 1) as f64 / 2.0);
        from = to;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::rank_correlation;

    #[test]
    fn equal_values_share_their_rank() {
        assert_eq!(rank_correlation(&[(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)]), -1.0);
        // Ranks 0, 1.5, 1.5, 3 and 0, 1, 2, 3: covariance 4.5 of spreads 4.5 and 5.
        let tied = rank_correlation(&[(1.0, 1.0), (2.0, 2.0), (2.0, 3.0), (3.0, 4.0)]);
        assert!((tied - (4.5_f64 / 5.0).sqrt()).abs() < 1e-12, "{tied}");
        assert_eq!(rank_correlation(&[(1.0, 1.0), (1.0, 2.0)]), 0.0);
        assert_eq!(rank_correlation(&[]), 0.0);
    }
}
