//! What becomes of the conclusions if what the paper leaves open is chosen otherwise: sizes of objects that it does not
//! give, the rate of the link, its own rule for the scheduler, channels, NetBench's own program.
//!
//! A variant is the application of Tables 3 to 5 with one setting changed, on the same captures. Two combinations of
//! readings stand for all: that of Table 1's words, where Windows CE merges next to the freed block instead of sweeping its
//! whole heap, and that of the documentation and section 5.

use heapsmith_spec::resolve;
use heapsmith_trace::{PackedTrace, Statistics};
use serde::Serialize;

use heapsmith_report::chart::{Bars, Measured};

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::input::Input;
use crate::network::applications::{ALL, DRR, EASYPORT, URL};
use crate::network::readings::{Combination, Heap, PROPOSED, SYSTEMS, Score, mean, proposed, scores};
use crate::network::tables::popular;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "000-sensitivity",
    paper: &NETWORK,
    place: "Section 6",
    title: "the conclusions of Tables 3 to 5 under other choices",
    claim: "The proposed allocator has less fragmentation and takes less time than the average of five operating systems' \
            allocators on each of three applications; two sizes make up 30% to 70% of the requests (Mamagkakis et al. \
            2006, sections 5 and 6). The paper gives neither the sizes of its queues' objects nor the rates of its links.",
    differs: "One setting at a time is changed from those of Tables 3 to 5. Averages are over the captures; where an \
              allocator refused a request it is not compared.",
    samples: ALL,
    run,
};

/// A setting that is changed.
struct Variant {
    application: &'static str,
    setting: &'static str,
    value: &'static str,
}

const fn variant(application: &'static str, setting: &'static str, value: &'static str) -> Variant {
    Variant { application, setting, value }
}

/// An empty setting is the application as it is in the tables.
const VARIANTS: [Variant; 31] = [
    variant("drr", "", ""),
    variant("drr", "service", "first"),
    variant("drr", "queue-bytes", "64"),
    variant("drr", "queue-bytes", "32"),
    variant("drr", "queue-bytes", "256"),
    variant("drr", "packet-bytes", "0"),
    variant("drr", "quantum", "1500"),
    variant("drr", "backlog", "0.5%"),
    variant("drr", "backlog", "10%"),
    variant("drr", "packets", "50000"),
    variant("easyport", "", ""),
    variant("easyport", "channels", "4"),
    variant("easyport", "channels", "16"),
    variant("easyport", "packets", "4200"),
    variant("easyport", "cells", "on"),
    variant("easyport", "backlog", "0.5%"),
    variant("easyport", "backlog", "10%"),
    variant("url", "", ""),
    variant("url", "connection-bytes", "16"),
    variant("url", "connection-bytes", "256"),
    variant("url", "upstream-bytes", "16"),
    variant("url", "upstream-bytes", "1024"),
    variant("url", "patterns", "0"),
    variant("url", "patterns", "1024"),
    variant("url", "concurrency", "4"),
    variant("url", "concurrency", "64"),
    variant("netbench-url", "", ""),
    variant("netbench-url", "patterns", "8"),
    variant("netbench-url", "pattern-bytes", "64"),
    variant("netbench-url", "in-flight", "64"),
    variant("netbench-url", "in-flight", "1024"),
];

/// The reading of each system in the first combination.
const PLAIN: [&str; 5] = ["windows-ce/neighbours", "windows-xp", "lea-2.7.2", "enea-ose", "uclinux"];

/// The reading of each system in the second combination.
const DOCUMENTED: [&str; 5] =
    ["windows-ce/documented", "windows-xp/coalescing", "lea-2.7.2/fast-bins", "enea-ose/searched", "uclinux/pages"];

