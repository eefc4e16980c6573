//! Table 1, Linux: whether heaps of its words place requests where Lea's allocator itself does.
//!
//! ```text
//!   trace ──▶ malloc.c 2.7.2 ──▶ originals/lea-2.7.2.csv ─┐
//!     └─────▶ each reading ────▶ offsets ─────────────────┴─▶ the share that agrees
//! ```

use heapsmith_replay::{BlockLife, Region, block_lives};
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::PackedTrace;
use serde::{Deserialize, Serialize};

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::network::applications::{Application, DRR, EASYPORT};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "000-table-1",
    paper: &NETWORK,
    place: "Table 1",
    title: "Lea's allocator by its addresses",
    claim: "Linux has Lea's allocator 2.7.2: up to 128 lists, best fit, splitting and coalescing from 0% for small blocks \
            to 100% for large ones (Mamagkakis et al. 2006, Table 1, section 4).",
    differs: "The original was compiled for 32 bits over a region that is never full, and played the first 3,000 events of two \
              applications on an own capture of FTP sessions; its offsets are data \
              (crates/papers/originals/lea-2.7.2.csv). Three more of its runs lack mechanisms, to see what each does. Other systems of \
              the table were not compared with their sources.",
    samples: &["ftp.pcap.xz"],
    run,
};

const ORIGINAL: &str = include_str!("../../originals/lea-2.7.2.csv");

/// Events that the original played of each trace.
const EVENTS: usize = 3000;

/// The share of equal addresses from which a heap counts as the original's; the paper has no such measure.
const AGREES: f64 = 0.9;

const APPLICATIONS: [&Application; 2] = [&DRR, &EASYPORT];

const READINGS: [&str; 3] = ["lea-2.7.2", "lea-2.7.2/immediate", "lea-2.7.2/fast-bins"];

/// Where the runs of the original placed a request, in bytes from the first.
#[derive(Debug, Deserialize)]
struct Placed {
    application: String,
    bytes: u64,
    released: i64,
    no_sweep: i64,
    no_fast_bins: i64,
    no_remainder: i64,
}

/// A run of the original.
struct Run {
    name: &'static str,
    offset: fn(&Placed) -> i64,
}

const RELEASED: &str = "as released";
const NO_SWEEP: &str = "never consolidated";
const NO_FAST_BINS: &str = "without fast bins";
const NO_REMAINDER: &str = "without fast bins and last remainder";

const RUNS: [Run; 4] = [
    Run { name: RELEASED, offset: |placed| placed.released },
    Run { name: NO_SWEEP, offset: |placed| placed.no_sweep },
    Run { name: NO_FAST_BINS, offset: |placed| placed.no_fast_bins },
    Run { name: NO_REMAINDER, offset: |placed| placed.no_remainder },
];

/// How a reading compares with a run of the original.
#[derive(Debug, Serialize)]
struct Row {
    reading: &'static str,
    original: &'static str,
    application: &'static str,
    requests: usize,
    equal: usize,
    /// The first request that is elsewhere, from 0.
    first_other: Option<usize>,
}

