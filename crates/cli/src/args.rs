//! The arguments of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use heapsmith_replay::MAX_PASSES;
use heapsmith_trace::{Bytes, Cuts, Jitter, Perturbation, Slice, Stretch, Transforms};

mod check;
mod explored;
mod limits;
mod numbers;

pub use check::{Check, Compare, ReportFormat};
pub use explored::{Explore, Pick, Prefer};
pub use limits::{Aim, Attack, Bound, Programs};

use numbers::{above_zero, bytes, jobs};

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
    after_help = "First steps:\n  \
        heapsmith explore samples/ftp.pcap.xz --as drr     10,000 designs, a table, a page\n  \
        heapsmith heaps                                    the catalogue of named allocators\n  \
        heapsmith replay TRACE --heap SPEC --min-region    measure one design and the RAM it needs\n\n\
        Exit codes: 0 done; 1 the job failed; 2 wrong use; 3 bad input file; 4 the environment \
        (disk full, a folder that cannot be written, too little memory); 130 interrupted, results kept; 141 \
        standard output was closed before all was printed.",
    max_term_width = 110
)]
pub struct Arguments {
    /// The command.
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
    /// List the named allocators, with their specs and sources
    Heaps(Listing),
    /// List the input formats and workloads, with their parameters
    Workloads(Listing),
    /// Run a program and record its allocations: one trace file per process
    Record(Record),
    /// Run an unmodified program on a heap
    Run(Run),
    /// Convert an input to a trace file, or to a format of another tool
    Import(Import),
    /// Show what is in a trace: sizes, lifetimes, live bytes, the phase behaviour
    Inspect(Inspect),
    /// Replay traces through the heaps that you name, and measure them
    Replay(Replay),
    /// Replay traces through 10,000 designs and find the best trade-offs
    Explore(Box<Explore>),
    /// Ask a finished exploration another question, without replaying; `emit`, `run` and `report` follow
    Pick(Pick),
    /// Write the report page of a finished exploration again
    Report(Report),
    /// Check assertions about heaps on traces: regions, accesses, bounds, drift; for continuous integration
    Check(Check),
    /// Compare two explorations: what changed, and whether the old pick is still right
    Compare(Compare),
    /// Generate a heap: C for firmware, Rust, or a library to preload
    Emit(Emit),
    /// Reproduce the papers' tables and figures, and check their claims
    Reproduce(Reproduce),
    /// Compute the worst-case memory of a heap: the formula, its terms, its source
    Bound(Bound),
    /// Search for a program that makes a heap perform badly, and write it as a trace
    Attack(Attack),
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
}

/// Arguments of the lists.
#[derive(Debug, Args)]
pub struct Listing {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// How an input is read and transformed.
#[derive(Debug, Clone, Args)]
pub struct Reading {
    /// The input format or workload (see `heapsmith workloads`). Not needed for trace files, for formats that are
    /// recognised by their content, and for workload:NAME in place of a file
    #[arg(long = "as", value_name = "NAME")]
    pub input_format: Option<String>,
    /// Set a parameter of the input format or workload, such as depth=12 of workload:treeadd; may be repeated
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// Use only a part of the trace: events counted from 0 (..1000, 500..800), or times (1.5s..2s). Blocks that are
    /// live at its beginning are allocated there
    #[arg(long, value_name = "FROM..TO", help_heading = TRANSFORMS)]
    pub slice: Option<Slice>,
    /// Use only the first EVENTS events: the same as --slice ..EVENTS
    #[arg(long, value_name = "EVENTS", conflicts_with = "slice", help_heading = TRANSFORMS)]
    pub limit: Option<u64>,
    /// Use only the blocks that this thread allocates, whichever thread frees them; may be repeated
    #[arg(long, value_name = "N", help_heading = TRANSFORMS)]
    pub thread: Vec<u32>,
    /// Randomly change sizes by up to this share (10%). By default equal sizes stay equal; each=10% varies every
    /// request separately
    #[arg(long, value_name = "SHARE", help_heading = TRANSFORMS)]
    pub jitter: Option<Jitter>,
    /// Change the lifetimes of this share of the blocks (20%) to between half and twice as many events
    #[arg(long, value_name = "SHARE", help_heading = TRANSFORMS)]
    pub stretch: Option<Stretch>,
    /// Cut the trace into PARTS equal parts, or at its marks, and shuffle the parts. Blocks that live across a cut stay
    /// where they are
    #[arg(long, value_name = "PARTS|marks", value_parser = cuts, help_heading = TRANSFORMS)]
    pub shuffle: Option<Cuts>,
    /// Random seed of --jitter, --stretch and --shuffle: the same seed gives the same trace
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = TRANSFORMS)]
    pub perturb_seed: u64,
    /// Interleave N copies of the trace on one heap
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Transforms::MAX_COPIES)), help_heading = TRANSFORMS)]
    pub copies: Option<u32>,
    /// Free in bursts, as a garbage collection after every BYTES requested bytes does (K, M, G)
    #[arg(long, value_name = "BYTES", value_parser = above_zero, help_heading = TRANSFORMS)]
    pub gc_every: Option<u64>,
}

