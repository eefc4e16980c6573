//! The arguments of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use heapsmith_emit::{Extra, System};
use heapsmith_replay::MAX_PASSES;

mod check;
mod examples;
mod explored;
mod limits;
mod numbers;
mod plan;
mod programs;
mod race;
mod reading;

pub use check::{Check, Compare, ReportFormat};
pub use explored::{Explore, Pick, Prefer};
pub use limits::{Aim, Attack, Bound, Measure, Programs};
pub use plan::Plan;
pub use programs::{Record, Run, Serving};
pub use race::Race;
pub use reading::Reading;

use examples::{EXIT_CODES, FIRST_STEPS, both};
use numbers::{above_zero, alignment, bytes, jobs, within};

/// Which memory allocator suits a program, and why.
#[derive(Debug, Parser)]
#[command(
    name = "heapsmith",
    version,
    about = "Finds the memory allocator that suits a program",
    long_about = "Finds the memory allocator that suits a program.\n\n\
        heapsmith turns real input into a trace of allocations and replays the trace through \
        thousands of allocator designs. Each design is real code over real memory. heapsmith shows \
        the Pareto front, recommends one design, and explains the choice.",
    after_help = FIRST_STEPS,
    after_long_help = both(FIRST_STEPS, EXIT_CODES),
    max_term_width = 110
)]
pub struct Arguments {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// Memory that reading inputs may take (K, M, G)
    ///
    /// By default three quarters of what the system has left. What needs more ends with exit code 4.
    #[arg(long, global = true, value_name = "SIZE", value_parser = above_zero, hide_short_help = true)]
    pub memory: Option<u64>,
    /// Print results and errors only: no progress, no remarks
    #[arg(short, long, global = true, hide_short_help = true)]
    pub quiet: bool,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the named allocators, with their specs and sources
    #[command(after_help = examples::HEAPS)]
    Heaps(Listing),
    /// List the input formats and workloads, with their parameters
    #[command(after_help = examples::WORKLOADS)]
    Workloads(Listing),
    /// Run a program and record its allocations: one trace file per process
    Record(Record),
    /// Run an unmodified program on a heap
    Run(Run),
    /// Race allocators under a program: time, memory, output, in turns
    Race(Box<Race>),
    /// Convert an input to a trace file, or to a format of another tool
    Import(Import),
    /// Show what is in traces: sizes, lifetimes, live bytes, phases
    Inspect(Inspect),
    /// Replay traces through the heaps that you name, and measure them
    Replay(Replay),
    /// Replay traces through 10,000 designs and find the best trade-offs
    Explore(Box<Explore>),
    /// Ask a finished exploration another question, without replaying
    Pick(Pick),
    /// Write the report page of a finished exploration again
    Report(Report),
    /// Check assertions about heaps on traces, for continuous integration
    Check(Check),
    /// Compare two explorations: what changed, is the old pick still right
    Compare(Compare),
    /// Generate a heap: C for firmware, Rust, or a library to preload
    Emit(Emit),
    /// Plan static memory: an offset for every block whose lifetime is known
    Plan(Plan),
    /// Reproduce the papers' tables and figures, and check their claims
    Reproduce(Reproduce),
    /// Compute the worst-case memory of a heap, with its formula
    Bound(Bound),
    /// Search for a program that makes a heap perform badly
    Attack(Attack),
    /// Print completions for a shell
    #[command(after_help = examples::COMPLETIONS)]
    Completions(Completions),
    /// Write the manual pages: heapsmith(1), and one for each verb
    #[command(after_help = examples::MAN)]
    Man(Man),
}

/// The output format of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// A table for people.
    #[default]
    Table,
    /// One array of objects.
    Json,
    /// Comma-separated values with a header.
    Csv,
    /// A table for documents, as wide as it is.
    Markdown,
}

