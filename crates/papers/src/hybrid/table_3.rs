//! Table III: what the programs ask for, and how much of their work is allocating.

use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_spec::resolve;
use heapsmith_trace::{PackedTrace, Trace};
use serde::Serialize;

use super::PHK;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, HYBRID};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "003-table-3",
    paper: &HYBRID,
    place: "Table III",
    title: "the pointer programs: sizes of objects and the share of allocation",
    claim: "Programs with many small objects spend much of their time in allocation: treeadd (objects of 24 bytes) 48.2%, \
            cfrac (8) 29.7%, perimeter (48) 16.3%, voronoi (40) 10.4%, health (24) 4.9%, bisort (24) 2.3% (Li et al. \
            2006, Table III).",
    differs: "The paper simulates a processor and counts cycles. Here a share is one of words: those that the allocator \
              reads and writes of its own, with the bits and words that its search looks at, beside those that the program \
              reads and writes of its data. The programs are written anew from the published algorithms; the arithmetic \
              between two words costs nothing, so allocation weighs more than in cycles. espresso, boxed-sim, parser and \
              perl are not among them. Inputs are the paper's (treeadd 20 levels, bisort 17, perimeter 12, voronoi 20,000 \
              points, health 5 levels and 500 steps, cfrac a number of 22 digits, another one than the paper's, which it \
              does not print).",
    samples: &[],
    run,
};

/// A program, with its parameters, those for a test, and what the paper says: mean bytes and percent of time.
struct PointerProgram {
    name: &'static str,
    input: &'static str,
    whole: &'static [(&'static str, &'static str)],
    small: &'static [(&'static str, &'static str)],
    paper: (u64, f64),
}

const PROGRAMS: [PointerProgram; 6] = [
    PointerProgram {
        name: "cfrac",
        input: "22 digits",
        whole: &[("number", "3141592653377433689557")],
        small: &[("number", "1000036000099")],
        paper: (8, 0.297),
    },
    PointerProgram {
        name: "treeadd",
        input: "20 levels",
        whole: &[("depth", "20")],
        small: &[("depth", "12")],
        paper: (24, 0.482),
    },
    PointerProgram {
        name: "voronoi",
        input: "20,000 points",
        whole: &[("points", "20000")],
        small: &[("points", "1000")],
        paper: (40, 0.104),
    },
    PointerProgram {
        name: "bisort",
        input: "17 levels",
        whole: &[("depth", "17")],
        small: &[("depth", "12")],
        paper: (24, 0.023),
    },
    PointerProgram {
        name: "perimeter",
        input: "12 levels",
        whole: &[("depth", "12")],
        small: &[("depth", "8")],
        paper: (48, 0.163),
    },
    PointerProgram {
        name: "health",
        input: "5 levels, 500 steps",
        whole: &[("levels", "5"), ("steps", "500")],
        small: &[("levels", "3"), ("steps", "200")],
        paper: (24, 0.049),
    },
];

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    input: String,
    allocations: u64,
    frees: u64,
    mean_size: f64,
    paper_mean_size: u64,
    allocator_words: u64,
    program_words: u64,
    share: f64,
    paper_share: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, program) in PROGRAMS.iter().enumerate() {
        setting.step(number, PROGRAMS.len(), program.name)?;
        let (given, input) = match setting.is_whole() {
            true => (program.whole, program.input.to_owned()),
            false => {
                let settings: Vec<String> = program.small.iter().map(|(key, value)| format!("{key}={value}")).collect();
                (program.small, settings.join(", "))
            }
        };
        let trace = setting.computed(program.name, given)?;
        rows.push(measure(program, input, &trace)?);
    }
    outcome(&rows)
}

