//! Arguments of `race`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::examples::{self, both};
use super::numbers::time;
use super::{Format, Prefer};

/// Arguments of `race`.
#[derive(Debug, Args)]
#[command(after_help = examples::RACE, after_long_help = both(examples::RACE, examples::RACE_MORE))]
pub struct Race {
    /// A folder of `explore`, whose pick is raced, a spec, or a name; repeatable
    ///
    /// Of a folder of `explore --space knobs` each answer is raced, with the defaults of its allocator.
    #[arg(long, value_name = "SPEC|DIR")]
    pub heap: Vec<OsString>,
    /// Pick by another preference, this once
    ///
    /// By default the preference is that of the folder's question, which `pick` changes.
    #[arg(long, value_enum, hide_short_help = true)]
    pub prefer: Option<Prefer>,
    /// Also race N more designs of the front of each folder; of knobs, N more settings of each allocator
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=64))]
    pub runners_up: u32,
    /// libc, jemalloc, mimalloc or tcmalloc, with knobs as in 'jemalloc(narenas=2)'; repeatable
    ///
    /// A library of the system's is preloaded. Without --peer all that are installed take part, with their defaults; the names of
    /// knobs are those in docs/reference/knobs.md.
    #[arg(long, value_name = "NAME")]
    pub peer: Vec<String>,
    /// Race no reference allocator but those of --peer
    #[arg(long)]
    pub no_peers: bool,
    /// For a server: run this command of a shell against it, and end it
    ///
    /// The server is started, and once it listens the command runs; the time of the command is the wall time, and the latencies are
    /// those that it prints, where it is redis-benchmark, memtier_benchmark, wrk, hey, oha or ab.
    #[arg(long, value_name = "COMMAND")]
    pub load: Option<String>,
    /// Command that succeeds when the server is ready [default: it listens on a socket]
    #[arg(long, value_name = "COMMAND", requires = "load")]
    pub ready: Option<String>,
    /// Command that ends the server [default: SIGTERM]
    #[arg(long, value_name = "COMMAND", requires = "load")]
    pub stop: Option<String>,
    /// What the program reads from its standard input [default: nothing]
    #[arg(long, value_name = "FILE")]
    pub input: Option<PathBuf>,
    /// Rounds; each allocator runs once in a round [default: until the intervals are tight]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub runs: Option<u32>,
    /// End after the round in which this time is over (s, m, h) [default: 5m]
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with = "runs")]
    pub budget: Option<Duration>,
    /// Compare exit codes only, not the output
    ///
    /// For programs that print times. Where a program's own output differs from run to run, this is found and said.
    #[arg(long, hide_short_help = true)]
    pub ignore_output: bool,
    /// Draws the orders of the rounds, and the resamples of the intervals
    #[arg(long, value_name = "N", default_value_t = 1, hide_short_help = true)]
    pub seed: u64,
    /// Folder for the results [default: the first --heap DIR, else race-PROGRAM]
    ///
    /// It gets race.json after every run, and race.html. An interrupted race of the same program and allocators is continued.
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Open the page in the browser
    #[arg(long)]
    pub open: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The program and its arguments, after --
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM")]
    pub command: Vec<OsString>,
}
