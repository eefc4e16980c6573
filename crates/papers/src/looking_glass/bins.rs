//! The paper's future work: the red-black tree with bins, and bins of skip lists.

use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::apart::FreeBlocks;
use super::programs::churn;
use super::{BINNED_SKIP_LIST, BINNED_TREE, EXPLICIT, TREE};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::fit::slope;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-bins",
    paper: &LOOKING_GLASS,
    place: "Section 5.4, future work",
    title: "the tree with bins, and bins of skip lists",
    claim: "Not built. Bins for frequent sizes are expected to improve the tree's time and space, and skip lists to have \
            the running time of red-black trees, in bins like those of malloc (Diamantstein et al. 2018, section 5.4).",
    differs: "There is no measurement to compare with. Blocks of 1 to 1024 bytes are replaced at random while this many \
              stay live, so that every request searches among free blocks, which in the programs of Figures 19 to 24 \
              none does. Bins are those of Lea's malloc: one for each size up to 512 bytes.",
    samples: &[],
    run,
};

const SKIP_LIST: (&str, &str) = ("skip list", "skiplist(seed=1, split=always, coalesce=immediate)");
const HEAPS: [(&str, &str); 5] = [EXPLICIT, TREE, SKIP_LIST, BINNED_TREE, BINNED_SKIP_LIST];
const LIVE: [u64; 6] = [10, 100, 300, 1000, 3000, 10_000];

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    live: u64,
    operations: u64,
    accesses_per_op: f64,
    accesses_max: u64,
    footprint: u64,
    requested: u64,
    fragmentation: f64,
    nodes_apart: Option<u64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let sizes = &LIVE[..setting.of(LIVE.len(), 4)];
    let mut rows = Vec::new();
    for (number, &live) in sizes.iter().enumerate() {
        setting.step(number, sizes.len(), &format!("{} live blocks", thousands(live)))?;
        let rounds = setting.of(2 * live.max(5000), 2 * live);
        let trace = churn("churn", live, rounds, (1, 1024), setting.seed).packed()?;
        let mut region = Region::for_trace(&trace)?;
        for (heap, text) in HEAPS {
            let spec = resolve(text)?;
            let measures = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE)?;
            rows.push(Row {
                heap,
                live,
                operations: measures.operations,
                accesses_per_op: measures.accesses_per_operation(),
                accesses_max: measures.accesses.max,
                footprint: measures.footprint_peak.0,
                requested: measures.requested_peak.0,
                fragmentation: measures.fragmentation(),
                nodes_apart: nodes_apart(heap, || FreeBlocks::at_end(&spec, &trace, &mut region))?,
            });
        }
    }
    outcome(&rows)
}

/// Bytes of the nodes of free blocks, were they apart: of a tree, and of bins with a list for each small size.
fn nodes_apart(
    heap: &str,
    free: impl FnOnce() -> Result<FreeBlocks, ExperimentError>,
) -> Result<Option<u64>, ExperimentError> {
    Ok(match heap {
        _ if heap == TREE.0 => Some(free()?.in_tree()),
        _ if heap == BINNED_TREE.0 => Some(free()?.in_bins()),
        _ => None,
    })
}

/// Fragmentation with the nodes apart.
fn apart(row: &Row) -> f64 {
    (row.footprint + row.nodes_apart.unwrap_or(0)) as f64 / row.requested as f64 - 1.0
}

