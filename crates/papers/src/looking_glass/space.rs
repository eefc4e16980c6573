//! What the paper left out: the space that each allocator takes beyond what was asked for.

use heapsmith_replay::{AtPeak, Region, ReplayOptions, at_peak, replay};
use heapsmith_report::chart::{Axis, Bars, Chart, Mark, Measured, Series};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::apart::FreeBlocks;
use super::published::{Count, Counts, SAME_SIZES};
use super::{BINNED_SKIP_LIST, BINNED_TREE, EXPLICIT, IMPLICIT, TREE};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-space",
    paper: &LOOKING_GLASS,
    place: "Section 4, space",
    title: "the space that was not measured",
    claim: "Space was not measured. The paper expects trees and arrays of lists to take additional space for their \
            nodes and heads, and malloc to have only a moderate overhead (Diamantstein et al. 2018, sections 4 and \
            5.2).",
    differs: "There is no measurement to compare with. Footprints in bytes of the programs of Figures 19 to 24, with \
              words of four bytes. Nodes of free blocks lie in the blocks here and apart in the authors' tree: what they would take \
              apart is counted, five words for each free block at the end. Of the authors' programs and of malloc it is by how \
              much the heap grew.",
    samples: &[],
    run,
};

const HEAPS: [(&str, &str); 5] = [IMPLICIT, EXPLICIT, TREE, BINNED_TREE, BINNED_SKIP_LIST];
/// By so much at least one is more than another.
const NOTABLE: f64 = 1.05;
const REQUESTS: [u64; 4] = [10, 100, 1000, 10_000];

/// What bytes are, and how many of them a row has.
type Part = (&'static str, fn(&Row) -> u64);

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    requests: u64,
    requested_peak: u64,
    footprint_peak: u64,
    fragmentation: f64,
    headers: u64,
    padding: u64,
    free: u64,
    control: u64,
    overhead_per_block: f64,
    nodes_apart: Option<u64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let sizes = &REQUESTS[..setting.of(REQUESTS.len(), 3)];
    let mut rows = Vec::new();
    for (number, &requests) in sizes.iter().enumerate() {
        setting.step(number, sizes.len(), &format!("{requests} requests"))?;
        let trace = setting.made("random-half", &[("requests", requests), ("seed", setting.seed)])?;
        let mut region = Region::for_trace(&trace)?;
        for (heap, text) in HEAPS {
            let spec = resolve(text)?;
            let measures = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE)?;
            let AtPeak { headers, padding, free, control, .. } = at_peak(&spec, &trace, &mut region, &measures)?;
            let nodes = || FreeBlocks::at_end(&spec, &trace, &mut region).map(FreeBlocks::in_tree);
            rows.push(Row {
                heap,
                requests,
                requested_peak: measures.requested_peak.0,
                footprint_peak: measures.footprint_peak.0,
                fragmentation: measures.fragmentation(),
                headers: headers.0,
                padding: padding.0,
                free: free.0,
                control: control.0,
                overhead_per_block: (measures.footprint_peak.0 - measures.requested_peak.0) as f64 / requests as f64,
                nodes_apart: (heap == TREE.0).then(nodes).transpose()?,
            });
        }
    }
    outcome(&rows, &Counts::read()?)
}

fn outcome(rows: &[Row], counts: &Counts) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let max = rows.iter().map(|row| row.requests).max().unwrap_or(0);
    let last: Vec<&Row> = rows.iter().filter(|row| row.requests == max).collect();
    nodes(&mut outcome, &last, counts);
    heads(&mut outcome, &last);
    let of =
        |heap: (&str, &str)| last.iter().find(|row| row.heap == heap.0).map_or(f64::NAN, |row| row.overhead_per_block);
    let [implicit, explicit, tree, trees, skips] = HEAPS.map(of);
    outcome.found = format!(
        "With {max} requests the implicit list takes {} bytes a block beyond the request, the explicit list {}, the \
         tree {}, bins of trees {} and bins of skip lists {}: links of free blocks lie where payload was, so what a \
         structure costs is its smallest block and its heads. Nodes apart, as the authors' tree has them, come on top.",
        digits(implicit),
        digits(explicit),
        digits(tree),
        digits(trees),
        digits(skips)
    );
    outcome.tables = vec![shown(rows), programs(counts)];
    draw(&mut outcome, rows, &last);
    Ok(outcome)
}

/// What a program's heap takes beyond what was requested in 10,000 requests.
fn overhead(count: &Count) -> f64 {
    count.grown_max as f64 / count.requested as f64 - 1.0
}