/// How the answer of an exploration is shown.
#[derive(Debug, Clone, Copy, Args)]
pub struct Showing {
    /// Show the tables too: front, main effects, bounds
    #[arg(long)]
    pub table: bool,
    /// Output format
    ///
    /// json, csv and markdown have every row of the front, and nothing else.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of the lists.
#[derive(Debug, Args)]
pub struct Listing {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Folder for the pages, as ~/.local/share/man/man1
    pub dir: PathBuf,
}

/// Arguments of `import`.
#[derive(Debug, Args)]
#[command(after_help = examples::IMPORT)]
pub struct Import {
    /// A recording of another tool, a packet capture, a log, or a size distribution
    ///
    /// `heapsmith workloads` lists the formats: heaptrack, mtrace, ltrace, malloc lab and others. .xz, .gz and .zst are
    /// decompressed.
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Read a serial port or a pipe as it comes, until it ends or Ctrl-C
    ///
    /// What came until then is written, however it ends. For the recordings of other tools and of boards (`record --board`),
    /// recognised by what comes first; other input is read whole before anything is made of it.
    #[arg(long)]
    pub follow: bool,
    /// Bits a second of a serial port [default: as it is set]
    #[arg(long, value_name = "BAUD", requires = "follow", value_parser = above_zero)]
    pub baud: Option<u64>,
    /// File to write: .rep (malloc lab), .csv, else Parquet
    ///
    /// A file is replaced when the new one is whole; - (standard output), devices and FIFOs are written to as streams, but
    /// for .rep; links are refused.
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Arguments of `inspect`.
#[derive(Debug, Args)]
#[command(after_help = examples::INSPECT, group(ArgGroup::new("blocks").multiple(true).args(["lower_bound", "classes"])))]
pub struct Inspect {
    /// Trace files, inputs of a known format, or workload:NAME
    ///
    /// workload:NAME is a workload that needs no file. Each trace is shown by itself.
    #[arg(required = true)]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Write a page with figures; needs a single trace
    ///
    /// The page is self-contained. Devices and FIFOs are written to as streams, - and links are refused.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Write the call sites as a profile for pprof; needs a single trace
    ///
    /// For each site with all its frames: requests, bytes asked for, bytes live at the peak (inuse_space) and bytes never
    /// freed (leaked_space). `go tool pprof -http : FILE` draws it as a graph and as flames.
    #[arg(long, value_name = "FILE")]
    pub pprof: Option<PathBuf>,
    /// Also show every call site, with all its frames
    ///
    /// Those with most bytes never freed first: what leaks, and what the program keeps to its end. People get the first 12 of
    /// them, and programs all: with another --format than table they replace the sizes. `record --sites=N` records N frames.
    #[arg(long)]
    pub sites: bool,
    /// Also show the lower bound
    ///
    /// Peak live bytes, and the best offline placement found. Keeps the whole trace in memory, and takes seconds for large traces. With another --format than table it replaces the
    /// sizes.
    #[arg(long)]
    pub lower_bound: bool,
    /// Effort of the search for an offline placement, in millions of comparisons
    #[arg(long, value_name = "MILLIONS", default_value_t = 400, requires = "lower_bound", hide_short_help = true,
        value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    pub effort: u64,
    /// Also show N pools of fixed blocks: optimal size classes, and the blocks that each needs
    ///
    /// The N block sizes in which live requests waste the fewest bytes, averaged over the operations; the largest serves the largest
    /// request. A pool has as many blocks as were live at once in it, and borrows none from another. Keeps the whole trace in memory.
    /// With another --format than table it replaces the sizes.
    #[arg(long, value_name = "N", value_parser = within::<1, 1024>)]
    pub classes: Option<usize>,
    /// Make the blocks of --classes and of --lower-bound multiples of N bytes, a power of two
    ///
    /// By default 8 with --classes, and 1 with --lower-bound.
    #[arg(long, value_name = "N", requires = "blocks", hide_short_help = true, value_parser = alignment)]
    pub align: Option<u32>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = examples::REPLAY, after_long_help = both(examples::REPLAY, examples::REPLAY_MORE))]
pub struct Replay {
    /// Trace files, inputs of a known format, or workload:NAME
    #[arg(required = true)]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// A spec, name, folder of `explore` or peer:NAME
    ///
    /// Repeatable. A name of the catalogue; of a folder, its pick. peer:NAME is a reference allocator. With knobs, as in 'peer:jemalloc(narenas=2)', the one that is
    /// installed plays the trace with real threads in a process of its own.
    #[arg(long, required = true, value_name = "SPEC")]
    pub heap: Vec<String>,
    /// With knobs: play at the times of the trace, faster where that takes longer; 0 is as fast as it goes
    ///
    /// 5 by default; with --threaded 0, unless a heap waits for time (`purge=after(100ms)`). A delay of a heap is in seconds of the play, not of the trace.
    #[arg(long, value_name = "SECONDS", hide_short_help = true, value_parser = numbers::amount)]
    pub pace: Option<f64>,
    /// Fill and verify blocks; fail where one is refused
    #[arg(long)]
    pub verify: bool,
    /// Verify every invariant of the heap after every OPERATIONS operations
    #[arg(long, value_name = "OPERATIONS", value_parser = clap::value_parser!(u64).range(1..), hide_short_help = true)]
    pub check: Option<u64>,
    /// Measure time per operation
    ///
    /// And that of the null allocator.
    #[arg(long)]
    pub time: bool,
    /// With --time or --latency: time heaps as they ship, emitted as C and compiled
    ///
    /// At -O2, by $CC, cc, gcc or clang, at the same addresses. Without a compiler, and what cannot be emitted, as it is built in.
    #[arg(long, hide_short_help = true, conflicts_with_all = ["over_time", "passes", "map", "perfetto"])]
    pub compiled: bool,
    /// Count what operations cost in model cycles
    ///
    /// Accesses, visits, and lines of a model cache, of the heap's own and of payloads.
    #[arg(long, hide_short_help = true)]
    pub cost: bool,
    /// Measure the latency of single operations
    ///
    /// From the median to the maximum.
    #[arg(long)]
    pub latency: bool,
    /// Rounds of --time and --latency
    ///
    /// All heaps take turns in each round.
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=10_000), hide_short_help = true)]
    pub rounds: u16,
    /// Measure the pages that a child process touches
    ///
    /// Always on when a reference allocator is measured.
    #[arg(long)]
    pub pages: bool,
    /// Replay only the first EVENTS events on reference allocators that search all free blocks
    #[arg(long, value_name = "EVENTS", default_value_t = 20_000, hide_short_help = true)]
    pub linear_events: usize,
    /// Find the smallest region that serves the trace
    ///
    /// With the most accesses of an operation there, where lists that are full are flushed at once.
    #[arg(long)]
    pub min_region: bool,
    /// Replay in a region of BYTES bytes (K, M)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub region: Option<u64>,
    /// Show heaps at moments of the trace [default: 200]
    ///
    /// In place of the table: footprint, free bytes, and the largest request that would succeed. The region is as large as
    /// the largest footprint unless --region is set.
    #[arg(long, value_name = "MOMENTS", num_args = 0..=1, require_equals = true, default_missing_value = "200",
        value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = NOT_OVER_TIME)]
    pub over_time: Option<u32>,
    /// With --over-time: also write a page with its figures
    #[arg(long, value_name = "FILE", requires = "over_time")]
    pub html: Option<PathBuf>,
    /// Replay PASSES times on one heap: does it drift?
    ///
    /// In place of the table: whether the footprint settles or drifts.
    #[arg(long = "loop", value_name = "PASSES", value_parser = clap::value_parser!(u32).range(2..=MAX_PASSES as i64),
        conflicts_with_all = NOT_OVER_TIME)]
    pub passes: Option<u32>,
    /// Write a page with a map of each heap instead of the table: time × address, every block, and the holes between them
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_OVER_TIME)]
    pub map: Option<PathBuf>,
    /// Write counters of each heap for Perfetto (ui.perfetto.dev)
    ///
    /// Instead of the table: footprint, live bytes and live blocks, and the operations of each thread where the trace has several; an event of
    /// the trace is a microsecond.
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_OVER_TIME)]
    pub perfetto: Option<PathBuf>,
    /// Replay as the threads of the trace share each heap (`threads=`), and in N further orders [default: 3]
    ///
    /// In place of the table: locks taken, cache lines moved, remote frees, what is stranded with threads that do not use it, and
    /// the footprint with all that threads cache. With --time it is played by real threads instead, on the library of `heapsmith run`
    /// and next to peer:NAME, in --rounds.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "3",
        value_parser = clap::value_parser!(u16).range(0..=1000), conflicts_with_all = NOT_THREADED)]
    pub threaded: Option<u16>,
    /// With --threaded: random seed of the further orders
    #[arg(long, value_name = "N", default_value_t = 1, requires = "threaded", hide_short_help = true)]
    pub order_seed: u64,
    /// With --threaded: processors, of which a process has four heaps each at most with threads=each
    #[arg(long, value_name = "N", default_value_t = 2, requires = "threaded", hide_short_help = true, value_parser = numbers::jobs)]
    pub processors: usize,
    /// With --loop: what happens to blocks that the trace never frees
    #[arg(long, value_enum, default_value_t, requires = "passes", hide_short_help = true)]
    pub leaked: Leaked,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Seconds that a play of a trace takes at most by its times.
