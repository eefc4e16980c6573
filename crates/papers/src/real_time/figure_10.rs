//! Figure 10: how the buddy systems satisfy requests.

use heapsmith_report::chart::{Bars, Measured};
use serde::Serialize;

use super::objects::{Collection, SET_UP};
use super::programs::{FILES, MANY};
use super::{BOUNDED, ESTRANGED, ESTRANGED_GROWING, KNUTH, KNUTH_GROWING, full_heap};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-figure-10",
    paper: &REAL_TIME,
    place: "Figure 10",
    title: "how requests are satisfied",
    claim: "By delaying recombination the estranged buddy system finds a block of the right size at once for almost 90% \
            of the requests, Knuth's for only 50% (Donahue et al. 2001, Figure 10, section 3.3).",
    differs: SET_UP,
    samples: FILES,
    run,
};

const HEAPS: [(&str, &str); 5] = [KNUTH, ESTRANGED, BOUNDED, KNUTH_GROWING, ESTRANGED_GROWING];
/// Sizes of heaps, in the smallest that serves the program.
const SIZES: [u64; 3] = [1, 2, 4];
/// A share is that of the paper within this.
const WITHIN: f64 = 0.1;

/// A way of satisfying requests, and how many of a row's were.
type Way = (&'static str, fn(&Row) -> u64);

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    collection: &'static str,
    heap_bytes: u64,
    times_smallest: u64,
    heap: &'static str,
    requests: u64,
    collections: u64,
    refused: u64,
    at_once: u64,
    after_split: u64,
    after_coalescing: u64,
    by_growing: u64,
    at_once_share: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let heapfuls = setting.of(full_heap::HEAPFULS, full_heap::COUNTED);
    let mut rows = Vec::new();
    for (number, &program) in MANY.iter().enumerate() {
        let trace = setting.packed(program)?;
        let smallest = full_heap::smallest(&trace)?;
        for (index, times) in SIZES.into_iter().enumerate() {
            let step = number * SIZES.len() + index;
            setting.step(step, MANY.len() * SIZES.len(), &format!("{}, {times} times the heap", program.name))?;
            for collection in Collection::BOTH {
                let when = (collection, heapfuls);
                for (heap, served) in full_heap::run_all(HEAPS, &trace, smallest * times, when)? {
                    rows.push(Row {
                        program: program.name,
                        collection: collection.words(),
                        heap_bytes: smallest * times,
                        times_smallest: times,
                        heap,
                        requests: served.requests,
                        collections: served.collections,
                        refused: served.refused,
                        at_once: served.at_once,
                        after_split: served.after_split,
                        after_coalescing: served.after_coalescing,
                        by_growing: served.by_growing,
                        at_once_share: served.at_once_share(),
                    });
                }
            }
        }
    }
    outcome(&rows)
}

/// The mean of the shares of requests served at once, over the programs.
fn mean(rows: &[Row], heap: &str, collection: Collection, times: u64) -> f64 {
    let own = rows.iter().filter(|row| row.heap == heap && row.collection == collection.words());
    let own: Vec<f64> = own.filter(|row| row.times_smallest == times).map(|row| row.at_once_share).collect();
    own.iter().sum::<f64>() / own.len().max(1) as f64
}

