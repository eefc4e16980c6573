//! Table IV: whole programs with the search in software and in hardware.

use heapsmith_report::chart::{Bars, Measured};
use heapsmith_trace::rank_correlation;
use serde::Serialize;

use super::costs::{Costs, SEARCHES};
use super::programs::{Cost, FILES, SET_UP, costs};
use super::{BIT, TREE, UNIT, WORD};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-table-4",
    paper: &HYBRID,
    place: "Table IV",
    title: "whole programs with the search in hardware",
    claim: "Every program is faster with the hybrid allocator than with phkmalloc in software: by 1% to 43%, treeadd most; by \
            12.7% on average of ten programs (Li et al. 2006, Table IV).",
    differs: SET_UP,
    samples: FILES,
    run,
};

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    events: u64,
    mean_size: f64,
    work: f64,
    by_bit: f64,
    by_word: f64,
    by_tree: f64,
    by_unit: f64,
    by_ideal_unit: f64,
    unit_cycles: f64,
    unit_over_bit: f64,
    unit_over_word: f64,
    unit_over_bit_by_papers_share: f64,
    paper_speed_up: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let known = Costs::read();
    let all = costs(setting, &known)?;
    outcome(&all, &known)
}

/// What the whole program gains with the paper's share of time in allocation, and the improvement found here.
fn by_papers_share(cost: &Cost) -> f64 {
    1.0 / (1.0 - cost.program.share * cost.improvement(BIT, UNIT))
}

fn row(cost: &Cost) -> Row {
    let cycles = |search: usize| cost.allocating[search].cycles();
    Row {
        program: cost.program.name,
        events: cost.events,
        mean_size: cost.mean_size,
        work: cost.work,
        by_bit: cycles(BIT),
        by_word: cycles(WORD),
        by_tree: cycles(TREE),
        by_unit: cycles(UNIT),
        by_ideal_unit: cost.ideal.cycles(),
        unit_cycles: cost.allocating[UNIT].unit,
        unit_over_bit: cost.speed_up(BIT, UNIT),
        unit_over_word: cost.speed_up(WORD, UNIT),
        unit_over_bit_by_papers_share: by_papers_share(cost),
        paper_speed_up: cost.program.paper_speed_up(),
    }
}

/// The mean of something over the programs.
fn mean(all: &[Cost], of: impl Fn(&Cost) -> f64) -> f64 {
    all.iter().map(of).sum::<f64>() / all.len().max(1) as f64
}

fn outcome(all: &[Cost], known: &Costs) -> Result<Outcome, ExperimentError> {
    let rows: Vec<Row> = all.iter().map(row).collect();
    let mut outcome = Outcome::new(&rows)?;
    let slower: Vec<&str> =
        all.iter().filter(|cost| cost.speed_up(BIT, UNIT) <= 1.0).map(|cost| cost.program.name).collect();
    let faster = all.len() - slower.len();
    outcome.state(
        "003:unit-beats-search-by-bit",
        format!("{faster} of {}{}", all.len(), without(&slower)),
        slower.is_empty(),
    );
    let average = mean(all, |cost| cost.speed_up(BIT, UNIT)) - 1.0;
    let by_share = mean(all, by_papers_share) - 1.0;
    let papers = mean(all, |cost| cost.program.paper_speed_up()) - 1.0;
    let near = |found: f64| (found - papers).abs() <= 0.05;
    outcome.state(
        "003:speed-up-on-average",
        format!("{} by what is counted here; the paper has {} for these programs", percent(average), percent(papers)),
        near(average),
    );
    outcome.state(
        "003:speed-up-by-papers-shares",
        format!("{}: memory management is improved less than there (Figure 3)", percent(by_share)),
        near(by_share),
    );
    let max = all.iter().max_by(|a, b| a.speed_up(BIT, UNIT).total_cmp(&b.speed_up(BIT, UNIT)));
    let max = max.map_or("none", |cost| cost.program.name);
    outcome.state("003:treeadd-gains-most", format!("{max} does"), max == "treeadd");
    let rank = rank_correlation(&all.iter().map(|cost| (cost.share(), cost.speed_up(BIT, UNIT))).collect::<Vec<_>>());
    outcome.state("003:speed-up-follows-share", format!("rank correlation {rank:.2}"), rank > 0.8);
    // What the paper could not compare with: an instruction that counts zeros.
    let left = mean(all, |cost| cost.speed_up(WORD, UNIT)) - 1.0;
    let lost: Vec<&str> =
        all.iter().filter(|cost| cost.speed_up(WORD, UNIT) <= 1.0).map(|cost| cost.program.name).collect();
    outcome.state(
        "003:unit-beats-search-by-word",
        format!("in {} of {}{}; on average {}", all.len() - lost.len(), all.len(), without(&lost), percent(left)),
        lost.is_empty(),
    );
    let without_exchange: Vec<&str> = all
        .iter()
        .filter(|cost| cost.ideal.cycles() >= cost.allocating[WORD].cycles())
        .map(|cost| cost.program.name)
        .collect();
    outcome.state(
        "003:ideal-unit-beats-search-by-word",
        format!("in {} of {}{}", all.len() - without_exchange.len(), all.len(), without(&without_exchange)),
        without_exchange.is_empty(),
    );
    outcome.found = format!(
        "Beside a search bit by bit the unit makes the programs {} faster on average. Beside a search by word, whose zeros are \
         counted by an instruction that every processor has today, {} is left: the search is a small part of an allocation, and \
         where frees fall into other pages the bitmaps that go out and in cost more than the search saved. Costs are computed from \
         counts, within {} of the instructions counted for nine programs and each search.",
        percent(average),
        percent(left),
        percent(known.error),
    );
    outcome.tables.push(shown(&rows));
    outcome.draw("", "How much faster each program is with the unit, compared with the paper", chart(&rows));
    Ok(outcome)
}

