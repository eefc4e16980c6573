//! Figure 9: whole programs with the buddy systems against the unstructured list.
//!
//! ```text
//!   Figure 7: seconds · 167 MHz / objects = cycles of the program for an object   (C)
//!   here:     accesses of a heap for an object, at 2 or 50 cycles                (A)
//!   speed-up = (C + A of the list) / (C + A of the other heap)
//! ```

use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_trace::Statistics;
use serde::Serialize;

use super::full_heap::{self, Served};
use super::objects::Collection;
use super::programs::{BEGINNING, FILES, MANY};
use super::{BOUNDED, ESTRANGED, HALF_FIT, KNUTH, LIST, NEXT_FIT, TLSF};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, digits, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-figure-9",
    paper: &REAL_TIME,
    place: "Figure 9",
    title: "whole programs with the buddy systems against the list",
    claim: "Whole programs run 0.92 to 1.03 times as fast with Knuth's buddy system as with the unstructured list, 1.00 \
            to 1.10 times as fast with the estranged one: better bounds cost nothing on average, above all where \
            recombination is delayed (Donahue et al. 2001, Figure 9, section 3.2).",
    differs: SET_UP,
    samples: FILES,
    run,
};

/// The programs and their heaps.
pub(super) const SET_UP: &str = "The first 100,000 events of each program, as lists are searched long, in heaps as for Figure 10. The unstructured list \
     is first fit over free blocks with the last freed in front; or next fit over all blocks, which is slow and is in the \
     smallest heap alone. What a whole program takes for an object, zeroing included, is computed from Figure 7: seconds at \
     167 MHz over objects, though the list is in them; an access counts as 2 cycles, or 50.";
const LISTS: [(&str, &str); 2] = [LIST, NEXT_FIT];
const HEAPS: [(&str, &str); 5] = [KNUTH, ESTRANGED, BOUNDED, TLSF, HALF_FIT];
/// Sizes of heaps, in the smallest that serves the program.
pub(super) const SIZES: [u64; 2] = [1, 2];
/// Cycles of an access: all found in the first cache, or none in any.
pub(super) const CYCLES: [f64; 2] = [2.0, 50.0];
/// A speed-up that is printed as 1.00.
pub(super) const EQUAL: f64 = 0.005;
/// Speed-ups as the paper's within this.
const WITHIN: f64 = 0.02;

/// A program of Figures 7 and 9, and the one that replaces it here.
struct Printed {
    program: &'static str,
    objects: f64,
    seconds: f64,
    estranged: f64,
    knuth: f64,
}

const fn printed(program: &'static str, objects: f64, seconds: f64, estranged: f64, knuth: f64) -> Printed {
    Printed { program, objects, seconds, estranged, knuth }
}

/// jess, raytrace, db, javac, mtrt and jack.
const PRINTED: [Printed; 6] = [
    printed("drools", 7_923_782.0, 1802.0, 1.04, 1.02),
    printed("sunflow", 6_346_487.0, 2101.0, 1.03, 0.92),
    printed("h2", 3_210_520.0, 3766.0, 1.01, 1.01),
    printed("javac", 5_902_305.0, 1969.0, 1.00, 1.00),
    printed("sunflow-2", 6_586_584.0, 2223.0, 1.10, 1.02),
    printed("antlr", 6_579_042.0, 2336.0, 1.04, 1.03),
];
/// Cycles of the paper's machine in a second.
const HERTZ: f64 = 167e6;

impl Printed {
    /// Cycles of the whole program for each of its objects.
    fn cycles(&self) -> f64 {
        self.seconds * HERTZ / self.objects
    }

    /// What a speed-up says that a heap saves of them.
    fn saved(&self, speed_up: f64) -> f64 {
        self.cycles() * (1.0 - 1.0 / speed_up)
    }
}

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    collection: &'static str,
    heap_bytes: u64,
    times_smallest: u64,
    heap: &'static str,
    objects: u64,
    collections: u64,
    refused: u64,
    words_zeroed: f64,
    accesses_per_object: f64,
    allocate_max: u64,
    free_max: u64,
    speed_up: Option<f64>,
    speed_up_from_memory: Option<f64>,
}