/// Heading of the options that change a trace.
const TRANSFORMS: &str = "Transform the trace (in this order)";

impl Reading {
    /// The transforms of a trace, in the order of the options.
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
#[command(after_help = "The program keeps its standard input, output and error; heapsmith writes to standard \
    error. The exit code is the program's own, or 128 plus the number of the signal that ended it. It is 4 if the program \
    ended with 0 and could not be recorded (clean environment, own allocator, no room). A program that cannot be recorded \
    (statically linked, set-user-id, 32-bit) is not started.\n\n\
    Restricted system calls (seccomp): once a program sets a filter, it is recorded without any system call, for a million events or \
    so; in the strict mode its recording ends. A filter that it was started with has to permit openat, fallocate, mmap, \
    pwrite64 and close.\n\nExamples:\n  \
    heapsmith record -- python3 script.py\n  \
    heapsmith record -o traces -- gcc -c big.c\n  \
    heapsmith record --sites -- ./server\n  \
    heapsmith record --java -- java -jar program.jar\n  \
    heapsmith record --java --java-collect 64K -- java -jar program.jar\n\n\
    Java: the recorder learns of an object's death when the JVM collects it. Without --java-collect the trace \
    frees in bursts, wherever the JVM collected; for a short program that may be never. With --java-collect the \
    JVM collects after every BYTES bytes, and the trace frees objects soon after they die (continuous \
    collection), at the price of one collection each time. Objects that are live at the end stay live. Replay \
    such a trace with --gc-every BYTES for an occasional collection with a heap of any size.")]
pub struct Record {
    /// Record the objects of Java programs, with an agent in the JVM (JDK 11 or later): one trace per JVM
    #[arg(long)]
    pub java: bool,
    /// Make the JVM collect after every BYTES bytes (K, M), so that deaths are known soon
    #[arg(long, value_name = "BYTES", value_parser = above_zero, requires = "java")]
    pub java_collect: Option<u64>,
    /// Folder to create for the traces, one PROGRAM-PID.parquet per process [default: record-PROGRAM, record-PROGRAM-2, …]. If
    /// DIR exists, the default folder is created in it
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Also record the call site of each request: up to FRAMES functions of the stack (1 to 16), innermost first.
    /// `inspect` shows their names
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
    /// Output format of the list of processes, on standard error
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(
    after_help = "A preloaded library replaces malloc in the program and in the programs that it starts. Requests of 256 KiB or more \
    are mapped separately; the threshold grows when the program frees such a block. The pick of an exploration serves them \
    itself, as it did when it was measured.\n\n\
    The spec says how threads share the heap: threads=one (one heap with a lock), threads=each (one heap per thread), threads=lists \
    (free lists per thread before one pool). Large programs need word=8: with word=4 a heap has at most 4 GiB, and requests \
    that it cannot serve are mapped.\n\n\
    The exit code is the program's own, or 128 plus the number of the signal that ended it. It is 4 if the program ended with 0 \
    and did not run on the heap (clean environment, own allocator). A program that cannot run on it (statically linked, \
    set-user-id, 32-bit) is not started.\n\n\
    Restricted system calls (seccomp): if a program sets a filter that forbids it to map memory, each heap gets 16 MiB before, \
    and has no more after that. A filter that it was started with has to permit mmap, munmap, mremap, madvise and \
    futex.\n\nExamples:\n  \
    heapsmith run --heap tlsf -- ls -l\n  \
    heapsmith run --heap 'freelists(16..=1024 step 16) bins(lea) word=8 threads=lists' --stats sort.json -- sort -R /usr/share/dict/words\n  \
    heapsmith run --heap explore-server --stats -- ./server\n  \
    heapsmith run --heap 'guard tlsf word=8' --sites -- ./program-that-crashes"
)]
pub struct Run {
    /// A spec, a name of the catalogue, or a folder of `explore`, whose pick is used
    #[arg(long, value_name = "SPEC")]
    pub heap: OsString,
    /// Pick by another preference, this once [default: that of the folder's question, which `pick` changes]
    #[arg(long, value_enum)]
    pub prefer: Option<Prefer>,
    /// Print what the heap did when the program has ended, next to what the exploration promised where the heap is its pick.
    /// With FILE, also write statistics to it as JSON: bytes requested, footprint, fragmentation, page faults, each heap. Child
    /// programs write to FILE.PROCESS; - is standard error; a device or a FIFO is written to as a stream, a link to anything
    /// else is refused
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub stats: Option<Option<PathBuf>>,
    /// Record what the program asks of the heap, into a folder as `record` does. A replay of the recording on the heap takes
    /// the bytes that the program took, where one thread allocates
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Also write them when the program gets this signal, as in: kill -USR2 PROCESS
    #[arg(long, value_name = "SIGNAL", value_parser = signal, requires = "stats")]
    pub signal: Option<i32>,
    /// Report heap errors with the call sites that allocated and freed the block: up to FRAMES functions (1 to 16),
    /// innermost first. The layer `guard` detects heap errors
    #[arg(long, value_name = "FRAMES", num_args = 0..=1, require_equals = true, default_missing_value = "6",
        value_parser = clap::value_parser!(u8).range(1..=16))]
    pub sites: Option<u8>,
    /// Verify every invariant of every heap when the program ends
    #[arg(long)]
    pub check: bool,
    /// Always map requests of at least BYTES bytes (K, M) separately
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
    /// A recording of another tool (heaptrack, mtrace, ltrace, malloc lab, …), a packet capture, a log, or a size
    /// distribution; .xz, .gz and .zst are decompressed
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// The file to write. The extension chooses the format: .rep is a malloc-lab trace, .csv is CSV, others are Parquet. A file is replaced when
    /// the new one is whole; - (standard output), devices and FIFOs are written to as streams, but for .rep; links are refused
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
}

