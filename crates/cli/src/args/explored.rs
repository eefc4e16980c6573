//! Arguments of `explore`: the space, the search, the goal.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use heapsmith_explore::{Baseline, Constraint, Goal, HoldOut, Objective, Preference, Question, Strategy};
use heapsmith_replay::TimingEffort;
use heapsmith_spec::{Check, NamedRegion, Target};

use super::examples::{self, both};
use super::numbers::{amount, bytes, jobs, region};
use super::{Reading, Showing};

/// The preference by which the exploration picks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Prefer {
    /// Least product of footprint and metadata accesses, over traces and changed copies (--robust off: the knee of the front)
    #[default]
    Balanced,
    /// Fewest metadata accesses per operation
    Speed,
    /// Lowest fragmentation
    Memory,
    /// Smallest proven worst case of an operation
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
#[command(after_help = examples::EXPLORE, after_long_help = both(examples::EXPLORE, examples::EXPLORE_MORE))]
pub struct Explore {
    /// Trace files, inputs of a known format, or workload:NAME
    ///
    /// workload:NAME is a workload that needs no file. Several traces are evaluated together. With --space knobs they are recordings of
    /// one program: those on an allocator (record --peer) are played on that one.
    #[arg(required_unless_present = "print_space")]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Designs: standard, programs, classic, wide, knobs, or a file [default: by the target]
    ///
    /// knobs are those of the reference allocators that are installed: the trace is played on each with real threads, and the answer
    /// is a line of environment. classic has 10,000 designs, standard the allocators of the catalogue, too, programs lists for every size and
    /// spans besides, and wide over 100,000, of every structure. Where none is named it is programs on the target host, standard on
    /// the others. A file has the form that --print-space prints.
    #[arg(long, value_name = "SPACE")]
    pub space: Option<PathBuf>,
    /// Print the definition of a built-in space and exit
    ///
    /// Start your own space from it.
    #[arg(long, hide_short_help = true, value_name = "standard|programs|classic|wide", value_parser = ["standard", "programs", "classic", "wide"], exclusive = true)]
    pub print_space: Option<String>,
    /// How to search the space
    #[arg(long, hide_short_help = true, value_enum, default_value_t)]
    pub search: StrategyName,
    /// Show which share of the true front the search found
    ///
    /// After the search every design is replayed.
    #[arg(long, hide_short_help = true)]
    pub compare_search: bool,
    /// Folder for the results [default: explore-INPUT]
    ///
    /// By default explore-INPUT-WORKLOAD. It also has the page. It is new, empty or of the same exploration.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// host, cortex-m, riscv32, avr or network-2006
    ///
    /// Where the heap will live. It fixes the alignment of every design, the largest region, and what is compared. By default host for recorded
    /// programs, network-2006 for what workloads make of captures, logs and distributions.
    #[arg(long, value_name = "NAME", value_parser = Target::named)]
    pub target: Option<&'static Target>,
    /// Align payloads to N bytes, whatever the target asks for
    ///
    /// For programs whose types need no more, or more. What is emitted says so and has an assertion to instantiate for a type. The pick is
    /// compared with first fit by address at this alignment.
    #[arg(long, hide_short_help = true, value_name = "N")]
    pub align: Option<u32>,
    /// What heaps check before they trust a pointer, a header or a link, whatever the target asks for
    ///
    /// By default header for firmware (cortex-m, riscv32, avr), off for others. A structure that has nothing to check stays without.
    #[arg(long, value_enum, hide_short_help = true, value_name = "LEVEL")]
    pub check: Option<CheckLevel>,
    /// Also place the pick and the front in the memories of a board: sram=16K,psram=128K@8
    ///
    /// Names, bytes and cycles of an access, in the order in which a board would fill them. Every order of up to 3 regions and every
    /// threshold of a row is replayed; the answer says what the best saves in weighted cost, a model, against the regions as they
    /// are named.
    #[arg(long, value_name = "REGIONS", value_delimiter = ',', value_parser = region)]
    pub regions: Vec<NamedRegion>,
    /// What the pick should be good at
    #[arg(long, value_enum, default_value_t)]
    pub prefer: Prefer,
    #[command(flatten)]
    pub goal: Wanted,
    /// Where another exploration is at work in the folder, wait until it ends
    ///
    /// Without it, that is an error.
    #[arg(long, hide_short_help = true)]
    pub wait: bool,
    /// Threads to replay on [default: number of processors]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Rounds of timing at the end; 0 skips it
    ///
    /// And touched pages. The front and the reference allocators are timed, in 5 rounds by default. Boards have 0 by default, as times
    /// of this machine say little of theirs; with an emulator instructions are counted then, and not if 0 is asked for.
    #[arg(long, value_name = "N",
        value_parser = clap::value_parser!(u32).range(..=TimingEffort::MAX_ROUNDS as i64))]
    pub rounds: Option<u32>,
    /// Stop replaying a design once it can no longer reach the front
    ///
    /// The front stays the same; the pick is one of what is left, the table has fewer designs, and there are no main effects.
    #[arg(long, hide_short_help = true)]
    pub prune: bool,
    /// Evaluate the pick on this trace too; repeatable
    ///
    /// "each" holds out each of the traces in turn.
    #[arg(long, value_name = "TRACE")]
    pub holdout: Vec<PathBuf>,
    /// Evaluate the pick on N perturbed copies of each trace
    ///
    /// The copies alternate between sizes jittered by 10%, 20% of the lifetimes changed, and ten segments shuffled.
    #[arg(long, hide_short_help = true, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=i64::from(HoldOut::MAX_PERTURBED)))]
    pub perturb: u32,
    /// With --space knobs: whose knobs; repeatable [default: all that are installed]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub peer: Vec<String>,
    /// With --space knobs: play at the times of the trace, faster where that takes longer; 0 is as fast as it goes
    #[arg(long, value_name = "SECONDS", default_value_t = super::PACE, hide_short_help = true, value_parser = amount)]
    pub pace: f64,
    /// Do not measure reference allocators and touched pages
    #[arg(long, hide_short_help = true)]
    pub no_peers: bool,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    #[command(flatten)]
    pub showing: Showing,
}

