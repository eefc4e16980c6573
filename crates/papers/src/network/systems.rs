//! Where the memory of the five systems' allocators is lost, inside blocks or between them, and what the traces have to do
//! with it.
//!
//! ```text
//!   capture ──▶ heaps ──▶ inside blocks, between blocks, without headers
//!      └─▶ the same sizes and the same moments, each with another block ──▶ heaps
//! ```

use heapsmith_replay::Region;
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_trace::{Action, Draws, PackedTrace, Trace};
use serde::Serialize;

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::network::applications::{ALL, APPLICATIONS};
use crate::network::readings::{Combination, PROPOSED, SYSTEMS, Score, evaluated, heaps, mean, taken};
use crate::network::tables::popular;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "000-systems",
    paper: &NETWORK,
    place: "Sections 5 and 6",
    title: "where the five systems lose memory, and whether random traces tell",
    claim: "The five systems have 6 to 128 lists and pay with external fragmentation; all but Linux lose very much inside \
            blocks and make nothing of the locality of deaths; results vary with the trace, and a random one does not \
            predict them (Mamagkakis et al. 2006, sections 5 and 6).",
    differs: "The readings of Tables 3 to 5, on the same traffic. What is lost is looked at when most memory is used. A random \
              trace has the sizes of a capture in another order and frees another live block than the capture does.",
    samples: ALL,
    run,
};

/// The lists that Table 1 gives each of [`SYSTEMS`]: a heap of free blocks is none.
const LISTS: [u64; 5] = [0, 127, 128, 8, 2];

/// From this share of the request on, what is lost inside blocks is very much.
const MASSIVE: f64 = 0.1;

#[derive(Debug, Serialize)]
struct Row {
    application: &'static str,
    input: &'static str,
    of: &'static str,
    reading: String,
    trace: &'static str,
    failed: u64,
    fragmentation: f64,
    internal: f64,
    external: f64,
    accesses_per_op: f64,
}

/// The scores of every heap on an application's captures, and on the random traces made of them.
struct Case {
    application: &'static str,
    real: Vec<Score>,
    random: Vec<Score>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let (mut rows, mut cases) = (Vec::new(), Vec::new());
    for (number, application) in APPLICATIONS.into_iter().enumerate() {
        setting.step(number, APPLICATIONS.len(), application.name)?;
        let (mut real, mut random) = (Vec::new(), Vec::new());
        for &input in application.inputs {
            let trace = setting.trace(input)?;
            real.push(PackedTrace::new(&trace)?);
            random.push(PackedTrace::new(&shuffled(&trace, setting.seed))?);
        }
        let heaps = heaps(&popular(&real, application.lists))?;
        let mut scored = |kind: &'static str, traces: &[PackedTrace]| -> Result<Vec<Score>, ExperimentError> {
            let mut taken_by = vec![Vec::new(); heaps.len()];
            for (input, trace) in application.inputs.iter().zip(traces) {
                let mut region = Region::for_trace(trace)?;
                for (heap, own) in heaps.iter().zip(&mut taken_by) {
                    let taken = taken(&heap.spec, trace, &mut region)?;
                    rows.push(Row {
                        application: application.name,
                        input: input.name,
                        of: heap.of,
                        reading: heap.reading.clone(),
                        trace: kind,
                        failed: taken.measures.failed,
                        fragmentation: taken.fragmentation,
                        internal: taken.internal,
                        external: taken.external,
                        accesses_per_op: taken.measures.accesses_per_operation(),
                    });
                    own.push(taken);
                }
            }
            let score = |(heap, own): (_, &Vec<_>)| Score::of(heap, &own.iter().collect::<Vec<_>>());
            Ok(heaps.iter().zip(&taken_by).map(score).collect())
        };
        let (real, random) = (scored("capture", &real)?, scored("random", &random)?);
        cases.push(Case { application: application.name, real, random });
    }
    outcome(&rows, &cases)
}