/// Whether the tree takes more than lists do: with its nodes in the blocks, apart, and in the authors' programs.
fn nodes(outcome: &mut Outcome, last: &[&Row], counts: &Counts) {
    let row = |heap: (&str, &str)| last.iter().find(|row| row.heap == heap.0);
    let (Some(implicit), Some(explicit), Some(tree)) = (row(IMPLICIT), row(EXPLICIT), row(TREE)) else { return };
    let lists = implicit.overhead_per_block.max(explicit.overhead_per_block);
    let apart = tree.overhead_per_block + tree.nodes_apart.unwrap_or(0) as f64 / tree.requests as f64;
    let theirs = SAME_SIZES.map(|program| counts.largest(program).map_or(f64::NAN, overhead));
    outcome.state(
        "001:tree-takes-space",
        format!(
            "{} bytes a block beyond the request with nodes in the blocks, {} with nodes apart, lists {}; of the authors' programs \
             the tree takes {} beyond the requests, the lists {} and {}",
            digits(tree.overhead_per_block),
            digits(apart),
            digits(lists),
            percent(theirs[2]),
            percent(theirs[0]),
            percent(theirs[1])
        ),
        Answer::of_readings([
            tree.overhead_per_block > NOTABLE * lists,
            apart > NOTABLE * lists,
            theirs[2] > NOTABLE * theirs[0].max(theirs[1]),
        ]),
    );
    outcome.state(
        "001:malloc-overhead-is-moderate",
        format!("malloc takes {} beyond 10,000 requests of 1 to 1024 bytes", percent(theirs[3])),
        theirs[3] < MODERATE,
    );
}

/// An overhead below this is moderate; the paper gives no number.
const MODERATE: f64 = 0.1;

fn heads(outcome: &mut Outcome, last: &[&Row]) {
    let control = |heap: (&str, &str)| last.iter().find(|row| row.heap == heap.0).map_or(0, |row| row.control);
    let [implicit, explicit, tree, trees, skips] = HEAPS.map(control);
    outcome.state(
        "001:lists-take-space",
        format!(
            "control words take {trees} and {skips} bytes with bins, {tree} with a tree alone, {explicit} with one list"
        ),
        trees > tree && skips > explicit,
    );
    outcome.state(
        "001:list-needs-least-memory-of-its-own",
        format!(
            "{implicit} bytes for an implicit list and {explicit} for an explicit one, {tree} and more for the others"
        ),
        implicit.max(explicit) < tree.min(trees).min(skips),
    );
    outcome.state(
        "001:sizes-lie-with-the-blocks",
        "every heap has a header of four bytes for each block",
        last.iter().all(|row| row.headers == 4 * row.requests),
    );
}

fn shown(rows: &[Row]) -> Shown {
    let columns = [
        "heap",
        "requests",
        "fragmentation",
        "bytes a block",
        "headers",
        "padding",
        "free",
        "control",
        "nodes, were they apart",
    ];
    let mut shown = Shown::new("Where the bytes are at the peak", columns);
    for row in rows {
        shown.row([
            row.heap.into(),
            row.requests.into(),
            Value::Share(row.fragmentation),
            row.overhead_per_block.into(),
            row.headers.into(),
            row.padding.into(),
            row.free.into(),
            row.control.into(),
            row.nodes_apart.into(),
        ]);
    }
    shown
}

fn programs(counts: &Counts) -> Shown {
    let columns = ["program", "bytes requested", "bytes of the heap", "beyond the requests"];
    let mut shown = Shown::new("The authors' programs, 10,000 requests of 1 to 1024 bytes", columns);
    for count in SAME_SIZES.iter().filter_map(|&program| counts.largest(program)) {
        let beyond = Value::Share(overhead(count));
        shown.row([count.program.as_str().into(), count.requested.into(), count.grown_max.into(), beyond]);
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row], last: &[&Row]) {
    let parts: [Part; 4] = [
        ("headers", |row| row.headers),
        ("padding", |row| row.padding),
        ("free", |row| row.free),
        ("control", |row| row.control),
    ];
    let bars = Bars {
        title: "Bytes beyond the requests, at the peak".into(),
        y: "percent of the bytes requested".into(),
        names: last.iter().map(|row| row.heap.to_owned()).collect(),
        series: parts
            .iter()
            .map(|(name, of)| {
                Measured::new(*name, last.iter().map(|row| of(row) as f64 / row.requested_peak as f64 * 100.0))
            })
            .collect(),
        stacked: true,
        ..Bars::default()
    };
    outcome.draw("", "What the largest program takes beyond its requests, by what it is", bars.svg());
    let series = HEAPS.map(|(heap, _)| {
        let own = rows.iter().filter(|row| row.heap == heap);
        Series::new(heap, Mark::LineAndDots, own.map(|row| (row.requests as f64, row.fragmentation * 100.0)))
    });
    let chart = Chart {
        title: "Fragmentation over the number of requests".into(),
        x: Axis::logarithmic("requests"),
        y: Axis::logarithmic("percent over the bytes requested"),
        series: series.into(),
    };
    outcome.draw("-growth", "Fragmentation over the number of requests: heads weigh on small programs", chart.svg());
}
