//! The arguments as they are typed.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use heapsmith_replay::MAX_PASSES;
use heapsmith_trace::{Bytes, Cuts, Jitter, Perturbation, Slice, Stretch, Transforms};

mod explored;
mod limits;
mod numbers;

pub use explored::{Explore, Prefer};
pub use limits::{Aim, Attack, Bound, Programs};

use numbers::{above_zero, bytes, jobs};

/// Which memory allocator suits a program, and why.
#[derive(Debug, Parser)]
#[command(
    name = "heapsmith",
    version,
    about = "Finds the memory allocator that suits a program",
    long_about = "Finds the memory allocator that suits a program.\n\n\
        Real input becomes a trace of allocations; the trace is replayed through thousands of \
        allocator designs, each real code over real memory; the designs that no other beats are \
        shown, one is picked, and the pick is explained.",
    after_help = "First steps:\n  \
        heapsmith explore samples/ftp.pcap.xz --as drr     10,000 designs, a table, a page\n  \
        heapsmith heaps                                    the allocators that have a name\n  \
        heapsmith replay TRACE --heap SPEC --min-region    one design, and the RAM that it needs\n\n\
        Exit codes: 0 done; 1 the job failed; 2 wrong use; 3 bad input file; 4 the environment \
        (disk full, a folder that cannot be written, too little memory); 130 interrupted, results kept; 141 \
        standard output was closed before all was printed.",
    max_term_width = 110
)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Memory that reading inputs may take (K, M or G may follow); by default three quarters of what the system has
    /// left. What needs more ends with exit code 4
    #[arg(long, global = true, value_name = "SIZE", value_parser = above_zero)]
    pub memory: Option<u64>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the allocators that have a name, with their specs and sources
    Heaps(Listing),
    /// List what makes a trace of a file: importers, and applications in miniature, with their parameters
    Workloads(Listing),
    /// Run a program and record what it allocates: a trace file for every process
    Record(Record),
    /// Run a program, unmodified, on a heap
    Run(Run),
    /// Turn an input into a trace file, or into a file for other tools
    Import(Import),
    /// Show what is in a trace: sizes, lifetimes, live bytes, the phase behaviour
    Inspect(Inspect),
    /// Replay traces through given heaps, and measure
    Replay(Replay),
    /// Replay traces through 10,000 designs, and find the ones that suit
    Explore(Explore),
    /// Write the page of a finished exploration again
    Report(Report),
    /// Write a heap as source: C for firmware, Rust, or a library to preload
    Emit(Emit),
    /// Do the papers' tables and figures again: data, figures, and a page with what holds
    Reproduce(Reproduce),
    /// The most memory that a heap can be made to need, by arithmetic: the formula, its numbers, its source
    Bound(Bound),
    /// Build the program that hurts a heap: constructions of the literature, then a search; a trace that replays
    Attack(Attack),
}

/// How tables are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Table,
    /// For programs: one array of objects.
    Json,
    /// For spreadsheets.
    Csv,
}

