//! Runs of the modem software: the paper's one, and as many others as it takes for an interval.

use heapsmith_replay::{Region, ReplayOptions, at_peak, min_region, replay};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, Bytes, PackedTrace, Trace};

use super::WORKLOAD;
use crate::answer::Interval;
use crate::error::ExperimentError;
use crate::setting::Setting;

/// What is changed of the model.
#[derive(Debug, Clone, Copy)]
pub(super) struct Model {
    /// Modems.
    pub instances: u64,
    /// Calls in all.
    pub calls: u64,
    /// Frames of a call on average: an addition of this project. None: what units ask for, as in the paper.
    pub frames: Option<u64>,
    /// Whether every call agrees on the same protocols.
    pub one_protocol: bool,
    /// Sizes are rounded up to multiples of this many bytes.
    pub granule: u64,
}

/// The paper's: five instances, and their units alone.
pub(super) const PAPER: Model = Model { instances: 5, calls: 400, frames: None, one_protocol: false, granule: 4 };

impl Model {
    /// With few calls where little is done.
    pub fn within(self, setting: &Setting<'_>) -> Model {
        Model { calls: self.calls.min(setting.of(u64::MAX, 40)), ..self }
    }

    /// The trace of a run.
    pub fn trace(&self, setting: &Setting<'_>, seed: u64) -> Result<Trace, ExperimentError> {
        let frames = self.frames.map_or("off".to_owned(), |frames| frames.to_string());
        let [instances, calls, seed] = [self.instances, self.calls, seed].map(|number| number.to_string());
        let settings = [
            ("instances", instances.as_str()),
            ("calls", &calls),
            ("frames", &frames),
            ("protocols", if self.one_protocol { "one" } else { "all" }),
            ("seed", &seed),
        ];
        let mut trace = setting.computed(WORKLOAD, &settings)?;
        for event in &mut trace.events {
            if let Action::Allocate { size, .. } = &mut event.action {
                *size = Bytes(size.0.next_multiple_of(self.granule));
            }
        }
        Ok(trace)
    }

    /// The same as it is replayed.
    pub fn packed(&self, setting: &Setting<'_>, seed: u64) -> Result<PackedTrace, ExperimentError> {
        Ok(PackedTrace::new(&self.trace(setting, seed)?)?)
    }
}

/// Where the memory of an allocator is in the smallest region that serves a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Memory {
    /// The region.
    pub physical: u64,
    /// Requested at the peak.
    pub used: u64,
    /// Headers at the peak.
    pub headers: u64,
    /// In free blocks at the peak.
    pub free: u64,
    /// In blocks beyond what was requested.
    pub padding: u64,
    /// Control words.
    pub control: u64,
}

impl Memory {
    /// Of an allocator of the catalogue; none if no region serves the run.
    pub fn of(heap: &str, trace: &PackedTrace, region: &mut Region) -> Result<Option<Memory>, ExperimentError> {
        let spec = resolve(heap)?;
        let Some(physical) = min_region(&spec, trace, region)? else { return Ok(None) };
        let options = ReplayOptions { region: Some(physical), ..ReplayOptions::MEASURE };
        let measures = replay(&spec, trace, region, options)?;
        let peak = at_peak(&spec, trace, region, &measures)?;
        Ok(Some(Memory {
            physical: physical.0,
            used: peak.requested.0,
            headers: peak.headers.0,
            free: peak.free.0,
            padding: peak.padding.0,
            control: peak.control.0,
        }))
    }

    /// Physical size that is neither used nor header.
    pub fn fragments(&self) -> u64 {
        self.physical.saturating_sub(self.used + self.headers)
    }

    /// A part of the physical size.
    pub fn share(&self, bytes: u64) -> f64 {
        bytes as f64 / self.physical as f64
    }
}

/// First fit and best fit on one run. Fast and slow free put every block at the same address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    /// First fit.
    pub first: Memory,
    /// Best fit.
    pub best: Memory,
}

impl Pair {
    /// On the runs of `seeds` seeds: of several such parts of an experiment, this one.
    pub fn on(
        model: &Model,
        setting: &mut Setting<'_>,
        seeds: u64,
        (part, parts): (usize, usize),
    ) -> Result<Vec<Pair>, ExperimentError> {
        let (model, mut pairs) = (model.within(setting), Vec::new());
        for seed in 0..seeds {
            let (done, all) = (part as u64 * seeds + seed, parts as u64 * seeds);
            setting.step(done as usize, all as usize, &format!("run {} of {all}", done + 1))?;
            let trace = model.packed(setting, setting.seed + seed)?;
            let mut region = Region::for_trace(&trace)?;
            let first = Memory::of("peintner-first-fast", &trace, &mut region)?;
            let best = Memory::of("peintner-best-fast", &trace, &mut region)?;
            pairs.extend(first.zip(best).map(|(first, best)| Pair { first, best }));
        }
        Ok(pairs)
    }

    /// By how many bytes more best fit needs.
    pub fn more_of_best(&self) -> f64 {
        self.best.physical as f64 - self.first.physical as f64
    }

    /// The smaller share of data of the two.
    pub fn used_share(&self) -> f64 {
        self.first.share(self.first.used).min(self.best.share(self.best.used))
    }

    /// The larger share of fragments of the two.
    pub fn fragments_share(&self) -> f64 {
        self.first.share(self.first.fragments()).max(self.best.share(self.best.fragments()))
    }
}

/// The interval of the median of a value over runs; all of them where they are too few for one.
pub(super) fn interval<T>(runs: &[T], of: impl Fn(&T) -> f64) -> Interval {
    let values: Vec<f64> = runs.iter().map(of).collect();
    Interval::of_median(&values).unwrap_or_else(|| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Interval { low, median: (low + high) / 2.0, high }
    })
}

/// An interval in words.
pub(super) fn words(interval: Interval, shown: impl Fn(f64) -> String) -> String {
    format!("{} ({} to {})", shown(interval.median), shown(interval.low), shown(interval.high))
}
