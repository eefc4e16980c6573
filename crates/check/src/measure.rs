//! What can be asserted: figures of a heap on a trace, each with its unit and what it depends on.

use std::fmt;

use heapsmith_replay::Leaked;
use heapsmith_trace::{Bytes, thousands};

/// A kind of figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Measure {
    /// The smallest region that serves the trace.
    MinRegion,
    /// Peak live bytes, as requested: a matter of the trace alone.
    RequestedPeak,
    /// Bytes requested that the trace never frees: a matter of the trace alone.
    NeverFreed,
    /// Most bytes of the region ever used.
    FootprintPeak,
    /// Footprint over peak live bytes, less one.
    Fragmentation,
    /// Mean metadata accesses an operation.
    AccessesPerOp,
    /// Metadata accesses that 99% of the operations do not exceed.
    AccessesP99,
    /// Metadata accesses of the most expensive operation.
    AccessesMax,
    /// The region that is proven to serve every program with the trace's peak and sizes.
    Bound,
    /// The proven worst case of one operation of such programs, in a region that is never full: it may be larger than the bound.
    AccessesBound,
    /// Growth of the footprint when the trace is repeated on one heap.
    Drift,
    /// The largest request that would still succeed.
    LargestRequest,
}

/// How a figure's value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes.
    Bytes,
    /// Metadata words read and written by one operation.
    Accesses,
    /// A share: 0.05 is 5%.
    Share,
}

impl Unit {
    /// A value as people read it.
    pub fn shown(self, value: f64) -> String {
        let is_whole = value.fract() == 0.0;
        match self {
            Unit::Bytes if value.abs() < 1024.0 => format!("{value} bytes"),
            Unit::Bytes if value < 0.0 => format!("{value} bytes (-{})", Bytes(value.abs() as u64)),
            Unit::Bytes => format!("{value} bytes ({})", Bytes(value as u64)),
            Unit::Accesses if is_whole => format!("{value} accesses"),
            Unit::Accesses => format!("{value:.3} accesses"),
            Unit::Share => format!("{:.2}%", value * 100.0),
        }
    }

    /// The same for a column of a table: exact, in one unit.
    pub fn brief(self, value: f64) -> String {
        let sign = if value < 0.0 { "-" } else { "" };
        match self {
            Unit::Bytes => format!("{sign}{} B", thousands(value.abs() as u64)),
            Unit::Accesses if value.fract() == 0.0 => format!("{sign}{}", thousands(value.abs() as u64)),
            Unit::Accesses => format!("{value:.3}"),
            Unit::Share => self.shown(value),
        }
    }
}

impl Measure {
    /// All measures, in the order of reports.
    pub const ALL: [Measure; 12] = [
        Measure::MinRegion,
        Measure::RequestedPeak,
        Measure::NeverFreed,
        Measure::FootprintPeak,
        Measure::Fragmentation,
        Measure::AccessesPerOp,
        Measure::AccessesP99,
        Measure::AccessesMax,
        Measure::Bound,
        Measure::AccessesBound,
        Measure::Drift,
        Measure::LargestRequest,
    ];