/// Arguments of the lists.
#[derive(Debug, Args)]
pub struct Listing {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What an input is to be taken for, and what is done to it before it is used.
#[derive(Debug, Clone, Args)]
pub struct Reading {
    /// The importer or workload that makes a trace of the input (see `heapsmith workloads`); trace files need none,
    /// importers are told by the input's content, and workload:NAME in place of a file says it itself
    #[arg(long = "as", value_name = "NAME")]
    pub input_format: Option<String>,
    /// A parameter of the importer or workload, such as depth=12 of workload:treeadd; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// Use only a stretch: events counted from 0 (..1000, 500..800), or times (1.5s..2s). Blocks that live at its
    /// beginning are allocated there
    #[arg(long, value_name = "FROM..TO", help_heading = TRANSFORMS)]
    pub slice: Option<Slice>,
    /// Use only the first so many events: the same as --slice ..EVENTS
    #[arg(long, value_name = "EVENTS", conflicts_with = "slice", help_heading = TRANSFORMS)]
    pub limit: Option<u64>,
    /// Use only the blocks that this thread allocates, whoever frees them; may be repeated
    #[arg(long, value_name = "N", help_heading = TRANSFORMS)]
    pub thread: Vec<u32>,
    /// Change sizes at random, by up to this share (10%): every distinct size to another; with each=10% every request by
    /// itself
    #[arg(long, value_name = "SHARE", help_heading = TRANSFORMS)]
    pub jitter: Option<Jitter>,
    /// Let this share of the blocks live longer or shorter, between half and twice as many events (20%)
    #[arg(long, value_name = "SHARE", help_heading = TRANSFORMS)]
    pub stretch: Option<Stretch>,
    /// Cut the trace into so many equal parts, or before each of its marks, and put these in a random order. Blocks that
    /// live across a cut stay where they are
    #[arg(long, value_name = "PARTS|marks", value_parser = cuts, help_heading = TRANSFORMS)]
    pub shuffle: Option<Cuts>,
    /// What --jitter, --stretch and --shuffle draw from: the same number gives the same trace
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = TRANSFORMS)]
    pub perturb_seed: u64,
    /// Let so many copies of the program share the heap, event by event in turns
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Transforms::MAX_COPIES)), help_heading = TRANSFORMS)]
    pub copies: Option<u32>,
    /// Free in bursts, as an occasional garbage collection does: whenever so many bytes were requested (K, M, G)
    #[arg(long, value_name = "BYTES", value_parser = above_zero, help_heading = TRANSFORMS)]
    pub gc_every: Option<u64>,
}

/// Heading of the options that change a trace.
const TRANSFORMS: &str = "What is done to the trace, in this order";

impl Reading {
    /// What is done to a trace before it is used.
    pub fn transforms(&self) -> Transforms {
        Transforms {
            slice: self.slice.or(self.limit.map(Slice::first)),
            threads: self.thread.clone(),
            perturbation: Perturbation { jitter: self.jitter, stretch: self.stretch, shuffle: self.shuffle },
            seed: self.perturb_seed,
            copies: self.copies.unwrap_or(1),
            gc_every: self.gc_every.map(Bytes),
            heap: None,
        }
    }
}

