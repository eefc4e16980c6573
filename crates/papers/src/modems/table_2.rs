//! Table 2: what allocating, freeing and swapping cost.

use std::ops::Range;

use heapsmith_replay::{Kinds, Region, Subject, TimingEffort, kinds, min_region, time};
use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, PackedTrace, Trace};
use serde::Serialize;

use super::{ALLOCATORS, WORKLOAD};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, digits};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-table-2",
    paper: &MODEMS,
    place: "Table 2",
    title: "response: allocation, freeing, both, swap of a unit",
    claim: "An allocation takes 2.80, 2.89, 2.72 and 3.24 µs (first fit slow and fast free, best fit slow and fast free), \
            freeing 1.28, 0.24, 1.42 and 0.36 µs, both together 4.08, 3.13, 4.14 and 3.60 µs; a swap 128.88, 134.33, 138.36 \
            and 144.28 µs. First fit fast free is the best (Peintner et al. in their Table 2, section 5.2).",
    differs: "Words of metadata read and written are counted, which do not depend on a processor; the time of an operation \
              on this machine is shown next to them. Each heap has the smallest region that serves it, as in the paper. A swap \
              here exchanges one unit of an instance, of 4 to 19 blocks in all; the paper's takes as long as some 35 blocks \
              and does not say how many they are.",
    samples: &[],
    run,
};

/// The paper's columns, in µs: allocation, freeing, both, swap.
const PAPER: [[f64; 4]; 4] =
    [[2.80, 1.28, 4.08, 128.88], [2.89, 0.24, 3.13, 134.33], [2.72, 1.42, 4.14, 138.36], [3.24, 0.36, 3.60, 144.28]];

#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    allocate: f64,
    max_allocate: u64,
    free: f64,
    max_free: u64,
    both: f64,
    swap: f64,
    max_swap: u64,
    swaps: u64,
    ns_per_op: Option<f64>,
    null_ns_per_op: Option<f64>,
    paper_allocate_us: f64,
    paper_free_us: f64,
    paper_both_us: f64,
    paper_swap_us: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let whole = setting.made_trace(WORKLOAD, &[])?;
    let (trace, swaps) = (PackedTrace::new(&whole)?, swaps(&whole));
    let mut region = Region::for_trace(&trace)?;
    let subjects = ALLOCATORS.iter().map(|known| known.spec.parse()).collect::<Result<Vec<Subject>, _>>()?;
    let times = match setting.is_whole() {
        true => Some(time(&subjects, &trace, &mut region, TimingEffort::rounds(51))?),
        false => None,
    };
    let mut rows = Vec::new();
    for (number, allocator) in ALLOCATORS.iter().enumerate() {
        setting.step(number, ALLOCATORS.len(), allocator.name)?;
        let spec = resolve(allocator.spec)?;
        let Some(size) = min_region(&spec, &trace, &mut region)? else {
            continue;
        };
        let Kinds { allocate, free, stretch, .. } = kinds(&spec, &trace, &mut region, size, &swaps)?;
        let [paper_allocate_us, paper_free_us, paper_both_us, paper_swap_us] = PAPER[number];
        rows.push(Row {
            allocator: allocator.name,
            allocate: allocate.mean(),
            max_allocate: allocate.max,
            free: free.mean(),
            max_free: free.max,
            both: allocate.mean() + free.mean(),
            swap: stretch.mean(),
            max_swap: stretch.max,
            swaps: stretch.operations,
            ns_per_op: times.as_ref().map(|times| times.subjects[number].spread.median),
            null_ns_per_op: times.as_ref().map(|times| times.null_allocator.spread.median),
            paper_allocate_us,
            paper_free_us,
            paper_both_us,
            paper_swap_us,
        });
    }
    outcome(&rows)
}

