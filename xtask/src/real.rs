//! `cargo xtask real`: real programs, unmodified, on heaps of heapsmith and on the reference allocators.
//!
//! ```text
//!   programs ──prepare──▶ inputs      allocators ──ready──▶ libraries, or `heapsmith run`
//!            └───────────────────┬────────────────────┘
//!                                ▼
//!    in turns, round by round:  launch ──▶ figures, output, whose malloc it was
//!                                ▼
//!    the output that glibc gives? that allocator's malloc, in every process? ──▶ tables, target, CSV
//! ```
//!
//! | measured | how |
//! |---|---|
//! | time | by the clock, and of processors (`wait4`, all processes of the program); the best of the rounds, and for the target the mean of ratios round by round |
//! | peak memory | most bytes resident in one process of the program (`ru_maxrss`); the least of the rounds |
//! | output | what the program prints and writes, without times; for a server what its clients get |
//! | whose malloc | each process looks at its start where `malloc` leads to; and how often it is called is counted |
//!
//! A wrong output, a crash, or another malloc than the allocator's is an error. A missed target is printed.

mod allocators;
mod compare;
mod csv;
mod figures;
mod instruments;
mod launch;
mod program;
mod programs;
mod table;
mod target;
mod witness;

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::run::{Outcome, root};
use crate::tools;
use allocators::{Wanted, Way};
use compare::Setting;
use instruments::Instruments;
use program::Program;

/// What is run.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// Programs; all of them where none is named
    names: Vec<String>,
    /// A small version of everything, on glibc and three heaps, once
    #[arg(long)]
    quick: bool,
    /// Rounds in which all allocators take turns, at most [default: 12, or 1 with --quick]
    #[arg(long)]
    rounds: Option<usize>,
    /// Seconds after which a program begins no further round, once it had three
    #[arg(long, default_value_t = 100)]
    budget: u64,
    /// Only these heaps (lists, tlsf, tree, ...); others' allocators run as ever
    #[arg(long, value_delimiter = ',')]
    heaps: Vec<String>,
    /// How heaps come before programs [default: run, or emit where the command has no `run`]
    #[arg(long)]
    way: Option<Way>,
    /// The command `heapsmith` [default: it is built]
    #[arg(long)]
    command: Option<PathBuf>,
}

impl Arguments {
    /// A small version of every program.
    pub fn small() -> Arguments {
        Arguments { quick: true, ..Arguments::default() }
    }
}

/// Programs that between them fork, run threads, keep everything in memory, and copy their environment.
pub const FEW: &[&str] = &["git", "sqlite3", "redis", "perl"];

/// The tools that these programs need.
pub fn tools(names: &[&str]) -> Vec<tools::Tool> {
    let programs = programs::ALL.iter().filter(|program| names.contains(&program.name));
    programs.flat_map(|program| program.tools).copied().collect()
}

/// Runs the programs, prints the tables, writes the results.
pub fn real(arguments: &Arguments) -> Outcome {
    let programs = chosen(&arguments.names)?;
    allocators::known(&arguments.heaps)?;
    tools::install(&[tools::CC])?;
    for program in &programs {
        tools::install(program.tools)?;
    }
    let folder = allocators::folder();
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let instruments = Instruments::compile(&folder)?;
    let wanted = Wanted {
        quick: arguments.quick,
        way: arguments.way,
        command: arguments.command.as_deref(),
        only: &arguments.heaps,
    };
    let allocators = allocators::ready(&wanted, &folder.join("heaps"))?;
    let setting = Setting {
        allocators: &allocators,
        instruments: &instruments,
        c_library: allocators::c_library()?,
        folder: &folder,
        rounds: arguments.rounds.unwrap_or(if arguments.quick { 1 } else { 12 }).max(1),
        budget: Duration::from_secs(arguments.budget),
        quick: arguments.quick,
    };
    let mut all = Vec::new();
    let mut shown = String::new();
    for program in programs {
        let compared = compare::compare(&setting, program)?;
        let table = table::of_program(&compared);
        print!("{table}");
        shown += &table;
        all.push(compared);
        // An hour of programs: what an interrupt leaves is kept.
        keep(&all, &shown, &folder)?;
    }
    let specs = allocators.iter().filter_map(|allocator| Some(format!("{:<12} {}\n", allocator.name, allocator.spec?)));
    let end = format!("\n{}{}{}", specs.collect::<String>(), table::load(), table::summary(&all));
    print!("{end}");
    shown += &end;
    let whole = arguments.names.is_empty() && arguments.heaps.is_empty() && !arguments.quick;
    let results = if whole { root().join("bench/results") } else { folder };
    keep(&all, &shown, &results)?;
    println!("\n{}: every round", results.join("real.csv").display());
    match table::failures(&all) {
        failures if failures.is_empty() => Ok(()),
        failures => Err(format!("{} went wrong:\n  {}", failures.len(), failures.join("\n  "))),
    }
}

/// Writes every round and the tables.
fn keep(all: &[compare::Compared], shown: &str, results: &Path) -> Outcome {
    csv::write(all, &results.join("real.csv"))?;
    let path = results.join("real.txt");
    std::fs::write(&path, shown).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The programs of these names.
fn chosen(names: &[String]) -> Result<Vec<&'static Program>, String> {
    if names.is_empty() {
        return Ok(programs::ALL.to_vec());
    }
    let find = |name: &String| {
        let known = || programs::ALL.iter().map(|program| program.name).collect::<Vec<_>>().join(", ");
        let found = programs::ALL.iter().find(|program| program.name == name);
        found.copied().ok_or_else(|| format!("there is no program {name}: {}", known()))
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn programs_are_chosen_by_name() {
        let names = |names: &[&str]| super::chosen(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert_eq!(names(&[]).map(|all| all.len()).ok(), Some(super::programs::ALL.len()));
        assert_eq!(names(&["perl"]).map(|all| all[0].name).ok(), Some("perl"));
        assert_eq!(names(super::FEW).map(|few| few.len()).ok(), Some(super::FEW.len()));
        assert!(names(&["emacs"]).is_err_and(|error| error.contains("perl")));
    }
}
