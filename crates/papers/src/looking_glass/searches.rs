//! What the paper says of searches before it measures: first and best fit, coalescing, one list or many, a tree.

use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::apart::FreeBlocks;
use super::programs::churn;
use super::{EXPLICIT, IMPLICIT, TREE};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::fit::slope;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-searches",
    paper: &LOOKING_GLASS,
    place: "Sections 2.2.4 to 2.3.1",
    title: "first and best fit, coalescing, one list or many, a tree",
    claim: "First fit may be faster than best fit, and fragments more; best fit goes through a whole list, which a tree shortens \
            to O(log n) and bins by their number; coalescing reduces fragmentation (Diamantstein et al. 2018, sections 2.2.4 to \
            2.3.1).",
    differs: "Not measured in the paper, which cites it. Blocks of 1 to 1024 bytes are replaced at random while this many stay \
              live, so that every request searches among free blocks.",
    samples: &[],
    run,
};

const APART: (&str, &str) =
    ("implicit list, never coalescing", "list(order=implicit, fit=first, split=always, coalesce=never)");
const BEST: (&str, &str) =
    ("explicit list, best fit", "list(order=address, fit=best, split=always, coalesce=immediate)");
const NEXT: (&str, &str) =
    ("explicit list, next fit", "list(order=address, fit=next, split=always, coalesce=immediate)");
const WORST: (&str, &str) =
    ("explicit list, worst fit", "list(order=address, fit=worst, split=always, coalesce=immediate)");
const BINS: (&str, &str) = ("128 bins", "bins(lea, split=always, coalesce=immediate)");
const HEAPS: [(&str, &str); 8] = [IMPLICIT, APART, EXPLICIT, NEXT, WORST, BEST, BINS, TREE];
const LIVE: [u64; 4] = [100, 300, 1000, 3000];

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    live: u64,
    operations: u64,
    accesses_per_op: f64,
    visits_per_op: f64,
    fragmentation: f64,
    free_blocks: Option<u64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let sizes = &LIVE[..setting.of(LIVE.len(), 3)];
    let mut rows = Vec::new();
    for (number, &live) in sizes.iter().enumerate() {
        setting.step(number, sizes.len(), &format!("{} live blocks", thousands(live)))?;
        let trace = churn("churn", live, setting.of(10_000, 4 * live), (1, 1024), setting.seed).packed()?;
        let mut region = Region::for_trace(&trace)?;
        for (heap, text) in HEAPS {
            let spec = resolve(text)?;
            let measures = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE)?;
            let is_best = [BEST.0, TREE.0].contains(&heap);
            let mut free = || FreeBlocks::at_end(&spec, &trace, &mut region).map(FreeBlocks::count);
            rows.push(Row {
                heap,
                live,
                operations: measures.operations,
                accesses_per_op: measures.accesses_per_operation(),
                visits_per_op: measures.visits.total as f64 / measures.operations as f64,
                fragmentation: measures.fragmentation(),
                free_blocks: is_best.then(&mut free).transpose()?,
            });
        }
    }
    outcome(&rows)
}

fn points(rows: &[Row], heap: (&str, &str), of: fn(&Row) -> f64) -> Vec<(f64, f64)> {
    rows.iter().filter(|row| row.heap == heap.0).map(|row| (row.live as f64, of(row))).collect()
}

/// Blocks examined over the length of the list, or the size of the tree, at the end.
fn by_free_blocks(rows: &[Row], heap: (&str, &str)) -> Vec<(f64, f64)> {
    let own = rows.iter().filter(|row| row.heap == heap.0);
    own.filter_map(|row| Some((row.free_blocks? as f64, row.visits_per_op))).collect()
}

fn visits(row: &Row) -> f64 {
    row.visits_per_op
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    fits(&mut outcome, rows);
    structures(&mut outcome, rows);
    let last = |heap, of| points(rows, heap, of).last().map_or(f64::NAN, |point| point.1);
    outcome.found = format!(
        "At the largest number of live blocks an operation examines {} blocks of the explicit list by first fit and {} by best \
         fit, {} of 128 bins and {} of the tree; fragmentation is {} by first fit and {} by best fit.",
        digits(last(EXPLICIT, visits)),
        digits(last(BEST, visits)),
        digits(last(BINS, visits)),
        digits(last(TREE, visits)),
        percent(last(EXPLICIT, |row| row.fragmentation)),
        percent(last(BEST, |row| row.fragmentation)),
    );
    let columns = ["heap", "live", "accesses/op", "blocks examined/op", "fragmentation", "free blocks at the end"];
    let mut shown = Shown::new("Every number of live blocks", columns);
    for row in rows {
        shown.row([
            row.heap.into(),
            row.live.into(),
            row.accesses_per_op.into(),
            row.visits_per_op.into(),
            Value::Share(row.fragmentation),
            row.free_blocks.into(),
        ]);
    }
    outcome.tables.push(shown);
    let chart = Chart {
        title: "Blocks examined by searches".into(),
        x: Axis::logarithmic("live blocks"),
        y: Axis::logarithmic("blocks examined an operation"),
        series: HEAPS.map(|heap| Series::new(heap.0, Mark::LineAndDots, points(rows, heap, visits))).into(),
    };
    outcome.draw("", "Blocks that a search examines over the number of live blocks", chart.svg());
    Ok(outcome)
}