#[derive(Debug, Serialize)]
struct Row {
    application: &'static str,
    variant: String,
    systems: &'static str,
    two_sizes: String,
    share_of_two: f64,
    fragmentation: f64,
    fragmentation_of_five: f64,
    saves_fragmentation: f64,
    beats_in_fragmentation: usize,
    accesses_per_op: f64,
    accesses_of_five: f64,
    saves_accesses: f64,
    beats_in_accesses: usize,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, variant) in VARIANTS.iter().enumerate() {
        setting.step(number, VARIANTS.len(), &format!("{} {}", variant.application, named(variant)))?;
        let (traces, share) = traces(setting, variant)?;
        rows.extend(rows_of(variant, &traces, share)?);
    }
    let mut outcome = Outcome::new(&rows)?;
    for application in ["drr", "easyport", "url", "netbench-url"] {
        stable(&mut outcome, &rows, application);
    }
    two_sizes(&mut outcome, &rows);
    let changed = outcome.statements.iter().filter(|statement| statement.answer != Answer::Holds).count();
    outcome.found = format!(
        "{} variants of four applications; {changed} of {} conclusions depend on a setting.",
        VARIANTS.len(),
        outcome.statements.len()
    );
    outcome.tables.push(shown(&rows));
    outcome.draw(
        "",
        "What the proposed allocator saves of the five's average, by Table 1's words, under each variant",
        chart(&rows),
    );
    Ok(outcome)
}

fn named(variant: &Variant) -> String {
    match variant.setting {
        "" => "as in the tables".to_owned(),
        setting => format!("{setting}={}", variant.value),
    }
}

/// The traces of a variant, and the mean share of the two most popular sizes.
fn traces(setting: &mut Setting<'_>, variant: &Variant) -> Result<(Vec<PackedTrace>, f64), ExperimentError> {
    let inputs: &[Input] = match variant.application {
        "drr" => DRR.inputs,
        "easyport" | "netbench-url" => EASYPORT.inputs,
        _ => URL.inputs,
    };
    let (mut traces, mut shares) = (Vec::new(), Vec::new());
    for &input in inputs {
        let input = Input { workload: Some(variant.application), ..input };
        let trace = setting.varied(input, &[(variant.setting, variant.value)])?;
        shares.push(Statistics::of(&trace)?.top_share(2));
        traces.push(PackedTrace::new(&trace)?);
    }
    Ok((traces, mean(shares.iter().copied())))
}

/// One row for each combination of readings.
fn rows_of(variant: &Variant, traces: &[PackedTrace], share: f64) -> Result<Vec<Row>, ExperimentError> {
    let traces: Vec<&PackedTrace> = traces.iter().collect();
    let lists = if variant.application == "url" { URL.lists } else { DRR.lists };
    let sizes = popular(traces.iter().copied(), lists);
    let mut heaps = Vec::new();
    for ((system, plain), documented) in SYSTEMS.iter().zip(PLAIN).zip(DOCUMENTED) {
        for reading in [plain, documented] {
            heaps.push(Heap { of: system.name, reading: reading.to_owned(), spec: resolve(reading)? });
        }
    }
    heaps.push(Heap { of: PROPOSED, reading: PROPOSED.to_owned(), spec: proposed(&sizes, "address")? });
    let scores = scores(&heaps, &traces)?;
    let own = |names: [&str; 5]| {
        let all = Combination::all(&scores);
        all.into_iter().find(|one| one.systems.iter().zip(names).all(|(score, name)| score.reading == name))
    };
    let two: Vec<String> = popular(traces.iter().copied(), 2).iter().map(u64::to_string).collect();
    let row = |systems: &'static str, names: [&str; 5]| {
        let one = own(names)?;
        let value = |score: &Score, of: fn(&Score) -> Option<f64>| of(score).unwrap_or(f64::NAN);
        let five = |of: fn(&Score) -> Option<f64>| {
            let known: Vec<f64> = one.systems.iter().filter_map(|score| of(score)).collect();
            mean(known.iter().copied())
        };
        let beats = |of: fn(&Score) -> Option<f64>| FIVE.iter().filter(|name| one.does_not_exceed(&[name], of)).count();
        Some(Row {
            application: variant.application,
            variant: named(variant),
            systems,
            two_sizes: two.join(" and "),
            share_of_two: share,
            fragmentation: value(one.proposed, |score| score.fragmentation),
            fragmentation_of_five: five(|score| score.fragmentation),
            saves_fragmentation: one.saved(|score| score.fragmentation),
            beats_in_fragmentation: beats(|score| score.fragmentation),
            accesses_per_op: value(one.proposed, |score| score.accesses),
            accesses_of_five: five(|score| score.accesses),
            saves_accesses: one.saved(|score| score.accesses),
            beats_in_accesses: beats(|score| score.accesses),
        })
    };
    Ok([row("Table 1", PLAIN), row("documented", DOCUMENTED)].into_iter().flatten().collect())
}

