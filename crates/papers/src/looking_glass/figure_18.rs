//! Figure 18: ten allocations of each size by the linear allocator and by the stack.
//!
//! The paper's first size is slow because the first call finds the place where the heap begins. Here a region is a
//! parameter of the heap; what the first call does more than the others is initialising nothing, which the accesses
//! show.

use heapsmith_replay::{Region, ReplayOptions, Subject, TimingEffort, replay, time};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};
use serde::Serialize;

use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-figure-18",
    paper: &LOOKING_GLASS,
    place: "Figure 18",
    title: "linear and stack allocator, ten allocations of each size",
    claim: "The linear allocator is faster than the stack at every size from 64 to 4096 bytes; the first size, 64 \
            bytes, takes much longer than the others, as the first call has to find where the heap begins \
            (Diamantstein et al. 2018, Figure 18, section 3).",
    differs: "One loop for both heaps, over a region that is there before the first call; accesses to metadata are \
              counted, and times are the fastest of many rounds in which the heaps take turns. The linear allocator here \
              has a header before each block, as every heap here frees and resizes by pointer alone.",
    samples: &[],
    run,
};

const SIZES: [u64; 6] = [64, 256, 512, 1024, 2048, 4096];
const ALLOCATIONS: u64 = 10;
const HEAPS: [(&str, &str); 2] = [("linear", "bump"), ("stack", "stack")];

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    size: u64,
    allocations: u64,
    accesses: u64,
    footprint: u64,
    ns_per_op: Option<f64>,
    null_ns_per_op: Option<f64>,
}

fn trace(size: u64) -> Result<PackedTrace, ExperimentError> {
    let mut trace = Trace::new(Origin::new("linear-stack", "none"));
    let allocate = |id| Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 });
    trace.events.extend((0..ALLOCATIONS).map(allocate));
    Ok(PackedTrace::new(&trace)?)
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, size) in SIZES.into_iter().enumerate() {
        setting.step(number, SIZES.len(), &format!("{size} bytes"))?;
        let trace = trace(size)?;
        let mut region = Region::for_trace(&trace)?;
        let subjects = HEAPS.iter().map(|(_, text)| text.parse()).collect::<Result<Vec<Subject>, _>>()?;
        // Ten allocations take some tens of nanoseconds: many rounds make a median of it.
        let times = if setting.is_whole() {
            Some(time(&subjects, &trace, &mut region, TimingEffort::rounds(2001))?)
        } else {
            None
        };
        for (heap, (name, text)) in HEAPS.into_iter().enumerate() {
            let measures = replay(&resolve(text)?, &trace, &mut region, ReplayOptions::MEASURE)?;
            rows.push(Row {
                heap: name,
                size,
                allocations: ALLOCATIONS,
                accesses: measures.accesses.total,
                footprint: measures.footprint_peak.0,
                ns_per_op: times.as_ref().map(|times| times.subjects[heap].min),
                null_ns_per_op: times.as_ref().map(|times| times.null_allocator.min),
            });
        }
    }
    outcome(&rows)
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let of = |heap: &str| rows.iter().filter(move |row| row.heap == heap).collect::<Vec<_>>();
    let (linear, stack) = (of("linear"), of("stack"));
    let fewer = linear.iter().zip(&stack).filter(|(one, other)| one.accesses < other.accesses).count();
    let (accesses, more) = (linear[0].accesses, stack[0].accesses);
    outcome.state(
        "001:linear-beats-stack",
        format!(
            "linear needs fewer accesses at {fewer} of {} sizes: {accesses} against {more} for ten of 64 bytes",
            SIZES.len()
        ),
        fewer == SIZES.len(),
    );
    let first = [&linear, &stack].iter().all(|rows| rows.iter().skip(1).all(|row| rows[0].accesses > row.accesses));
    outcome.state(
        "001:first-size-is-slow",
        format!(
            "linear {} to {} accesses over all sizes: the region is there before the first call",
            linear.iter().map(|row| row.accesses).min().unwrap_or(0),
            linear.iter().map(|row| row.accesses).max().unwrap_or(0)
        ),
        first,
    );
    let mut found = format!(
        "Ten allocations take the linear heap {accesses} accesses and the stack {more}, whatever their size, the first \
         size included."
    );
    if let (Some(one), Some(other)) = (median(&linear), median(&stack)) {
        found.push_str(&format!(
            " In time: {} ns and {} ns an allocation, the median over the sizes.",
            digits(one),
            digits(other)
        ));
    }
    outcome.found = found;
    let mut shown = Shown::new(
        "Ten allocations of each size",
        ["heap", "size", "accesses", "footprint", "ns/op", "ns/op of the null allocator"],
    );
    for row in rows {
        shown.row([
            row.heap.into(),
            row.size.into(),
            row.accesses.into(),
            row.footprint.into(),
            Value::from(row.ns_per_op),
            row.null_ns_per_op.into(),
        ]);
    }
    outcome.tables.push(shown);
    let points =
        |rows: &[&Row], of: fn(&Row) -> f64| rows.iter().map(|row| (row.size as f64, of(row))).collect::<Vec<_>>();
    let timed = rows.iter().all(|row| row.ns_per_op.is_some());
    let of: fn(&Row) -> f64 = if timed { |row| row.ns_per_op.unwrap_or(f64::NAN) } else { |row| row.accesses as f64 };
    let chart = Chart {
        title: "Ten allocations of each size".into(),
        x: Axis::linear("bytes of a request"),
        y: Axis::linear(if timed { "nanoseconds an allocation" } else { "accesses of ten allocations" }),
        series: vec![
            Series::new("linear", Mark::LineAndDots, points(&linear, of)),
            Series::new("stack", Mark::LineAndDots, points(&stack, of)),
        ],
    };
    outcome.draw(
        "",
        "Time of an allocation by the linear heap and by the stack over the size of the request",
        chart.svg(),
    );
    Ok(outcome)
}

fn median(rows: &[&Row]) -> Option<f64> {
    let mut times: Vec<f64> = rows.iter().map(|row| row.ns_per_op).collect::<Option<_>>()?;
    times.sort_by(f64::total_cmp);
    Some(times[times.len() / 2])
}