/// The exceptions, if there are any.
fn without(names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!(", not {}", listed(names)) }
}

fn shown(rows: &[Row]) -> Shown {
    let millions = |count: f64| Value::Number(count / 1e6);
    let mut columns: Vec<String> = ["program", "events", "mean size", "work"].map(String::from).into();
    columns.extend(SEARCHES.map(|search| format!("allocating, {}", search.shown)));
    columns.extend(
        [
            "allocating, unit that exchanges nothing",
            "of the unit's the unit",
            "speed-up, unit over bit by bit",
            "unit over by word",
            "unit over bit by bit, at the paper's share",
            "the paper's",
        ]
        .map(String::from),
    );
    let mut shown = Shown::new("Millions of instructions and cycles", columns);
    for row in rows {
        shown.row([
            row.program.into(),
            row.events.into(),
            row.mean_size.into(),
            millions(row.work),
            millions(row.by_bit),
            millions(row.by_word),
            millions(row.by_tree),
            millions(row.by_unit),
            millions(row.by_ideal_unit),
            millions(row.unit_cycles),
            format!("{:.3}", row.unit_over_bit).into(),
            format!("{:.3}", row.unit_over_word).into(),
            format!("{:.3}", row.unit_over_bit_by_papers_share).into(),
            format!("{:.2}", row.paper_speed_up).into(),
        ]);
    }
    shown
}

fn chart(rows: &[Row]) -> String {
    let faster = |of: fn(&Row) -> f64| rows.iter().map(move |row| (of(row) - 1.0) * 100.0);
    let bars = Bars {
        title: "Whole programs with the unit".into(),
        y: "percent faster".into(),
        names: rows.iter().map(|row| row.program.to_owned()).collect(),
        series: vec![
            Measured::new("than bit by bit", faster(|row| row.unit_over_bit)),
            Measured::new("than by word", faster(|row| row.unit_over_word)),
            Measured::new("the paper, than bit by bit", faster(|row| row.paper_speed_up)),
        ],
        ..Bars::default()
    };
    bars.svg()
}

#[cfg(test)]
mod tests {
    use super::super::costs::{BY_BIT, BY_TREE, BY_UNIT, BY_WORD};
    use super::*;

    #[test]
    fn places_are_those_of_the_searches() {
        assert_eq!([BIT, WORD, TREE, UNIT].map(|place| SEARCHES[place]), [BY_BIT, BY_WORD, BY_TREE, BY_UNIT]);
    }
}