/// The swaps, as ranges of the events without marks.
fn swaps(trace: &Trace) -> Vec<Range<usize>> {
    let named = |text: &str| trace.labels.iter().position(|label| label == text).map(|index| index as u32);
    let (begins, ends) = (named("swap"), named("swapped"));
    let (mut swaps, mut start, mut index) = (Vec::new(), 0, 0);
    for event in &trace.events {
        match event.action {
            Action::Mark { label } if Some(label) == begins => start = index,
            Action::Mark { label } if Some(label) == ends => swaps.push(start..index),
            Action::Mark { .. } => {}
            _ => index += 1,
        }
    }
    swaps
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let [first_slow, first_fast, best_slow, best_fast] = rows else {
        outcome.found = "Not every allocator served the modems in any region.".to_owned();
        return Ok(outcome);
    };
    outcome.state(
        "004:free-is-cheaper",
        format!(
            "{} times for first fit, {} times for best fit",
            digits(first_slow.free / first_fast.free),
            digits(best_slow.free / best_fast.free)
        ),
        first_slow.free > 2.0 * first_fast.free && best_slow.free > 2.0 * best_fast.free,
    );
    outcome.state(
        "004:first-fit-takes-less",
        format!("{} and {} accesses for both with fast free", digits(first_fast.both), digits(best_fast.both)),
        first_fast.both < best_fast.both && first_slow.both < best_slow.both,
    );
    let min = rows.iter().map(|row| row.both).fold(f64::INFINITY, f64::min);
    outcome.state(
        "004:first-fast-is-fastest",
        format!(
            "both together take {}, {}, {} and {} accesses",
            digits(first_slow.both),
            digits(first_fast.both),
            digits(best_slow.both),
            digits(best_fast.both)
        ),
        first_fast.both <= min,
    );
    outcome.state(
        "004:swap-prefers-slow-free",
        format!(
            "{} and {} accesses for first fit, {} and {} for best fit",
            digits(first_slow.swap),
            digits(first_fast.swap),
            digits(best_slow.swap),
            digits(best_fast.swap)
        ),
        first_slow.swap < first_fast.swap && best_slow.swap < best_fast.swap,
    );
    outcome.found = format!(
        "With boundary tags a free takes {} accesses instead of {} on average and never more than {}, where without them \
         it takes up to {}. An allocation takes {} to {}: the search through used and free blocks is most of the cost.",
        digits(first_fast.free),
        digits(first_slow.free),
        first_fast.max_free.max(best_fast.max_free),
        first_slow.max_free.max(best_slow.max_free),
        digits(rows.iter().map(|row| row.allocate).fold(f64::INFINITY, f64::min)),
        digits(rows.iter().map(|row| row.allocate).fold(0.0, f64::max)),
    );
    outcome.tables = vec![shown(rows), paper(rows)];
    let names = rows.iter().map(|row| row.allocator.to_owned()).collect();
    let bars = Bars {
        title: "Accesses of an operation".into(),
        y: "words of metadata".into(),
        names,
        series: vec![
            Measured::new("allocation", rows.iter().map(|row| row.allocate)),
            Measured::new("free", rows.iter().map(|row| row.free)),
        ],
        stacked: true,
        scale: Scale::Linear,
        line: None,
    };
    outcome.draw("", "What allocating and freeing a block costs on average", bars.svg());
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Accesses, on average and at most",
        [
            "allocator",
            "allocation",
            "max",
            "free",
            "max",
            "both",
            "swap",
            "max",
            "swaps",
            "ns/op",
            "ns/op of the null allocator",
        ],
    );
    for row in rows {
        shown.row([
            row.allocator.into(),
            row.allocate.into(),
            row.max_allocate.into(),
            row.free.into(),
            row.max_free.into(),
            row.both.into(),
            row.swap.into(),
            row.max_swap.into(),
            row.swaps.into(),
            row.ns_per_op.into(),
            row.null_ns_per_op.into(),
        ]);
    }
    shown
}

fn paper(rows: &[Row]) -> Shown {
    let mut shown = Shown::new("The paper's, in µs", ["allocator", "allocation", "free", "both", "swap"]);
    for row in rows {
        let columns = [row.paper_allocate_us, row.paper_free_us, row.paper_both_us, row.paper_swap_us];
        shown.row(std::iter::once(row.allocator.into()).chain(columns.map(Into::into)));
    }
    shown
}