/// What a program is run with.
struct Case {
    program: &'static str,
    collection: Collection,
    bytes: u64,
    times: u64,
    words_zeroed: f64,
}

impl Case {
    /// A row of a heap, whose speed-ups are over the first list.
    fn row(&self, heap: &'static str, served: Served, list: f64) -> Row {
        let own = served.accesses_per_object();
        let speed_up = |cycles: f64| speed_up(self.program, list, own, cycles);
        Row {
            program: self.program,
            collection: self.collection.words(),
            heap_bytes: self.bytes,
            times_smallest: self.times,
            heap,
            objects: served.requests,
            collections: served.collections,
            refused: served.refused,
            words_zeroed: self.words_zeroed,
            accesses_per_object: own,
            allocate_max: served.allocate_max,
            free_max: served.free_max,
            speed_up: speed_up(CYCLES[0]),
            speed_up_from_memory: speed_up(CYCLES[1]),
        }
    }
}

/// How much faster a whole program is with a heap of this many accesses for an object than with a list.
pub(super) fn speed_up(program: &str, list: f64, own: f64, cycles: f64) -> Option<f64> {
    let whole = PRINTED.iter().find(|printed| printed.program == program)?.cycles();
    Some((whole + list * cycles) / (whole + own * cycles))
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let heapfuls = setting.of(full_heap::HEAPFULS, full_heap::COUNTED);
    let sizes = setting.of(SIZES.to_vec(), SIZES[..1].to_vec());
    let mut rows = Vec::new();
    for (number, program) in MANY.map(|program| program.beginning(BEGINNING)).into_iter().enumerate() {
        let trace = setting.packed(program)?;
        let statistics = Statistics::of(&*setting.trace(program)?)?;
        let (words, objects) = statistics.sizes.iter().fold((0, 0), |(words, objects), size| {
            (words + size.size.0.div_ceil(4) * size.count, objects + size.count)
        });
        let smallest = full_heap::smallest(&trace)?;
        for (index, &times) in sizes.iter().enumerate() {
            let step = number * sizes.len() + index;
            setting.step(step, MANY.len() * sizes.len(), &format!("{}, {times} times the heap", program.name))?;
            for collection in Collection::BOTH {
                let words_zeroed = words as f64 / objects.max(1) as f64;
                let case = Case { program: program.name, collection, bytes: smallest * times, times, words_zeroed };
                let mut list = None;
                let lists = LISTS.into_iter().filter(|&list| list != NEXT_FIT || times == SIZES[0]);
                let heaps = lists.chain(HEAPS);
                for (heap, served) in full_heap::run_all(heaps, &trace, case.bytes, (collection, heapfuls))? {
                    let of_list = *list.get_or_insert(served.accesses_per_object());
                    rows.push(case.row(heap, served, of_list));
                }
            }
        }
    }
    outcome(&rows)
}

/// The rows of one heap, each with those of another under the same conditions.
fn pairs<'r>(rows: &'r [Row], heap: &'r str, other: &'r str) -> impl Iterator<Item = (&'r Row, &'r Row)> {
    let key = |row: &Row| (row.program, row.collection, row.heap_bytes);
    rows.iter().filter(move |row| row.heap == heap).filter_map(move |row| {
        Some((row, rows.iter().find(|candidate| candidate.heap == other && key(candidate) == key(row))?))
    })
}

/// The speed-ups of whole programs with a heap over a list, under one reading: size, collection and cycles of an access.
fn speed_ups(rows: &[Row], heap: &str, list: &str, (times, collection, cycles): (u64, Collection, f64)) -> Vec<f64> {
    let own = pairs(rows, heap, list)
        .filter(|(row, _)| row.times_smallest == times && row.collection == collection.words())
        .filter_map(|(row, list)| speed_up(row.program, list.accesses_per_object, row.accesses_per_object, cycles));
    own.collect()
}

