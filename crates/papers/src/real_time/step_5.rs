//! Step 5 of the estranged system: one request that joins all there is.

use heapsmith_replay::{Drive, Driven, PlacedBlock, drive};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::objects::Collection;
use super::programs::{FILES, INPUTS};
use super::{BOUNDED, ESTRANGED, KNUTH, full_heap};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::fit::slope;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-step-5",
    paper: &REAL_TIME,
    place: "Sections 2.7 and 4",
    title: "the request that joins all free buddies",
    claim: "The estranged system joins buddies only when nothing else serves a request, from the smallest up; like Knuth's \
            system it is said to take O(log M) time in a heap of M bytes (Donahue et al. 2001, sections 2.7 and 4).",
    differs: "Heaps of one free block, filled with objects of 16 bytes that die together; then one request for the whole heap. \
              Java programs are run in the smallest heap that serves them. The system with bounded gluing is this \
              project's: at most 64 pairs of free buddies wait, and a free that completes one more joins it.",
    samples: FILES,
    run,
};

/// The estranged systems of which gluing is bounded, tightest first.
const TIGHTER: [(&str, &str); 2] = [
    ("estranged, 8 pairs", "buddy(estranged, start=one-block, glue=bounded(8))"),
    ("estranged, 1 pair", "buddy(estranged, start=one-block, glue=bounded(1))"),
];
const SMALLEST: u64 = 16;

#[derive(Debug, Serialize)]
struct Row {
    program: String,
    collection: &'static str,
    heap_bytes: u64,
    heap: &'static str,
    allocate_max: u64,
    free_max: u64,
    visits_max: u64,
}

fn heaps() -> impl Iterator<Item = (&'static str, &'static str)> {
    [KNUTH, ESTRANGED, BOUNDED].into_iter().chain(TIGHTER)
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let heapfuls = setting.of(full_heap::HEAPFULS, full_heap::COUNTED);
    let powers = 12..=setting.of(22, 15);
    let steps = powers.clone().count() + INPUTS.len();
    let mut rows = Vec::new();
    for (number, power) in powers.enumerate() {
        setting.step(number, steps, &format!("a heap of {} bytes", thousands(1 << power)))?;
        for (heap, text) in heaps() {
            rows.push(contrived(heap, text, 1 << power)?);
        }
    }
    for (number, program) in INPUTS.into_iter().enumerate() {
        setting.step(steps - INPUTS.len() + number, steps, program.name)?;
        let trace = setting.packed(program)?;
        let block = full_heap::smallest(&trace)?;
        for collection in Collection::BOTH {
            for (heap, served) in full_heap::run_all(heaps(), &trace, block, (collection, heapfuls))? {
                rows.push(Row {
                    program: program.name.to_owned(),
                    collection: collection.words(),
                    heap_bytes: block,
                    heap,
                    allocate_max: served.allocate_max,
                    free_max: served.free_max,
                    visits_max: served.visits_max,
                });
            }
        }
    }
    let slots = slots()?;
    outcome(&rows, slots)
}

/// The costliest operations of a heap that is filled, emptied and requested as a whole.
fn contrived(heap: &'static str, text: &str, block: u64) -> Result<Row, ExperimentError> {
    let mut region = full_heap::one_block(block)?;
    let objects = u32::try_from(block / SMALLEST).unwrap_or(u32::MAX) + 1;
    Ok(drive(&resolve(text)?, &mut region, objects, |driven| {
        let blocks: Vec<PlacedBlock> = std::iter::from_fn(|| driven.allocate(SMALLEST)).collect();
        let free_max = blocks.into_iter().map(|block| cost(driven, |driven| driven.free(block.slot)).0).max();
        let (allocate_max, visits_max) = cost(driven, |driven| {
            driven.allocate(block);
        });
        let free_max = free_max.unwrap_or(0);
        let program = "contrived".to_owned();
        Row { program, collection: "at once", heap_bytes: block, heap, allocate_max, free_max, visits_max }
    })?)
}

/// Accesses and visits of an operation.
fn cost(driven: &mut Driven<'_>, operation: impl FnOnce(&mut Driven<'_>)) -> (u64, u64) {
    let before = driven.meter();
    operation(driven);
    let now = driven.meter();
    (now.accesses - before.accesses, now.visits - before.visits)
}

/// The lists that Knuth's system looks at for an object of 16 bytes in an untouched heap of 16 MB, beyond the object's own.
fn slots() -> Result<u64, ExperimentError> {
    let block = 16 << 20;
    let mut region = full_heap::one_block(block)?;
    Ok(drive(&resolve(KNUTH.1)?, &mut region, 1, |driven| {
        let (_, visits) = cost(driven, |driven| {
            driven.allocate(SMALLEST);
        });
        visits
    })?)
}