/// The same allocations in another order and the same number of frees at the same places, each of any live block.
fn shuffled(trace: &Trace, seed: u64) -> Trace {
    let mut draws = Draws::new(seed);
    let of_size = |action: &Action| if let Action::Allocate { size, .. } = *action { Some(size) } else { None };
    let mut sizes: Vec<_> = trace.events.iter().filter_map(|event| of_size(&event.action)).collect();
    draws.shuffle(&mut sizes);
    let (mut shuffled, mut live, mut next) = (trace.clone(), Vec::new(), 0_u64);
    let mut sizes = sizes.into_iter();
    shuffled.events.retain_mut(|event| match &mut event.action {
        Action::Allocate { id, size, .. } => {
            (*id, *size) = (next, sizes.next().unwrap_or(*size));
            live.push(next);
            next += 1;
            true
        }
        Action::Free { id } if !live.is_empty() => {
            *id = live.swap_remove(draws.below(live.len() as u64) as usize);
            true
        }
        _ => false,
    });
    shuffled
}

fn outcome(rows: &[Row], cases: &[Case]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    lists(&mut outcome);
    lost(&mut outcome, cases);
    vary(&mut outcome, cases);
    mislead(&mut outcome, cases);
    let said = cases.iter().filter_map(|case| {
        let first = Combination::first(&case.real)?;
        let (inside, between) = (sum(&first, |score| score.internal), sum(&first, |score| score.external));
        Some(format!("{} {} inside blocks and {} between them", case.application, percent(inside), percent(between)))
    });
    outcome.found = format!("The five, by Table 1's words, lose on average {}.", listed(&said.collect::<Vec<_>>()));
    outcome.tables.push(shown(cases));
    outcome.draw(
        "",
        "What the first reading of each system and the proposed allocator lose inside blocks",
        chart(cases),
    );
    Ok(outcome)
}

/// The mean of the five.
fn sum(one: &Combination<'_>, of: fn(&Score) -> Option<f64>) -> f64 {
    let known: Vec<f64> = one.systems.iter().filter_map(|score| of(score)).collect();
    mean(known.iter().copied())
}

fn lists(outcome: &mut Outcome) {
    let said: Vec<String> =
        SYSTEMS.iter().zip(LISTS).map(|(system, lists)| format!("{} {lists}", system.name)).collect();
    let found = format!("lists by the words of Table 1: {}", listed(&said));
    outcome.state("000:systems-have-6-to-128-lists", found, LISTS.iter().all(|lists| (6..=128).contains(lists)));
}

/// A value of a score.
type Of = fn(&Score) -> Option<f64>;

/// Whether a claim holds under a combination of readings.
type Holds<'h> = &'h dyn Fn(&Combination<'_>) -> bool;

/// What the claims about inside and between say of one combination of readings.
fn lost(outcome: &mut Outcome, cases: &[Case]) {
    let all: Vec<Vec<Combination<'_>>> = cases.iter().map(|case| Combination::all(&case.real)).collect();
    let Some(first) = all.first() else { return };
    let position = |one: &Combination<'_>| first.iter().position(|known| std::ptr::eq(known, one)).unwrap_or(0);
    let linux = |one: &Combination<'_>, of: fn(&Score) -> Option<f64>| {
        one.systems.iter().find(|score| score.of == "lea-2.7.2").and_then(|score| of(score)).unwrap_or(f64::NAN)
    };
    let others = |one: &Combination<'_>, of: fn(&Score) -> Option<f64>| -> Vec<f64> {
        one.systems.iter().filter(|score| score.of != "lea-2.7.2").filter_map(|score| of(score)).collect()
    };
    let pays = |one: &Combination<'_>| {
        let own = one.proposed.external.unwrap_or(f64::NAN);
        one.systems.iter().filter_map(|score| score.external).all(|theirs| theirs > own)
    };
    let suffers = |one: &Combination<'_>| {
        let min = linux(one, |score| score.internal);
        others(one, |score| score.internal).iter().all(|&share| share >= MASSIVE && share > min)
    };
    let misses = |one: &Combination<'_>| {
        let min = linux(one, |score| score.external);
        others(one, |score| score.external).iter().all(|&share| share > min)
    };
    let claims: [(&str, Of, Holds<'_>); 3] = [
        ("000:systems-pay-with-external", |score| score.external, &pays),
        ("000:all-but-linux-lose-inside", |score| score.internal, &suffers),
        ("000:all-but-linux-miss-locality", |score| score.external, &misses),
    ];
    for (claim, of, holds) in claims {
        let (answer, text) = evaluated(first, |one| all.iter().all(|own| holds(&own[position(one)])));
        let said = cases.iter().filter_map(|case| Some(format!("{}: {}", case.application, each(&case.real, of)?)));
        let said = said.collect::<Vec<_>>().join("; ");
        outcome.state(claim, format!("for all applications {text}; by Table 1's words {said}"), answer);
    }
}

