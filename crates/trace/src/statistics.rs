//! What people look at in a trace: sizes, lifetimes, live bytes over time.
//!
//! Cost: one pass with a hash look-up an event.

mod curve;
mod heat;
mod lifetimes;
mod profile;
mod ranks;
mod shape;
mod sites;
mod sizes;

pub use curve::{LiveCurve, LivePoint};
pub use heat::HeatMap;
pub use lifetimes::{Lifetimes, Quantiles};
pub use profile::{Profile, Profiler};
pub use ranks::rank_correlation;
pub use shape::{Form, Shape};
pub use sites::SiteShare;
pub use sizes::SizeShare;

use crate::live::told_apart;
use crate::{Bytes, Nanoseconds, Sink, Trace, TraceError};

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
    /// The peak live bytes, as requested.
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
    /// Gathers the statistics of a trace; of a sample, those to be expected of its program.
    ///
    /// # Errors
    ///
    /// As [`PackedTrace::new`](crate::PackedTrace::new): the first event that no heap could
    /// serve.
    pub fn of(trace: &Trace) -> Result<Statistics, TraceError> {
        let mut profiler = Profiler::new(1);
        for event in &trace.events {
            profiler.take(*event).map_err(|error| told_apart(error, &trace.events))?;
        }
        Ok(profiler.finish_of(&trace.origin).statistics)
    }

    /// How many of the most popular sizes make up a share of all requests.
    pub fn sizes_covering(&self, share: f64) -> usize {
        self.sizes.iter().position(|size| size.cumulated >= share).map_or(self.sizes.len(), |at| at + 1)
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

#[cfg(test)]
mod tests;
