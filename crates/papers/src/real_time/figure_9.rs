//! Figure 9: the buddy systems against the unstructured list on the objects of Java programs.

use heapsmith_replay::{Region, ReplayOptions, Subject, TimingEffort, replay, time};
use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::objects::{Collection, FILES, PROGRAMS, SET_UP};
use super::{ESTRANGED, KNUTH, LIST};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-figure-9",
    paper: &REAL_TIME,
    place: "Figure 9",
    title: "the buddy systems against the list on Java programs",
    claim: "Whole programs run 0.92 to 1.03 times as fast with Knuth's buddy system as with the unstructured list, 1.00 \
            to 1.10 times as fast with the estranged one: better bounds cost nothing on average, above all where \
            recombination is delayed (Donahue et al. 2001, Figure 9, section 3.2).",
    differs: SET_UP,
    samples: FILES,
    run,
};

const HEAPS: [(&str, &str); 3] = [LIST, KNUTH, ESTRANGED];

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    collection: &'static str,
    heap: &'static str,
    operations: u64,
    accesses_per_op: f64,
    accesses_max: u64,
    fragmentation: f64,
    speed_up: f64,
    ns_per_op: Option<f64>,
    time_speed_up: Option<f64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let steps = PROGRAMS.len() * Collection::BOTH.len();
    let mut rows = Vec::new();
    for (number, program) in PROGRAMS.into_iter().enumerate() {
        for (half, collection) in Collection::BOTH.into_iter().enumerate() {
            setting.step(number * 2 + half, steps, &format!("{}, {} collection", program.name, collection.words()))?;
            let trace = collection.trace(setting, program)?;
            let mut region = Region::for_trace(&trace)?;
            let subjects = HEAPS.iter().map(|(_, text)| text.parse()).collect::<Result<Vec<Subject>, _>>()?;
            let times = match setting.is_whole() {
                true => Some(time(&subjects, &trace, &mut region, TimingEffort::rounds(9))?),
                false => None,
            };
            let mut list = None;
            for (index, (heap, text)) in HEAPS.into_iter().enumerate() {
                let measures = replay(&resolve(text)?, &trace, &mut region, ReplayOptions::MEASURE)?;
                let accesses = measures.accesses_per_operation();
                let ns = times.as_ref().map(|times| times.subjects[index].min);
                let (of_list, ns_of_list) = *list.get_or_insert((accesses, ns));
                rows.push(Row {
                    program: program.name,
                    collection: collection.words(),
                    heap,
                    operations: measures.operations,
                    accesses_per_op: accesses,
                    accesses_max: measures.accesses.max,
                    fragmentation: measures.fragmentation(),
                    speed_up: of_list / accesses,
                    ns_per_op: ns,
                    time_speed_up: ns_of_list.zip(ns).map(|(list, own)| list / own),
                });
            }
        }
    }
    outcome(&rows)
}

/// Least and most of a heap's rows.
fn span(rows: &[Row], heap: &str, of: fn(&Row) -> Option<f64>) -> (f64, f64) {
    let own = rows.iter().filter(|row| row.heap == heap).filter_map(of);
    (own.clone().fold(f64::INFINITY, f64::min), own.fold(0.0, f64::max))
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let counted: fn(&Row) -> Option<f64> = |row| Some(row.speed_up);
    let (knuth, estranged) = (span(rows, KNUTH.0, counted), span(rows, ESTRANGED.0, counted));
    let between = |(min, max): (f64, f64)| format!("{} to {} times", digits(min), digits(max));
    outcome.state("002:estranged-never-loses", format!("{} fewer accesses", between(estranged)), estranged.0 >= 1.0);
    outcome.state("002:knuth-sometimes-loses", format!("{} fewer accesses", between(knuth)), knuth.0 < 1.0);
    let pairs = rows.iter().filter(|row| row.heap == KNUTH.0).filter_map(|knuth| {
        let same =
            |row: &&Row| row.heap == ESTRANGED.0 && row.program == knuth.program && row.collection == knuth.collection;
        rows.iter().find(same).map(|estranged| estranged.accesses_per_op <= knuth.accesses_per_op)
    });
    let (better, all) = pairs.fold((0, 0), |(better, all), wins| (better + usize::from(wins), all + 1));
    outcome.state("002:estranged-beats-knuth", format!("no more accesses in {better} of {all} cases"), better == all);
    let worst = |heap: &str| rows.iter().filter(|row| row.heap == heap).map(|row| row.accesses_max).max().unwrap_or(0);
    outcome.state(
        "002:buddy-worst-operation",
        format!("{} (Knuth) and {} (estranged) against {} accesses", worst(KNUTH.0), worst(ESTRANGED.0), worst(LIST.0)),
        worst(KNUTH.0) < worst(LIST.0) && worst(ESTRANGED.0) < worst(LIST.0),
    );
    let timed: fn(&Row) -> Option<f64> = |row| row.time_speed_up;
    let (of_knuth, of_estranged) = (span(rows, KNUTH.0, timed), span(rows, ESTRANGED.0, timed));
    outcome.found = format!(
        "An operation takes the estranged buddy system {} fewer accesses than the list, Knuth's {}.",
        between(estranged),
        between(knuth)
    );
    if of_knuth.1 > 0.0 {
        outcome.found.push_str(&format!(
            " In time: {} as fast (estranged), {} (Knuth), of the allocator alone.",
            between(of_estranged),
            between(of_knuth)
        ));
    }
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows);
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Every program; speed-ups are those over the list",
        [
            "program",
            "collection",
            "heap",
            "accesses/op",
            "worst operation",
            "fragmentation",
            "speed-up",
            "ns/op",
            "speed-up in time",
        ],
    );
    for row in rows {
        shown.row([
            row.program.into(),
            row.collection.into(),
            row.heap.into(),
            row.accesses_per_op.into(),
            row.accesses_max.into(),
            Value::Share(row.fragmentation),
            row.speed_up.into(),
            row.ns_per_op.into(),
            row.time_speed_up.into(),
        ]);
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    for collection in Collection::BOTH {
        let value = |program: &str, heap: &str| {
            let same = |row: &&Row| row.program == program && row.heap == heap && row.collection == collection.words();
            rows.iter().find(same).map_or(f64::NAN, |row| row.speed_up)
        };
        let bars = Bars {
            title: format!("Speed-up over the unstructured list, {} collection", collection.words()),
            y: "times fewer accesses".into(),
            names: PROGRAMS.map(|program| program.name.to_owned()).into(),
            series: [ESTRANGED, KNUTH]
                .map(|(heap, _)| Measured::new(heap, PROGRAMS.map(|program| value(program.name, heap))))
                .into(),
            stacked: false,
            scale: Scale::Linear,
            line: Some(("the list".into(), 1.0)),
        };
        let caption =
            format!("Accesses of the list over those of each buddy system, {} collection", collection.words());
        outcome.draw(&format!("-{}", collection.words()), caption, bars.svg());
    }
}
