//! Public captures of the paper's kinds, in the place of its own: access link, backbone, wireless, local networks, and web logs.
//!
//! ```text
//!   captures/000.toml ──▶ Recipe { file, address, licence, sha256 } ──▶ DIR/file, checked ──▶ 50,000 packets
//! ```
//!
//! A capture that is not in the folder, or is another one than the recipe's, is left out, and its row says so. A recipe
//! that was never run is listed as unverified.

use std::collections::BTreeSet;

use heapsmith_replay::Region;
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_trace::{PackedTrace, Profiler, Sink, Statistics, Trace};
use serde::Serialize;

use crate::answer::{Agreement, Answer};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK, PUBLIC_CAPTURES};
use crate::network::figure_2::recommended;
use crate::network::figure_3::freed_to_pool;
use crate::network::figure_4::{EVEN, are_packets, fullest_tenth};
use crate::network::readings::{Combination, PROPOSED, SYSTEMS, Score, Taken, evaluated, heaps, median, taken};
use crate::network::recipes::{Recipe, recipes};
use crate::network::sweeps::swept_on;
use crate::network::tables::{PAPER, Paper, TOLERANCE, near_best, popular};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: PUBLIC_CAPTURES,
    paper: &NETWORK,
    place: "Sections 5 and 6",
    title: "the findings on public captures of the paper's kinds",
    claim: "In network applications two sizes make up 30% to 70% of the requests and 700 to 1500 sizes share the rest; the \
            proposed allocator has less fragmentation and takes less time than those of five operating systems \
            (Mamagkakis et al. 2006, sections 5 and 6).",
    differs: "Captures of others, from public repositories, of their first 50,000 packets: from 1989 to 2023, and none of \
              them the paper's. Links have the rate at which 2% of a capture waits. They are in no average of Tables 3 to \
              5; cost is metadata accesses an operation.",
    samples: &[],
    run,
};

#[derive(Debug, Default, Serialize)]
struct Row {
    capture: String,
    kind: String,
    application: String,
    events: usize,
    sizes: usize,
    first_size: u64,
    second_size: u64,
    share_of_two: f64,
    share_of_six: f64,
    fullest_tenth: f64,
    freed_to_pool: f64,
    form: String,
    requested_peak: u64,
    fragmentation: f64,
    fragmentation_of_five: f64,
    accesses_per_op: f64,
    accesses_of_five: f64,
    saves_fragmentation: f64,
    without_lists: f64,
    without_splitting: f64,
    without_coalescing: f64,
}

/// The kind of capture that is nearest to the paper's wired ones.
const ACCESS_LINK: &str = "access link";

/// One application on one capture: what is shown, and the scores of all readings.
struct Case {
    row: Row,
    scores: Vec<Score>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    setting.step(0, 1, "looking for captures")?;
    let Some(dir) = setting.inputs else { return Err(ExperimentError::NoInputs) };
    let recipes = recipes();
    let (mut cases, mut states) = (Vec::new(), Vec::new());
    for (number, recipe) in recipes.iter().enumerate() {
        let found = recipe.found(dir);
        states.push(found.as_ref().err().copied().unwrap_or("run"));
        let Ok(path) = found else { continue };
        for application in &recipe.applications {
            setting.step(number, 2 * recipes.len(), &format!("{application}, {}", recipe.name))?;
            let trace = setting.loaded(&path, Some(application), &recipe.settings(application))?;
            cases.push(case(recipe, application, &trace)?);
        }
    }
    if cases.is_empty() {
        return Err(ExperimentError::NoCapture { path: dir.to_owned() });
    }
    let mut outcome = outcome(&cases, &recipes, &states)?;
    let links = recipes.iter().filter(|recipe| recipe.kind == ACCESS_LINK);
    if let Some((recipe, path)) = links.filter_map(|recipe| Some((recipe, recipe.found(dir).ok()?))).next() {
        let trace = setting.loaded(&path, Some("easyport"), &recipe.settings("easyport"))?;
        let swept = swept_on(setting, "an access link's packets", &[PackedTrace::new(&trace)?], (1, 2))?;
        recommended(&mut outcome, "000:public-recommended-are-on-the-front", &swept.exploration);
    }
    Ok(outcome)
}

