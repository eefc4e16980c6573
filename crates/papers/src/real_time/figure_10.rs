//! Figure 10: how the buddy systems satisfy requests.

use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::objects::{Collection, FILES, PROGRAMS, SET_UP};
use super::{ESTRANGED, KNUTH};
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

const HEAPS: [(&str, &str); 2] = [KNUTH, ESTRANGED];

/// A way of satisfying requests, and how many of a row's were.
type Way = (&'static str, fn(&Row) -> u64);

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    collection: &'static str,
    heap: &'static str,
    requests: u64,
    at_once: u64,
    after_split: u64,
    after_coalescing: u64,
    by_growing: u64,
    at_once_share: f64,
    at_once_of_free: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let steps = PROGRAMS.len() * Collection::BOTH.len();
    let mut rows = Vec::new();
    for (number, program) in PROGRAMS.into_iter().enumerate() {
        for (half, collection) in Collection::BOTH.into_iter().enumerate() {
            setting.step(number * 2 + half, steps, &format!("{}, {} collection", program.name, collection.words()))?;
            let trace = collection.trace(setting, program)?;
            let mut region = Region::for_trace(&trace)?;
            for (heap, text) in HEAPS {
                let measures = replay(&resolve(text)?, &trace, &mut region, ReplayOptions::MEASURE)?;
                let served = measures.at_once + measures.after_split + measures.after_coalescing;
                let requests = served + measures.by_growing;
                rows.push(Row {
                    program: program.name,
                    collection: collection.words(),
                    heap,
                    requests,
                    at_once: measures.at_once,
                    after_split: measures.after_split,
                    after_coalescing: measures.after_coalescing,
                    by_growing: measures.by_growing,
                    at_once_share: measures.at_once as f64 / requests.max(1) as f64,
                    at_once_of_free: measures.at_once as f64 / served.max(1) as f64,
                });
            }
        }
    }
    outcome(&rows)
}

/// The mean over the programs.
fn mean(rows: &[Row], heap: &str, collection: Collection, of: fn(&Row) -> f64) -> f64 {
    let own: Vec<f64> =
        rows.iter().filter(|row| row.heap == heap && row.collection == collection.words()).map(of).collect();
    own.iter().sum::<f64>() / own.len().max(1) as f64
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let [occasional, continuous] = Collection::BOTH;
    let share: fn(&Row) -> f64 = |row| row.at_once_share;
    let shares = |heap: &str| (mean(rows, heap, occasional, share), mean(rows, heap, continuous, share));
    let (knuth, estranged) = (shares(KNUTH.0), shares(ESTRANGED.0));
    let both = |(one, other): (f64, f64)| {
        format!("{} with occasional, {} with continuous collection", percent(one), percent(other))
    };
    let near = |value: f64, paper: f64| (value - paper).abs() <= 0.1;
    outcome.state("002:estranged-at-once", both(estranged), near(estranged.0, 0.9));
    outcome.state("002:knuth-at-once", both(knuth), near(knuth.0, 0.5));
    let wins = rows.iter().filter(|row| row.heap == KNUTH.0).filter(|knuth| {
        let same =
            |row: &&Row| row.heap == ESTRANGED.0 && row.program == knuth.program && row.collection == knuth.collection;
        rows.iter().find(same).is_some_and(|estranged| estranged.at_once > knuth.at_once)
    });
    let (wins, all) = (wins.count(), PROGRAMS.len() * Collection::BOTH.len());
    outcome.state("002:delay-serves-at-once", format!("more in {wins} of {all} cases"), wins == all);
    let of_free: fn(&Row) -> f64 = |row| row.at_once_of_free;
    outcome.found = format!(
        "At once are served {} of the requests by the estranged system and {} by Knuth's with occasional collection, {} \
         and {} with continuous; without the requests that took never-used memory {} and {}, and {} and {}.",
        percent(estranged.0),
        percent(knuth.0),
        percent(estranged.1),
        percent(knuth.1),
        percent(mean(rows, ESTRANGED.0, occasional, of_free)),
        percent(mean(rows, KNUTH.0, occasional, of_free)),
        percent(mean(rows, ESTRANGED.0, continuous, of_free)),
        percent(mean(rows, KNUTH.0, continuous, of_free)),
    );
    outcome.tables.push(shown(rows));
    for (heap, suffix) in [(KNUTH.0, "-knuth"), (ESTRANGED.0, "-estranged")] {
        outcome.draw(
            suffix,
            format!("How {heap} satisfies the requests of each program, occasional collection"),
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
            "heap",
            "requests",
            "at once",
            "after a split",
            "after gluing",
            "never-used memory",
            "at once, of those from free blocks",
        ],
    );
    for row in rows {
        let share = |count: u64| Value::Share(count as f64 / row.requests.max(1) as f64);
        shown.row([
            row.program.into(),
            row.collection.into(),
            row.heap.into(),
            row.requests.into(),
            share(row.at_once),
            share(row.after_split),
            share(row.after_coalescing),
            share(row.by_growing),
            Value::Share(row.at_once_of_free),
        ]);
    }
    shown
}

fn chart(rows: &[Row], heap: &str) -> String {
    let own: Vec<&Row> =
        rows.iter().filter(|row| row.heap == heap && row.collection == Collection::Occasional.words()).collect();
    let ways: [Way; 4] = [
        ("at once", |row| row.at_once),
        ("after a split", |row| row.after_split),
        ("after gluing", |row| row.after_coalescing),
        ("never-used memory", |row| row.by_growing),
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
        scale: Scale::Linear,
        line: None,
    };
    bars.svg()
}
