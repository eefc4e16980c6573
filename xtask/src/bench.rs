//! `cargo xtask bench`: what is claimed about speed and memory, printed.

mod answer;
mod attach;
mod drift;
mod guarantees;
mod hit;
mod import;
mod knobs;
mod known;
mod lower_bound;
mod peers;
mod ranks;
mod record;
mod redis;
mod robust;
mod threads;
mod truth;

use std::path::Path;

use clap::Subcommand;

use crate::run::{Outcome, cargo, root};
use crate::soak;

/// The benchmarks.
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// How long exploring takes until the answer, and until everything: a recorded compiler, 10 million events, the samples
    Answer {
        /// One of gcc, cfrac, ftp, web, mixed; the results are then only printed
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// The classic space on a trace of 100,000 events: designs/s and ns an event
    Explore,
    /// A hit of a free list compared with the null allocator
    Hit,
    /// How near to the peak live bytes blocks can be placed, on samples and on the problems next to the workspace
    LowerBound,
    /// Accesses of an operation at 10³ to 10⁶ live blocks for every heap, and their slope
    Growth,
    /// The front and the pick compared with the reference allocators, on network traffic and on recorded programs
    Peers(peers::Arguments),
    /// Whether picks hold on the other half of their trace, and on other captures: minutes
    Robust {
        /// Only inputs with this in their names; the results are then only printed
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// Whether the pick of every sample, capture, log and recorded program has a guarantee: minutes
    Guarantees,
    /// What attacks reach on every heap of the catalogue: of the bound, of Robson's lower bound, and against chance
    Attacks,
    /// The worst programs found for well-known allocators, next to what is printed of them; a clone of o1heap is needed to write
    Known(known::Arguments),
    /// Programs plain, recorded, and under heaptrack, in turns: how much slower they are
    Record,
    /// What a server under load notices of `record --pid`: two minutes
    Attach,
    /// Whether what exploration says of heaps is so where they are deployed: order of heaps in time and memory, advice
    Truth(truth::Arguments),
    /// Whether what counted replays say of threads is so where they run, and a race of programs with two threads: a quarter of an hour
    Threads(threads::Arguments),
    /// Whether memory grows over 100 million requests to redis as a short recording says: ten minutes
    Drift(drift::Arguments),
    /// Whether knobs that are found in recordings are worth it in the program: a cache in redis, and two with threads; an hour
    Knobs {
        /// One of redis, mstress, xmalloc; the results are then only printed
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
    },
    /// Memory of importing and replaying long traces: 10^6 and 10^7 events
    Import {
        /// Also 10^8 events: minutes, and 1.6 GB
        #[arg(long)]
        large: bool,
    },
}

/// Runs a benchmark, or all of them: half an hour on two cores.
pub fn bench(which: Option<Bench>) -> Outcome {
    let Some(which) = which else {
        let all = [
            Bench::Answer { only: None },
            Bench::Explore,
            Bench::Hit,
            Bench::LowerBound,
            Bench::Growth,
            Bench::Attacks,
            Bench::Robust { only: None },
            Bench::Import { large: false },
            Bench::Record,
        ];
        all.into_iter().try_for_each(|which| bench(Some(which)))?;
        return peers::peers(&peers::Arguments::default());
    };
    match which {
        Bench::Answer { only } => answer::answer(only.as_deref()),
        Bench::Explore => explore(),
        Bench::Hit => hit::hit(),
        Bench::LowerBound => lower_bound::lower_bound(),
        Bench::Growth => soak::growth(),
        Bench::Peers(arguments) => peers::peers(&arguments),
        Bench::Guarantees => guarantees::guarantees(),
        Bench::Attacks => attacks(),
        Bench::Known(arguments) => known::known(&arguments),
        Bench::Robust { only } => robust::robust(only.as_deref()),
        Bench::Record => record::record(),
        Bench::Attach => attach::attach(),
        Bench::Truth(arguments) => truth::truth(&arguments),
        Bench::Threads(arguments) => threads::threads(&arguments),
        Bench::Drift(arguments) => drift::drift(&arguments),
        Bench::Knobs { only } => knobs::knobs(only.as_deref()),
        Bench::Import { large } => import::import(large),
    }
}

/// Writes `bench/results/attacks.csv`, `attacks-robson.csv` and `attacks.txt`; fails if a target is missed.
/// The one trace in a folder of recordings.
fn trace_in(folder: &Path) -> Result<String, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut traces =
        files.flatten().map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "parquet"));
    traces.next().map(|path| path.display().to_string()).ok_or_else(|| format!("no trace in {}", folder.display()))
}

fn attacks() -> Outcome {
    let arguments = ["run", "--release", "--quiet", "--package", "heapsmith-limits", "--example", "attacks"];
    cargo(&[arguments.as_slice(), &["--", "bench/results"]].concat())
}

/// Events of the trace.
const EVENTS: &str = "100000";

fn explore() -> Outcome {
    let dir = root().join("target/bench/explore");
    if dir.exists() {
        std::fs::remove_dir_all(&dir).map_err(|error| format!("cannot empty {}: {error}", dir.display()))?;
    }
    for (sample, workload) in [("ftp.pcap.xz", "drr"), ("web.pcap.xz", "drr"), ("mixed.pcapng.xz", "easyport")] {
        let sample = format!("samples/{sample}");
        let out = dir.join(format!("{workload}-{}", sample.split(['/', '.']).nth(1).unwrap_or("sample")));
        let out = out.display().to_string();
        let explore = ["run", "--release", "--quiet", "--package", "heapsmith-cli", "--", "explore"];
        let options = [&sample, "--as", workload, "--limit", EVENTS, "--rounds", "0", "--format", "csv", "--out", &out];
        let arguments: Vec<&str> = explore.into_iter().chain(options).collect();
        // The front goes to standard output, which is of no interest here; the speed to standard error.
        quietly(&arguments)?;
    }
    Ok(())
}

fn quietly(arguments: &[&str]) -> Outcome {
    let status = std::process::Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root())
        .stdout(std::process::Stdio::null())
        .status()
        .map_err(|error| format!("cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { cargo(arguments) }
}