/// Arguments of `pick`.
#[derive(Debug, Clone, Args)]
#[command(after_help = examples::PICK, after_long_help = both(examples::PICK, examples::PICK_MORE))]
pub struct Pick {
    /// The folder of a finished exploration
    pub dir: PathBuf,
    /// What the pick should be good at [default: balanced]
    #[arg(long, value_enum)]
    pub prefer: Option<Prefer>,
    #[command(flatten)]
    pub goal: Wanted,
    /// Threads to replay on [default: number of processors]
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    #[command(flatten)]
    pub showing: Showing,
}

/// How the space is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum StrategyName {
    /// Exhaustive if that takes ten seconds or twenty, otherwise halving
    #[default]
    Auto,
    /// Replay every design
    Exhaustive,
    /// Replay on slices of the traces first (1/64, 1/16, 1/4; shorter ones of long traces), and only the best designs on
    /// whole traces
    Halving,
}

impl StrategyName {
    /// The search; none if the traces decide it.
    pub fn search(self) -> Option<Strategy> {
        match self {
            StrategyName::Auto => None,
            StrategyName::Exhaustive => Some(Strategy::Exhaustive),
            StrategyName::Halving => Some(Strategy::Halving),
        }
    }
}

/// What heaps check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckLevel {
    /// Nothing
    Off,
    /// What an operation uses, in constant time
    Header,
}

impl From<CheckLevel> for Check {
    fn from(level: CheckLevel) -> Check {
        match level {
            CheckLevel::Off => Check::Off,
            CheckLevel::Header => Check::Header,
        }
    }
}

/// Something that is on or off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    /// It is done
    On,
    /// It is left out
    Off,
}

