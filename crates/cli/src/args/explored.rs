//! What `explore` tries, and what it looks for.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use heapsmith_explore::{Constraint, Goal, HoldOut, Objective, Preference, Strategy};
use heapsmith_replay::TimingEffort;

use super::numbers::{amount, bytes, jobs};
use super::{Format, Reading};

/// What the pick should be good at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Prefer {
    /// The knee of the front over fragmentation and accesses
    #[default]
    Balanced,
    /// Fewest accesses an operation
    Speed,
    /// Least fragmentation
    Memory,
    /// Fewest accesses in the worst operation
    Bounded,
}

impl From<Prefer> for Preference {
    fn from(prefer: Prefer) -> Preference {
        match prefer {
            Prefer::Balanced => Preference::Balanced,
            Prefer::Speed => Preference::Speed,
            Prefer::Memory => Preference::Memory,
            Prefer::Bounded => Preference::Bounded,
        }
    }
}

/// Arguments of `explore`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "An exploration that was interrupted (Ctrl-C, or worse) goes on when the same command is \
    given again, and ends with the same answer.\n\nExamples:\n  \
    heapsmith explore samples/ftp.pcap.xz --as drr\n  \
    heapsmith explore samples/web.log.xz --as url --prefer memory --out web\n  \
    heapsmith explore monday.parquet tuesday.parquet --jobs 4\n  \
    heapsmith explore workload:modem --prefer bounded")]
pub struct Explore {
    /// Trace files, anything importable, or workload:NAME for a workload that needs no file; of several, the designs are evaluated on all
    #[arg(required_unless_present = "print_space")]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// The designs to try: classic (10,000), wide (over 100,000, every structure), or a file that says them in the form
    /// that --print-space prints
    #[arg(long, value_name = "classic|wide|FILE", default_value = "classic")]
    pub space: PathBuf,
    /// Print the text of one of our spaces, to begin a file of your own with, and do nothing else
    #[arg(long, value_name = "classic|wide", value_parser = ["classic", "wide"], exclusive = true)]
    pub print_space: Option<String>,
    /// Which designs are replayed on whole traces
    #[arg(long, value_enum, default_value_t)]
    pub search: StrategyName,
    /// After a search, replay every design too, and tell what share of the true front the search had found
    #[arg(long)]
    pub compare_search: bool,
    /// Folder for the results and the page, which is new, empty or of the same exploration; by default
    /// explore-INPUT-WORKLOAD
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What the pick should be good at
    #[arg(long, value_enum, default_value_t)]
    pub prefer: Prefer,
    #[command(flatten)]
    pub goal: Wanted,
    /// Where another exploration is at work in the folder, wait until it ends; without it, that is an error
    #[arg(long)]
    pub wait: bool,
    /// Threads to replay on; by default as many as there are processors
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Rounds of timing the front and the peers at the end; 0 leaves out times and memory by pages
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u32).range(..=TimingEffort::MAX_ROUNDS as i64))]
    pub rounds: u32,
    /// Cut short designs that can no longer reach the front: the front and the pick are the same, the table has fewer
    /// designs, and there are no main effects, which are over all designs
    #[arg(long)]
    pub prune: bool,
    /// Evaluate the pick on this trace, which the exploration does not see; "each": explore without each of the traces in
    /// turn, and evaluate on that one. May be repeated
    #[arg(long, value_name = "TRACE|each")]
    pub holdout: Vec<PathBuf>,
    /// Evaluate the pick on so many perturbed copies of each trace: in turn with sizes jittered by 10%, request by request;
    /// with 20% of the blocks freed at another time; with ten segments in another order
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(HoldOut::MAX_PERTURBED)))]
    pub perturb: u32,
    /// Leave out the reference allocators, and memory by pages
    #[arg(long)]
    pub no_peers: bool,
    /// How to print the front
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Which designs are replayed on whole traces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum StrategyName {
    /// Exhaustive where that takes a minute or two, else halving
    #[default]
    Auto,
    /// Every design
    Exhaustive,
    /// Those that are near the front on slices of the traces: a 64th, a 16th, a quarter
    Halving,
}

impl StrategyName {
    /// The search; none where it is to fit the traces.
    pub fn search(self) -> Option<Strategy> {
        match self {
            StrategyName::Auto => None,
            StrategyName::Exhaustive => Some(Strategy::Exhaustive),
            StrategyName::Halving => Some(Strategy::Halving),
        }
    }
}

/// By what designs are compared, and what none may exceed.
#[derive(Debug, Clone, Args)]
pub struct Wanted {
    /// The front is over these: of fragmentation, internal, external, accesses, p99, max, min_region, ns, code_size.
    /// The last three are measured of the 64 designs nearest to the front over the others
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = Objective::from_str,
        default_value = "fragmentation,accesses,p99,max", help_heading = GOAL)]
    pub objectives: Vec<Objective>,
    /// No more fragmentation than this, in percent
    #[arg(long, value_name = "PERCENT", value_parser = amount, help_heading = GOAL)]
    pub max_fragmentation: Option<f64>,
    /// Every trace has to be served in a region of so many bytes (K, M or G may follow)
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_region: Option<u64>,
    /// No more accesses an operation on average
    #[arg(long, value_name = "N", value_parser = amount, help_heading = GOAL)]
    pub max_accesses: Option<f64>,
    /// No more accesses in 99% of the operations
    #[arg(long, value_name = "N", help_heading = GOAL)]
    pub max_p99: Option<u64>,
    /// No more accesses in any operation
    #[arg(long, value_name = "N", help_heading = GOAL)]
    pub max_op: Option<u64>,
    /// No more nanoseconds an operation, as measured here
    #[arg(long, value_name = "NS", value_parser = amount, help_heading = GOAL)]
    pub max_ns: Option<f64>,
    /// No more bytes of code, as compiled from the emitted C for Cortex-M3 (for the host where its compiler is missing)
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_code_size: Option<u64>,
}

const GOAL: &str = "What is wanted of a design";

impl Wanted {
    /// The goal.
    pub fn goal(&self) -> Goal {
        let whole = |max: Option<u64>| max.map(|max| max as f64);
        let max = [
            (Objective::Fragmentation, self.max_fragmentation.map(|percent| percent / 100.0)),
            (Objective::MinRegion, whole(self.max_region)),
            (Objective::Accesses, self.max_accesses),
            (Objective::P99, whole(self.max_p99)),
            (Objective::MaxOp, whole(self.max_op)),
            (Objective::Time, self.max_ns),
            (Objective::CodeSize, whole(self.max_code_size)),
        ];
        let constraint = |(objective, max): (Objective, Option<f64>)| Some(Constraint { objective, max: max? });
        let mut objectives = self.objectives.clone();
        objectives.dedup();
        Goal { objectives, constraints: max.into_iter().filter_map(constraint).collect() }
    }
}