/// Parts in a number that a trace can be cut into, or marks.
fn cuts(text: &str) -> Result<Cuts, String> {
    match text.parse()? {
        Cuts::Parts(1_000_001..) => Err("write marks, or a number of parts up to 1000000".to_owned()),
        cuts => Ok(cuts),
    }
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// Arguments of `record`.
#[derive(Debug, Args)]
#[command(after_help = "The program keeps its standard input, output and error; what heapsmith says goes to standard \
    error. The exit code is the program's own, or 128 and the number of the signal that ended it.\n\nExamples:\n  \
    heapsmith record -- python3 script.py\n  \
    heapsmith record -o traces -- gcc -c big.c\n  \
    heapsmith record --sites -- ./server\n  \
    heapsmith record --java -- java -jar program.jar\n  \
    heapsmith record --java --java-collect 64K -- java -jar program.jar\n\n\
    Java: an object's death is known when a collection of the JVM finds it. Without --java-collect the trace \
    frees in bursts, where the JVM happened to collect, which for a short program may be never. With it the JVM \
    collects after every so many bytes, and the trace frees almost as objects die (continuous collection), at the \
    price of a collection each. Objects that live at the end stay live. Such a trace, with frees held back until \
    so many bytes were requested (--gc-every BYTES), is occasional collection of any size of heap.")]
pub struct Record {
    /// Record the objects of Java programs, with an agent in the JVM (JDK 11 or later): a trace for each JVM
    #[arg(long)]
    pub java: bool,
    /// Make the JVM collect after every so many bytes (K and M may follow), so that deaths are known soon
    #[arg(long, value_name = "BYTES", value_parser = above_zero, requires = "java")]
    pub java_collect: Option<u64>,
    /// Folder for the traces, one for each process, PROGRAM-PID.parquet; by default record-PROGRAM. No file in it is replaced
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Also record where each block was asked for: the functions on the stack, so many at most, the innermost first
    /// (1 to 16). inspect shows their names
    #[arg(long, value_name = "FRAMES", conflicts_with = "java", num_args = 0..=1, require_equals = true, default_missing_value = "6",
        value_parser = clap::value_parser!(u8).range(1..=16))]
    pub sites: Option<u8>,
    /// Keep each process's command line in its trace. It may hold passwords: without this, a trace has the program's
    /// name and the number of its arguments
    #[arg(long)]
    pub keep_command: bool,
    /// The program and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
    /// How to print the list of processes, on standard error
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(
    after_help = "The library with malloc's names stands before the program's allocator, and before those of the programs that it starts. \
    Requests of 256 KiB or more are mapped by themselves, and what the program frees of these goes to the heap the next time.\n\n\
    How threads share the heap is the spec's to say: threads=one (a lock), threads=each (a heap for each thread), threads=lists (the \
    lists of freelists for each thread, before one pool). Large programs need word=8: with word=4 a heap has 4 GiB at most, and \
    what it cannot serve is mapped.\n\nExamples:\n  \
    heapsmith run --heap tlsf -- ls -l\n  \
    heapsmith run --heap 'freelists(16..=1024 step 16) bins(log) word=8 threads=lists' --stats sort.json -- sort -R /usr/share/dict/words\n  \
    heapsmith run --heap explore-ftp-drr -- ./server\n  \
    heapsmith run --heap 'guard tlsf word=8' --sites -- ./program-that-crashes"
)]
pub struct Run {
    /// A spec, a name of the catalogue, or the folder that `explore` wrote: its pick
    #[arg(long, value_name = "SPEC")]
    pub heap: OsString,
    /// What the pick of an exploration should be good at
    #[arg(long, value_enum, default_value_t)]
    pub prefer: Prefer,
    /// Write statistics there when the program ends, as JSON: bytes requested, footprint, fragmentation, faults, each
    /// heap. Programs that it starts write to FILE.PROCESS; - is standard error; a device or a FIFO is written to as a stream,
    /// a link to anything else is refused
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,
    /// Write them also whenever the program gets this signal, as in: kill -USR2 PROCESS
    #[arg(long, value_name = "SIGNAL", value_parser = signal, requires = "stats")]
    pub signal: Option<i32>,
    /// Tell heap errors with where the block was allocated and freed: so many functions on the stack (1 to 16), the
    /// innermost first. A heap detects heap error with the layer guard
    #[arg(long, value_name = "FRAMES", num_args = 0..=1, require_equals = true, default_missing_value = "6",
        value_parser = clap::value_parser!(u8).range(1..=16))]
    pub sites: Option<u8>,
    /// Verify every invariant of every heap when the program ends
    #[arg(long)]
    pub check: bool,
    /// Map requests of so many bytes (K and M may follow) or more by themselves, always
    #[arg(long, value_name = "BYTES", value_parser = above_zero)]
    pub map_from: Option<u64>,
    /// The program and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// A signal that a program can be sent without ending it, by its name or its number.
fn signal(text: &str) -> Result<i32, String> {
    let known = [("HUP", 1), ("USR1", 10), ("USR2", 12), ("WINCH", 28)];
    let name = text.strip_prefix("SIG").unwrap_or(text);
    let found = known.iter().find(|(known, number)| *known == name || number.to_string() == name);
    found.map(|(_, number)| *number).ok_or_else(|| "write HUP, USR1, USR2 or WINCH".to_owned())
}