/// Every reading of how the programs are run.
fn readings() -> impl Iterator<Item = (u64, Collection, f64)> {
    let sized = |collection| SIZES.into_iter().flat_map(move |times| CYCLES.map(|cycles| (times, collection, cycles)));
    Collection::BOTH.into_iter().flat_map(sized)
}

/// The speed-ups over a list under each reading.
fn by_reading(rows: &[Row], heap: &str, list: &str) -> Vec<Vec<f64>> {
    let all = readings().map(|reading| speed_ups(rows, heap, list, reading));
    all.filter(|speed_ups| !speed_ups.is_empty()).collect()
}

fn span(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    values.into_iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (min.min(value), max.max(value)))
}

/// Speed-ups over both lists, in words.
fn listed_speed_ups(rows: &[Row], heap: &str) -> String {
    let of = |(list, _): (&str, &str)| {
        let (min, max) = span(by_reading(rows, heap, list).concat());
        format!("{min:.3} to {max:.3} times over the {list}")
    };
    LISTS.map(of).join(", ")
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    compare_with_lists(&mut outcome, rows);
    compare_buddies(&mut outcome, rows);
    compare_with_print(&mut outcome, rows);
    let worst =
        |heap: &str| rows.iter().filter(|row| row.heap == heap).map(|row| row.allocate_max.max(row.free_max)).max();
    let [list, next, knuth, estranged, bounded] =
        [LIST, NEXT_FIT, KNUTH, ESTRANGED, BOUNDED].map(|(heap, _)| worst(heap).unwrap_or(0));
    let better = |list: &'static str| {
        let of =
            |heap: &'static str| pairs(rows, heap, list).map(|(row, list)| max(row) < max(list)).collect::<Vec<_>>();
        [of(KNUTH.0), of(ESTRANGED.0)].concat()
    };
    outcome.state(
        "002:buddy-worst-operation",
        format!(
            "{} (Knuth) and {} (estranged, {} with at most 64 pairs) against {} and {} accesses of the two lists",
            thousands(knuth),
            thousands(estranged),
            thousands(bounded),
            thousands(list),
            thousands(next)
        ),
        Answer::of_readings(LISTS.iter().flat_map(|&(list, _)| better(list))),
    );
    outcome.state(
        "002:bounded-worst-operation",
        format!("{} against {} and {} accesses", thousands(bounded), thousands(list), thousands(next)),
        LISTS.iter().all(|&(list, _)| bounded < worst(list).unwrap_or(0)),
    );
    outcome.found = format!(
        "By the paper's own times a program takes 38,000 to 196,000 cycles for each object, a heap here {} to {} accesses: \
         whole programs are {} with the estranged system, {} with Knuth's.",
        digits(span(rows.iter().map(|row| row.accesses_per_object)).0),
        digits(span(rows.iter().map(|row| row.accesses_per_object)).1),
        listed_speed_ups(rows, ESTRANGED.0),
        listed_speed_ups(rows, KNUTH.0)
    );
    outcome.tables.push(implied(rows));
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows);
    Ok(outcome)
}

fn max(row: &Row) -> u64 {
    row.allocate_max.max(row.free_max)
}

