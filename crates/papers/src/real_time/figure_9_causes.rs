//! Figure 9 with suspected causes taken away: searches, used blocks on the list, the list itself, the program's own time.
//!
//! ```text
//!   list ──without the blocks that its search passes over──▶ a tenth?         estranged-gains-a-tenth
//!   next fit over all blocks ──over free ones, and these──▶ within a tenth?   neither-is-tremendous
//!   both over a list ──one over the other──▶ as fast?                         estranged-beats-knuth
//!   whole programs ──allocation alone──▶ faster by half a percent?            estranged-gains-over-both
//!   metadata ──and the words that the layer zero writes──▶ slower?            knuth-sometimes-loses
//! ```

use heapsmith_report::chart::{Bars, Measured, Scale};
use serde::Serialize;

use super::figure_9::{CYCLES, EQUAL, SET_UP, SIZES, speed_up};
use super::full_heap::{self, Served};
use super::objects::Collection;
use super::programs::{BEGINNING, FILES, MANY};
use super::{ESTRANGED, KNUTH, LIST};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::Shown;

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-figure-9-causes",
    paper: &REAL_TIME,
    place: "Figure 9",
    title: "what makes the buddy systems faster than a list, taken away",
    claim: "Whole programs gain up to a tenth with the estranged buddy system over the unstructured list, and gain over \
            Knuth's (Donahue et al. 2001, Figure 9, sections 3.2 and 4).",
    differs: SET_UP,
    samples: FILES,
    run,
};

/// Next fit over free blocks alone.
const FREE_NEXT_FIT: (&str, &str) =
    ("next fit, free blocks", "list(order=lifo, fit=next, split=always, coalesce=immediate)");
const HEAPS: [(&str, &str); 4] = [LIST, FREE_NEXT_FIT, KNUTH, ESTRANGED];
/// Bytes of a word, and of a header.
const WORD: f64 = 4.0;
/// Words of a block that a search passes over: its header and its link.
const PASSED: u64 = 2;

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    collection: &'static str,
    times_smallest: u64,
    heap: &'static str,
    accesses_per_object: f64,
    passed_per_object: f64,
    without_search: f64,
    zeroed_per_object: f64,
}

impl Row {
    /// Accesses for an object, words zeroed among them.
    fn with_zeroes(&self) -> f64 {
        self.accesses_per_object + self.zeroed_per_object
    }
}

/// The heaps under the same conditions, in the order of [`HEAPS`].
type Case<'r> = &'r [Row];

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let heapfuls = setting.of(full_heap::HEAPFULS, full_heap::COUNTED);
    let sizes = setting.of(SIZES.to_vec(), SIZES[..1].to_vec());
    let mut rows = Vec::new();
    for (number, program) in MANY.iter().enumerate() {
        let trace = setting.packed(program.beginning(BEGINNING))?;
        let smallest = full_heap::smallest(&trace)?;
        for (index, &times) in sizes.iter().enumerate() {
            let step = number * sizes.len() + index;
            setting.step(step, MANY.len() * sizes.len(), &format!("{}, {times} times the heap", program.name))?;
            for collection in Collection::BOTH {
                let all = full_heap::run_all(HEAPS, &trace, smallest * times, (collection, heapfuls))?;
                for (heap, (_, served)) in HEAPS.into_iter().zip(all) {
                    rows.push(row(program.name, heap, (collection, times), served));
                }
            }
        }
    }
    outcome(&rows)
}

fn row(
    program: &'static str,
    (heap, text): (&'static str, &'static str),
    (collection, times): (Collection, u64),
    served: Served,
) -> Row {
    let own = served.accesses_per_object();
    let header = if text.contains("one-block") { 0.0 } else { 1.0 };
    let passed = served.visits.saturating_sub(served.requests) as f64 / served.requests.max(1) as f64;
    Row {
        program,
        collection: collection.words(),
        times_smallest: times,
        heap,
        accesses_per_object: own,
        passed_per_object: passed,
        without_search: own - PASSED as f64 * passed,
        zeroed_per_object: served.block_bytes as f64 / WORD / served.requests.max(1) as f64 - header,
    }
}

