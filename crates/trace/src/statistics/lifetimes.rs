//! How long blocks live, in events and in time.

use std::collections::BTreeMap;

use crate::Nanoseconds;

/// Quantiles of a number of measurements by nearest rank; all zero when there were none.
///
/// Least and most are exact, the others up to 2048; above that they are too low by less
/// than a thousandth, so that any number of measurements takes bounded memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quantiles<T> {
    /// The smallest.
    pub min: T,
    /// A tenth are at most this.
    pub p10: T,
    /// A quarter are at most this.
    pub p25: T,
    /// Half are at most this.
    pub p50: T,
    /// Three quarters are at most this.
    pub p75: T,
    /// Nine tenths are at most this.
    pub p90: T,
    /// All but one in a hundred are at most this.
    pub p99: T,
    /// The largest.
    pub max: T,
}

impl<T> Quantiles<T> {
    /// Changes every one of them.
    pub(crate) fn each(&mut self, change: impl Fn(&mut T)) {
        let Quantiles { min, p10, p25, p50, p75, p90, p99, max } = self;
        [min, p10, p25, p50, p75, p90, p99, max].into_iter().for_each(change);
    }
}

/// How long the blocks lived that were freed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lifetimes {
    /// Number of freed blocks.
    pub blocks: u64,
    /// Lifetimes in events: 1 is a block freed by the very next event.
    pub events: Quantiles<u64>,
    /// Lifetimes in time; zero where the clock went backwards.
    pub time: Quantiles<Nanoseconds>,
}

/// Lifetimes while a trace is walked.
#[derive(Debug, Default)]
pub(super) struct Collected {
    blocks: u64,
    events: Tally,
    time: Tally,
}

impl Collected {
    pub fn push(&mut self, events: u64, time: Nanoseconds) {
        self.blocks += 1;
        self.events.count(events);
        self.time.count(time.0);
    }

    pub fn summarized(self) -> Lifetimes {
        Lifetimes {
            blocks: self.blocks,
            events: self.events.quantiles(|events| events),
            time: self.time.quantiles(Nanoseconds),
        }
    }
}

/// Binary digits of a number that are kept.
const DIGITS: u32 = 11;

/// How often each number came, to [`DIGITS`] binary digits.
#[derive(Debug, Default)]
struct Tally {
    counts: BTreeMap<u64, u64>,
    extremes: Option<(u64, u64)>,
}

impl Tally {
    fn count(&mut self, number: u64) {
        let dropped = (u64::BITS - number.leading_zeros()).saturating_sub(DIGITS);
        *self.counts.entry(number >> dropped << dropped).or_default() += 1;
        let (min, max) = self.extremes.unwrap_or((number, number));
        self.extremes = Some((min.min(number), max.max(number)));
    }

    fn quantiles<T: Default>(&self, unit: impl Fn(u64) -> T) -> Quantiles<T> {
        let Some((min, max)) = self.extremes else { return Quantiles::default() };
        let total: u64 = self.counts.values().sum();
        let at = |percent: u64| {
            let rank = (u128::from(total) * u128::from(percent)).div_ceil(100).max(1);
            let mut seen = 0;
            let found = self.counts.iter().find(|(_, count)| {
                seen += u128::from(**count);
                seen >= rank
            });
            unit(found.map_or(max, |(&number, _)| number.max(min)))
        };
        Quantiles {
            min: unit(min),
            p10: at(10),
            p25: at(25),
            p50: at(50),
            p75: at(75),
            p90: at(90),
            p99: at(99),
            max: unit(max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_within_a_thousandth_in_bounded_memory() {
        let mut tally = Tally::default();
        for number in 0..1_000_000_u64 {
            tally.count(number * 7);
        }
        assert!(tally.counts.len() < 30_000);
        let quantiles = tally.quantiles(|number| number);
        assert_eq!((quantiles.min, quantiles.max), (0, 6_999_993));
        for (found, exact) in [(quantiles.p50, 3_499_993_u64), (quantiles.p99, 6_929_993)] {
            assert!(found <= exact && exact - found < exact / 1000, "{found} for {exact}");
        }
    }
}
