//! `cargo xtask bench truth`: whether what exploration says of heaps is so where they are deployed.
//!
//! ```text
//!   program ──record──▶ trace ──explore──▶ picks ─┐
//!                         │        catalogue ─────┴─▶ heaps
//!                         └──replay of each─▶ accesses, cost, time, footprint, pages        predicted
//!   program on each heap, in turns ─────────▶ processor time, resident memory, intervals    deployed
//!                                                                  │
//!             pairs of heaps whose deployed intervals are apart ◀──┘──▶ share ordered as predicted, Spearman
//! ```
//!
//! | predicted | deployed |
//! |---|---|
//! | metadata accesses; cost in model cycles; nanoseconds of a replay | processor time, of the program and of the system for it |
//! | pages touched | peak of resident memory |
//! | mean footprint over operations | mean of the heap's own pages over its operations |
//! | mean footprint over time | mean of resident memory over time |
//!
//! What a heap has resident on average depends on its time: one that is slow late has more of its time where the program is
//! large. So a replay weighs footprints with the time of the recording and with the heap's accesses (`footprint_over_time`).
//! The table has the footprint without weights, too.
//!
//! A heap is deployed as the library that `emit --lang so` makes of it, and every request goes to it, as in a replay. Its own pages
//! are counted by the library of `heapsmith run`, once in 1024 operations. Advice of keeping or changing what there is (glibc's
//! `malloc`) is wrong where the heap that is advised against wins both time and peak, beyond the intervals. The results are
//! written where six programs or more ran, each for nine rounds.

mod deployed;
mod heaps;
mod programs;
mod table;
mod verdict;

use std::path::PathBuf;

use crate::run::{Outcome, cargo, root, target};
use crate::tools;
use deployed::{Deployed, Launcher};
use heaps::{Heap, Predicted};
use programs::Program;
use verdict::Advised;

/// What is run.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Programs; all of them where none is named
    names: Vec<String>,
    /// Three rounds, and no reference allocators while exploring: so no advice is counted
    #[arg(long)]
    quick: bool,
    /// Take the picks from the classic space, of 10,000 designs; without it from one of 56
    #[arg(long)]
    classic: bool,
    /// Rounds in which all heaps take turns [default: 9, or 3 with --quick]
    #[arg(long)]
    rounds: Option<usize>,
    /// A checkout of daanx/mimalloc-bench, of which cfrac and espresso are compiled; without it they are left out
    #[arg(long, value_name = "DIR")]
    suite: Option<PathBuf>,
    /// The command `heapsmith` [default: it is built]
    #[arg(long)]
    command: Option<PathBuf>,
}

/// A program on all heaps.
pub struct Compared {
    /// The program's name.
    pub program: &'static str,
    /// Operations of its recording.
    pub operations: u64,
    /// The heaps, with what was predicted and what came of it.
    pub rows: Vec<(Heap, Predicted, Deployed)>,
    /// The program on glibc.
    pub baseline: Deployed,
    /// What was advised of each pick.
    pub advised: Vec<Advised>,
}

/// Rounds from which on an interval is one of the median, and programs from which on results are kept.
const WHOLE: (usize, usize) = (9, 6);

/// Prints the table, and writes `bench/results/truth.md` and `truth.csv` where no program was named and each ran for nine rounds or
/// more.
pub fn truth(arguments: &Arguments) -> Outcome {
    tools::install(&[tools::CC, tools::PYTHON, tools::PERL, tools::SQLITE, tools::GIT, tools::JQ])?;
    let command = match &arguments.command {
        Some(command) => command.canonicalize().map_err(|error| format!("{}: {error}", command.display()))?,
        None => {
            cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
            target().join("release/heapsmith")
        }
    };
    let folder = target().join("bench/truth");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let folder = folder.canonicalize().map_err(|error| format!("{}: {error}", folder.display()))?;
    let launcher = Launcher::new(&command, &folder)?;
    let rounds = arguments.rounds.unwrap_or(if arguments.quick { 3 } else { 9 });
    let mut all = Vec::new();
    for program in programs::all(&folder, arguments.suite.as_deref())? {
        if arguments.names.is_empty() || arguments.names.iter().any(|name| name == program.name) {
            let compared = compare(&launcher, &program, rounds, arguments)?;
            print!("{}", table::of_program(&compared));
            all.push(compared);
        }
    }
    let summary = table::summary(&all);
    print!("{summary}");
    let whole = arguments.names.is_empty() && !arguments.quick && rounds >= WHOLE.0 && all.len() >= WHOLE.1;
    let results = if whole { root().join("bench/results") } else { folder };
    let text = table::head(rounds, arguments) + &all.iter().map(table::of_program).collect::<String>() + &summary;
    for (name, contents) in [("truth.md", text), ("truth.csv", table::csv(&all))] {
        let file = results.join(name);
        std::fs::write(&file, contents).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
        println!("{}", file.display());
    }
    Ok(())
}

fn compare(launcher: &Launcher, program: &Program, rounds: usize, how: &Arguments) -> Result<Compared, String> {
    let recording = launcher.record(program)?;
    let (mut heaps, advised) = heaps::picks(launcher, program, &recording, how)?;
    heaps.extend(heaps::catalogue());
    heaps::distinct(&mut heaps);
    let (operations, predicted) = heaps::predict(launcher, &recording, &heaps)?;
    let (baseline, deployed) = launcher.rounds(program, &heaps, rounds)?;
    let rows =
        heaps.into_iter().zip(predicted).zip(deployed).map(|((heap, predicted), deployed)| (heap, predicted, deployed));
    Ok(Compared { program: program.name, operations, rows: rows.collect(), baseline, advised })
}