impl Row {
    fn share(&self) -> f64 {
        self.equal as f64 / self.requests.max(1) as f64
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let placed = originals()?;
    let mut rows = Vec::new();
    for (number, application) in APPLICATIONS.into_iter().enumerate() {
        setting.step(number, APPLICATIONS.len(), application.name)?;
        let mut trace = (*setting.trace(application.inputs[0])?).clone();
        trace.events.truncate(EVENTS);
        let trace = PackedTrace::new(&trace)?;
        let own: Vec<&Placed> = placed.iter().filter(|placed| placed.application == application.name).collect();
        let mut region = Region::for_trace(&trace)?;
        for reading in READINGS {
            let lives = in_order(&resolve(reading)?, &trace, &mut region)?;
            if !lives.iter().map(|life| life.requested).eq(own.iter().map(|placed| placed.bytes)) {
                return Err(ExperimentError::OtherSample { file: application.inputs[0].file });
            }
            let first = lives.first().map_or(0, |life| life.offset as i64);
            let offsets: Vec<i64> = lives.iter().map(|life| life.offset as i64 - first).collect();
            for Run { name, offset } in RUNS {
                let original: Vec<i64> = own.iter().map(|placed| offset(placed)).collect();
                rows.push(compared(reading, name, application.name, &offsets, &original));
            }
        }
    }
    outcome(&rows)
}

fn originals() -> Result<Vec<Placed>, ExperimentError> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(ORIGINAL.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

/// The blocks of a heap in the order of the requests.
fn in_order(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<Vec<BlockLife>, ExperimentError> {
    let mut lives = block_lives(spec, trace, region)?.lives;
    lives.sort_by_key(|life| life.begin);
    Ok(lives)
}

fn compared(
    reading: &'static str,
    original: &'static str,
    application: &'static str,
    offsets: &[i64],
    others: &[i64],
) -> Row {
    let equal = offsets.iter().zip(others).filter(|(own, other)| own == other).count();
    let first_other = offsets.iter().zip(others).position(|(own, other)| own != other);
    Row { reading, original, application, requests: others.len(), equal, first_other }
}

/// The share of equal addresses of a reading with a run, on the application with fewer.
fn min_share(rows: &[Row], reading: &str, original: &str) -> f64 {
    let own = rows.iter().filter(|row| row.reading == reading && row.original == original);
    own.map(Row::share).fold(1.0, f64::min)
}

/// The smaller shares of every reading with a run, in words.
fn words(rows: &[Row], original: &str) -> String {
    READINGS.map(|reading| format!("{reading} {}", percent(min_share(rows, reading, original)))).join(", ")
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    outcome.state(
        "000:table-1-linux",
        format!(
            "addresses as the original's, on the application with fewer: {}; as of the original that never consolidates \
             its fast bins: {}",
            words(rows, RELEASED),
            words(rows, NO_SWEEP)
        ),
        Answer::of_readings(READINGS.map(|reading| min_share(rows, reading, RELEASED) >= AGREES)),
    );
    let immediate = |original| min_share(rows, "lea-2.7.2/immediate", original);
    outcome.state(
        "000:lea-without-fast-bins-is-immediate",
        format!(
            "{} of the addresses or more, {} where the original does not prefer its last remainder either",
            percent(immediate(NO_FAST_BINS)),
            percent(immediate(NO_REMAINDER))
        ),
        immediate(NO_FAST_BINS) >= AGREES,
    );
    outcome.found = format!(
        "Without its fast bins the original places {} of the requests or more where best fit with full splitting and \
         coalescing does. As released it joins small blocks before every larger request, where the readings join at once or when \
         the region is full: {}.",
        percent(immediate(NO_FAST_BINS)),
        words(rows, RELEASED)
    );
    outcome.tables.push(table(rows));
    outcome.draw("", "Share of the requests that a reading places where a run of the original does", bars(rows).svg());
    Ok(outcome)
}

fn table(rows: &[Row]) -> Shown {
    let columns = ["reading", "original", "application", "requests", "same address", "share", "first elsewhere"];
    let mut shown = Shown::new("Addresses of each reading and of the original, requests counted from 0", columns);
    for row in rows {
        shown.row([
            row.reading.into(),
            row.original.into(),
            row.application.into(),
            (row.requests as u64).into(),
            (row.equal as u64).into(),
            Value::Share(row.share()),
            row.first_other.map(|first| first as u64).into(),
        ]);
    }
    shown
}

fn bars(rows: &[Row]) -> Bars {
    let own = |reading: &'static str| {
        let shares = RUNS.iter().map(move |run| min_share(rows, reading, run.name) * 100.0);
        Measured::new(reading, shares)
    };
    Bars {
        title: "Addresses as the original's".into(),
        y: "percent of the requests, on the application with fewer".into(),
        names: RUNS.iter().map(|run| run.name.to_owned()).collect(),
        series: READINGS.into_iter().map(own).collect(),
        ..Bars::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_addresses_are_counted_and_the_first_other_one_is_told() {
        let row = compared("reading", RELEASED, "drr", &[0, 24, 48, 72], &[0, 24, 80, 72]);
        assert_eq!((row.requests, row.equal, row.first_other), (4, 3, Some(2)));
        let rows = [row, compared("reading", RELEASED, "easyport", &[0, 8], &[0, 8])];
        assert_eq!((rows[1].first_other, min_share(&rows, "reading", RELEASED)), (None, 0.75));
    }

    #[test]
    fn the_original_begins_at_its_first_block_and_places_by_eight_bytes() {
        let placed = originals().expect("it is read");
        for application in APPLICATIONS {
            let own: Vec<&Placed> = placed.iter().filter(|placed| placed.application == application.name).collect();
            for Run { name, offset } in RUNS {
                assert_eq!(offset(own[0]), 0, "{name}");
                assert!(own.iter().all(|placed| offset(placed) % 8 == 0), "{name}");
            }
        }
    }
}