/// Arguments of `inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// A trace file, an input of a known format, or workload:NAME for a workload that needs no file
    pub trace: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Write a self-contained page with figures. Devices and FIFOs are written to as streams, - and links are
    /// refused
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Also show the lower bound: peak live bytes, and the best offline placement found. Keeps the whole trace in
    /// memory, and takes seconds for large traces. With --format json or csv it replaces the sizes
    #[arg(long)]
    pub lower_bound: bool,
    /// Effort of the search for an offline placement, in millions of comparisons
    #[arg(long, value_name = "MILLIONS", default_value_t = 400, requires = "lower_bound",
        value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    pub effort: u64,
    /// Output format
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
    heapsmith replay trace.parquet --heap tlsf --heap windows-xp --map map.html\n  \
    heapsmith replay trace.parquet --heap tlsf --heap windows-xp --loop 100\n\n\
    peer:NAME is a reference allocator, called directly (`heapsmith heaps` lists them; peer:all names all). \
    Reference allocators expose neither metadata accesses nor an exact footprint. heapsmith therefore also measures \
    the pages that a child process touches while it replays the trace and writes all payloads.")]
pub struct Replay {
    /// Trace files, inputs of a known format, or workload:NAME for a workload that needs no file
    #[arg(required = true)]
    pub traces: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// A heap: a spec, a name of the catalogue, or peer:NAME for a reference allocator; may be repeated
    #[arg(long, required = true, value_name = "SPEC")]
    pub heap: Vec<String>,
    /// Fill every block with a pattern and verify it when it is freed. Fail if the heap refuses a request
    #[arg(long)]
    pub verify: bool,
    /// Verify every invariant of the heap after every OPERATIONS operations
    #[arg(long, value_name = "OPERATIONS", value_parser = clap::value_parser!(u64).range(1..))]
    pub check: Option<u64>,
    /// Measure time per operation, and that of the null allocator
    #[arg(long)]
    pub time: bool,
    /// Count what operations cost in model cycles: accesses, visits, and lines of a model cache, of the heap's own and of
    /// payloads
    #[arg(long)]
    pub cost: bool,
    /// Measure the latency of single operations, from the median to the maximum
    #[arg(long)]
    pub latency: bool,
    /// Rounds of --time and --latency; all heaps take turns in each round
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub rounds: u16,
    /// Measure the pages that a child process touches; always on when a reference allocator is measured
    #[arg(long)]
    pub pages: bool,
    /// Replay only the first EVENTS events on reference allocators that search all free blocks
    #[arg(long, value_name = "EVENTS", default_value_t = 20_000)]
    pub linear_events: usize,
    /// Find the smallest region that serves the whole trace
    #[arg(long)]
    pub min_region: bool,
    /// Replay in a region of BYTES bytes (K, M)
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub region: Option<u64>,
    /// Show each heap at MOMENTS moments of the trace [default: 200] instead of the table: footprint, free bytes, and
    /// the largest request that would succeed. The region is as large as the largest footprint unless --region is set
    #[arg(long, value_name = "MOMENTS", num_args = 0..=1, require_equals = true, default_missing_value = "200",
        value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = NOT_OVER_TIME)]
    pub over_time: Option<u32>,
    /// Replay the trace PASSES times on one heap instead of the table, and show whether the footprint settles or drifts
    #[arg(long = "loop", value_name = "PASSES", value_parser = clap::value_parser!(u32).range(2..=MAX_PASSES as i64),
        conflicts_with_all = NOT_OVER_TIME)]
    pub passes: Option<u32>,
    /// Write a page with a map of each heap instead of the table: time × address, every block, and the holes between them
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_OVER_TIME)]
    pub map: Option<PathBuf>,
    /// Write footprint, live bytes and live blocks of each heap as counters for Perfetto (ui.perfetto.dev) instead of the table;
    /// an event of the trace is a microsecond
    #[arg(long, value_name = "FILE", conflicts_with_all = NOT_OVER_TIME)]
    pub perfetto: Option<PathBuf>,
    /// With --loop: what happens to blocks that the trace never frees
    #[arg(long, value_enum, default_value_t, requires = "passes")]
    pub leaked: Leaked,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What is measured only by a replay that looks at nothing else.