fn case(recipe: &Recipe, application: &str, trace: &Trace) -> Result<Case, ExperimentError> {
    let (statistics, packed) = (Statistics::of(trace)?, PackedTrace::new(trace)?);
    let lists = if application == "url" { 3 } else { 2 };
    let dominant = popular([&packed], lists);
    let heaps = heaps(&dominant)?;
    let mut region = Region::for_trace(&packed)?;
    let all: Vec<Taken> = heaps.iter().map(|heap| taken(&heap.spec, &packed, &mut region)).collect::<Result<_, _>>()?;
    let scores: Vec<Score> = heaps.iter().zip(&all).map(|(heap, taken)| Score::of(heap, &[taken])).collect();
    let sizes = dominant.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let mut without =
        |spec: &str| -> Result<f64, ExperimentError> { Ok(taken(&spec.parse()?, &packed, &mut region)?.fragmentation) };
    let factors = [
        without("list(split=always, coalesce=immediate)")?,
        without(&format!("freelists({sizes}) list(split=never, coalesce=immediate)"))?,
        without(&format!("freelists({sizes}) list(split=always, coalesce=never)"))?,
    ];
    let mut profiler = Profiler::new(1);
    trace.events.iter().try_for_each(|event| profiler.take(*event))?;
    let row = Row {
        capture: recipe.name.clone(),
        kind: recipe.kind.clone(),
        application: application.to_owned(),
        form: profiler.finish().shape.form.to_string(),
        events: packed.events.len(),
        freed_to_pool: freed_to_pool(&packed, lists),
        ..row(&statistics, &scores, factors)
    };
    Ok(Case { row, scores })
}

/// What statistics and scores say.
fn row(statistics: &Statistics, scores: &[Score], factors: [f64; 3]) -> Row {
    let size = |place: usize| statistics.sizes.get(place).map_or(0, |size| size.size.0);
    let first = Combination::first(scores);
    let value = |of: fn(&Score) -> Option<f64>| {
        first.as_ref().map_or((f64::NAN, f64::NAN), |one| {
            (of(one.proposed).unwrap_or(f64::NAN), median(one.systems.iter().filter_map(|score| of(score))))
        })
    };
    let ((own, five), (accesses, of_five)) = (value(|score| score.fragmentation), value(|score| score.accesses));
    let [without_lists, without_splitting, without_coalescing] = factors;
    Row {
        sizes: statistics.distinct_sizes(),
        first_size: size(0),
        second_size: size(1),
        share_of_two: statistics.top_share(2),
        share_of_six: statistics.top_share(6),
        fullest_tenth: fullest_tenth(statistics),
        requested_peak: statistics.requested_peak.0,
        fragmentation: own,
        fragmentation_of_five: five,
        accesses_per_op: accesses,
        accesses_of_five: of_five,
        without_lists,
        without_splitting,
        without_coalescing,
        saves_fragmentation: first.map_or(f64::NAN, |one| one.saved(|score| score.fragmentation)),
        ..Row::default()
    }
}

fn outcome(cases: &[Case], recipes: &[Recipe], states: &[&str]) -> Result<Outcome, ExperimentError> {
    let rows: Vec<&Row> = cases.iter().map(|case| &case.row).collect();
    let mut outcome = Outcome::new(&rows)?;
    sizes(&mut outcome, &rows);
    for application in ["drr", "easyport", "url", "netbench-url"] {
        compared(&mut outcome, cases, application);
    }
    for (application, paper) in ["drr", "easyport", "url"].into_iter().zip(&PAPER) {
        as_printed(&mut outcome, cases, application, paper);
    }
    factors(&mut outcome, &rows);
    let forms: BTreeSet<&str> = rows.iter().map(|row| row.form.as_str()).collect();
    let said: Vec<&str> = forms.iter().copied().collect();
    outcome.state("000:public-plateau-occurs", listed(&said), forms.contains("plateau"));
    let run = states.iter().filter(|&&state| state == "run").count();
    outcome.found = format!(
        "{run} of {} captures were run, {} cases; two sizes make up {} of the requests in the median, of {} sizes.",
        recipes.len(),
        rows.len(),
        percent(median(rows.iter().map(|row| row.share_of_two))),
        median(rows.iter().map(|row| row.sizes as f64)),
    );
    outcome.tables = vec![shown(&rows), sources(recipes, states)];
    outcome.draw(
        "",
        "Median fragmentation of the five, by Table 1's words, and of the proposed allocator",
        chart(&rows),
    );
    Ok(outcome)
}

