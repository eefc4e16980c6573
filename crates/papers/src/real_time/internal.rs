//! Section 2.4: what rounding to powers of two wastes, and the two rules for it.

use std::collections::BTreeSet;

use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::build::words_for;
use heapsmith_spec::resolve;
use heapsmith_trace::{Operation, PackedTrace};
use serde::Serialize;

use super::objects::Collection;
use super::programs::{FILES, INPUTS};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, digits, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-internal-fragmentation",
    paper: &REAL_TIME,
    place: "Section 2.4",
    title: "what rounding wastes, the factor of 1.5 and the bound from known types",
    claim: "Rounding up to powers of two may waste up to half of the store; in a heap of 1.5 times the bound this is of \
            no concern; where sizes are known, the worst type bounds it, perhaps better, and the worst run allocates \
            nothing else (Donahue et al. 2001, section 2.4).",
    differs: "Objects of Java programs. Rounded is a request to the next power of two, 16 bytes at least, with nothing \
              added, as the paper counts; with headers is this project's Knuth's buddy, whose header is a word of the \
              block. A type is a size here. The worst request is the size that its rounding wastes most of.",
    samples: FILES,
    run,
};

/// The paper's factor.
const FACTOR: f64 = 1.5;
/// Sizes up to here, in bytes, are those of objects with few fields.
const SMALL: u64 = 32;
/// The smallest block of the paper, in bytes.
const MIN: u64 = 16;

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    requested_peak: u64,
    rounded_peak: u64,
    with_headers_peak: u64,
    rounded: f64,
    with_headers: f64,
    types: usize,
    worst_type: u64,
    bound_of_types: f64,
    bound_of_small: f64,
    wasted_max: f64,
}

fn rounded(size: u64) -> u64 {
    size.next_power_of_two().max(MIN)
}