/// The speed-ups of whole programs in every case, at each cost of an access.
fn speed_ups(rows: &[Row], of: fn(Case<'_>) -> (f64, f64)) -> Vec<f64> {
    let cases = rows.chunks(HEAPS.len());
    let each = cases.flat_map(|case| {
        let (slow, quick) = of(case);
        CYCLES.into_iter().filter_map(move |cycles| speed_up(case[0].program, slow, quick, cycles))
    });
    each.collect()
}

fn span(values: &[f64]) -> String {
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{min:.3} to {max:.3}")
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    over_lists(&mut outcome, rows);
    over_each_other(&mut outcome, rows);
    with_zeroes(&mut outcome, rows);
    outcome.tables.push(shown(rows));
    outcome.draw(
        "",
        "Accesses for an object, as they are and without the blocks that a search passes over",
        bars(rows),
    );
    Ok(outcome)
}

/// What a list costs where its search, or the used blocks on it, are taken away.
fn over_lists(outcome: &mut Outcome, rows: &[Row]) {
    let accesses = |row: &Row| row.accesses_per_object;
    let as_is = speed_ups(rows, |case| (case[0].accesses_per_object, case[3].accesses_per_object));
    let unsearched = speed_ups(rows, |case| (case[0].without_search, case[3].accesses_per_object));
    outcome.state(
        "002:a-tenth-is-search",
        format!("{} times over the list; {} where its search passes over nothing", span(&as_is), span(&unsearched)),
        unsearched.iter().all(|&speed_up| speed_up < 1.1 - EQUAL),
    );
    let estranged = speed_ups(rows, |case| (case[1].accesses_per_object, case[3].accesses_per_object));
    let knuth = speed_ups(rows, |case| (case[1].accesses_per_object, case[2].accesses_per_object));
    outcome.state(
        "002:tremendous-is-used-blocks",
        format!("estranged {} times, Knuth's {}, over next fit among free blocks", span(&estranged), span(&knuth)),
        [&estranged, &knuth].iter().all(|all| all.iter().all(|speed_up| (0.9..=1.1 + EQUAL).contains(speed_up))),
    );
    let unsearched = [
        speed_ups(rows, |case| (case[0].without_search, case[2].accesses_per_object)),
        unsearched,
        speed_ups(rows, |case| (case[1].without_search, case[2].accesses_per_object)),
        speed_ups(rows, |case| (case[1].without_search, case[3].accesses_per_object)),
    ];
    outcome.state(
        "002:tremendous-is-search",
        format!("{} times over both lists where their searches pass over nothing", span(&unsearched.concat())),
        unsearched.concat().iter().all(|speed_up| (0.9..=1.1 + EQUAL).contains(speed_up)),
    );
    let passed =
        |place: usize| -> f64 { rows.iter().skip(place).step_by(HEAPS.len()).map(accesses).fold(0.0, f64::max) };
    outcome.found = format!(
        "Over the list a program gains {} times with the estranged system, {} where its search passes over nothing; over next fit \
         among free blocks {}. The lists take at most {:.0} and {:.0} accesses for an object.",
        span(&as_is),
        span(&unsearched[1]),
        span(&estranged),
        passed(0),
        passed(1)
    );
}

/// The two buddy systems, without a list, and without the program's own time.
fn over_each_other(outcome: &mut Outcome, rows: &[Row]) {
    let wholes = speed_ups(rows, |case| (case[2].accesses_per_object, case[3].accesses_per_object));
    outcome.state(
        "002:estranged-takes-no-longer",
        format!("{} times over Knuth's, whole programs", span(&wholes)),
        wholes.iter().all(|&speed_up| speed_up >= 1.0 - EQUAL),
    );
    let alone = |collection: Collection| -> Vec<f64> {
        let cases = rows.chunks(HEAPS.len()).filter(move |case| case[0].collection == collection.words());
        cases.map(|case| case[2].accesses_per_object / case[3].accesses_per_object).collect()
    };
    let gains = |all: &[f64]| all.iter().filter(|&&speed_up| speed_up > 1.0 + EQUAL).count();
    let [occasional, continuous] = Collection::BOTH.map(alone);
    outcome.state(
        "002:allocation-alone-gains",
        format!(
            "allocation alone is faster than Knuth's in {} of {} cases with occasional collection ({} times), in {} of {} with \
             continuous ({})",
            gains(&occasional),
            occasional.len(),
            span(&occasional),
            gains(&continuous),
            continuous.len(),
            span(&continuous)
        ),
        gains(&occasional) == occasional.len(),
    );
}

/// The layer `zero` sets a block's whole payload to zeroes, so a buddy system writes what rounding adds.
fn with_zeroes(outcome: &mut Outcome, rows: &[Row]) {
    let over_list = speed_ups(rows, |case| (case[0].with_zeroes(), case[2].with_zeroes()));
    let over_next_fit = speed_ups(rows, |case| (case[1].with_zeroes(), case[2].with_zeroes()));
    let more = rows.chunks(HEAPS.len()).map(|case| case[2].zeroed_per_object - case[0].zeroed_per_object);
    outcome.state(
        "002:zeroing-makes-knuth-lose",
        format!(
            "{} times over the list, {} over next fit among free blocks; Knuth's system has up to {:.1} words more zeroed for an object",
            span(&over_list),
            span(&over_next_fit),
            more.fold(f64::NEG_INFINITY, f64::max)
        ),
        over_list.iter().chain(&over_next_fit).any(|&speed_up| speed_up < 1.0 - EQUAL),
    );
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Every program, and what a search passes over",
        [
            "program",
            "collection",
            "times the smallest heap",
            "heap",
            "accesses for an object",
            "blocks passed over",
            "accesses without them",
            "words zeroed",
        ],
    );
    for row in rows {
        shown.row([
            row.program.into(),
            row.collection.into(),
            row.times_smallest.into(),
            row.heap.into(),
            row.accesses_per_object.into(),
            row.passed_per_object.into(),
            row.without_search.into(),
            row.zeroed_per_object.into(),
        ]);
    }
    shown
}

fn bars(rows: &[Row]) -> String {
    let cases = || rows.chunks(HEAPS.len()).filter(|case| case[0].times_smallest == SIZES[0]);
    let of = |place: usize, of: fn(&Row) -> f64| cases().map(move |case| of(&case[place])).collect::<Vec<f64>>();
    let series = vec![
        Measured::new(HEAPS[0].0, of(0, |row| row.accesses_per_object)),
        Measured::new("the same, nothing passed over", of(0, |row| row.without_search)),
        Measured::new(HEAPS[1].0, of(1, |row| row.accesses_per_object)),
        Measured::new(HEAPS[2].0, of(2, |row| row.accesses_per_object)),
        Measured::new(HEAPS[3].0, of(3, |row| row.accesses_per_object)),
    ];
    let bars = Bars {
        title: "Accesses for an object, the smallest heap".into(),
        y: "accesses".into(),
        names: cases().map(|case| format!("{}, {}", case[0].program, case[0].collection)).collect(),
        series,
        scale: Scale::Logarithmic,
        ..Bars::default()
    };
    bars.svg()
}