/// Arguments of `import`.
#[derive(Debug, Args)]
pub struct Import {
    /// What another tool recorded (heaptrack, mtrace, ltrace, malloc lab, …), a packet capture, a log, a size
    /// distribution; .xz, .gz and .zst are read as they are
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// The file to write: a trace (Parquet), or by its ending a malloc-lab trace (.rep) or CSV (.csv). A file is replaced when
    /// the new one is whole; - (standard output), devices and FIFOs are written to as streams, but for .rep; links are refused
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// A trace file, anything importable, or workload:NAME for a workload that needs no file
    pub trace: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Write a page with figures, which needs no network. Devices and FIFOs are written to as streams, - and links are
    /// refused
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also show the lower bound: peak live bytes, and what one who knows when each block is freed was found to
    /// need without moving any. Holds the whole trace, and takes seconds for large ones. As JSON or CSV it comes in
    /// place of the sizes
    #[arg(long)]
    pub lower_bound: bool,
    /// With --lower-bound: how hard to look for a lower placement, in millions of comparisons
    #[arg(long, value_name = "MILLIONS", default_value_t = 400, requires = "lower_bound",
        value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    pub effort: u64,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    heapsmith replay samples/ftp.pcap.xz --as drr --heap windows-xp --heap 'list(fit=best)'\n  \
    heapsmith replay workload:treeadd --set depth=12 --heap phk --heap tlsf\n  \
    heapsmith replay trace.parquet --heap 'freelists(66,1514) list word=4' --min-region --verify\n  \
    heapsmith replay trace.parquet --heap tlsf --heap peer:libc --heap peer:mimalloc --time --latency\n  \
    heapsmith replay trace.parquet --heap tlsf --over-time=20 --region 1M\n  \
    heapsmith replay trace.parquet --heap tlsf --heap windows-xp --loop 100\n\n\
    peer:NAME is a reference allocator, called directly (`heapsmith heaps` lists them; peer:all is each of them). \
    It has no accesses and no footprint in bytes; memory is then measured for all heaps alike: by the pages that a \
    child process touches while it replays with payloads written.")]
pub struct Replay {
    /// Trace files, anything importable, or workload:NAME for a workload that needs no file
    #[arg(required = true)]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// A heap: a spec, a name of the catalogue, or peer:NAME for a reference allocator; may be repeated
    #[arg(long, required = true, value_name = "SPEC")]
    pub heap: Vec<String>,
    /// Fill every block with a pattern and verify it when it is freed; fail if a request is refused
    #[arg(long)]
    pub verify: bool,
    /// Verify every invariant of the heap after every so many operations
    #[arg(long, value_name = "OPERATIONS", value_parser = clap::value_parser!(u64).range(1..))]
    pub check: Option<u64>,
    /// Measure time, beside the null allocator
    #[arg(long)]
    pub time: bool,
    /// Measure how long single operations take, from the median to the worst, by the processor's counter
    #[arg(long)]
    pub latency: bool,
    /// Rounds of --time and --latency, in which all heaps take turns
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub rounds: u16,
    /// Measure memory by the pages that a child process touches; done anyway where a peer is among the heaps
    #[arg(long)]
    pub pages: bool,
    /// Peers that may search all free blocks for one request replay no more than the first so many events
    #[arg(long, value_name = "EVENTS", default_value_t = 20_000)]
    pub linear_events: usize,
    /// Find the smallest region in which the trace completes
    #[arg(long)]
    pub min_region: bool,
    /// Replay in a region of so many bytes (K and M may follow)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub region: Option<u64>,
    /// In place of the table, show each heap at so many moments of the trace (200 where no number is given): footprint, free
    /// bytes, and the largest request that would succeed in the region, which is as large as the largest footprint
    /// unless --region says otherwise
    #[arg(long, value_name = "MOMENTS", num_args = 0..=1, require_equals = true, default_missing_value = "200",
        value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = NOT_OVER_TIME)]
    pub over_time: Option<u32>,
    /// In place of the table, replay the trace so many times over in one heap, and show whether its footprint settles or
    /// drifts
    #[arg(long = "loop", value_name = "PASSES", value_parser = clap::value_parser!(u32).range(2..=MAX_PASSES as i64),
        conflicts_with_all = NOT_OVER_TIME)]
    pub passes: Option<u32>,
    /// With --loop: what becomes of blocks that the trace never frees
    #[arg(long, value_enum, default_value_t, requires = "passes")]
    pub leaked: Leaked,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What is measured only by a replay that looks at nothing else.