/// Peak live bytes, where a request of a size takes as many as `bytes` says.
fn peak(trace: &PackedTrace, bytes: impl Fn(u64) -> u64) -> u64 {
    let (mut slots, mut live, mut peak) = (vec![0; trace.slots], 0, 0);
    for event in &trace.events {
        let slot = &mut slots[event.slot as usize];
        live -= std::mem::take(slot);
        if event.operation != Operation::Free {
            *slot = bytes(event.size.max(1));
            live += *slot;
            peak = peak.max(live);
        }
    }
    peak
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let spec = resolve("buddy(knuth)")?;
    let mut rows = Vec::new();
    for (number, program) in INPUTS.into_iter().enumerate() {
        setting.step(number, INPUTS.len(), program.name)?;
        let trace = Collection::Continuous.trace(setting, program)?;
        let requests = trace.events.iter().filter(|event| event.operation != Operation::Free);
        let types: BTreeSet<u64> = requests.map(|event| event.size.max(1)).collect();
        let factor = |size: u64| rounded(size) as f64 / size as f64;
        let worst = types.iter().copied().max_by(|&one, &other| factor(one).total_cmp(&factor(other))).unwrap_or(MIN);
        let requested = peak(&trace, |size| size);
        let by_rounding = peak(&trace, rounded);
        let headers = |size| words_for(&spec, size).map_or(0, |words| words as u64 * u64::from(spec.word.bytes()));
        let with_headers = peak(&trace, headers);
        rows.push(Row {
            program: program.name,
            requested_peak: requested,
            rounded_peak: by_rounding,
            with_headers_peak: with_headers,
            rounded: by_rounding as f64 / requested.max(1) as f64,
            with_headers: with_headers as f64 / requested.max(1) as f64,
            types: types.len(),
            worst_type: worst,
            bound_of_types: factor(worst),
            bound_of_small: types.range(..=SMALL).map(|&size| factor(size)).fold(1.0, f64::max),
            wasted_max: 1.0 - 1.0 / factor(worst),
        });
    }
    outcome(&rows)
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let sizes = MIN..=1 << 16;
    let waste = |size: u64| 1.0 - size as f64 / rounded(size) as f64;
    let max_waste = sizes.clone().map(waste).fold(0.0, f64::max);
    outcome.state(
        "002:rounding-wastes-up-to-half",
        format!(
            "at most {} of a block for all sizes from 16 bytes to 64 KB; {} on the programs",
            percent(max_waste),
            percent(rows.iter().map(|row| row.wasted_max).fold(0.0, f64::max))
        ),
        max_waste < 0.5 && max_waste > 0.49 && sizes.into_iter().all(|size| rounded(size) - size < rounded(size) / 2),
    );
    let within = |of: fn(&Row) -> f64| rows.iter().filter(|row| of(row) <= FACTOR).count();
    let (by_rounding, with_headers) = (within(|row| row.rounded), within(|row| row.with_headers));
    let worst_size = 1.0 / (1.0 - max_waste);
    outcome.state(
        "002:heap-times-1-5",
        format!(
            "enough for {by_rounding} of {} programs by rounding alone, for {with_headers} with headers; not for requests \
             of the worst size, which take {} times",
            rows.len(),
            digits(worst_size)
        ),
        Answer::of_readings([by_rounding == rows.len(), with_headers == rows.len(), worst_size <= FACTOR]),
    );
    let bounded = rows.iter().filter(|row| row.rounded <= row.bound_of_types).count();
    let reached = rows.iter().filter(|row| {
        let alone = rounded(row.worst_type) * 100;
        alone as f64 / (row.worst_type * 100) as f64 >= row.bound_of_types
    });
    outcome.state(
        "002:worst-type-bounds-the-waste",
        format!(
            "in {bounded} of {} programs; a run of the worst type alone reaches it in {}",
            rows.len(),
            reached.count()
        ),
        bounded == rows.len(),
    );
    let better: Vec<&str> = rows.iter().filter(|row| row.bound_of_types < FACTOR).map(|row| row.program).collect();
    let list = if better.is_empty() { String::new() } else { format!(" ({})", listed(&better)) };
    let bounds: Vec<String> = rows.iter().map(|row| digits(row.bound_of_types)).collect();
    let small = rows.iter().filter(|row| row.bound_of_small < FACTOR).count();
    outcome.state(
        "002:known-types-give-a-better-bound",
        format!(
            "below 1.5 for {} of {} programs{list}: the bounds are {}; of sizes up to 32 bytes alone, for {small}",
            better.len(),
            rows.len(),
            listed(&bounds)
        ),
        better.len() == rows.len(),
    );
    let factors: Vec<String> = rows.iter().map(|row| digits(row.rounded)).collect();
    outcome.found =
        format!("At the peak, blocks take {} times what the programs requested, by rounding alone.", listed(&factors));
    outcome.tables.push(shown(rows));
    let series = |name: &str, of: fn(&Row) -> f64| Measured::new(name, rows.iter().map(of));
    let bars = Bars {
        title: "Blocks over requests at the peak".into(),
        y: "times the bytes requested".into(),
        names: rows.iter().map(|row| row.program.to_owned()).collect(),
        series: vec![
            series("rounded", |row| row.rounded),
            series("with headers", |row| row.with_headers),
            series("bound of the types", |row| row.bound_of_types),
        ],
        ..Bars::default()
    };
    outcome.draw("", "What rounding adds at the peak, and what the worst type of each program allows", bars.svg());
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let columns = [
        "program",
        "requested at the peak, bytes",
        "rounded",
        "with headers",
        "times, rounded",
        "with headers",
        "sizes",
        "worst size",
        "its factor",
    ];
    let mut shown = Shown::new("What rounding to powers of two adds", columns);
    for row in rows {
        shown.row([
            row.program.into(),
            row.requested_peak.into(),
            row.rounded_peak.into(),
            row.with_headers_peak.into(),
            row.rounded.into(),
            row.with_headers.into(),
            (row.types as u64).into(),
            row.worst_type.into(),
            row.bound_of_types.into(),
        ]);
    }
    shown
}
