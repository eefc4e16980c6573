//! Links, orders and trees: what the paper proposes against the search through used blocks.

use heapsmith_replay::{Priority, Region, ReplayOptions, event_costs, min_region, replay};
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::responses::Response;
use super::runs::{Model, PAPER, interval, words};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, digits, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-lists",
    paper: &MODEMS,
    place: "Section 4.3, lists",
    title: "link fields, orders of the list, hidden trees, deferred coalescing",
    claim: "Free blocks in the order of their addresses fragment least; the search through used blocks could be avoided by \
            links inside free blocks, and further by trees hidden in them; deferred coalescing saves time where sizes are \
            common and fragments more (Peintner et al. in sections 4.3.2, 4.3.3 and 6, not tried there).",
    differs: "There is no measurement to compare with. The paper's run and others like it, each allocator in the smallest \
              region that serves it; medians over the runs.",
    samples: &[],
    run,
};

/// An allocator that is compared.
type Heap = (&'static str, &'static str);

const IMPLICIT: Heap = ("first fit, every block", "peintner-first-fast");
const BEST: Heap = ("best fit, every block", "peintner-best-fast");
const LINKED: Heap =
    ("first fit, links by address", "list(order=address, fit=first, split=always, coalesce=immediate)");
const LINKED_BEST: Heap =
    ("best fit, links by address", "list(order=address, fit=best, split=always, coalesce=immediate)");
const LIFO: Heap =
    ("first fit, links last in first out", "list(order=lifo, fit=first, split=always, coalesce=immediate)");
const LIFO_BEST: Heap =
    ("best fit, links last in first out", "list(order=lifo, fit=best, split=always, coalesce=immediate)");
const FIFO: Heap =
    ("first fit, links first in first out", "list(order=fifo, fit=first, split=always, coalesce=immediate)");
const TREE: Heap = ("best fit, red-black tree", "tree(red-black, fit=best, split=always, coalesce=immediate)");
const DEFERRED: Heap =
    ("first fit, deferred coalescing", "list(order=implicit, fit=first, split=always, coalesce=deferred)");
const DEFERRED_BEST: Heap =
    ("best fit, deferred coalescing", "list(order=implicit, fit=best, split=always, coalesce=deferred)");

const HEAPS: [Heap; 10] = [IMPLICIT, BEST, LINKED, LINKED_BEST, LIFO, LIFO_BEST, FIFO, TREE, DEFERRED, DEFERRED_BEST];
/// Those that coalesce at once, and those that defer it.
const COALESCING: [Heap; 4] = [IMPLICIT, BEST, DEFERRED, DEFERRED_BEST];
/// A model in which few sizes are very common.
const COMMON: Model = Model { granule: 512, ..PAPER };
/// Runs for an interval.
const RUNS: u64 = 30;

/// An allocator on a run.
#[derive(Debug, Clone, Copy, Serialize)]
struct Row {
    heap: &'static str,
    /// Sizes are multiples of this many bytes.
    granule: u64,
    run: u64,
    physical: u64,
    /// Requests that were served by splitting a block.
    splits: u64,
    allocate: f64,
    max_allocate: u64,
    free: f64,
    max_free: u64,
}

impl Row {
    fn both(&self) -> f64 {
        self.allocate + self.free
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let runs = setting.of(RUNS, 6);
    let mut rows = Vec::new();
    for run in 0..runs {
        setting.step(run as usize, runs as usize, &format!("run {} of {runs}", run + 1))?;
        measure(&PAPER, &HEAPS, run, setting, &mut rows)?;
        measure(&COMMON, &COALESCING, run, setting, &mut rows)?;
    }
    outcome(&rows)
}

/// Adds the rows of these heaps on a run.
fn measure(
    model: &Model,
    heaps: &[Heap],
    run: u64,
    setting: &Setting<'_>,
    rows: &mut Vec<Row>,
) -> Result<(), ExperimentError> {
    let trace = model.within(setting).packed(setting, setting.seed + run)?;
    let mut region = Region::for_trace(&trace)?;
    for &(heap, text) in heaps {
        let spec = resolve(text)?;
        let Some(size) = min_region(&spec, &trace, &mut region)? else { continue };
        let options = ReplayOptions { region: Some(size), ..ReplayOptions::MEASURE };
        let splits = replay(&spec, &trace, &mut region, options)?.after_split;
        let costs = event_costs(&spec, &trace, &mut region, size, |_| Priority::Low)?;
        let Response { allocate, free } = Response::of(&trace, &costs, |_| true);
        let (physical, granule) = (size.0, model.granule);
        let (max_allocate, max_free) = (allocate.max, free.max);
        rows.push(Row {
            heap,
            granule,
            run,
            physical,
            splits,
            allocate: allocate.mean,
            max_allocate,
            free: free.mean,
            max_free,
        });
    }
    Ok(())
}

/// The rows of two allocators on the same runs of a model.
fn pairs(rows: &[Row], model: &Model, one: Heap, other: Heap) -> Vec<(Row, Row)> {
    let of = |heap: Heap| rows.iter().filter(move |row| row.heap == heap.0 && row.granule == model.granule);
    of(one).filter_map(|row| of(other).find(|other| other.run == row.run).map(|other| (*row, *other))).collect()
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let more = |one: Heap, other: Heap, of: fn(&Row) -> f64| {
        interval(&pairs(rows, &PAPER, one, other), |(one, other)| of(other) - of(one))
    };
    let physical: fn(&Row) -> f64 = |row| row.physical as f64;
    let state = |outcome: &mut Outcome, claim: &str, compared: [(Heap, Heap); 2], of: fn(&Row) -> f64, unit: &str| {
        let found = compared.map(|(one, other)| {
            let more = more(one, other, of);
            (format!("{}: {} {unit} more than {}", other.0, words(more, digits), one.0), more.is_above(0.0))
        });
        let answer = found[0].1.and(found[1].1);
        outcome.state(claim, found.map(|(words, _)| words).join("; "), answer);
    };
    let orders = [(LINKED, LIFO), (LINKED_BEST, LIFO_BEST)];
    state(&mut outcome, "004:address-order-fragments-least", orders, physical, "bytes");
    let links = [(LINKED, IMPLICIT), (LINKED_BEST, BEST)];
    state(&mut outcome, "004:links-skip-used-blocks", links, |row| row.allocate, "accesses of an allocation");
    trees(&mut outcome, rows);
    let deferred = [(IMPLICIT, DEFERRED), (BEST, DEFERRED_BEST)];
    state(&mut outcome, "004:deferred-coalescing-fragments", deferred, physical, "bytes");
    deferred_time(&mut outcome, rows);
    let splitting = [(DEFERRED, IMPLICIT), (DEFERRED_BEST, BEST)];
    state(&mut outcome, "004:immediate-coalescing-splits-more", splitting, |row| row.splits as f64, "splits");
    state(&mut outcome, "004:links-take-memory", [(IMPLICIT, LINKED), (BEST, TREE)], physical, "bytes");
    outcome.found = format!(
        "An allocation and its free take first fit {} accesses, {} with links and best fit {} with a tree instead of {}; \
         the tree needs {} more memory.",
        digits(median(rows, IMPLICIT, Row::both)),
        digits(median(rows, LINKED, Row::both)),
        digits(median(rows, TREE, Row::both)),
        digits(median(rows, BEST, Row::both)),
        percent(median(rows, TREE, physical) / median(rows, BEST, physical) - 1.0)
    );
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows);
    Ok(outcome)
}

