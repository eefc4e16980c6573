//! Arguments of `record` and `run`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use heapsmith_peers::Configured;

use super::examples::{self, both};
use super::numbers::{above_zero, rotation, sample, time, within};
use super::{Format, Prefer};

/// Arguments of `record`.
#[derive(Debug, Args)]
#[command(after_help = examples::RECORD, after_long_help = both(examples::RECORD, examples::RECORD_MORE))]
pub struct Record {
    /// Record the objects of Java programs
    ///
    /// One trace per JVM. With an agent in the JVM (JDK 11 or later).
    #[arg(long)]
    pub java: bool,
    /// Make the JVM collect after BYTES bytes (K, M)
    ///
    /// So deaths are known soon.
    #[arg(long, value_name = "BYTES", value_parser = above_zero, requires = "java")]
    pub java_collect: Option<u64>,
    /// Folder to create [default: record-PROGRAM]
    ///
    /// One PROGRAM-PID.parquet per process. The default is record-PROGRAM, record-PROGRAM-2, …. If DIR exists, the default
    /// folder is created in it.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Also record call sites [default: 6 frames]
    ///
    /// Up to FRAMES functions of the stack (1 to 16), innermost first. `inspect` shows their names.
    #[arg(long, value_name = "FRAMES", conflicts_with = "java", num_args = 0..=1, require_equals = true, default_missing_value = "6",
        value_parser = clap::value_parser!(u8).range(1..=16))]
    pub sites: Option<u8>,
    /// Record one block in N, for long runs: a smaller slow-down
    ///
    /// Each address with the same probability, so that N times what lives at a moment, or is never freed, is a fair estimate:
    /// `inspect` multiplies, and says so. Requests are estimated worse, where they use few addresses over and over: and a
    /// block that a reallocation moves counts as freed, and as allocated anew. A peak is the largest of many estimates, and too
    /// high. Such a trace is not replayed: what lies between its blocks is not known.
    #[arg(long, value_name = "N", value_parser = sample)]
    pub sample: Option<u32>,
    /// Make a trace of every SIZE bytes of a recording (1M or more), for days
    ///
    /// PROGRAM-PID.1.parquet, .2, …, while the program runs on. Each is whole by itself: blocks that live when it begins are
    /// allocated there. What is in a trace leaves the recording, so that takes no more of the disk than SIZE and what came while
    /// the trace was written. A process whose recording stays smaller has one trace.
    #[arg(long, value_name = "SIZE", value_parser = rotation)]
    pub rotate: Option<u64>,
    /// With --rotate: keep the last N traces of a process
    ///
    /// By default all are kept.
    #[arg(long, value_name = "N", requires = "rotate", value_parser = within::<1, 1_000_000>)]
    pub keep: Option<usize>,
    /// Record the program's own allocator, by its functions
    ///
    /// In place of malloc, where a program has an allocator of its own linked into it. LIST has names with a comma between
    /// two; PREFIX* is all with that beginning, such as je_*. What a function does is seen from how its name ends (malloc,
    /// calloc, realloc, free, aligned_alloc, …), or written before it: malloc=pool_get,free=pool_put. The program's file
    /// has to have symbols of them. Processes of other programs are recorded as always.
    #[arg(long, value_name = "LIST", value_delimiter = ',', conflicts_with = "java")]
    pub symbols: Vec<String>,
    /// Record the program on this allocator: libc, jemalloc, mimalloc or tcmalloc, also with knobs
    ///
    /// In place of the program's own. A program that asks how large its blocks are (malloc_usable_size), as redis does, requests
    /// other sizes on each allocator: record it on the one whose knobs you search.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["java", "pid", "symbols"])]
    pub peer: Option<Configured>,
    /// Keep traces of this program only; repeatable
    ///
    /// A program that starts others leaves a trace of each process. The others are recorded too, and dropped at the end.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Keep each process's command line in its trace
    ///
    /// It may hold passwords: without this, a trace has the program's name and the number of its arguments.
    #[arg(long, hide_short_help = true)]
    pub keep_command: bool,
    /// Record a program that runs already, until Ctrl-C
    ///
    /// Its process number, as pgrep NAME prints it. The program runs on afterwards. Blocks from before are not in the trace,
    /// and neither is what modules call that it loads meanwhile.
    #[arg(long, value_name = "PID", conflicts_with_all = ["java", "command"],
        value_parser = clap::value_parser!(u32).range(1..))]
    pub pid: Option<u32>,
    /// End the recording of --pid after TIME (s, m, h)
    #[arg(long = "for", value_name = "TIME", value_parser = time, requires = "pid")]
    pub lasts: Option<Duration>,
    /// Write the recorder for firmware into this folder, and run nothing
    ///
    /// Two files of C for the firmware's project: their heads say which links and systems they know. `import` reads what they
    /// send.
    #[arg(long, value_name = "DIR", exclusive = true)]
    pub board: Option<PathBuf>,
    /// The program and its arguments, after --
    #[arg(
        required_unless_present_any = ["board", "pid"],
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "PROGRAM"
    )]
    pub command: Vec<OsString>,
    /// Output format of the list of processes
    ///
    /// The list is on standard error: standard output is the program's.
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