/// The means, in words.
fn listed_means(rows: &[Row], heap: &str) -> String {
    let of = |collection: Collection| {
        let shares = SIZES.map(|times| percent(mean(rows, heap, collection, times)));
        format!("{} with {} collection", shares.join(", "), collection.words())
    };
    let [occasional, continuous] = Collection::BOTH.map(of);
    format!("{occasional}, {continuous} (heaps of 1, 2 and 4 times the smallest)")
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    // The paper's experiments have occasional collection (section 2.6); it does not say how large its heap is.
    let near = |heap: &str, share: f64| {
        let means = SIZES.map(|times| mean(rows, heap, Collection::Occasional, times));
        Answer::of_readings(means.map(|mean| (mean - share).abs() <= WITHIN))
    };
    outcome.state("002:estranged-at-once", listed_means(rows, ESTRANGED.0), near(ESTRANGED.0, 0.9));
    outcome.state("002:knuth-at-once", listed_means(rows, KNUTH.0), near(KNUTH.0, 0.5));
    let more = |one: &'static str, other: &'static str| {
        let own = rows.iter().filter(move |row| row.heap == other);
        own.map(move |slow| {
            let same = |row: &&Row| {
                (row.heap, row.program, row.collection, row.heap_bytes)
                    == (one, slow.program, slow.collection, slow.heap_bytes)
            };
            rows.iter().find(same).is_some_and(|quick| quick.at_once > slow.at_once)
        })
    };
    let wins: Vec<bool> = more(ESTRANGED.0, KNUTH.0).collect();
    outcome.state(
        "002:delay-serves-at-once",
        format!("more in {} of {} cases", wins.iter().filter(|&&more| more).count(), wins.len()),
        wins.iter().all(|&more| more),
    );
    let [occasional, continuous] = Collection::BOTH;
    let of = |collection| SIZES.map(|times| mean(rows, ESTRANGED.0, collection, times));
    let gains = of(continuous).iter().zip(of(occasional)).all(|(more, less)| *more > less);
    outcome.state("002:continuous-collection", listed_means(rows, ESTRANGED.0), gains);
    outcome.state("002:bounded-serves-at-once", listed_means(rows, BOUNDED.0), near(BOUNDED.0, 0.9));
    outcome.state("002:wilderness-at-once", listed_means(rows, ESTRANGED_GROWING.0), near(ESTRANGED_GROWING.0, 0.9));
    outcome.found = format!(
        "At once are served by the estranged system {}; by Knuth's {}.",
        listed_means(rows, ESTRANGED.0),
        listed_means(rows, KNUTH.0)
    );
    outcome.tables.push(shown(rows));
    for (heap, suffix) in [(KNUTH.0, "-knuth"), (ESTRANGED.0, "-estranged")] {
        outcome.draw(
            suffix,
            format!("How {heap} satisfies the requests of each program, occasional collection, the smallest heap"),
            chart(rows, heap),
        );
    }
    Ok(outcome)
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "How requests were satisfied",
        [
            "program",
            "collection",
            "heap, bytes",
            "heap",
            "requests",
            "collections",
            "at once",
            "after a split",
            "after gluing",
            "never-used memory",
        ],
    );
    for row in rows {
        let share = |count: u64| Value::Share(count as f64 / row.requests.max(1) as f64);
        shown.row([
            row.program.into(),
            row.collection.into(),
            row.heap_bytes.into(),
            row.heap.into(),
            row.requests.into(),
            row.collections.into(),
            share(row.at_once),
            share(row.after_split),
            share(row.after_coalescing),
            share(row.by_growing),
        ]);
    }
    shown
}

fn chart(rows: &[Row], heap: &str) -> String {
    let own = rows.iter().filter(|row| row.heap == heap && row.times_smallest == SIZES[0]);
    let own: Vec<&Row> = own.filter(|row| row.collection == Collection::Occasional.words()).collect();
    let ways: [Way; 3] = [
        ("at once", |row| row.at_once),
        ("after a split", |row| row.after_split),
        ("after gluing", |row| row.after_coalescing),
    ];
    let bars = Bars {
        title: format!("{heap}: how requests are satisfied"),
        y: "percent of the requests".into(),
        names: own.iter().map(|row| row.program.to_owned()).collect(),
        series: ways
            .iter()
            .map(|(way, of)| {
                Measured::new(*way, own.iter().map(|row| of(row) as f64 / row.requests.max(1) as f64 * 100.0))
            })
            .collect(),
        stacked: true,
        ..Bars::default()
    };
    bars.svg()
}
