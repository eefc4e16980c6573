//! Table III: what the programs ask for, and how much of their work is allocating.

use std::collections::BTreeSet;

use heapsmith_report::chart::{Bars, Measured};
use serde::Serialize;

use super::costs::Costs;
use super::programs::{Cost, FILES, SET_UP, costs};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-table-3",
    paper: &HYBRID,
    place: "Table III",
    title: "the programs: sizes of objects and the share of allocation",
    claim: "Programs with many small objects spend much of their time in allocation: treeadd (objects of 24 bytes) 48.2%, \
            parser (16) 35.6%, cfrac (8) 29.7%, perimeter (48) 16.3%, perlbmk (38) 10.7%, voronoi (40) 10.4%, health (24) 4.9%, \
            espresso (250) 4.7%, bisort (24) 2.3% (Li et al. 2006, Table III).",
    differs: SET_UP,
    samples: FILES,
    run,
};

/// The programs of the Olden suite.
const OLDEN: [&str; 5] = ["treeadd", "voronoi", "bisort", "perimeter", "health"];

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    arguments: &'static str,
    allocations: u64,
    frees: u64,
    mean_size: f64,
    paper_mean_size: u64,
    allocating: f64,
    work: f64,
    share: f64,
    paper_share: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let rows: Vec<Row> = costs(setting, &Costs::read())?.iter().map(row).collect();
    outcome(&rows)
}

fn row(cost: &Cost) -> Row {
    Row {
        program: cost.program.name,
        arguments: cost.program.arguments,
        allocations: cost.allocations,
        frees: cost.frees,
        mean_size: cost.mean_size,
        paper_mean_size: cost.program.paper_mean_size,
        allocating: cost.allocating[super::BIT].cycles(),
        work: cost.work,
        share: cost.share(),
        paper_share: cost.program.share,
    }
}

/// Names by falling share.
fn ranked(rows: &[Row], share: fn(&Row) -> f64) -> Vec<&'static str> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|one, other| share(other).total_cmp(&share(one)));
    sorted.into_iter().map(|row| row.program).collect()
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let near = |row: &&Row| (row.mean_size - row.paper_mean_size as f64).abs() < 0.05 * row.paper_mean_size as f64;
    let same: Vec<&str> = rows.iter().filter(near).map(|row| row.program).collect();
    let other: Vec<String> = rows
        .iter()
        .filter(|row| !near(row))
        .map(|row| format!("{} has {} instead of {}", row.program, digits(row.mean_size), row.paper_mean_size))
        .collect();
    outcome.state(
        "003:object-sizes",
        format!("{} have its size to within 5%; {}", listed(&same), listed(&other)),
        other.is_empty(),
    );
    outcome.state(
        "003:object-sizes-of-trees",
        format!("{} have its size to within 5%", listed(&same)),
        ["treeadd", "bisort", "perimeter", "health"].iter().all(|name| same.contains(name)),
    );
    let (here, paper) = (ranked(rows, |row| row.share), ranked(rows, |row| row.paper_share));
    outcome.state(
        "003:treeadd-allocates-most",
        format!("the order here is {}", listed(&here)),
        here.first() == paper.first(),
    );
    let olden = |names: &[&'static str]| -> Vec<&'static str> {
        names.iter().copied().filter(|name| OLDEN.contains(name)).collect()
    };
    let last = |names: &[&'static str]| -> BTreeSet<&str> { olden(names).into_iter().rev().take(2).collect() };
    outcome.state(
        "003:bisort-and-health-allocate-least",
        format!("of the Olden programs, by falling share: {}", listed(&olden(&here))),
        last(&here) == last(&paper),
    );
    let share = |row: &Row| format!("{} {}", row.program, percent(row.share));
    outcome.found = format!(
        "Of all instructions, PHK's pages searched bit by bit take: {}. A request of cfrac has 14 bytes on average, the head of \
         its number with it; one of voronoi's edges 128.",
        listed(&rows.iter().map(share).collect::<Vec<_>>()),
    );
    outcome.tables.push(shown(rows));
    let names: Vec<String> = rows.iter().map(|row| row.program.to_owned()).collect();
    let bars = Bars {
        title: "Share of allocation".into(),
        y: "percent".into(),
        names,
        series: vec![
            Measured::new("here, of instructions", rows.iter().map(|row| 100.0 * row.share)),
            Measured::new("the paper, of time", rows.iter().map(|row| 100.0 * row.paper_share)),
        ],
        ..Bars::default()
    };
    outcome.draw("", "How much of a program is allocating, with PHK's pages searched bit by bit", bars.svg());
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "What the programs ask for, and the share of allocation",
        [
            "program",
            "input",
            "allocations",
            "frees",
            "mean bytes",
            "the paper's",
            "instructions of the allocator",
            "of the program",
            "share",
            "the paper's, of time",
        ],
    );
    for row in rows {
        shown.row([
            row.program.into(),
            row.arguments.into(),
            row.allocations.into(),
            row.frees.into(),
            row.mean_size.into(),
            row.paper_mean_size.into(),
            Value::Number(row.allocating.round()),
            Value::Number(row.work.round()),
            Value::Share(row.share),
            Value::Share(row.paper_share),
        ]);
    }
    shown
}