/// The median of a value of an allocator on the paper's model.
fn median(rows: &[Row], heap: Heap, of: fn(&Row) -> f64) -> f64 {
    let own = rows.iter().filter(|row| row.heap == heap.0 && row.granule == PAPER.granule);
    interval(&own.collect::<Vec<_>>(), |row| of(row)).median
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let bars = Bars {
        title: "Accesses of an operation".into(),
        y: "words of metadata".into(),
        names: HEAPS.map(|(heap, _)| heap.to_owned()).into(),
        series: vec![
            Measured::new("allocation", HEAPS.map(|heap| median(rows, heap, |row| row.allocate))),
            Measured::new("free", HEAPS.map(|heap| median(rows, heap, |row| row.free))),
        ],
        stacked: true,
        ..Bars::default()
    };
    outcome.draw("", "What allocating and freeing cost with links, trees and deferred coalescing", bars.svg());
}

/// By how many accesses an allocation and its free are cheaper with `one` than with `other`: in words, and an answer.
fn saves(rows: &[Row], model: &Model, one: Heap, other: Heap) -> (String, Answer) {
    let saved = interval(&pairs(rows, model, one, other), |(one, other)| other.both() - one.both());
    (format!("{} accesses fewer than {}", words(saved, digits), other.0), saved.is_above(0.0))
}

/// A tree against the search of the same policy, and against the paper's recommended allocator.
fn trees(outcome: &mut Outcome, rows: &[Row]) {
    let readings = [BEST, IMPLICIT].map(|other| saves(rows, &PAPER, TREE, other));
    let answer = Answer::of_readings(readings.iter().map(|(_, answer)| *answer == Answer::Holds));
    outcome.state("004:trees-are-faster", readings.map(|(words, _)| words).join("; "), answer);
    let (words, answer) = saves(rows, &PAPER, TREE, LINKED);
    outcome.state("004:trees-beat-links", words, answer);
}

/// Deferred coalescing against immediate, on the model's sizes and where few sizes are common.
fn deferred_time(outcome: &mut Outcome, rows: &[Row]) {
    let mut readings = Vec::new();
    for (name, model) in [("the units' sizes", PAPER), ("sizes in 512 bytes", COMMON)] {
        for (one, other) in [(DEFERRED, IMPLICIT), (DEFERRED_BEST, BEST)] {
            let (words, answer) = saves(rows, &model, one, other);
            readings.push((format!("{name}: {words}"), answer == Answer::Holds));
        }
    }
    let answer = Answer::of_readings(readings.iter().map(|(_, holds)| *holds));
    let words: Vec<String> = readings.into_iter().map(|(words, _)| words).collect();
    outcome.state("004:deferred-coalescing-saves-time", words.join("; "), answer);
}

fn shown(rows: &[Row]) -> Shown {
    let columns = ["allocator", "physical size, bytes", "allocation", "max", "free", "max"];
    let mut shown = Shown::new("Medians over the runs; max is of all of them", columns);
    for (heap, _) in HEAPS {
        let own: Vec<&Row> = rows.iter().filter(|row| row.heap == heap && row.granule == PAPER.granule).collect();
        let median = |of: fn(&Row) -> f64| interval(&own, |row| of(row)).median;
        let max = |of: fn(&Row) -> u64| own.iter().map(|row| of(row)).max();
        shown.row([
            heap.into(),
            median(|row| row.physical as f64).into(),
            median(|row| row.allocate).into(),
            max(|row| row.max_allocate).into(),
            median(|row| row.free).into(),
            max(|row| row.max_free).into(),
        ]);
    }
    shown
}
