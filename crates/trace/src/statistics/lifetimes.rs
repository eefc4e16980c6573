//! How long blocks live, in events and in time.

use crate::Nanoseconds;

/// Exact quantiles of a number of measurements; all zero when there were none.
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

impl<T: Copy + Default + Ord> Quantiles<T> {
    /// The quantiles of `values`, by nearest rank.
    pub(super) fn of(mut values: Vec<T>) -> Quantiles<T> {
        values.sort_unstable();
        let at = |percent: usize| {
            let rank = (values.len() * percent).div_ceil(100).max(1);
            values.get(rank - 1).copied().unwrap_or_default()
        };
        Quantiles {
            min: at(0),
            p10: at(10),
            p25: at(25),
            p50: at(50),
            p75: at(75),
            p90: at(90),
            p99: at(99),
            max: at(100),
        }
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
    events: Vec<u64>,
    time: Vec<Nanoseconds>,
}

impl Collected {
    pub fn push(&mut self, events: usize, time: Nanoseconds) {
        self.events.push(events as u64);
        self.time.push(time);
    }

    pub fn summarized(self) -> Lifetimes {
        Lifetimes {
            blocks: self.events.len() as u64,
            events: Quantiles::of(self.events),
            time: Quantiles::of(self.time),
        }
    }
}