fn points(rows: &[Row], heap: &str) -> Vec<(f64, f64)> {
    rows.iter().filter(|row| row.heap == heap).map(|row| (row.live as f64, row.accesses_per_op)).collect()
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let last = |heap: (&str, &str)| rows.iter().rfind(|row| row.heap == heap.0);
    let [tree, skip, trees, skips] = [TREE, SKIP_LIST, BINNED_TREE, BINNED_SKIP_LIST].map(last);
    let (Some(tree), Some(skip), Some(trees), Some(skips)) = (tree, skip, trees, skips) else { return Ok(outcome) };
    bins(&mut outcome, tree, trees);
    worst(&mut outcome, rows);
    let exponent = |heap: (&str, &str)| slope(&points(rows, heap.0), 100.0);
    let [of_tree, of_skip, of_skips] = [TREE, SKIP_LIST, BINNED_SKIP_LIST].map(exponent);
    outcome.state(
        "001:skip-list-is-like-tree",
        format!(
            "accesses an operation grow with the exponents {} (skip list) and {} (tree); {} and {} of them at the end",
            digits(of_skip),
            digits(of_tree),
            digits(skip.accesses_per_op),
            digits(tree.accesses_per_op)
        ),
        (of_skip - of_tree).abs() < 0.1 && skip.accesses_per_op < 2.0 * tree.accesses_per_op,
    );
    outcome.state(
        "001:bins-of-skip-lists-are-like-tree",
        format!("{} accesses an operation, exponent {}", digits(skips.accesses_per_op), digits(of_skips)),
        skips.accesses_per_op <= tree.accesses_per_op,
    );
    let lists = last(EXPLICIT).map_or(f64::NAN, |row| row.accesses_per_op);
    outcome.found = format!(
        "At {} live blocks an operation takes the tree {} accesses, bins of trees {}, the skip list {}, bins of skip \
         lists {}, and the explicit list {}.",
        thousands(tree.live),
        digits(tree.accesses_per_op),
        digits(trees.accesses_per_op),
        digits(skip.accesses_per_op),
        digits(skips.accesses_per_op),
        digits(lists)
    );
    outcome.tables.push(shown(rows));
    let chart = Chart {
        title: "Blocks replaced at random".into(),
        x: Axis::logarithmic("live blocks"),
        y: Axis::logarithmic("accesses an operation"),
        series: HEAPS.iter().map(|(heap, _)| Series::new(*heap, Mark::LineAndDots, points(rows, heap))).collect(),
    };
    outcome.draw("", "Accesses an operation over the number of live blocks", chart.svg());
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Every number of live blocks",
        ["heap", "live", "accesses/op", "worst operation", "fragmentation", "nodes, were they apart"],
    );
    for row in rows {
        shown.row([
            row.heap.into(),
            row.live.into(),
            row.accesses_per_op.into(),
            row.accesses_max.into(),
            Value::Share(row.fragmentation),
            row.nodes_apart.into(),
        ]);
    }
    shown
}

/// What bins save of a tree's time and space.
fn bins(outcome: &mut Outcome, tree: &Row, trees: &Row) {
    outcome.state(
        "001:bins-save-time",
        format!(
            "{} accesses an operation with bins, {} without, at {} live blocks",
            digits(trees.accesses_per_op),
            digits(tree.accesses_per_op),
            thousands(tree.live)
        ),
        trees.accesses_per_op < tree.accesses_per_op,
    );
    outcome.state(
        "001:bins-save-space",
        format!(
            "{} fragmentation with bins, {} without; {} and {} with nodes apart from the blocks",
            percent(trees.fragmentation),
            percent(tree.fragmentation),
            percent(apart(trees)),
            percent(apart(tree))
        ),
        Answer::of_readings([trees.fragmentation < tree.fragmentation, apart(trees) < apart(tree)]),
    );
}

/// Whether the tree's worst operation grows no faster than the logarithm of the live blocks.
fn worst(outcome: &mut Outcome, rows: &[Row]) {
    let own: Vec<&Row> = rows.iter().filter(|row| row.heap == TREE.0).collect();
    let (Some(first), Some(last)) = (own.first(), own.last()) else { return };
    let of_logarithms = (last.live as f64).ln() / (first.live as f64).ln();
    let of_accesses = last.accesses_max as f64 / first.accesses_max as f64;
    outcome.state(
        "001:tree-is-logarithmic",
        format!(
            "{} accesses in the worst operation at {} live blocks, {} at {}: {} times as many, where the logarithm is {} times",
            first.accesses_max,
            thousands(first.live),
            last.accesses_max,
            thousands(last.live),
            digits(of_accesses),
            digits(of_logarithms)
        ),
        of_accesses <= of_logarithms,
    );
}