/// First fit and best fit.
fn fits(outcome: &mut Outcome, rows: &[Row]) {
    let last = |heap, of| points(rows, heap, of).last().map_or(f64::NAN, |point| point.1);
    let accesses = |row: &Row| row.accesses_per_op;
    let [first, best] = [EXPLICIT, BEST].map(|heap| points(rows, heap, accesses));
    outcome.state(
        "001:first-fit-is-faster",
        format!(
            "{} accesses an operation by first fit and {} by best fit at 100 live blocks, {} and {} at the most",
            digits(first[0].1),
            digits(best[0].1),
            digits(last(EXPLICIT, accesses)),
            digits(last(BEST, accesses))
        ),
        Answer::of_readings(first.iter().zip(&best).map(|(first, best)| first.1 < best.1)),
    );
    let fragmentation = |heap| last(heap, |row: &Row| row.fragmentation);
    let others = [EXPLICIT, NEXT, WORST].map(fragmentation);
    outcome.state(
        "001:first-fit-fragments-more",
        format!("{} by first fit, {} by best fit", percent(others[0]), percent(fragmentation(BEST))),
        others[0] > fragmentation(BEST),
    );
    outcome.state(
        "001:best-fit-fragments-least",
        format!(
            "{} by best fit; {} by first, {} by next and {} by worst fit",
            percent(fragmentation(BEST)),
            percent(others[0]),
            percent(others[1]),
            percent(others[2])
        ),
        others.iter().all(|&other| fragmentation(BEST) < other),
    );
    let [list, tree] = [BEST, TREE].map(|heap| slope(&by_free_blocks(rows, heap), 0.0));
    outcome.state(
        "001:best-fit-of-a-list-is-linear",
        format!("blocks examined grow with the exponent {} over the free blocks", digits(list)),
        list > 0.8,
    );
    outcome.state(
        "001:tree-shortens-best-fit",
        format!(
            "{} blocks examined an operation, the list {}; they grow with the exponent {}",
            digits(last(TREE, visits)),
            digits(last(BEST, visits)),
            digits(tree)
        ),
        tree < 0.3 && last(TREE, visits) < last(BEST, visits),
    );
}

/// Which blocks a list links, and how many lists there are.
fn structures(outcome: &mut Outcome, rows: &[Row]) {
    let last = |heap, of: fn(&Row) -> f64| points(rows, heap, of).last().map_or(f64::NAN, |point| point.1);
    let fragmentation = [IMPLICIT, APART].map(|heap| last(heap, |row| row.fragmentation));
    outcome.state(
        "001:coalescing-reduces-fragmentation",
        format!(
            "{} of an implicit list that coalesces, {} of one that does not",
            percent(fragmentation[0]),
            percent(fragmentation[1])
        ),
        fragmentation[0] < fragmentation[1],
    );
    let [implicit, explicit, bins] = [IMPLICIT, EXPLICIT, BINS].map(|heap| last(heap, visits));
    outcome.state(
        "001:explicit-list-shortens-searches",
        format!("{} blocks examined an operation, {} of an implicit list", digits(explicit), digits(implicit)),
        explicit < implicit,
    );
    outcome.state(
        "001:bins-shorten-searches",
        format!("{} blocks examined an operation, {} of one list", digits(bins), digits(explicit)),
        bins < explicit,
    );
    let exact = EXACT_MAX / EXACT_STEP;
    let bin = exact + (EXAMPLE - EXACT_MAX) / SORTED_STEP;
    outcome
        .state(
            "001:bin-of-651-bytes",
            format!("{exact} bins of one size up to {EXACT_MAX} bytes, then steps of {SORTED_STEP}: bin {bin}"),
            bin == 66,
        )
        .with("bin", bin as f64);
}

/// Lea's layout of bins, and the request of the paper's example.
const EXACT_MAX: u64 = 512;
const EXACT_STEP: u64 = 8;
const SORTED_STEP: u64 = 64;
const EXAMPLE: u64 = 651;