const NOT_OVER_TIME: &[&str] = &["verify", "check", "time", "cost", "latency", "pages", "min_region"];

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
pub struct Report {
    /// The folder of the exploration
    pub dir: PathBuf,
    /// The page to write [default: report.html in the folder]. - (standard output), devices and FIFOs are written to as
    /// streams, links are refused
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Pick by another preference, this once [default: that of the folder's question, which `pick` changes]
    #[arg(long, value_enum)]
    pub prefer: Option<Prefer>,
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

/// Arguments of `emit`.
#[derive(Debug, Args)]
#[command(
    after_help = "For every request the emitted heap returns the same address as the explored one.\n\nExamples:\n  \
    heapsmith emit explore-ftp-drr --lang c --name drr_heap -o firmware\n  \
    heapsmith emit 'list(order=implicit) word=4' --lang c --size -o firmware\n  \
    heapsmith emit best-fit --trace samples/ftp.pcap.xz --as drr --lang rust -o src\n  \
    heapsmith emit 'bins(lea) word=8 align=16' --lang so -o out && LD_PRELOAD=out/libmy_heap.so ls"
)]
pub struct Emit {
    /// A spec, a name of the catalogue, or a folder of `explore`, whose pick is emitted
    pub heap: OsString,
    /// Language of the emitted heap
    #[arg(long, value_enum)]
    pub lang: Language,
    /// Name of the heap: of its files, and prefix of its functions
    #[arg(long, value_name = "NAME", default_value = "my_heap")]
    pub name: String,
    /// Folder for the files; only files that were emitted too are replaced, devices and links are refused
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// Pick by another preference, this once [default: that of the folder's question, which `pick` changes]
    #[arg(long, value_enum)]
    pub prefer: Option<Prefer>,
    /// Replay this trace and write its measures into the comments of the files; may be repeated
    #[arg(long, value_name = "TRACE")]
    pub trace: Vec<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Compile the C for the host, Cortex-M3 and Cortex-M0+ (-Os), and print the sizes of text, data and bss
    #[arg(long)]
    pub size: bool,
    /// Output format of the sizes
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Arguments of `reproduce`.
#[derive(Debug, Args)]
#[command(
    after_help = "Writes DIR/papers.md and DIR/papers.html, and DIR/papers/NAME.csv and NAME*.svg for each experiment. \
    The pages show every experiment in the folder, so you can run one experiment again. An interrupted run keeps the \
    finished experiments.\n\nExamples:\n  \
    heapsmith reproduce                          all experiments, into docs\n  \
    heapsmith reproduce --list                   the names and titles\n  \
    heapsmith reproduce 001 002-figure-8 -o out  one paper, and one figure of another"
)]
pub struct Reproduce {
    /// Experiments (000-table-3) or papers (000) [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// List the experiments and exit
    #[arg(long)]
    pub list: bool,
    /// Folder for the pages; data and figures go into its subfolder papers, which is new, empty or of an earlier run
    #[arg(short, long, value_name = "DIR", default_value = "docs")]
    pub out: PathBuf,
    /// Folder of the samples of the project's repository
    #[arg(long, value_name = "DIR", default_value = "samples")]
    pub samples: PathBuf,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Threads for sweeps [default: number of processors]. Timed parts use one thread
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub jobs: Option<usize>,
    /// Output format of the list or of the outcome
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
