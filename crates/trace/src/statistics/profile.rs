//! Everything that is said about a trace, gathered in one pass.
//!
//! Cost: a hash look-up an event; memory for the live set, for each distinct size and site,
//! and for a bounded number of counters, however long the trace is.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::curve::Stretches;
use super::heat::HeatMap;
use super::shape::Shape;
use super::sites::{self, SiteShare};
use super::{LiveCurve, Statistics, lifetimes, sizes};
use crate::live::{Change, Ledger};
use crate::{Bytes, Event, Nanoseconds, Origin, Sampled, Sink, TraceError};

/// Everything that is said about one trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Totals and distributions.
    pub statistics: Statistics,
    /// Live bytes over the trace.
    pub curve: LiveCurve,
    /// What form that curve has.
    pub shape: Shape,
    /// How many blocks of which size lived how long.
    pub heat: HeatMap,
    /// Of a sample: all counts and bytes are estimates, of that many times what was recorded.
    pub sampled: Option<Sampled>,
    /// The call sites that asked for most bytes first; empty where none was recorded.
    pub sites: Vec<SiteShare>,
}

impl Profile {
    /// The call sites with blocks that were never freed, those with most bytes first.
    pub fn unfreed(&self) -> Vec<&SiteShare> {
        let mut unfreed: Vec<&SiteShare> = self.sites.iter().filter(|site| site.blocks_at_end > 0).collect();
        unfreed.sort_by_key(|site| Reverse((site.live_at_end, site.blocks_at_end)));
        unfreed
    }
}

/// Gathers a [`Profile`] from events as they come.
#[derive(Debug)]
pub struct Profiler {
    ledger: Ledger,
    sizes: sizes::Counts,
    sites: sites::Counts,
    lifetimes: lifetimes::Collected,
    heat: HeatMap,
    stretches: Stretches,
    threads: BTreeSet<u32>,
    times: Option<(Nanoseconds, Nanoseconds)>,
    allocations: u64,
    frees: u64,
    reallocations: u64,
    marks: u64,
}

impl Profiler {
    /// A profiler whose curve will have at least `points` points, and at most twice as many,
    /// where the trace has this many events.
    pub fn new(points: usize) -> Profiler {
        Profiler {
            ledger: Ledger::default(),
            sizes: sizes::Counts::default(),
            sites: sites::Counts::default(),
            lifetimes: lifetimes::Collected::default(),
            heat: HeatMap::default(),
            stretches: Stretches::new(points),
            threads: BTreeSet::new(),
            times: None,
            allocations: 0,
            frees: 0,
            reallocations: 0,
            marks: 0,
        }
    }

    /// What was gathered of a trace of this origin: of a sample, what is to be expected of its program.
    pub fn finish_of(self, origin: &Origin) -> Profile {
        let squares: f64 = self.ledger.live_sizes().map(|size| (size.0 as f64).powi(2)).sum();
        let profile = self.finish();
        match origin.sample() {
            Some(every) => profile.estimated(every, squares),
            None => profile,
        }
    }

    /// What was gathered.
    pub fn finish(self) -> Profile {
        let Profiler { ledger, sizes, stretches, mut heat, times, .. } = self;
        heat.immortal(ledger.live_sizes());
        let shape = Shape::of(&stretches, ledger.peak);
        let statistics = Statistics {
            events: ledger.events,
            allocations: self.allocations,
            frees: self.frees,
            reallocations: self.reallocations,
            marks: self.marks,
            threads: self.threads.len(),
            duration: times.map_or(Nanoseconds(0), |(first, last)| last.since(first)),
            requested_total: sizes.requested_total(),
            requested_peak: ledger.peak,
            peak_event: match ledger.peak {
                Bytes(0) => 0,
                _ => ledger.peak_event + 1,
            },
            blocks_peak: u64::from(ledger.slots),
            blocks_left: ledger.live_blocks() as u64,
            bytes_left: ledger.live_bytes,
            sizes: sizes.ranked(),
            lifetimes: self.lifetimes.summarized(),
        };
        Profile { statistics, curve: stretches.curve(), shape, heat, sites: self.sites.ranked(), sampled: None }
    }
}

impl Sink for Profiler {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        let index = self.ledger.events;
        let peak = self.ledger.peak;
        match self.ledger.apply(&event)? {
            Change::Allocated(block) => {
                self.allocations += 1;
                self.sizes.born(block.size);
            }
            Change::Reallocated(block) => {
                self.reallocations += 1;
                self.sizes.requested(block.size);
            }
            Change::Freed(block) => {
                self.frees += 1;
                let events = index - block.born;
                self.sizes.died(block.size);
                self.lifetimes.push(events, event.time.since(block.since));
                self.heat.lived(block.size, events);
            }
            Change::Marked => self.marks += 1,
        }
        self.sites.count(&event);
        if self.ledger.peak > peak {
            self.sites.peak();
        }
        self.threads.insert(event.thread);
        let (first, last) = self.times.unwrap_or((event.time, event.time));
        self.times = Some((first.min(event.time), last.max(event.time)));
        self.stretches.push(event.time, self.ledger.live_bytes, self.ledger.live_blocks() as u64);
        Ok(())
    }

    fn name_site(&mut self, name: &str) {
        self.sites.name(name);
    }
}