/// The objectives of the front, and constraints on designs.
#[derive(Debug, Clone, Args)]
pub struct Wanted {
    /// Objectives of the front [default: fragmentation,accesses,p99,max]
    ///
    /// Of fragmentation, internal, external, accesses, p99, max, footprint_mean, retained, footprint_over_time,
    /// retained_over_time, cost, min_region, ns, code_size, instructions, instructions_max.
    /// The last six are measured for the 64 designs nearest to the front over the others.
    #[arg(long, hide_short_help = true, value_name = "LIST", value_delimiter = ',', value_parser = Objective::from_str, help_heading = GOAL)]
    pub objectives: Vec<Objective>,
    /// What you have today: a spec, a name, or peer:NAME
    ///
    /// The pick is compared with it. By default peer:libc for the target host, lea-2.7.2 for network-2006, first fit by
    /// address for the others.
    #[arg(long, value_name = "HEAP", value_parser = Baseline::from_str, help_heading = GOAL)]
    pub baseline: Option<Baseline>,
    /// Whether the pick is also evaluated on changed copies of the traces [default: on]
    ///
    /// Other sizes, lifetimes, orders.
    #[arg(long, hide_short_help = true, value_enum, value_name = "on|off", help_heading = GOAL)]
    pub robust: Option<Switch>,
    /// Largest fragmentation, in percent
    #[arg(long, value_name = "PERCENT", value_parser = amount, hide_short_help = true, help_heading = GOAL)]
    pub max_fragmentation: Option<f64>,
    /// Largest region, in bytes (K, M, G)
    ///
    /// That every trace may need.
    #[arg(long, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_region: Option<u64>,
    /// Largest mean of metadata accesses per operation
    #[arg(long, value_name = "N", value_parser = amount, help_heading = GOAL)]
    pub max_accesses: Option<f64>,
    /// Largest 99th percentile of metadata accesses per operation
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = GOAL)]
    pub max_p99: Option<u64>,
    /// Largest number of metadata accesses of one operation
    #[arg(long, value_name = "N", help_heading = GOAL)]
    pub max_op: Option<u64>,
    /// Largest mean of the footprint over all operations, in bytes (K, M, G)
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_footprint_mean: Option<u64>,
    /// Largest mean of the bytes that the footprint has beyond those requested and live (K, M, G)
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_retained: Option<u64>,
    /// Largest mean of the footprint over time, in bytes (K, M, G)
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_footprint_over_time: Option<u64>,
    /// Largest mean over time of the bytes that the footprint has beyond those requested and live (K, M, G)
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_retained_over_time: Option<u64>,
    /// Largest counted cost per operation, in cycles of a model with caches
    #[arg(long, hide_short_help = true, value_name = "CYCLES", value_parser = amount, help_heading = GOAL)]
    pub max_cost: Option<f64>,
    /// Largest time per operation in nanoseconds, measured on this machine
    #[arg(long, hide_short_help = true, value_name = "NS", value_parser = amount, help_heading = GOAL)]
    pub max_ns: Option<f64>,
    /// Largest code size in bytes of the emitted C, compiled for Cortex-M3 (for the host if that compiler is missing)
    #[arg(long, hide_short_help = true, value_name = "BYTES", value_parser = bytes, help_heading = GOAL)]
    pub max_code_size: Option<u64>,
    /// Largest mean of instructions per operation on an emulated Cortex-M3, on the first 10,000 events
    #[arg(long, hide_short_help = true, value_name = "N", value_parser = amount, help_heading = GOAL)]
    pub max_instructions: Option<f64>,
    /// Largest number of instructions of one operation there
    #[arg(long, hide_short_help = true, value_name = "N", help_heading = GOAL)]
    pub max_op_instructions: Option<u64>,
}

const GOAL: &str = "Goal";

impl Wanted {
    /// The question with this preference.
    pub fn question(&self, preference: Preference) -> Question {
        Question {
            preference,
            goal: self.goal(),
            baseline: self.baseline.clone(),
            robust: self.robust != Some(Switch::Off),
        }
    }

    /// Whether none of it was given.
    pub fn is_empty(&self) -> bool {
        self.goal() == Goal::default() && self.objectives.is_empty() && self.baseline.is_none() && self.robust.is_none()
    }

    fn goal(&self) -> Goal {
        let whole = |max: Option<u64>| max.map(|max| max as f64);
        let max = [
            (Objective::Fragmentation, self.max_fragmentation.map(|percent| percent / 100.0)),
            (Objective::MinRegion, whole(self.max_region)),
            (Objective::Accesses, self.max_accesses),
            (Objective::P99, whole(self.max_p99)),
            (Objective::MaxOp, whole(self.max_op)),
            (Objective::FootprintMean, whole(self.max_footprint_mean)),
            (Objective::Retained, whole(self.max_retained)),
            (Objective::FootprintOverTime, whole(self.max_footprint_over_time)),
            (Objective::RetainedOverTime, whole(self.max_retained_over_time)),
            (Objective::Cost, self.max_cost),
            (Objective::Time, self.max_ns),
            (Objective::CodeSize, whole(self.max_code_size)),
            (Objective::Instructions, self.max_instructions),
            (Objective::MaxInstructions, whole(self.max_op_instructions)),
        ];
        let constraint = |(objective, max): (Objective, Option<f64>)| Some(Constraint { objective, max: max? });
        let mut objectives = self.objectives.clone();
        objectives.dedup();
        if objectives.is_empty() {
            objectives = Goal::default().objectives;
        }
        Goal { objectives, constraints: max.into_iter().filter_map(constraint).collect() }
    }
}