/// What section 5 says of sizes, where frames are allocated whole: on all captures, and on those of networks alone.
fn sizes(outcome: &mut Outcome, rows: &[&Row]) {
    let whole: Vec<&&Row> = rows.iter().filter(|row| row.application == "easyport").collect();
    let networks: Vec<&&Row> = whole.iter().copied().filter(|row| row.kind != "one host").collect();
    let link: Vec<&&Row> = whole.iter().copied().filter(|row| row.kind == ACCESS_LINK).collect();
    let mut state = |claim: &str, said: &dyn Fn(&Row) -> String, holds: &dyn Fn(&Row) -> bool| {
        let found: Vec<String> = whole.iter().map(|row| format!("{} {}", row.capture, said(row))).collect();
        let all = |of: &[&&Row]| of.iter().all(|row| holds(row));
        let known = [&whole, &networks, &link].into_iter().filter(|of| !of.is_empty());
        let answer = Answer::of_readings(known.map(|of| all(of)));
        outcome.state(claim, listed(&found), answer);
    };
    state("000:public-two-sizes", &|row| percent(row.share_of_two), &|row| (0.3..=0.7).contains(&row.share_of_two));
    state("000:public-six-sizes", &|row| percent(row.share_of_six), &|row| row.share_of_six <= 0.9);
    state("000:public-freed-to-the-pool", &|row| percent(row.freed_to_pool), &|row| {
        (0.3..=0.7).contains(&row.freed_to_pool)
    });
    state("000:public-dominant-sizes", &|row| format!("{} and {}", row.first_size, row.second_size), &|row| {
        are_packets([row.first_size, row.second_size])
    });
    state("000:public-rest-is-even", &|row| percent(row.fullest_tenth), &|row| row.fullest_tenth <= EVEN);
    state("000:public-many-sizes", &|row| row.sizes.to_string(), &|row| (700..=1500).contains(&row.sizes));
}

/// Whether the lack of splitting raises the fragmentation of the recommended design most, where packets are buffered.
fn factors(outcome: &mut Outcome, rows: &[&Row]) {
    let own: Vec<&&Row> = rows.iter().filter(|row| row.application == "easyport" || row.application == "drr").collect();
    let is_largest = |row: &&&&Row| row.without_splitting > row.without_coalescing.max(row.without_lists);
    let count = own.iter().filter(is_largest).count();
    let said = |row: &&&Row| {
        let [own, split, coalesce] = [row.fragmentation, row.without_splitting, row.without_coalescing].map(percent);
        format!(
            "{} {}: {own}, {split} without splitting and {coalesce} without coalescing",
            row.application, row.capture
        )
    };
    let cases: Vec<String> = own.iter().map(said).collect();
    outcome.state(
        "000:public-splitting-matters-most",
        format!("on {count} of {}: {}", own.len(), cases.join("; ")),
        count * 2 > own.len(),
    );
}

/// Whether the proposed allocator has at most the fragmentation of each of the five on most captures; then whether it has less
/// than the average of the five on most captures, and fewer
/// accesses, under every combination of readings.
fn compared(outcome: &mut Outcome, cases: &[Case], application: &str) {
    let own: Vec<Vec<Combination<'_>>> = cases
        .iter()
        .filter(|case| case.row.application == application)
        .map(|case| Combination::all(&case.scores))
        .collect();
    let Some(first) = own.first() else { return };
    let position = |one: &Combination<'_>| first.iter().position(|known| std::ptr::eq(known, one)).unwrap_or(0);
    let names = SYSTEMS.each_ref().map(|system| system.name);
    let beats_all =
        |place: usize| own.iter().filter(|one| one[place].does_not_exceed(&names, |s| s.fragmentation)).count();
    let (answer, text) = evaluated(first, |one| beats_all(position(one)) * 2 > own.len());
    let text = format!("of each of the five, on most of {} captures, {text}", own.len());
    outcome.state(format!("000:public-{application}-least-fragmentation"), text, answer);
    let saves_mostly = |place: usize, of: fn(&Score) -> Option<f64>| {
        let saves = own.iter().filter(|one| one[place].saved(of) > 0.0).count();
        saves * 2 > own.len()
    };
    for (claim, of) in [
        ("saves-fragmentation", (|score| score.fragmentation) as fn(&Score) -> Option<f64>),
        ("saves-accesses", |score| score.accesses),
    ] {
        let (answer, text) = evaluated(first, |one| saves_mostly(position(one), of));
        let text = format!("of the average of the five, on most of {} captures, {text}", own.len());
        outcome.state(format!("000:public-{application}-{claim}"), text, answer);
    }
}

