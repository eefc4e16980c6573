//! `heapsmith.replay`: measures heaps on traces.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use heapsmith_replay::{
    AtPeak, Measures, Region, ReplayError, ReplayOptions, Subject, Timing, TimingEffort, at_peak, heap_map,
    in_min_region, replay, replay_while, time,
};
use heapsmith_spec::resolve;
use heapsmith_trace::{Bytes, PackedTrace};
use pyo3::prelude::*;

use crate::errors::{Outcome, Raised};
use crate::tables::{Columns, Table};
use crate::trace::packed;
use crate::wait::{Patience, unlocked};

/// What was measured of one heap on one trace.
struct Row {
    trace: String,
    heap: String,
    counted: Option<(Measures, AtPeak)>,
    /// The smallest region, and the most accesses of an operation in it.
    smallest: Option<(u64, u64)>,
    timing: Option<(Timing, f64)>,
}

/// What is asked for besides the measures.
#[derive(Clone, Copy)]
struct Wanted {
    options: ReplayOptions,
    min_region: bool,
    rounds: usize,
}

/// Replays every trace through every heap; `noted` is called with a number of replays that are done.
#[pyfunction]
#[pyo3(name = "replay", signature = (traces, heaps, verify, check, region, with_min_region, rounds, noted))]
#[allow(clippy::too_many_arguments)]
pub fn replay_all(
    py: Python<'_>,
    traces: Vec<Bound<'_, PyAny>>,
    heaps: Vec<String>,
    verify: bool,
    check: Option<u64>,
    region: Option<u64>,
    with_min_region: bool,
    rounds: usize,
    noted: Option<Py<PyAny>>,
) -> Outcome<Table> {
    let traces = packed(&traces)?;
    let subjects = heaps.iter().map(|text| Ok(text.parse::<Subject>()?)).collect::<Outcome<Vec<_>>>()?;
    if rounds == 0
        && let Some(peer) = subjects.iter().find(|subject| subject.peer().is_some())
    {
        return Err(Raised::usage(format!("{peer} has no accesses and no footprint to count: ask for time=True")));
    }
    let options = ReplayOptions { region: region.map(Bytes), verify, check_every: check, stop_when_refused: false };
    let wanted = Wanted { options, min_region: with_min_region, rounds };
    let rows = unlocked(py, |patience| {
        let start = Instant::now();
        let rows = measure(&traces, &subjects, wanted, patience, noted.as_ref());
        REPLAYING.store(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        rows
    })??;
    Ok(table(&rows, wanted))
}

fn measure(
    traces: &[PackedTrace],
    subjects: &[Subject],
    wanted: Wanted,
    patience: &mut Patience,
    noted: Option<&Py<PyAny>>,
) -> Result<Vec<Row>, ReplayError> {
    let mut rows = Vec::new();
    for trace in traces {
        let mut region = Region::for_trace(trace)?;
        let timings = (wanted.rounds > 0)
            .then(|| time(subjects, trace, &mut region, TimingEffort::rounds(wanted.rounds).repeated()));
        let timings = timings.transpose()?;
        for (number, subject) in subjects.iter().enumerate() {
            if patience.is_over() {
                return Ok(rows);
            }
            let mut row = Row {
                trace: trace.name.clone(),
                heap: subject.to_string(),
                counted: None,
                smallest: None,
                timing: timings.as_ref().map(|all| (all.subjects[number].clone(), all.null_allocator.spread.median)),
            };
            if let Subject::Heap(spec) = subject {
                row.counted = count(spec, trace, &mut region, wanted.options, patience)?;
                if wanted.min_region && !patience.is_over() {
                    let found = in_min_region(spec, trace, &mut region)?;
                    row.smallest = found.map(|(bytes, there)| (bytes.0, there.accesses.max));
                }
            }
            rows.push(row);
            patience.tell(noted, (rows.len(),));
        }
    }
    Ok(rows)
}

/// Counts; nothing where it was stopped.
fn count(
    spec: &heapsmith_spec::Spec,
    trace: &PackedTrace,
    region: &mut Region,
    options: ReplayOptions,
    patience: &mut Patience,
) -> Result<Option<(Measures, AtPeak)>, ReplayError> {
    let measures = match options == ReplayOptions::MEASURE {
        true => replay_while(spec, trace, region, &mut |_| !patience.is_over())?,
        false => Some(replay(spec, trace, region, options)?),
    };
    let Some(measures) = measures else { return Ok(None) };
    let at_peak = at_peak(spec, trace, region, &measures)?;
    Ok(Some((measures, at_peak)))
}

/// A part of the footprint at the peak.
type OfPeak = fn(&AtPeak) -> Bytes;

fn table(rows: &[Row], wanted: Wanted) -> Table {
    let measures = |row: &Row| row.counted.as_ref().map(|(measures, _)| measures.clone());
    let share = |of: fn(&Measures) -> f64| rows.iter().map(move |row| row.counted.as_ref().map(|(m, _)| of(m)));
    let mut columns = Columns::default()
        .texts("trace", rows.iter().map(|row| &row.trace))
        .texts("heap", rows.iter().map(|row| &row.heap))
        .measured("fragmentation", share(Measures::fragmentation))
        .measured("internal_fragmentation", share(Measures::internal_fragmentation))
        .measured("external_fragmentation", share(Measures::external_fragmentation))
        .measured("accesses_per_op", share(Measures::accesses_per_operation));
    let integers: Vec<Option<Vec<u64>>> = rows.iter().map(|row| measures(row).map(|m| m.to_row())).collect();
    for (column, name) in Measures::COLUMNS.iter().enumerate() {
        columns = columns.known(*name, integers.iter().map(|row| row.as_ref().map(|row| row[column])));
    }
    let peaks: [(&str, OfPeak); 8] = [
        ("peak_requested", |peak| peak.requested),
        ("peak_headers", |peak| peak.headers),
        ("peak_padding", |peak| peak.padding),
        ("peak_layers", |peak| peak.layers),
        ("peak_free", |peak| peak.free),
        ("peak_control", |peak| peak.control),
        ("peak_largest_free", |peak| peak.largest_free),
        ("peak_largest_request", |peak| peak.largest_request),
    ];
    for (name, of) in peaks {
        columns = columns.known(name, rows.iter().map(|row| row.counted.as_ref().map(|(_, peak)| of(peak).0)));
    }
    if wanted.min_region {
        columns = columns
            .known("min_region", rows.iter().map(|row| row.smallest.map(|(bytes, _)| bytes)))
            .known("max_in_region", rows.iter().map(|row| row.smallest.map(|(_, max)| max)));
    }
    if wanted.rounds > 0 {
        let of = |of: fn(&(Timing, f64)) -> f64| rows.iter().map(move |row| row.timing.as_ref().map(of));
        columns = columns
            .measured("ns_per_op", of(|(timing, _)| timing.spread.median))
            .measured("ns_per_op_low", of(|(timing, _)| timing.spread.low))
            .measured("ns_per_op_high", of(|(timing, _)| timing.spread.high))
            .measured("ns_per_op_min", of(|(timing, _)| timing.min))
            .measured("ns_per_op_max", of(|(timing, _)| timing.max))
            .measured("null_ns_per_op", of(|(_, null_allocator)| *null_allocator));
    }
    columns.table()
}

/// The blocks of a heap after this many events of a trace, by offset; at the peak without a number. Returns the
/// table, the event and the footprint then.
#[pyfunction]
pub fn blocks(
    py: Python<'_>,
    trace: Bound<'_, PyAny>,
    heap: &str,
    events: Option<usize>,
) -> Outcome<(Table, usize, u64)> {
    let (trace, spec) = (packed(&[trace])?.remove(0), resolve(heap)?);
    let (map, events) = unlocked(py, |_| {
        let mut region = Region::for_trace(&trace)?;
        let events = match events {
            Some(events) => events.min(trace.events.len()),
            None => replay(&spec, &trace, &mut region, ReplayOptions::MEASURE)?.peak_event as usize + 1,
        };
        Ok::<_, ReplayError>((heap_map(&spec, &trace, &mut region, events)?, events))
    })??;
    let state = |state| match state {
        heapsmith::State::Used => "used",
        heapsmith::State::Free => "free",
        heapsmith::State::Cached => "kept",
    };
    let table = Columns::default()
        .integers("offset", map.blocks.iter().map(|block| block.offset as u64))
        .integers("size", map.blocks.iter().map(|block| block.size as u64))
        .integers("header", map.blocks.iter().map(|block| block.header as u64))
        .texts("state", map.blocks.iter().map(|block| state(block.state)))
        .table();
    Ok((table, events, map.footprint.0))
}

/// Nanoseconds that the latest `replay` of this process spent in replays: the rest of its time is what a call costs.
static REPLAYING: AtomicU64 = AtomicU64::new(0);

/// What the latest `replay` of this process spent in replays, in nanoseconds.
#[pyfunction]
pub fn replaying_ns() -> u64 {
    REPLAYING.load(Ordering::Relaxed)
}