/// Whether the list is beaten.
fn compare_with_lists(outcome: &mut Outcome, rows: &[Row]) {
    let of = |heap: &str, holds: fn(&[f64]) -> bool| {
        let each = LISTS.iter().flat_map(|&(list, _)| by_reading(rows, heap, list));
        Answer::of_readings(each.collect::<Vec<_>>().iter().map(|speed_ups| holds(speed_ups)))
    };
    let never: fn(&[f64]) -> bool = |all| all.iter().all(|&speed_up| speed_up >= 1.0 - EQUAL);
    let sometimes: fn(&[f64]) -> bool = |all| all.iter().any(|&speed_up| speed_up < 1.0 - EQUAL);
    let tenth: fn(&[f64]) -> bool = |all| all.iter().any(|&speed_up| speed_up >= 1.1 - EQUAL);
    let little: fn(&[f64]) -> bool = |all| all.iter().all(|&speed_up| (0.9..=1.1 + EQUAL).contains(&speed_up));
    let (estranged, knuth) = (listed_speed_ups(rows, ESTRANGED.0), listed_speed_ups(rows, KNUTH.0));
    outcome.state("002:estranged-never-loses", estranged.clone(), of(ESTRANGED.0, never));
    outcome.state("002:knuth-sometimes-loses", knuth.clone(), of(KNUTH.0, sometimes));
    outcome.state("002:estranged-gains-a-tenth", estranged.clone(), of(ESTRANGED.0, tenth));
    let neither = of(ESTRANGED.0, little).and(of(KNUTH.0, little));
    outcome.state("002:neither-is-tremendous", format!("estranged: {estranged}; Knuth's: {knuth}"), neither);
}

/// Which buddy system is better, of whole programs and of the heap alone.
fn compare_buddies(outcome: &mut Outcome, rows: &[Row]) {
    let both = |list: &'static str| {
        let (estranged, knuth) = (by_reading(rows, ESTRANGED.0, list), by_reading(rows, KNUTH.0, list));
        estranged.concat().into_iter().zip(knuth.concat()).collect::<Vec<_>>()
    };
    let all: Vec<(f64, f64)> = LISTS.iter().flat_map(|&(list, _)| both(list)).collect();
    let equal = all.iter().filter(|(estranged, knuth)| *estranged >= knuth - EQUAL).count();
    let alone =
        pairs(rows, ESTRANGED.0, KNUTH.0).map(|(one, other)| one.accesses_per_object <= other.accesses_per_object);
    let alone: Vec<bool> = alone.collect();
    let wins = alone.iter().filter(|&&wins| wins).count();
    let of_wholes = Answer::of_readings(all.iter().map(|(estranged, knuth)| *estranged >= knuth - EQUAL));
    outcome.state(
        "002:estranged-beats-knuth",
        format!(
            "whole programs as fast in {equal} of {} cases; no more accesses for an object in {wins} of {}",
            all.len(),
            alone.len()
        ),
        of_wholes,
    );
    let gains = all.iter().filter(|(estranged, knuth)| *estranged > knuth + EQUAL).count();
    outcome.state(
        "002:estranged-gains-over-both",
        format!("faster than with Knuth's, by more than half a percent, in {gains} of {} cases", all.len()),
        Answer::of_readings(all.iter().map(|(estranged, knuth)| *estranged > knuth + EQUAL)),
    );
}

/// The printed values, and what they say of an object.
fn compare_with_print(outcome: &mut Outcome, rows: &[Row]) {
    let near = |(times, collection, cycles): (u64, Collection, f64), list: &'static str| {
        let of = |heap: &'static str, printed: fn(&Printed) -> f64| {
            let own = speed_ups(rows, heap, list, (times, collection, cycles));
            PRINTED.iter().zip(own).all(|(program, found)| (found - printed(program)).abs() <= WITHIN)
        };
        of(ESTRANGED.0, |program| program.estranged) && of(KNUTH.0, |program| program.knuth)
    };
    let measured = |list: &'static str| readings().filter(move |&one| !speed_ups(rows, KNUTH.0, list, one).is_empty());
    let each: Vec<bool> =
        LISTS.iter().flat_map(|&(list, _)| measured(list).map(move |reading| near(reading, list))).collect();
    let saved =
        span(PRINTED.iter().flat_map(|program| [program.saved(program.estranged), program.saved(program.knuth)]));
    let found = span(
        [ESTRANGED.0, KNUTH.0]
            .iter()
            .flat_map(|&heap| pairs(rows, heap, LIST.0))
            .map(|(row, list)| list.accesses_per_object - row.accesses_per_object),
    );
    outcome.state(
        "002:figure-9-values",
        format!(
            "every printed value within 0.02 under {} of {} readings; they say that a buddy system saves {} to {} cycles for \
             an object, and it saves {} to {} accesses here",
            each.iter().filter(|&&near| near).count(),
            each.len(),
            thousands_of(saved.0),
            thousands_of(saved.1),
            digits(found.0),
            digits(found.1)
        ),
        Answer::of_readings(each),
    );
    let zeroed = span(rows.iter().map(|row| row.words_zeroed));
    let worked = span(rows.iter().filter(|row| row.heap == KNUTH.0).map(|row| row.accesses_per_object));
    outcome.state(
        "002:storage-is-zeroed",
        format!(
            "{} to {} words zeroed for an object, where Knuth's system takes {} to {} accesses",
            digits(zeroed.0),
            digits(zeroed.1),
            digits(worked.0),
            digits(worked.1)
        ),
        zeroed.0 > 0.0,
    );
}