/// The costliest requests of the contrived program with a heap, by the heap's bytes.
fn points(rows: &[Row], heap: &str, of: fn(&Row) -> u64) -> Vec<(f64, f64)> {
    let own = rows.iter().filter(|row| row.heap == heap && row.program == "contrived");
    own.map(|row| (row.heap_bytes as f64, of(row) as f64)).collect()
}

fn outcome(rows: &[Row], slots: u64) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let worst: fn(&Row) -> u64 = |row| row.allocate_max.max(row.free_max);
    let exponent = |heap: &str| slope(&points(rows, heap, worst), 0.0);
    let last = |heap: &str| points(rows, heap, worst).last().map_or(0.0, |point| point.1);
    let in_words = |heap: &str| {
        format!("exponent {:.2}, {} accesses in the largest heap", exponent(heap), thousands(last(heap) as u64))
    };
    outcome.state("002:knuth-is-logarithmic", in_words(KNUTH.0), exponent(KNUTH.0) < 0.2);
    outcome.state("002:estranged-is-logarithmic", in_words(ESTRANGED.0), exponent(ESTRANGED.0) < 0.2);
    // N pairs fill small heaps; where they do not, the bound counts.
    let within = |pairs: u64, heap: &str| {
        let bound = |row: &Row| 21 * pairs * orders(row) + 22 * orders(row) + 20;
        rows.iter().filter(|row| row.heap == heap).all(|row| worst(row) <= bound(row))
    };
    let all = [(64, BOUNDED.0), (8, TIGHTER[0].0), (1, TIGHTER[1].0)];
    outcome.state(
        "002:bounded-gluing-is-logarithmic",
        all.map(|(pairs, heap)| format!("{pairs} pairs: {}", in_words(heap))).join("; "),
        all.iter().all(|&(pairs, heap)| within(pairs, heap)),
    );
    let of_programs = |heap: &str| {
        let own = rows.iter().filter(|row| row.heap == heap && row.program != "contrived");
        own.map(|row| (row.allocate_max, row.free_max)).fold((0, 0), |all, one| (all.0.max(one.0), all.1.max(one.1)))
    };
    let [knuth, estranged, bounded] = [KNUTH, ESTRANGED, BOUNDED].map(|(heap, _)| of_programs(heap));
    outcome.state(
        "002:step-5-in-programs",
        format!(
            "{} accesses in one request of the estranged system, {} of Knuth's, {} where 64 pairs may wait",
            thousands(estranged.0),
            thousands(knuth.0),
            thousands(bounded.0)
        ),
        estranged.0 <= knuth.0.max(knuth.1),
    );
    outcome
        .state("002:twenty-slots", format!("{slots} lists beyond the one of the request"), slots <= 20)
        .with("slots", slots as f64);
    outcome.found = format!(
        "Step 5 joins all pairs in one request: {} accesses in a heap of {} bytes, with the exponent {:.2} in its size, and {} in \
         a Java program; where at most 64 pairs wait, {} and {}.",
        thousands(last(ESTRANGED.0) as u64),
        thousands(points(rows, ESTRANGED.0, worst).last().map_or(0, |point| point.0 as u64)),
        exponent(ESTRANGED.0),
        thousands(estranged.0),
        thousands(last(BOUNDED.0) as u64),
        thousands(bounded.0)
    );
    outcome.tables.push(shown(rows));
    let chart = Chart {
        title: "The costliest operation after all small objects died".into(),
        x: Axis::logarithmic("bytes of the heap"),
        y: Axis::logarithmic("accesses"),
        series: heaps().map(|(heap, _)| Series::new(heap, Mark::LineAndDots, points(rows, heap, worst))).collect(),
    };
    outcome.draw("", "Accesses of the costliest operation over the size of the heap", chart.svg());
    Ok(outcome)
}

/// Orders of blocks that a heap of words of four bytes has.
fn orders(row: &Row) -> u64 {
    u64::from((row.heap_bytes / 4).ilog2() + 1)
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "The costliest operations",
        ["program", "collection", "heap, bytes", "heap", "allocation, accesses", "free, accesses", "lists and joins"],
    );
    for row in rows {
        shown.row([
            row.program.clone().into(),
            row.collection.into(),
            row.heap_bytes.into(),
            row.heap.into(),
            row.allocate_max.into(),
            row.free_max.into(),
            row.visits_max.into(),
        ]);
    }
    shown
}