    /// Its name in check files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Measure::MinRegion => "min_region",
            Measure::RequestedPeak => "requested_peak",
            Measure::NeverFreed => "never_freed",
            Measure::FootprintPeak => "footprint_peak",
            Measure::Fragmentation => "fragmentation",
            Measure::AccessesPerOp => "accesses_per_op",
            Measure::AccessesP99 => "accesses_p99",
            Measure::AccessesMax => "accesses_max",
            Measure::Bound => "bound",
            Measure::AccessesBound => "accesses_bound",
            Measure::Drift => "drift",
            Measure::LargestRequest => "largest_request",
        }
    }

    /// What it means, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Measure::MinRegion => "The smallest region, in bytes, in which the heap serves every request of the trace.",
            Measure::RequestedPeak => "Peak live bytes, as requested by the trace, whatever the heap.",
            Measure::NeverFreed => "Bytes that the trace requests and never frees, whatever the heap.",
            Measure::FootprintPeak => "Most bytes of the region ever used, headers and holes included.",
            Measure::Fragmentation => "Peak footprint over peak live bytes, less one.",
            Measure::AccessesPerOp => "Mean metadata accesses per operation.",
            Measure::AccessesP99 => "Metadata accesses that 99% of the operations do not exceed.",
            Measure::AccessesMax => "Metadata accesses of the most expensive operation.",
            Measure::Bound => {
                "The region, in bytes, proven to serve every program with the trace's peak live bytes and request sizes."
            }
            Measure::AccessesBound => {
                "The proven worst case of one operation of such programs, in metadata accesses, in a region that is never full."
            }
            Measure::Drift => "Growth of the peak footprint, in bytes, when the trace is repeated on one heap.",
            Measure::LargestRequest => {
                "The largest request, in bytes, that would still succeed in a region of a given size."
            }
        }
    }

    /// The unit of its values.
    pub fn unit(self) -> Unit {
        match self {
            Measure::Fragmentation => Unit::Share,
            Measure::AccessesPerOp | Measure::AccessesP99 | Measure::AccessesMax | Measure::AccessesBound => {
                Unit::Accesses
            }
            _ => Unit::Bytes,
        }
    }

    /// Whether it is the same for every heap.
    pub fn is_of_trace(self) -> bool {
        matches!(self, Measure::RequestedPeak | Measure::NeverFreed)
    }

    /// Whether one replay counts it, in whatever region.
    pub fn is_counted(self) -> bool {
        matches!(
            self,
            Measure::FootprintPeak
                | Measure::Fragmentation
                | Measure::AccessesPerOp
                | Measure::AccessesP99
                | Measure::AccessesMax
        )
    }

    /// Whether more is better.
    pub fn is_better_larger(self) -> bool {
        self == Measure::LargestRequest
    }

    /// The measure of this name.
    ///
    /// # Errors
    ///
    /// The names that there are.
    pub fn of(name: &str) -> Result<Measure, String> {
        Measure::ALL.into_iter().find(|measure| measure.name() == name).ok_or_else(|| {
            let names: Vec<&str> = Measure::ALL.into_iter().map(Measure::name).collect();
            format!("{name:?} is no measure: write one of {}", names.join(", "))
        })
    }
}

/// When a request is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    /// After the last event.
    End,
    /// At the worst of this many moments, evenly spaced, and of the peak of live bytes.
    Worst {
        /// How many.
        moments: u32,
    },
}

/// A measure with what it depends on: what is computed, kept and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Figure {
    /// A measure that depends on nothing else.
    Plain(Measure),
    /// What a replay in a region of this size counts.
    InRegion {
        /// What is counted.
        measure: Measure,
        /// Bytes of the region.
        region: u64,
    },
    /// Growth over repetitions.
    Drift {
        /// How often the trace is replayed.
        passes: u32,
        /// Whether blocks that the trace never frees are freed at the end of the first pass too.
        frees: bool,
    },
    /// The largest request.
    LargestRequest {
        /// Bytes of the region.
        region: u64,
        /// When.
        at: At,
    },
}

impl Figure {
    /// The measure.
    pub fn measure(self) -> Measure {
        match self {
            Figure::Plain(measure) | Figure::InRegion { measure, .. } => measure,
            Figure::Drift { .. } => Measure::Drift,
            Figure::LargestRequest { .. } => Measure::LargestRequest,
        }
    }

    pub(crate) fn leaked(frees: bool) -> Leaked {
        if frees { Leaked::Free } else { Leaked::Keep }
    }
}

/// `drift(passes=20, leaked=keep)`: as it is shown and saved.
impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.measure().name())?;
        match self {
            Figure::Plain(_) => Ok(()),
            Figure::InRegion { region, .. } => write!(f, "(region={region})"),
            Figure::Drift { passes, frees } => {
                write!(f, "(passes={passes}, leaked={})", if *frees { "free" } else { "keep" })
            }
            Figure::LargestRequest { region, at: At::End } => write!(f, "(region={region}, at=end)"),
            Figure::LargestRequest { region, at: At::Worst { moments } } => {
                write!(f, "(region={region}, at=worst, moments={moments})")
            }
        }
    }
}
