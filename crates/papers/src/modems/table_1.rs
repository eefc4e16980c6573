//! Table 1: where the memory is at the peak.

use heapsmith_replay::{Region, ReplayOptions, at_peak, min_region, replay};
use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_spec::resolve;
use heapsmith_trace::PackedTrace;
use serde::Serialize;

use super::{ALLOCATORS, Allocator, WORKLOAD};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-table-1",
    paper: &MODEMS,
    place: "Table 1",
    title: "main memory at the peak: physical, used, headers, fragments",
    claim: "With 30,420 bytes (first fit) or 30,464 (best fit) all requests of the modems are served: at the peak 29,788 \
            are used, 532 are headers, 100, 92, 144 and 144 are fragments. All four allocators use over 97.8% for data and \
            leave less than 0.5% in fragments; there is no significant difference (Peintner et al. in their Table 1, section 5.1).",
    differs: "The paper does not print the memory needs of its units: those here are the workload's own, calibrated to its \
              peak, and so are the calls. The physical size is the smallest region in which nothing is refused, found by \
              bisection; it holds three control words besides. \
              How much lies in fragments depends on the calls.",
    samples: &[],
    run,
};

/// The paper's columns: physical, used, headers, fragments.
const PAPER: [[u64; 4]; 4] =
    [[30_420, 29_788, 532, 100], [30_420, 29_796, 532, 92], [30_464, 29_788, 532, 144], [30_464, 29_788, 532, 144]];

#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    physical: u64,
    used: u64,
    headers: u64,
    fragments: u64,
    free_blocks: u64,
    padding: u64,
    control: u64,
    fragments_share: f64,
    paper_physical: u64,
    paper_used: u64,
    paper_headers: u64,
    paper_fragments: u64,
}

impl Row {
    fn used_share(&self) -> f64 {
        self.used as f64 / self.physical as f64
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let trace = setting.made(WORKLOAD, &[])?;
    let mut rows = Vec::new();
    for (number, allocator) in ALLOCATORS.iter().enumerate() {
        setting.step(number, ALLOCATORS.len(), allocator.name)?;
        rows.extend(measure(allocator, &trace, PAPER[number])?);
    }
    outcome(&rows)
}

fn measure(allocator: &Allocator, trace: &PackedTrace, paper: [u64; 4]) -> Result<Option<Row>, ExperimentError> {
    let spec = resolve(allocator.spec)?;
    let mut region = Region::for_trace(trace)?;
    let Some(physical) = min_region(&spec, trace, &mut region)? else {
        return Ok(None);
    };
    let options = ReplayOptions { region: Some(physical), ..ReplayOptions::MEASURE };
    let measures = replay(&spec, trace, &mut region, options)?;
    let peak = at_peak(&spec, trace, &mut region, &measures)?;
    let (used, headers) = (peak.requested.0, peak.headers.0);
    let fragments = physical.0 - used - headers;
    let [paper_physical, paper_used, paper_headers, paper_fragments] = paper;
    Ok(Some(Row {
        allocator: allocator.name,
        physical: physical.0,
        used,
        headers,
        fragments,
        free_blocks: peak.free.0,
        padding: peak.padding.0,
        control: peak.control.0,
        fragments_share: fragments as f64 / physical.0 as f64,
        paper_physical,
        paper_used,
        paper_headers,
        paper_fragments,
    }))
}

/// The least and the most of a value over the rows.
fn range(rows: &[Row], of: fn(&Row) -> f64) -> (f64, f64) {
    rows.iter().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (min.min(value), max.max(value)))
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let (min, max) = range(rows, Row::used_share);
    outcome.state(
        "004:used-share",
        format!("{} to {}", percent(min), percent(max)),
        rows.len() == ALLOCATORS.len() && min >= 0.9775,
    );
    let (few, many) = range(rows, |row| row.fragments_share);
    outcome.state("004:fragments-share", format!("{} to {}", percent(few), percent(many)), many < 0.005);
    let (smallest, largest) = range(rows, |row| row.physical as f64);
    outcome.state(
        "004:no-significant-difference",
        format!(
            "{} to {} bytes, {} apart",
            thousands(smallest as u64),
            thousands(largest as u64),
            percent(largest / smallest - 1.0)
        ),
        largest / smallest < 1.01,
    );
    let size = |first: usize| rows.get(first).map_or(0, |row| row.physical);
    outcome.state(
        "004:first-fit-needs-less",
        format!("{} bytes and {} bytes", thousands(size(0)), thousands(size(2))),
        size(0) < size(2),
    );
    outcome.found = format!(
        "The modems need {} bytes at the peak, in {} blocks. They are served by regions of {} to {} bytes, {} to {} of \
         them data.",
        thousands(rows.first().map_or(0, |row| row.used)),
        rows.first().map_or(0, |row| row.headers / 4),
        thousands(smallest as u64),
        thousands(largest as u64),
        percent(min),
        percent(max)
    );
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows);
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let mut columns = vec!["bytes".to_owned()];
    for row in rows {
        columns.extend([row.allocator.to_owned(), "the paper's".to_owned()]);
    }
    let mut shown = Shown::new("Memory at the peak", columns);
    let mut line = |name: &str, of: fn(&Row) -> u64, paper: fn(&Row) -> Option<u64>| {
        let cells = rows.iter().flat_map(|row| [of(row).into(), paper(row).into()]);
        shown.row(std::iter::once(Value::from(name)).chain(cells));
    };
    line("physical size", |row| row.physical, |row| Some(row.paper_physical));
    line("effectively used", |row| row.used, |row| Some(row.paper_used));
    line("headers", |row| row.headers, |row| Some(row.paper_headers));
    line("fragments", |row| row.fragments, |row| Some(row.paper_fragments));
    line("of these in free blocks", |row| row.free_blocks, |_| None);
    line("in padding", |row| row.padding, |_| None);
    line("in control words", |row| row.control, |_| None);
    let share = |row: &Row| {
        [Value::Share(row.fragments_share), Value::Share(row.paper_fragments as f64 / row.paper_physical as f64)]
    };
    shown.row(std::iter::once(Value::from("fragments, share")).chain(rows.iter().flat_map(share)));
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let share = |of: fn(&Row) -> u64| rows.iter().map(move |row| 100.0 * of(row) as f64 / row.physical as f64);
    let bars = Bars {
        title: "Memory that is not data, at the peak".into(),
        y: "percent of the physical size".into(),
        names: rows.iter().map(|row| row.allocator.to_owned()).collect(),
        series: vec![
            Measured::new("headers", share(|row| row.headers)),
            Measured::new(
                "headers, the paper",
                rows.iter().map(|row| 100.0 * row.paper_headers as f64 / row.paper_physical as f64),
            ),
            Measured::new("fragments", share(|row| row.fragments)),
            Measured::new(
                "fragments, the paper",
                rows.iter().map(|row| 100.0 * row.paper_fragments as f64 / row.paper_physical as f64),
            ),
        ],
        stacked: false,
        scale: Scale::Linear,
        line: None,
    };
    outcome.draw("", "Figure 5 of the paper: what of the memory is headers and fragments", bars.svg());
}