const NOT_OVER_TIME: &[&str] = &["verify", "check", "time", "latency", "pages", "min_region"];

/// What becomes of blocks that the trace never frees, when it is replayed over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Leaked {
    /// Those of the first pass stay to the end, as what a program builds up once; those of the others are freed when
    /// the pass ends
    #[default]
    Keep,
    /// Those of every pass are freed when it ends
    Free,
}

/// Arguments of `report`.
#[derive(Debug, Args)]
pub struct Report {
    /// The folder that `explore` wrote
    pub dir: PathBuf,
    /// The page to write; by default report.html in the folder. - (standard output), devices and FIFOs are written to as
    /// streams, links are refused
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What the pick should be good at
    #[arg(long, value_enum, default_value_t)]
    pub prefer: Prefer,
}

/// What a heap can be emitted as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// NAME.h and NAME.c: C11, freestanding
    C,
    /// NAME.rs: a type of the crate heapsmith, with its levels as constants
    Rust,
    /// The C, and libNAME.so with malloc's names, for LD_PRELOAD
    So,
}

/// Arguments of `emit`.
#[derive(Debug, Args)]
#[command(
    after_help = "The emitted heap gives the same addresses as the explored one, for every request.\n\nExamples:\n  \
    heapsmith emit explore-ftp-drr --lang c --name drr_heap -o firmware\n  \
    heapsmith emit 'list(order=implicit) word=4' --lang c --size -o firmware\n  \
    heapsmith emit best-fit --trace samples/ftp.pcap.xz --as drr --lang rust -o src\n  \
    heapsmith emit 'bins(lea) word=8 align=16' --lang so -o out && LD_PRELOAD=out/libmy_heap.so ls"
)]
pub struct Emit {
    /// A spec, a name of the catalogue, or the folder that `explore` wrote: its pick is emitted
    pub heap: OsString,
    /// What to write
    #[arg(long, value_enum)]
    pub lang: Language,
    /// What the heap is called: its files, and the prefix of its functions
    #[arg(long, value_name = "NAME", default_value = "my_heap")]
    pub name: String,
    /// Folder for the files; only files that were emitted too are replaced, devices and links are refused
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// What the pick of an exploration should be good at
    #[arg(long, value_enum, default_value_t)]
    pub prefer: Prefer,
    /// Replay these traces for the figures in the files' comments; may be repeated
    #[arg(long, value_name = "TRACE")]
    pub trace: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Compile the C for the host, Cortex-M3 and Cortex-M0+ (-Os), and print text, data and bss
    #[arg(long)]
    pub size: bool,
    /// How to print the sizes
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(
    after_help = "Writes DIR/papers.md and DIR/papers.html, and DIR/papers/NAME.csv and NAME*.svg for each experiment. \
    The pages show all that the folder holds, so one experiment can be run again by itself. When it is interrupted, \
    what was finished is kept.\n\nExamples:\n  \
    heapsmith reproduce                          all of it, into docs\n  \
    heapsmith reproduce --list                   the names, and what each is\n  \
    heapsmith reproduce 001 002-figure-8 -o out  one paper, and one figure of another"
)]
pub struct Reproduce {
    /// Experiments (000-table-3), or papers (000); without any, all
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// List the experiments, and do none
    #[arg(long)]
    pub list: bool,
    /// Folder for the pages; data and figures go into its folder papers, which is new, empty or of an earlier run
    #[arg(short, long, value_name = "DIR", default_value = "docs")]
    pub out: PathBuf,
    /// The folder of the samples, which lie in the project's repository
    #[arg(long, value_name = "DIR", default_value = "samples")]
    pub samples: PathBuf,
    /// Where random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads for sweeps; by default as many as there are processors. Nothing that is timed uses more than one
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// How to print the list or the outcome
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
