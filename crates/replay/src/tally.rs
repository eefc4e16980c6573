//! Counts of small integers, for exact percentiles.

use std::collections::BTreeMap;

use crate::measures::PerOperation;

/// Values below this have a counter of their own; few are larger.
const DENSE: usize = 4096;

/// How often each value was seen.
#[derive(Debug, Clone)]
pub(crate) struct Tally {
    dense: Vec<u32>,
    sparse: BTreeMap<u64, u32>,
    total: u64,
    count: u64,
}

impl Tally {
    pub fn new() -> Self {
        Tally { dense: vec![0; DENSE], sparse: BTreeMap::new(), total: 0, count: 0 }
    }

    #[inline(always)]
    pub fn add(&mut self, value: u64) {
        self.total += value;
        self.count += 1;
        match self.dense.get_mut(value as usize) {
            Some(counter) => *counter += 1,
            None => *self.sparse.entry(value).or_insert(0) += 1,
        }
    }

    /// The smallest value that `per_mille` of `count` do not exceed, of which those not seen are 0.
    fn percentile(&self, per_mille: u64, count: u64) -> u64 {
        let rank = (count * per_mille).div_ceil(1000).max(1);
        let dense = self.dense.iter().enumerate().map(|(value, &times)| (value as u64, times));
        let sparse = self.sparse.iter().map(|(&value, &times)| (value, times));
        let mut seen = count - self.count;
        if seen >= rank {
            return 0;
        }
        for (value, times) in dense.chain(sparse) {
            seen += u64::from(times);
            if seen >= rank {
                return value;
            }
        }
        0
    }

    pub fn summary(&self) -> PerOperation {
        PerOperation {
            total: self.total,
            p50: self.percentile(500, self.count),
            p99: self.percentile(990, self.count),
            p999: self.percentile(999, self.count),
            max: self.percentile(1000, self.count),
        }
    }

    /// What the summary of `count` values would be at least, of which these are the first.
    pub fn lower_bound(&self, count: u64) -> PerOperation {
        let (p99, max) = (self.percentile(990, count), self.percentile(1000, self.count));
        PerOperation { total: self.total, p99, max, ..PerOperation::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_exact_on_both_sides_of_the_dense_part() {
        let mut tally = Tally::new();
        (1..=999).for_each(|value| tally.add(value));
        tally.add(1_000_000);
        let summary = tally.summary();
        assert_eq!((summary.p50, summary.p99, summary.p999, summary.max), (500, 990, 999, 1_000_000));
        assert_eq!(summary.total, 999 * 500 + 1_000_000);
    }

    #[test]
    fn what_is_certain_after_a_part_is_never_above_the_whole() {
        let values: Vec<u64> = (0..1000).map(|number| number * 7919 % 977).collect();
        let mut whole = Tally::new();
        values.iter().for_each(|&value| whole.add(value));
        let (whole, mut part) = (whole.summary(), Tally::new());
        for &value in &values {
            let lower_bound = part.lower_bound(1000);
            assert!(lower_bound.total <= whole.total && lower_bound.p99 <= whole.p99 && lower_bound.max <= whole.max);
            part.add(value);
        }
        let lower_bound = part.lower_bound(1000);
        assert_eq!((lower_bound.total, lower_bound.p99, lower_bound.max), (whole.total, whole.p99, whole.max));
    }

    #[test]
    fn nothing_counted_is_zero() {
        assert_eq!(Tally::new().summary(), PerOperation::default());
    }
}
