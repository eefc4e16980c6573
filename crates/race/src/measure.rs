//! What a race measures, by name.

use heapsmith_trace::{Bytes, Nanoseconds};

use crate::result::Run;

/// A figure of a run; less is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Measure {
    /// Seconds of processors.
    Processors,
    /// Seconds by the clock.
    Clock,
    /// Bytes resident at the peak.
    Peak,
    /// Bytes resident on average.
    Mean,
}

impl Measure {
    /// All of them, in the order of tables.
    pub const ALL: [Measure; 4] = [Measure::Processors, Measure::Clock, Measure::Peak, Measure::Mean];

    /// Its name in files and for programs.
    pub fn name(self) -> &'static str {
        match self {
            Measure::Processors => "processor_time",
            Measure::Clock => "wall_time",
            Measure::Peak => "peak_resident",
            Measure::Mean => "mean_resident",
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Measure::Processors => "processor time",
            Measure::Clock => "wall time",
            Measure::Peak => "peak memory",
            Measure::Mean => "mean memory",
        }
    }

    /// Whether it is a number of bytes; else it is one of seconds.
    pub fn is_memory(self) -> bool {
        matches!(self, Measure::Peak | Measure::Mean)
    }

    /// Its value of a run.
    pub fn of(self, run: &Run) -> f64 {
        match self {
            Measure::Processors => run.processors,
            Measure::Clock => run.clock,
            Measure::Peak => run.peak as f64,
            Measure::Mean => run.mean,
        }
    }

    /// A value with its unit.
    pub fn shown(self, value: f64) -> String {
        if self.is_memory() { Bytes(value as u64).to_string() } else { Nanoseconds((value * 1e9) as u64).to_string() }
    }
}
