//! What `explore` tries, and what it looks for.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use heapsmith_explore::{Constraint, Goal, Objective, Search, Space};
use heapsmith_trace::PackedTrace;

use super::bytes;

/// The designs to try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpaceName {
    /// One of ours, by name.
    Own(String),
    /// The space that a file says.
    File(PathBuf),
}

impl FromStr for SpaceName {
    type Err = std::convert::Infallible;

    fn from_str(name: &str) -> Result<SpaceName, Self::Err> {
        let own = Space::own_text(name).is_some();
        Ok(if own { SpaceName::Own(name.to_owned()) } else { SpaceName::File(PathBuf::from(name)) })
    }
}

/// Which designs are replayed on whole traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum SearchName {
    /// Exhaustive where that takes a minute or two, else halving
    #[default]
    Auto,
    /// Every design
    Exhaustive,
    /// Those that are near the front on slices of the traces: a 64th, a 16th, a quarter
    Halving,
}

impl SearchName {
    /// The search for a space on some traces.
    pub fn search(self, space: &Space, traces: &[PackedTrace]) -> Search {
        match self {
            SearchName::Auto => Search::fitting(space, traces),
            SearchName::Exhaustive => Search::Exhaustive,
            SearchName::Halving => Search::Halving,
        }
    }
}

/// By what designs are compared, and what none may exceed.
#[derive(Debug, Clone, Args)]
pub struct Wanted {
    /// The front is over these: of fragmentation, internal, external, accesses, p99, worst, min_region, ns, code_size.
    /// The last three are measured of the 64 designs nearest to the front over the others
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = Objective::from_str,
        default_value = "fragmentation,accesses,p99,worst", help_heading = GOAL)]
    pub objectives: Vec<Objective>,
    /// No more fragmentation than this, in percent
    #[arg(long, value_name = "PERCENT", help_heading = GOAL)]
    pub max_fragmentation: Option<f64>,
    /// Every trace has to be served in a region of so many bytes (K, M or G may follow)
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_region: Option<u64>,
    /// No more accesses an operation on average
    #[arg(long, value_name = "N", help_heading = GOAL)]
    pub max_accesses: Option<f64>,
    /// No more accesses in 99% of the operations
    #[arg(long, value_name = "N", help_heading = GOAL)]
    pub max_p99: Option<u64>,
    /// No more accesses in any operation
    #[arg(long, value_name = "N", help_heading = GOAL)]
    pub max_worst: Option<u64>,
    /// No more nanoseconds an operation, as measured here
    #[arg(long, value_name = "NS", help_heading = GOAL)]
    pub max_ns: Option<f64>,
    /// No more bytes of code, as compiled from the emitted C for Cortex-M3 (for the host where its compiler is missing)
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_code_size: Option<u64>,
}

const GOAL: &str = "What is wanted of a design";

impl Wanted {
    /// The goal.
    pub fn goal(&self) -> Goal {
        let whole = |most: Option<u64>| most.map(|most| most as f64);
        let most = [
            (Objective::Fragmentation, self.max_fragmentation.map(|percent| percent / 100.0)),
            (Objective::MinRegion, whole(self.max_region)),
            (Objective::Accesses, self.max_accesses),
            (Objective::P99, whole(self.max_p99)),
            (Objective::Worst, whole(self.max_worst)),
            (Objective::Time, self.max_ns),
            (Objective::CodeSize, whole(self.max_code_size)),
        ];
        let constraint = |(objective, most): (Objective, Option<f64>)| Some(Constraint { objective, most: most? });
        let mut objectives = self.objectives.clone();
        objectives.dedup();
        Goal { objectives, constraints: most.into_iter().filter_map(constraint).collect() }
    }
}
