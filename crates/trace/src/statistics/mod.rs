//! What people look at in a trace: sizes, lifetimes, live bytes over time.
//!
//! Cost: one pass with a hash look-up an event, and two numbers kept for every freed block.

mod curve;
mod lifetimes;
mod sizes;

pub use curve::{LiveCurve, LivePoint};
pub use lifetimes::{Lifetimes, Quantiles};
pub use sizes::SizeShare;

use std::collections::BTreeSet;

use crate::live::{Change, Ledger};
use crate::{Bytes, Nanoseconds, Trace, TraceError};

/// Totals and distributions of one trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Number of events, marks included.
    pub events: u64,
    /// Number of allocations.
    pub allocations: u64,
    /// Number of frees.
    pub frees: u64,
    /// Number of reallocations.
    pub reallocations: u64,
    /// Number of marks.
    pub marks: u64,
    /// Number of threads that appear.
    pub threads: usize,
    /// From the earliest to the latest time.
    pub duration: Nanoseconds,
    /// All bytes ever requested, by allocations and reallocations.
    pub requested_total: Bytes,
    /// The most bytes requested and live at once.
    pub requested_peak: Bytes,
    /// The event, from 1, that first reached the peak; 0 when nothing was ever live.
    pub peak_event: u64,
    /// The most blocks live at once.
    pub blocks_peak: u64,
    /// Blocks that were never freed.
    pub blocks_left: u64,
    /// Bytes in blocks that were never freed.
    pub bytes_left: Bytes,
    /// Every requested size (of allocations and reallocations) with how often it was asked
    /// for: the most popular first, the smaller first among equals.
    pub sizes: Vec<SizeShare>,
    /// How long freed blocks lived.
    pub lifetimes: Lifetimes,
}

impl Statistics {
    /// Gathers the statistics of a trace.
    ///
    /// # Errors
    ///
    /// As [`PackedTrace::new`](crate::PackedTrace::new): the first event that no heap could
    /// serve.
    pub fn of(trace: &Trace) -> Result<Statistics, TraceError> {
        let mut ledger = Ledger::default();
        let mut sizes = sizes::Counts::default();
        let mut lifetimes = lifetimes::Collected::default();
        let (mut allocations, mut frees, mut reallocations, mut marks) = (0, 0, 0, 0);
        for (index, event) in trace.events.iter().enumerate() {
            match ledger.apply(&trace.events, index)? {
                Change::Allocated(block) => {
                    allocations += 1;
                    sizes.count(block.size);
                }
                Change::Reallocated(block) => {
                    reallocations += 1;
                    sizes.count(block.size);
                }
                Change::Freed(block) => {
                    frees += 1;
                    let birth = trace.events[block.born].time;
                    lifetimes.push(index - block.born, event.time.since(birth));
                }
                Change::Marked => marks += 1,
            }
        }
        let threads: BTreeSet<u32> = trace.events.iter().map(|event| event.thread).collect();
        Ok(Statistics {
            events: trace.events.len() as u64,
            allocations,
            frees,
            reallocations,
            marks,
            threads: threads.len(),
            duration: duration(trace),
            requested_total: sizes.requested_total(),
            requested_peak: ledger.peak,
            peak_event: match ledger.peak {
                Bytes(0) => 0,
                _ => ledger.peak_event as u64 + 1,
            },
            blocks_peak: u64::from(ledger.slots),
            blocks_left: ledger.live_blocks() as u64,
            bytes_left: ledger.live_bytes,
            sizes: sizes.ranked(),
            lifetimes: lifetimes.summarized(),
        })
    }

    /// Number of different sizes requested.
    pub fn distinct_sizes(&self) -> usize {
        self.sizes.len()
    }

    /// The share of all requests, 0 to 1, that the `sizes` most popular sizes make up.
    /// The classic finding about network programs is `top_share(2)` of 0.3 to 0.7.
    pub fn top_share(&self, sizes: usize) -> f64 {
        match sizes.min(self.sizes.len()) {
            0 => 0.0,
            last => self.sizes[last - 1].cumulated,
        }
    }
}

fn duration(trace: &Trace) -> Nanoseconds {
    let times = || trace.events.iter().map(|event| event.time);
    match (times().min(), times().max()) {
        (Some(first), Some(last)) => last.since(first),
        _ => Nanoseconds(0),
    }
}

#[cfg(test)]
mod tests;
