//! Figure 3: how much less memory management takes with the search in hardware.

use heapsmith_report::chart::{Bars, Measured};
use serde::Serialize;

use super::costs::Costs;
use super::programs::{Cost, FILES, SET_UP, costs};
use super::{BIT, TREE, UNIT, WORD};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-figure-3",
    paper: &HYBRID,
    place: "Figure 3",
    title: "what memory management saves",
    claim: "The hybrid allocator takes 58.9% off memory management on average; most, 76.2%, off that of cfrac, whose objects are \
            smallest, and least, 48.0%, off that of espresso, whose objects are largest (Li et al. 2006, Figure 3, section \
            IV-B).",
    differs: SET_UP,
    samples: FILES,
    run,
};

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    mean_size: f64,
    unit: f64,
    ideal_unit: f64,
    by_word: f64,
    by_tree: f64,
    unit_against_word: f64,
    paper: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let known = Costs::read();
    outcome(&costs(setting, &known)?)
}

/// How many times as much a bit that is looked at costs.
const CHARGES: [f64; 5] = [1.0, 2.0, 4.0, 8.0, 16.0];

/// What becomes of the savings where looking at a bit costs more than its instructions.
fn charged(all: &[Cost]) -> Shown {
    let columns = ["a bit costs", "mean of the unit", "cfrac", "espresso", "saves most"];
    let mut shown =
        Shown::new("Savings of the unit where a bit that is looked at costs more than its instructions", columns);
    for charge in CHARGES {
        let of = |name: &str| {
            all.iter().find(|cost| cost.program.name == name).map_or(0.0, |cost| cost.improvement_at(charge))
        };
        let max = saving_max(all, charge).map_or("none", |cost| cost.program.name);
        shown.row([
            format!("{charge} times").into(),
            Value::Share(mean_at(all, charge)),
            Value::Share(of("cfrac")),
            Value::Share(of("espresso")),
            max.into(),
        ]);
    }
    shown
}

/// The mean saving of the unit where a bit costs this many times as much.
fn mean_at(all: &[Cost], charge: f64) -> f64 {
    all.iter().map(|cost| cost.improvement_at(charge)).sum::<f64>() / all.len().max(1) as f64
}

/// The program that saves most there.
fn saving_max(all: &[Cost], charge: f64) -> Option<&Cost> {
    all.iter().max_by(|one, other| one.improvement_at(charge).total_cmp(&other.improvement_at(charge)))
}

fn row(cost: &Cost) -> Row {
    Row {
        program: cost.program.name,
        mean_size: cost.mean_size,
        unit: cost.improvement(BIT, UNIT),
        ideal_unit: cost.ideal_improvement(),
        by_word: cost.improvement(BIT, WORD),
        by_tree: cost.improvement(BIT, TREE),
        unit_against_word: cost.improvement(WORD, UNIT),
        paper: cost.program.paper_improvement(),
    }
}

fn outcome(all: &[Cost]) -> Result<Outcome, ExperimentError> {
    let rows: Vec<Row> = all.iter().map(row).collect();
    let mut outcome = Outcome::new(&rows)?;
    let mean = |of: fn(&Row) -> f64| rows.iter().map(of).sum::<f64>() / rows.len().max(1) as f64;
    let (unit, word, paper) = (mean(|row| row.unit), mean(|row| row.by_word), mean(|row| row.paper));
    outcome.state(
        "003:unit-saves-management",
        format!(
            "{}; the paper has {} for these programs; {} where a bit costs four times its instructions",
            percent(unit),
            percent(paper),
            percent(mean_at(all, 4.0))
        ),
        (unit - paper).abs() <= 0.1,
    );
    let max = saving_max(all, 1.0).map_or("none", |cost| cost.program.name);
    let of = |name: &str| rows.iter().find(|row| row.program == name).map_or(0.0, |row| row.unit);
    outcome.state("003:cfrac-saves-most", format!("{max} does; cfrac {}", percent(of("cfrac"))), max == "cfrac");
    let ideal = mean(|row| row.ideal_unit);
    outcome.state(
        "003:ideal-unit-saves-management",
        format!(
            "{} with a unit that holds the bitmap of every page, {} with the exchange of bitmaps",
            percent(ideal),
            percent(unit)
        ),
        (ideal - paper).abs() <= 0.1,
    );
    outcome.state(
        "003:saving-is-the-search",
        format!("without the search {} would be saved, with the unit {} are", percent(ideal), percent(unit)),
        (ideal - unit).abs() <= 0.1,
    );
    let min = rows.iter().min_by(|a, b| a.unit.total_cmp(&b.unit)).map_or("none", |row| row.program);
    outcome.state("003:espresso-saves-least", format!("{min} does"), min == "espresso");
    let left = mean(|row| row.unit_against_word);
    let further = if left < 0.0 { format!("{} more", percent(-left)) } else { format!("{} less", percent(left)) };
    outcome.state(
        "003:search-belongs-to-hardware",
        format!("counting zeros by an instruction takes off {}; beside that the unit takes {further}", percent(word)),
        left > 0.0,
    );
    outcome.found = format!(
        "The unit takes {} off memory management on average, where the paper has {}. Counting zeros by an instruction takes off {} \
         already; beside that the unit takes {further}.",
        percent(unit),
        percent(paper),
        percent(word),
    );
    let columns = [
        "program",
        "mean size",
        "unit",
        "unit that exchanges nothing",
        "by word",
        "by tree",
        "unit, against by word",
        "the paper's unit",
    ];
    let mut shown = Shown::new("What memory management takes less than with a search bit by bit", columns);
    for row in &rows {
        let shares = [row.unit, row.ideal_unit, row.by_word, row.by_tree, row.unit_against_word, row.paper];
        shown.row([row.program.into(), row.mean_size.into()].into_iter().chain(shares.map(Value::Share)));
    }
    outcome.tables.push(shown);
    outcome.tables.push(charged(all));
    type Series = (&'static str, fn(&Row) -> f64);
    let series: [Series; 5] = [
        ("unit", |row| row.unit),
        ("unit that exchanges nothing", |row| row.ideal_unit),
        ("by word", |row| row.by_word),
        ("by tree", |row| row.by_tree),
        ("the paper's unit", |row| row.paper),
    ];
    let bars = Bars {
        title: "Memory management, normalised".into(),
        y: "percent less than bit by bit".into(),
        names: rows.iter().map(|row| row.program.to_owned()).collect(),
        series: series
            .into_iter()
            .map(|(name, of)| Measured::new(name, rows.iter().map(|row| of(row) * 100.0)))
            .collect(),
        ..Bars::default()
    };
    outcome.draw("", "What each search takes off memory management, compared with the paper's unit", bars.svg());
    Ok(outcome)
}