/// A value of the first reading of each system, and of the proposed allocator.
fn each(scores: &[Score], of: fn(&Score) -> Option<f64>) -> Option<String> {
    let first = Combination::first(scores)?;
    let said = |score: &&Score| format!("{} {}", score.of, of(score).map_or("refused".to_owned(), percent));
    Some(listed(&first.systems.iter().chain([&first.proposed]).map(said).collect::<Vec<_>>()))
}

/// How far apart the captures of Table 3 are for one allocator.
fn vary(outcome: &mut Outcome, cases: &[Case]) {
    let Some(first) = cases.first().and_then(|case| Combination::first(&case.real)) else { return };
    let times = |score: &&&Score| {
        let (min, max) =
            score.each.iter().fold((f64::INFINITY, 0.0), |(min, max): (f64, f64), &one| (min.min(one), max.max(one)));
        (score.of, max / min.max(1e-9))
    };
    let all: Vec<(&str, f64)> = first
        .systems
        .iter()
        .chain([&first.proposed])
        .filter(|score| !score.each.is_empty())
        .map(|score| times(&score))
        .collect();
    let said: Vec<String> = all.iter().map(|(name, times)| format!("{name} {} times", digits(*times))).collect();
    outcome.state(
        "000:results-vary-with-the-trace",
        format!("most fragmentation over least among the captures of deficit round robin: {}", listed(&said)),
        all.iter().all(|(_, times)| *times >= 2.0),
    );
}

/// Whether the six allocators are in another order on random traces: each application is a reading.
fn mislead(outcome: &mut Outcome, cases: &[Case]) {
    let (mut found, mut order) = (Vec::new(), Vec::new());
    for case in cases {
        let ranked = |scores: &[Score]| {
            let first = Combination::first(scores)?;
            let mut six: Vec<(f64, &str)> = first
                .systems
                .iter()
                .chain([&first.proposed])
                .map(|score| (score.fragmentation.unwrap_or(f64::INFINITY), score.of))
                .collect();
            six.sort_by(|a, b| a.0.total_cmp(&b.0));
            Some(six)
        };
        let (Some(real), Some(random)) = (ranked(&case.real), ranked(&case.random)) else { continue };
        order.push(real.iter().map(|one| one.1).ne(random.iter().map(|one| one.1)));
        let said = |six: &[(f64, &str)]| {
            listed(&six.iter().map(|(share, name)| format!("{name} {}", percent(*share))).collect::<Vec<_>>())
        };
        found.push(format!("{}: {} on the captures, {} at random", case.application, said(&real), said(&random)));
    }
    outcome.state("000:random-traces-mislead", found.join("; "), Answer::of_readings(order));
}

fn shown(cases: &[Case]) -> Shown {
    let columns = ["application", "heap", "inside blocks", "between", "fragmentation", "on random traces"];
    let mut shown =
        Shown::new("Means over the inputs, without headers; random traces have the sizes of the captures", columns);
    for case in cases {
        for (real, random) in case.real.iter().zip(&case.random) {
            shown.row([
                case.application.into(),
                real.reading.as_str().into(),
                real.internal.map(Value::Share).into(),
                real.external.map(Value::Share).into(),
                real.fragmentation.map(Value::Share).into(),
                random.fragmentation.map(Value::Share).into(),
            ]);
        }
    }
    shown
}

fn chart(cases: &[Case]) -> String {
    let names: Vec<&str> = SYSTEMS.iter().map(|system| system.name).chain([PROPOSED]).collect();
    let values = |case: &Case| -> Vec<f64> {
        let Some(first) = Combination::first(&case.real) else { return Vec::new() };
        let six = first.systems.iter().chain([&first.proposed]);
        six.map(|score| score.internal.unwrap_or(f64::NAN) * 100.0).collect()
    };
    let bars = Bars {
        title: "Lost inside blocks when most memory is used".into(),
        y: "percent over the bytes requested".into(),
        names: names.iter().map(|&name| name.to_owned()).collect(),
        series: cases.iter().map(|case| Measured::new(case.application, values(case))).collect(),
        ..Bars::default()
    };
    bars.svg()
}