fn measure(program: &PointerProgram, input: String, trace: &Trace) -> Result<Row, ExperimentError> {
    // The clock of such a program is its own work, and its last event the mark of its end.
    let program_words = trace.events.last().map_or(0, |event| event.time.0);
    let packed = PackedTrace::new(trace)?;
    let measures = replay(&resolve(PHK)?, &packed, &mut Region::for_trace(&packed)?, ReplayOptions::MEASURE)?;
    let allocator_words = measures.accesses.total + measures.visits.total;
    Ok(Row {
        program: program.name,
        input,
        allocations: packed.allocations,
        frees: packed.frees,
        mean_size: packed.requested_total.0 as f64 / packed.allocations.max(1) as f64,
        paper_mean_size: program.paper.0,
        allocator_words,
        program_words,
        share: allocator_words as f64 / (allocator_words + program_words).max(1) as f64,
        paper_share: program.paper.1,
    })
}

/// Names by falling share.
fn ranked(rows: &[Row], share: fn(&Row) -> f64) -> Vec<&'static str> {
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|one, other| share(other).total_cmp(&share(one)));
    sorted.into_iter().map(|row| row.program).collect()
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let near = |row: &&Row| (row.mean_size - row.paper_mean_size as f64).abs() < 0.05 * row.paper_mean_size as f64;
    let same: Vec<&str> = rows.iter().filter(near).map(|row| row.program).collect();
    let other: Vec<String> = rows
        .iter()
        .filter(|row| !near(row))
        .map(|row| format!("{} has {} instead of {}", row.program, digits(row.mean_size), row.paper_mean_size))
        .collect();
    outcome.state(
        "003:object-sizes",
        format!("{} have its size to within 5%; {}", listed(&same), listed(&other)),
        other.is_empty(),
    );
    let (here, paper) = (ranked(rows, |row| row.share), ranked(rows, |row| row.paper_share));
    outcome.state(
        "003:treeadd-allocates-most",
        format!("the order here is {}", listed(&here)),
        here.first() == paper.first(),
    );
    let last = |names: &[&'static str]| -> Vec<&'static str> {
        let mut last = names[names.len() - 2..].to_vec();
        last.sort_unstable();
        last
    };
    outcome.state(
        "003:bisort-and-health-allocate-least",
        format!("the smallest here are those of {}", listed(&last(&here))),
        last(&here) == last(&paper),
    );
    let share = |name: &str| rows.iter().find(|row| row.program == name).map_or(f64::NAN, |row| row.share);
    outcome.found = format!(
        "Of all words that are read and written, PHK's pages take {} in treeadd, {} in cfrac, {} in perimeter, {} in \
         voronoi, {} in bisort and {} in health. A vertex of voronoi has the paper's 40 bytes; its edges are blocks too \
         and larger. A number of cfrac has a head of 4 bytes before its digits.",
        percent(share("treeadd")),
        percent(share("cfrac")),
        percent(share("perimeter")),
        percent(share("voronoi")),
        percent(share("bisort")),
        percent(share("health")),
    );
    outcome.tables.push(shown(rows));
    let names: Vec<String> = rows.iter().map(|row| row.program.to_owned()).collect();
    let bars = Bars {
        title: "Share of allocation".into(),
        y: "percent".into(),
        names,
        series: vec![
            Measured::new("here, of words", rows.iter().map(|row| 100.0 * row.share)),
            Measured::new("the paper, of time", rows.iter().map(|row| 100.0 * row.paper_share)),
        ],
        stacked: false,
        scale: Scale::Linear,
        line: None,
    };
    outcome.draw("", "How much of a program is allocating, with PHK's pages searched bit by bit", bars.svg());
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "What the programs ask for, and the share of allocation",
        [
            "program",
            "input",
            "allocations",
            "frees",
            "mean bytes",
            "the paper's",
            "words of the allocator",
            "of the program",
            "share",
            "the paper's, of time",
        ],
    );
    for row in rows {
        shown.row([
            row.program.into(),
            row.input.clone().into(),
            row.allocations.into(),
            row.frees.into(),
            row.mean_size.into(),
            row.paper_mean_size.into(),
            row.allocator_words.into(),
            row.program_words.into(),
            Value::Share(row.share),
            Value::Share(row.paper_share),
        ]);
    }
    shown
}