pub const PACE: f64 = 5.0;

/// What is measured only by a replay that looks at nothing else.
const NOT_OVER_TIME: &[&str] = &["verify", "check", "time", "cost", "latency", "pages", "min_region"];

/// What is not of a threaded replay.
const NOT_THREADED: &[&str] = &[
    "verify",
    "check",
    "cost",
    "latency",
    "pages",
    "min_region",
    "region",
    "over_time",
    "passes",
    "map",
    "perfetto",
    "compiled",
];

/// The fate of blocks that the trace never frees, when it is replayed over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Leaked {
    /// Keep those of the first pass until the end, as state that a program builds once. Free those of later passes
    /// when the pass ends
    #[default]
    Keep,
    /// Free those of every pass when it ends
    Free,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
#[command(after_help = examples::REPORT)]
pub struct Report {
    /// The folder of the exploration
    pub dir: PathBuf,
    /// The page to write [default: report.html in the folder]
    ///
    /// - (standard output), devices and FIFOs are written to as streams, links are refused.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Pick by another preference, this once
    ///
    /// By default the preference is that of the folder's question, which `pick` changes.
    #[arg(long, value_enum)]
    pub prefer: Option<Prefer>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    #[command(flatten)]
    pub showing: Showing,
}

/// The form in which a heap is emitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// NAME.h and NAME.c: C11, freestanding
    C,
    /// NAME.rs: a type of the crate heapsmith with a constant policy
    Rust,
    /// The C, and libNAME.so for LD_PRELOAD
    So,
}

