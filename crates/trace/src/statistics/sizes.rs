//! How often each size is requested.

use std::collections::HashMap;

use crate::Bytes;

/// A requested size and how popular it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeShare {
    /// The size.
    pub size: Bytes,
    /// How many requests asked for it.
    pub count: u64,
    /// Its share of all requests, 0 to 1.
    pub share: f64,
    /// The share of this size and all more popular ones.
    pub cumulated: f64,
    /// How many blocks began with it.
    pub births: u64,
    /// How many blocks had it when they were freed.
    pub deaths: u64,
}

/// Requests, births and deaths of one size.
#[derive(Debug, Default, Clone, Copy)]
struct Count {
    requests: u64,
    births: u64,
    deaths: u64,
}

/// Counts while a trace is walked.
#[derive(Debug, Default)]
pub(super) struct Counts(HashMap<u64, Count>);

impl Counts {
    /// A block began with this size.
    pub fn born(&mut self, size: Bytes) {
        let count = self.0.entry(size.0).or_default();
        count.requests += 1;
        count.births += 1;
    }

    /// A block got this size.
    pub fn requested(&mut self, size: Bytes) {
        self.0.entry(size.0).or_default().requests += 1;
    }

    /// A block of this size was freed.
    pub fn died(&mut self, size: Bytes) {
        self.0.entry(size.0).or_default().deaths += 1;
    }

    /// All bytes requested; the largest number there is when they do not fit in one.
    pub fn requested_total(&self) -> Bytes {
        let products = self.0.iter().map(|(size, count)| size.saturating_mul(count.requests));
        Bytes(products.fold(0, u64::saturating_add))
    }

    /// The sizes by popularity; the order does not depend on the hash map's.
    pub fn ranked(&self) -> Vec<SizeShare> {
        let mut ranked: Vec<(u64, Count)> = self.0.iter().map(|(&size, &count)| (size, count)).collect();
        ranked.sort_by_key(|&(size, count)| (std::cmp::Reverse(count.requests), size));
        let total: u64 = ranked.iter().map(|(_, count)| count.requests).sum();
        let mut counted = 0;
        let share = |requests: u64| requests as f64 / total as f64;
        ranked
            .into_iter()
            .map(|(size, Count { requests, births, deaths })| {
                counted += requests;
                let (share, cumulated) = (share(requests), share(counted));
                SizeShare { size: Bytes(size), count: requests, share, cumulated, births, deaths }
            })
            .collect()
    }
}
