//! `cargo xtask hostile`: a hostile trial of the command, drawn from a seed.
//!
//! ```text
//!   Kind ── case 0, 1, 2 … ──▶ a private folder, numbers drawn from seed + kind + case ──▶ tried, or why it failed
//!     └──────────────────────────────────────────────────────────────────────────────────▶ a row of the table
//! ```
//!
//! Every case runs the real command in a process of its own, with a limit on its address space and on its time. It fails
//! if the command panics, is ended by a signal, does not end, ends with a code that its help does not name, or gives
//! other results than it should. A failure prints the command that repeats this one case.

mod bombs;
mod case;
mod clocks;
mod damage;
mod faults;
mod inputs;
mod kills;
mod launched;
mod mutate;
mod options;
mod outputs;
mod programs;
mod races;
mod row;
mod specs;

use std::path::{Path, PathBuf};

use crate::run::{Outcome, is_there};
use crate::tools;

pub use case::{Case, Place};
pub use launched::Launched;

/// What is tried, from where, and with what.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Parts or kinds (kills, kills/explore, damage/pcap …) [default: all; half an hour on two cores]
    #[arg(value_name = "PART")]
    parts: Vec<String>,
    /// Where the random numbers begin
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// One case alone, whose folder is kept
    #[arg(long, value_name = "NUMBER")]
    case: Option<usize>,
    /// A small part of every kind: ten seconds
    #[arg(long)]
    quick: bool,
    /// This command, rather than one that is built first
    #[arg(long, value_name = "FILE")]
    command: Option<PathBuf>,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments { parts: Vec::new(), seed: 1, case: None, quick: false, command: None }
    }
}

/// One kind of hostility: a row of the table.
pub struct Kind {
    /// `part/kind`, as it is named on the command line.
    pub name: &'static str,
    /// Cases of a whole trial.
    pub cases: usize,
    /// Cases of the quick trial.
    pub quick: usize,
    /// Tries one case; how many times it tried something, or what failed.
    pub attempt: fn(&mut Case<'_>) -> Result<usize, String>,
}

/// Everything that is tried, in the order of the table.
fn kinds() -> Vec<Kind> {
    [
        kills::kinds(),
        faults::kinds(),
        clocks::kinds(),
        damage::kinds(),
        specs::kinds(),
        options::kinds(),
        bombs::kinds(),
        programs::kinds(),
        races::kinds(),
        outputs::kinds(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Runs the trial, and fails if anything in it did.
pub fn hostile(arguments: &Arguments) -> Outcome {
    let kinds: Vec<Kind> = kinds().into_iter().filter(|kind| is_asked_for(kind, &arguments.parts)).collect();
    if kinds.is_empty() {
        return Err(format!("no part of the trial is called {}", arguments.parts.join(" or ")));
    }
    tools::install(&[tools::CC, tools::SQLITE, tools::XZ, tools::ZSTD])?;
    let command = match &arguments.command {
        Some(command) => std::path::absolute(command).map_err(|error| format!("{}: {error}", command.display()))?,
        None => tools::command()?,
    };
    let place = Place::prepare(&command, arguments.seed)?;
    if let Some(number) = arguments.case {
        let [kind] = &kinds[..] else { return Err("--case needs one kind, such as damage/pcap".to_owned()) };
        return alone(&place, kind, number);
    }
    let rows: Vec<row::Row> = kinds
        .iter()
        .map(|kind| row::Row::fill(&place, kind, if arguments.quick { kind.quick } else { kind.cases }))
        .collect();
    row::print(&rows, arguments.seed);
    match rows.iter().map(|row| row.failures).sum::<usize>() {
        0 => Ok(()),
        failures => Err(format!("{failures} failures of the hostile trial; each is printed with what repeats it")),
    }
}

/// Whether a kind is in one of the parts, or is one of them; all are where none is named.
fn is_asked_for(kind: &Kind, parts: &[String]) -> bool {
    let is_in = |part: &String| {
        kind.name.strip_prefix(part.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    parts.is_empty() || parts.iter().any(is_in)
}

/// One case, with its folder kept.
fn alone(place: &Place, kind: &Kind, number: usize) -> Outcome {
    let mut case = Case::begin(place, kind.name, number)?;
    let outcome = (kind.attempt)(&mut case);
    eprintln!("xtask: {} case {number} lies in {}", kind.name, case.keep().display());
    outcome.map(drop)
}

/// Whether this is the superuser, who alone can mount a small disk and make devices.
fn is_root() -> bool {
    Path::new("/proc/self").metadata().is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0)
        && is_there("mount")
}