/// Reads the name of a part of the interface of an emitted heap.
fn extra() -> impl TypedValueParser<Value = Extra> {
    let names = Extra::ALL.map(|extra| PossibleValue::new(extra.name()).help(extra.about()));
    let named = |name: String| Extra::ALL.into_iter().find(|extra| extra.name() == name).ok_or("no part of this name");
    PossibleValuesParser::new(names).try_map(named)
}

/// Reads the name of a firmware system.
fn system() -> impl TypedValueParser<Value = System> {
    let names = System::ALL.map(|system| PossibleValue::new(system.name()).help(system.about()));
    let named = |name: String| System::ALL.into_iter().find(|system| system.name() == name).ok_or("no such system");
    PossibleValuesParser::new(names).try_map(named)
}

/// Arguments of `emit`.
#[derive(Debug, Args)]
#[command(after_help = examples::EMIT, after_long_help = both(examples::EMIT, examples::EMIT_MORE))]
pub struct Emit {
    /// A folder of `explore`, whose pick is emitted, a spec, or a name
    pub heap: OsString,
    /// Language of the emitted heap
    #[arg(long, value_enum, required_unless_present = "system")]
    pub lang: Option<Language>,
    /// Add what a firmware system wants: the names that it calls, its lock, its build files
    ///
    /// Next to the C: NAME_system.h, one heap that all of the program shares, with the lock of the system taken for every call;
    /// a wrapper, whose head says what it has and where the region is; manifests. Adds the parts that they use, as --with does.
    #[arg(long = "for", value_parser = system(), value_name = "SYSTEM")]
    pub system: Option<System>,
    /// Name of the files, and prefix of the functions
    #[arg(long, value_name = "NAME", default_value = "my_heap")]
    pub name: String,
    /// Add parts to the interface, separated by commas
    ///
    /// Without it they take no byte. Rust has the counters, as its type Counters; the library has none.
    #[arg(long, value_parser = extra(), value_name = "PARTS", value_delimiter = ',')]
    pub with: Vec<Extra>,
    /// Folder for the files
    ///
    /// Only files that were emitted too are replaced; devices and links are refused.
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Also write a folder that shows what the heap does: with the heap, harnesses, and run.sh, which runs them all
    ///
    /// Every state of small regions, after any number of operations; programs for a fuzzer, under sanitizers; a harness for
    /// CBMC; MISRA C; a bill of materials. Needs a C compiler to be run, and no heapsmith. Its README says what each part
    /// shows, and what it does not. Of heaps in C, the library's too.
    #[arg(long, value_name = "DIR", hide_short_help = true)]
    pub evidence: Option<PathBuf>,
    /// Pick by another preference, this once
    ///
    /// By default the preference is that of the folder's question, which `pick` changes.
    #[arg(long, value_enum)]
    pub prefer: Option<Prefer>,
    /// Emit the heap of the answer's guarantee, and its region
    ///
    /// The pick, or where nothing is proven of it, the nearest heap that refuses no program as the traces in a region of known
    /// bytes. Wrappers reserve this region.
    #[arg(long, hide_short_help = true)]
    pub guaranteed: bool,
    /// Replay this trace, and write its measures into the files
    ///
    /// They go into the comments. May be repeated.
    #[arg(long, value_name = "TRACE", hide_short_help = true)]
    pub trace: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Work out the figures that a firmware is signed with
    ///
    /// On the traces of the folder, or those of --trace. NAME_sheet.txt, and the same lines in the head of the source: what was
    /// recorded, RAM to reserve for it and for changed copies of it, what is proven and assumed, an attack, the worst operation in
    /// accesses and in instructions, code size, MISRA C. NAME_check.toml has them for `heapsmith check`. What is not known
    /// says why, and how to get it.
    #[arg(long)]
    pub sheet: bool,
    /// Compile the C and print its sizes
    ///
    /// Text, data and bss at -Os for the host, Cortex-M0+, M3, M4, M33 and RV32IMC, whichever has a compiler here; under
    /// `calls` the text of init, allocate and free alone, which is what a linker keeps of a program that calls no other.
    #[arg(long)]
    pub size: bool,
    /// Output format of the sizes
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(after_help = examples::REPRODUCE, after_long_help = both(examples::REPRODUCE, examples::REPRODUCE_MORE))]
pub struct Reproduce {
    /// Experiments (000-table-3) or papers (000); without a name all of them
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// List the experiments and exit
    #[arg(long)]
    pub list: bool,
    /// List the papers' claims with their verdicts and exit
    ///
    /// JSON and CSV also have the place, the measure, the experiment and the ablation.
    #[arg(long, conflicts_with = "list")]
    pub claims: bool,
    /// Folder for the pages
    ///
    /// Data and figures go into its subfolder papers, which is new, empty or of an earlier run.
    #[arg(short, long, value_name = "DIR", default_value = "docs")]
    pub out: PathBuf,
    /// Folder of the samples of the project's repository
    #[arg(long, value_name = "DIR", default_value = "samples")]
    pub samples: PathBuf,
    /// Folder of inputs that are too large for the samples
    ///
    /// Public captures, for 000-public-captures, which is left out without it: the recipes in crates/papers/captures name the
    /// files. Whole recordings, as cargo xtask papers leaves them (java/NAME.parquet), are taken in the place of samples.
    #[arg(long, value_name = "DIR")]
    pub inputs: Option<PathBuf>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads for sweeps [default: number of processors]
    ///
    /// Timed parts use one thread.
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Output format of the list or of the outcome
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
