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
}

/// Counts while a trace is walked.
#[derive(Debug, Default)]
pub(super) struct Counts(HashMap<u64, u64>);

impl Counts {
    pub fn count(&mut self, size: Bytes) {
        *self.0.entry(size.0).or_default() += 1;
    }

    /// All bytes requested; the largest number there is when they do not fit in one.
    pub fn requested_total(&self) -> Bytes {
        let products = self.0.iter().map(|(size, count)| size.saturating_mul(*count));
        Bytes(products.fold(0, u64::saturating_add))
    }

    /// The sizes by popularity; the order does not depend on the hash map's.
    pub fn ranked(&self) -> Vec<SizeShare> {
        let mut ranked: Vec<(u64, u64)> = self.0.iter().map(|(&size, &count)| (size, count)).collect();
        ranked.sort_by_key(|&(size, count)| (std::cmp::Reverse(count), size));
        let total: u64 = ranked.iter().map(|&(_, count)| count).sum();
        let mut counted = 0;
        let share = |count: u64| count as f64 / total as f64;
        ranked
            .into_iter()
            .map(|(size, count)| {
                counted += count;
                SizeShare { size: Bytes(size), count, share: share(count), cumulated: share(counted) }
            })
            .collect()
    }
}