/// Whether any capture has the order of the paper's table, and its saving within the tolerance.
fn as_printed(outcome: &mut Outcome, cases: &[Case], application: &str, paper: &Paper) {
    let own: Vec<&Case> = cases.iter().filter(|case| case.row.application == application).collect();
    let all: Vec<Combination<'_>> = own.iter().flat_map(|case| Combination::all(&case.scores)).collect();
    let ordered = |one: &Combination<'_>| one.is_ordered_as(&paper.percents, |score| score.fragmentation);
    let saves = |one: &Combination<'_>| {
        let saved = one.saved(|score| score.fragmentation);
        Agreement::of(saved, paper.saved, TOLERANCE) == Agreement::Agrees
    };
    let at_best = |one: &Combination<'_>| near_best(one.saved_at_best(), paper.at_best) == Agreement::Agrees;
    for (claim, holds) in [
        ("order-as-printed", &ordered as &dyn Fn(&Combination<'_>) -> bool),
        ("saves-as-printed", &saves),
        ("saves-at-best-as-printed", &at_best),
    ] {
        let count = all.iter().filter(|one| holds(one)).count();
        outcome.state(
            format!("000:public-{application}-{claim}"),
            format!(
                "in {count} of {} cases of {} captures, each with all combinations of readings",
                all.len(),
                own.len()
            ),
            Answer::of_readings(all.iter().map(holds)),
        );
    }
}

fn shown(rows: &[&Row]) -> Shown {
    let mut shown = Shown::new(
        "Each capture: what is requested, and the proposed allocator beside the median of the five by Table 1's words",
        [
            "capture",
            "kind",
            "application",
            "sizes",
            "first two",
            "their share",
            "of six",
            "freed to the pool",
            "form",
            "peak bytes",
            "fragmentation",
            "of the five",
            "accesses/op",
            "of the five",
        ],
    );
    for row in rows {
        shown.row([
            row.capture.as_str().into(),
            row.kind.as_str().into(),
            row.application.as_str().into(),
            (row.sizes as u64).into(),
            format!("{} and {}", row.first_size, row.second_size).into(),
            Value::Share(row.share_of_two),
            Value::Share(row.share_of_six),
            Value::Share(row.freed_to_pool),
            row.form.as_str().into(),
            row.requested_peak.into(),
            Value::Share(row.fragmentation),
            Value::Share(row.fragmentation_of_five),
            row.accesses_per_op.into(),
            row.accesses_of_five.into(),
        ]);
    }
    shown
}

fn sources(recipes: &[Recipe], states: &[&str]) -> Shown {
    let columns = ["capture", "this run", "what", "address", "licence", "prepared", "sha256"];
    let mut shown = Shown::new("The recipes; one that was never run is unverified", columns);
    for (recipe, state) in recipes.iter().zip(states) {
        shown.row([
            recipe.name.as_str().into(),
            if recipe.verified { (*state).into() } else { "unverified: never run".into() },
            recipe.what.as_str().into(),
            recipe.address.as_str().into(),
            recipe.licence.as_str().into(),
            recipe.prepared.as_str().into(),
            recipe.sha256.clone().into(),
        ]);
    }
    shown
}

fn chart(rows: &[&Row]) -> String {
    let bars = Bars {
        title: "Fragmentation on public captures".into(),
        y: "percent over the bytes requested".into(),
        names: rows.iter().map(|row| format!("{} {}", row.application, row.capture)).collect(),
        series: vec![
            Measured::new("median of the five", rows.iter().map(|row| row.fragmentation_of_five * 100.0)),
            Measured::new(PROPOSED, rows.iter().map(|row| row.fragmentation * 100.0)),
        ],
        ..Bars::default()
    };
    bars.svg()
}