impl Record {
    /// Of how many blocks one is recorded.
    pub fn every(&self) -> u32 {
        self.sample.unwrap_or(1)
    }
}

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_help = examples::RUN, after_long_help = both(examples::RUN, examples::RUN_MORE))]
pub struct Run {
    /// A folder of `explore`, whose pick is used, a spec, or a name
    #[arg(long, value_name = "SPEC")]
    pub heap: OsString,
    /// Pick by another preference, this once
    ///
    /// By default the preference is that of the folder's question, which `pick` changes.
    #[arg(long, value_enum, hide_short_help = true)]
    pub prefer: Option<Prefer>,
    /// Print what the heap did; with FILE, as JSON into it too
    ///
    /// When the program has ended, next to what the exploration promised where the heap is its pick. The file has bytes
    /// requested, footprint, fragmentation, page faults, each heap. Child programs write to FILE.PROCESS; - is standard
    /// error; a device or a FIFO is written to as a stream, a link to anything else is refused.
    #[arg(long, value_name = "FILE", num_args = 0..=1)]
    pub stats: Option<Option<PathBuf>>,
    /// Record what the program asks of the heap, as `record` does
    ///
    /// A replay of the recording on the heap takes the bytes that the program took, where one thread allocates.
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Also write statistics when the program gets this signal
    ///
    /// As in: kill -USR2 PROCESS.
    #[arg(long, hide_short_help = true, value_name = "SIGNAL", value_parser = signal, requires = "stats")]
    pub signal: Option<i32>,
    /// Report heap errors with call sites [default: 6 frames]
    ///
    /// The sites that allocated and freed the block: up to FRAMES functions (1 to 16), innermost first. The layer `guard`
    /// detects heap errors.
    #[arg(long, value_name = "FRAMES", num_args = 0..=1, require_equals = true, default_missing_value = "6",
        value_parser = clap::value_parser!(u8).range(1..=16))]
    pub sites: Option<u8>,
    /// Verify every invariant of every heap when the program ends
    #[arg(long, hide_short_help = true)]
    pub check: bool,
    /// Always map requests of at least BYTES bytes (K, M) separately
    #[arg(long, value_name = "BYTES", value_parser = above_zero, hide_short_help = true)]
    pub map_from: Option<u64>,
    /// Which library serves malloc [default: compiled, where it can]
    ///
    /// compiled: the heap alone, emitted as C, compiled in half a second and kept for all later runs. It takes 70 KB of a process's
    /// memory in place of 2 MB, and needs a C compiler. built-in: every heap; what `--stats`, `--record`, `--sites`, `--check`,
    /// `threads=each`, `guard` and `check=header` need.
    #[arg(long, value_enum, hide_short_help = true)]
    pub library: Option<Serving>,
    /// The program and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}

/// What serves a program's requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Serving {
    /// A library of this heap alone.
    Compiled,
    /// The library of all heaps.
    BuiltIn,
}

/// A signal that a program can be sent without ending it, by its name or its number.
fn signal(text: &str) -> Result<i32, String> {
    let known = [("HUP", 1), ("USR1", 10), ("USR2", 12), ("WINCH", 28)];
    let name = text.strip_prefix("SIG").unwrap_or(text);
    let found = known.iter().find(|(known, number)| *known == name || number.to_string() == name);
    found.map(|(_, number)| *number).ok_or_else(|| "write HUP, USR1, USR2 or WINCH".to_owned())
}
