//! Section 4's future work: a request in constant time, beyond segregation by size.

use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use serde::Serialize;

use super::objects::Collection;
use super::programs::{FILES, INPUTS};
use super::{BOUNDED, ESTRANGED, HALF_FIT, KNUTH, TLSF, full_heap};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, digits, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-constant-time",
    paper: &REAL_TIME,
    place: "Section 4",
    title: "two-level segregated fit and half-fit, the constant time that the paper leaves to the future",
    claim: "To what extent a request can be served in constant time is left to future work; the authors expect that it takes \
            more than segregation by size (Donahue et al. 2001, section 4).",
    differs: "Half-fit is of 1995 and two-level segregated fit (TLSF) of 2004. Java programs in heaps of 1, 2 and 8 times \
              the smallest that serves them with a buddy system; collection when the heap is full.",
    samples: FILES,
    run,
};

const HEAPS: [(&str, &str); 5] = [KNUTH, ESTRANGED, BOUNDED, TLSF, HALF_FIT];

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    times_smallest: u64,
    heap_bytes: u64,
    heap: &'static str,
    objects: u64,
    refused: u64,
    collections: u64,
    accesses_per_object: f64,
    allocate_max: u64,
    free_max: u64,
    at_once_share: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let heapfuls = setting.of(full_heap::HEAPFULS, full_heap::COUNTED);
    let sizes = setting.of(vec![1, 2, 8], vec![1, 2]);
    let mut rows = Vec::new();
    for (number, program) in INPUTS.into_iter().enumerate() {
        let trace = setting.packed(program)?;
        let smallest = full_heap::smallest(&trace)?;
        for (index, &times) in sizes.iter().enumerate() {
            let step = number * sizes.len() + index;
            setting.step(step, INPUTS.len() * sizes.len(), &format!("{}, {times} times the heap", program.name))?;
            let when = (Collection::Occasional, heapfuls);
            for (heap, served) in full_heap::run_all(HEAPS, &trace, smallest * times, when)? {
                rows.push(Row {
                    program: program.name,
                    times_smallest: times,
                    heap_bytes: smallest * times,
                    heap,
                    objects: served.requests,
                    refused: served.refused,
                    collections: served.collections,
                    accesses_per_object: served.accesses_per_object(),
                    allocate_max: served.allocate_max,
                    free_max: served.free_max,
                    at_once_share: served.at_once_share(),
                });
            }
        }
    }
    outcome(&rows)
}

fn worst(rows: &[Row], heap: &str, times: u64) -> u64 {
    let own = rows.iter().filter(|row| row.heap == heap && row.times_smallest == times);
    own.map(|row| row.allocate_max.max(row.free_max)).max().unwrap_or(0)
}

fn points(rows: &[Row], heap: &str) -> Vec<(f64, f64)> {
    let mut sizes: Vec<u64> = rows.iter().map(|row| row.times_smallest).collect();
    sizes.dedup();
    sizes.sort_unstable();
    sizes.dedup();
    sizes.into_iter().map(|times| (times as f64, worst(rows, heap, times) as f64)).collect()
}

fn mean(rows: &[Row], heap: &str, of: fn(&Row) -> f64) -> f64 {
    let own: Vec<f64> = rows.iter().filter(|row| row.heap == heap).map(of).collect();
    own.iter().sum::<f64>() / own.len().max(1) as f64
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let ends = |heap: &str| {
        let all = points(rows, heap);
        (all.first().map_or(0.0, |point| point.1), all.iter().map(|point| point.1).fold(0.0, f64::max))
    };
    let in_words = |heap: &str| format!("{heap} {} to {}", ends(heap).0, ends(heap).1);
    let is_constant = |heap: &str| ends(heap).1 <= 60.0;
    outcome.state(
        "002:constant-time",
        format!(
            "worst operation from the smallest heap on, accesses: {}; {}; {}; {}",
            in_words(TLSF.0),
            in_words(HALF_FIT.0),
            in_words(KNUTH.0),
            in_words(ESTRANGED.0)
        ),
        is_constant(TLSF.0) && is_constant(HALF_FIT.0),
    );
    let accesses: fn(&Row) -> f64 = |row| row.accesses_per_object;
    let refused = |heap: &str| rows.iter().filter(|row| row.heap == heap).map(|row| row.refused).sum::<u64>();
    let lower = |heap: &str| mean(rows, heap, accesses) <= mean(rows, KNUTH.0, accesses);
    outcome.state(
        "002:constant-time-costs-no-more",
        format!(
            "mean accesses for an object: TLSF {}, half-fit {}, Knuth's {}, estranged {}; refused requests: {}, {}, {}, {}",
            digits(mean(rows, TLSF.0, accesses)),
            digits(mean(rows, HALF_FIT.0, accesses)),
            digits(mean(rows, KNUTH.0, accesses)),
            digits(mean(rows, ESTRANGED.0, accesses)),
            thousands(refused(TLSF.0)),
            thousands(refused(HALF_FIT.0)),
            thousands(refused(KNUTH.0)),
            thousands(refused(ESTRANGED.0))
        ),
        lower(TLSF.0) && lower(HALF_FIT.0),
    );
    let share: fn(&Row) -> f64 = |row| row.at_once_share;
    outcome.found = format!(
        "The worst operation of TLSF takes {} accesses and of half-fit {}, whatever the heap; of Knuth's system {} to {}, of the \
         estranged one up to {}. At once are served {}, {}, {} and {} of the requests.",
        ends(TLSF.0).1,
        ends(HALF_FIT.0).1,
        ends(KNUTH.0).0,
        ends(KNUTH.0).1,
        thousands(ends(ESTRANGED.0).1 as u64),
        percent(mean(rows, TLSF.0, share)),
        percent(mean(rows, HALF_FIT.0, share)),
        percent(mean(rows, KNUTH.0, share)),
        percent(mean(rows, ESTRANGED.0, share))
    );
    let mut shown = Shown::new(
        "Every program and heap",
        [
            "program",
            "heap, bytes",
            "heap",
            "refused",
            "collections",
            "accesses for an object",
            "worst allocation",
            "worst free",
        ],
    );
    for row in rows {
        shown.row([
            row.program.into(),
            row.heap_bytes.into(),
            row.heap.into(),
            row.refused.into(),
            row.collections.into(),
            row.accesses_per_object.into(),
            row.allocate_max.into(),
            row.free_max.into(),
        ]);
    }
    outcome.tables.push(shown);
    let chart = Chart {
        title: "The costliest operation of all programs".into(),
        x: Axis::logarithmic("times the smallest heap"),
        y: Axis::logarithmic("accesses"),
        series: HEAPS.iter().map(|&(heap, _)| Series::new(heap, Mark::LineAndDots, points(rows, heap))).collect(),
    };
    outcome.draw("", "Accesses of the costliest operation over the size of the heap", chart.svg());
    Ok(outcome)
}