fn thousands_of(cycles: f64) -> String {
    let sign = if cycles < 0.0 { "−" } else { "" };
    format!("{sign}{}", thousands(cycles.abs().round() as u64))
}

/// What the printed speed-ups say of an object, and what is found.
fn implied(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "What Figures 7 and 9 say of one object, and accesses saved here (occasional collection, the smallest heap)",
        [
            "program",
            "cycles for an object",
            "the estranged system saves, cycles",
            "Knuth's saves, cycles",
            "the estranged system saves, accesses",
            "Knuth's saves, accesses",
        ],
    );
    for program in &PRINTED {
        let saved = |heap: &str| {
            let mut own = pairs(rows, heap, LIST.0).filter(|(row, _)| row.program == program.program);
            own.next().map(|(row, list)| list.accesses_per_object - row.accesses_per_object)
        };
        shown.row([
            program.program.into(),
            program.cycles().into(),
            program.saved(program.estranged).into(),
            program.saved(program.knuth).into(),
            saved(ESTRANGED.0).into(),
            saved(KNUTH.0).into(),
        ]);
    }
    shown
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Every program; speed-ups are those of whole programs over the unstructured list",
        [
            "program",
            "collection",
            "heap, bytes",
            "heap",
            "collections",
            "refused",
            "accesses for an object",
            "worst allocation",
            "worst free",
            "speed-up, 2 cycles an access",
            "speed-up, 50 cycles",
        ],
    );
    for row in rows {
        shown.row([
            row.program.into(),
            row.collection.into(),
            row.heap_bytes.into(),
            row.heap.into(),
            row.collections.into(),
            row.refused.into(),
            row.accesses_per_object.into(),
            row.allocate_max.into(),
            row.free_max.into(),
            row.speed_up.into(),
            row.speed_up_from_memory.into(),
        ]);
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    for collection in Collection::BOTH {
        let of = |heap: &str| {
            let own = rows.iter().filter(|row| row.heap == heap && row.times_smallest == SIZES[0]);
            let own = own.filter(|row| row.collection == collection.words());
            own.map(|row| row.accesses_per_object).collect::<Vec<f64>>()
        };
        let programs = rows.iter().filter(|row| row.heap == KNUTH.0 && row.times_smallest == SIZES[0]);
        let names = programs.filter(|row| row.collection == collection.words()).map(|row| row.program.to_owned());
        let bars = Bars {
            title: format!("Accesses for an object, {} collection, the smallest heap", collection.words()),
            y: "accesses".into(),
            names: names.collect(),
            series: LISTS.iter().chain(&HEAPS).map(|&(heap, _)| Measured::new(heap, of(heap))).collect(),
            scale: Scale::Logarithmic,
            ..Bars::default()
        };
        let caption = format!("Accesses for an object with each heap, {} collection", collection.words());
        outcome.draw(&format!("-{}", collection.words()), caption, bars.svg());
    }
}