const FIVE: [&str; 5] = [SYSTEMS[0].name, SYSTEMS[1].name, SYSTEMS[2].name, SYSTEMS[3].name, SYSTEMS[4].name];

/// What is concluded of a row: whether it saves fragmentation on average, and accesses.
fn conclusions(row: &Row) -> (bool, bool) {
    (row.saves_fragmentation > 0.0, row.saves_accesses > 0.0)
}

/// Whether what is concluded of an application is the same under every variant.
fn stable(outcome: &mut Outcome, rows: &[Row], application: &str) {
    let own: Vec<&Row> = rows.iter().filter(|row| row.application == application).collect();
    let base = |systems: &str| own.iter().find(|row| row.systems == systems).map(|row| conclusions(row));
    let other: Vec<String> = own
        .iter()
        .filter(|row| Some(conclusions(row)) != base(row.systems))
        .map(|row| format!("{} ({})", row.variant, row.systems))
        .collect();
    let of = |of: fn(&Row) -> f64| {
        let values = own.iter().map(|row| of(row));
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max))
    };
    let ((low, high), (few, many)) = (of(|row| row.saves_fragmentation), of(|row| row.saves_accesses));
    let changed = if other.is_empty() { "no variant changes its sign".to_owned() } else { listed(&other) };
    outcome.state(
        format!("000:{application}-is-robust"),
        format!(
            "it saves {} to {} of the five's fragmentation and {} to {} of their accesses; other conclusions: {changed}",
            percent(low),
            percent(high),
            percent(few),
            percent(many)
        ),
        other.is_empty(),
    );
}

/// Whether two sizes make up 30% to 70% of the requests of the deficit round robin with each size of its object.
fn two_sizes(outcome: &mut Outcome, rows: &[Row]) {
    let own: Vec<&Row> = rows.iter().filter(|row| row.application == "drr" && row.systems == "Table 1").collect();
    let said: Vec<String> = own
        .iter()
        .filter(|row| row.variant.contains("queue-bytes") || row.variant.contains("tables"))
        .map(|row| format!("{}: {} with {}", row.variant, row.two_sizes, percent(row.share_of_two)))
        .collect();
    let within = own.iter().all(|row| (0.3..=0.7).contains(&row.share_of_two));
    outcome.state("000:two-sizes-with-any-queue-object", said.join("; "), within);
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Each variant: the proposed allocator beside the average of the five, and how many of them it equals or beats",
        [
            "application",
            "variant",
            "readings",
            "two sizes",
            "their share",
            "fragmentation",
            "of the five",
            "beats",
            "accesses/op",
            "of the five",
            "beats",
        ],
    );
    for row in rows {
        shown.row([
            row.application.into(),
            row.variant.as_str().into(),
            row.systems.into(),
            row.two_sizes.as_str().into(),
            Value::Share(row.share_of_two),
            Value::Share(row.fragmentation),
            Value::Share(row.fragmentation_of_five),
            (row.beats_in_fragmentation as u64).into(),
            row.accesses_per_op.into(),
            row.accesses_of_five.into(),
            (row.beats_in_accesses as u64).into(),
        ]);
    }
    shown
}

fn chart(rows: &[Row]) -> String {
    let own: Vec<&Row> = rows.iter().filter(|row| row.systems == "Table 1").collect();
    let share = |of: fn(&Row) -> f64| own.iter().map(move |row| of(row) * 100.0).collect::<Vec<_>>();
    let bars = Bars {
        title: "What the proposed allocator saves".into(),
        y: "percent of the five's average".into(),
        names: own.iter().map(|row| format!("{} {}", row.application, row.variant)).collect(),
        series: vec![
            Measured::new("fragmentation", share(|row| row.saves_fragmentation)),
            Measured::new("accesses", share(|row| row.saves_accesses)),
        ],
        ..Bars::default()
    };
    bars.svg()
}
