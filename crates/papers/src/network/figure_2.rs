//! Figure 2: ten thousand allocators as dots, on Easyport with a capture of FTP sessions.

use heapsmith_explore::{Exploration, Objective, Preference, distance};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use serde::Serialize;

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::network::applications::EASYPORT;
use crate::network::front::{Lookup, Place, corner, count, is_on, places};
use crate::network::sweeps::{Swept, swept};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "000-figure-2",
    paper: &NETWORK,
    place: "Figure 2",
    title: "ten thousand allocators for Easyport",
    claim: "Of about 10,000 custom allocators, built of four factors at about ten levels each, only a handful has \
            the best performance and the lowest fragmentation; these share two or three free lists, first fit, full \
            splitting and full coalescing (Mamagkakis et al. 2006, Figure 2, section 5).",
    differs: "An own capture of FTP sessions; cost is metadata accesses an operation instead of time. The designs are \
              built on an address-ordered list with boundary tags and words of four bytes, which the paper leaves \
              open. Many designs are the same heap on an input: a place of the front is shared by all that are equal \
              there, and has a level where one of them has it.",
    samples: &["ftp.pcap.xz"],
    run,
};

/// The share of the designs that may be called a handful; the paper gives no number.
const HANDFUL: f64 = 0.01;

/// Places of the corner of the figure, where memory and accesses are least together.
const CORNER: usize = 20;

/// What may be called the best allocators.
const SETS: [&str; 4] = [
    "on the front ",
    "on the front where lists are searched for a size ",
    "in the corner ",
    "in the corner where lists are searched ",
];

/// How far behind the front a design may be and still be near it.
const NEAR: f64 = 0.01;

/// How far the recommended designs are behind the front of the Auckland access link, by their lists: what the last whole run
/// of `000-public-captures` found. A test holds it to the committed run.
const ON_AUCKLAND: [(u8, f64); 2] = [(2, 0.109), (3, 0.116)];

#[derive(Debug, Serialize)]
struct Row {
    design: u32,
    freelists: u8,
    fit: u8,
    split: u8,
    coalesce: u8,
    same_as: u32,
    failed: u64,
    fragmentation: f64,
    footprint_peak: u64,
    accesses_per_op: f64,
    accesses_max: f64,
    on_front: bool,
    recommended: bool,
}

/// The factors of the classic space, whose levels are numbers.
const FACTORS: [&str; 4] = ["freelists", "fit", "split", "coalesce"];

fn level(exploration: &Exploration, index: usize, factor: &str) -> u8 {
    let level = exploration.families.level(&exploration.rows[index].design, factor);
    level.and_then(|level| level.parse().ok()).unwrap_or(0)
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let swept = swept(setting, &EASYPORT, &EASYPORT.inputs[..1], (0, 1))?;
    let whole = setting.is_whole();
    let exploration = &swept.exploration;
    let lists = |index: usize| level(exploration, index, "freelists");
    let [places, searched] = [Lookup::Table, Lookup::Search].map(|lookup| places(exploration, lookup, lists));
    let [cheap, dear] = [Lookup::Table, Lookup::Search].map(|lookup| corner(exploration, lookup, lists, CORNER));
    let row = |index: usize| {
        let (row, point) = (&exploration.rows[index], &exploration.points[index]);
        let [freelists, fit, split, coalesce] = FACTORS.map(|factor| level(exploration, index, factor));
        Row {
            design: row.design.number,
            freelists,
            fit,
            split,
            coalesce,
            same_as: row.design.same_as,
            failed: point.failed,
            fragmentation: point.get(Objective::Fragmentation),
            footprint_peak: row.measures[0].footprint_peak.0,
            accesses_per_op: point.get(Objective::Accesses),
            accesses_max: point.get(Objective::MaxOp),
            on_front: is_on(&places, index),
            recommended: exploration.families.is_recommended(&row.design),
        }
    };
    let rows: Vec<Row> = (0..exploration.rows.len()).map(row).collect();
    let mut outcome = Outcome::new(&rows)?;
    state(&mut outcome, &swept, [&places, &searched, &cheap, &dear], whole);
    outcome.tables.push(front(&rows, &places));
    outcome.draw(
        "",
        "Every design as a dot, cost over memory; the front and the designs that the paper recommends",
        chart(&rows),
    );
    Ok(outcome)
}

fn state(outcome: &mut Outcome, swept: &Swept, fronts: [&[Place]; 4], whole: bool) {
    let places = fronts[0];
    let exploration = &swept.exploration;
    let (front, designs) = (places.len(), exploration.rows.len());
    outcome.state(
        "000:front-is-a-handful",
        format!("{front} places on the front of {} designs", thousands(designs as u64)),
        front as f64 <= HANDFUL * designs as f64,
    );
    outcome
        .state("000:ten-thousand-designs", format!("{} designs", thousands(designs as u64)), designs == 10_000)
        .with("designs", designs as f64);
    let (found, own) = behind_front(exploration);
    let public = ON_AUCKLAND.iter().map(|&(lists, behind)| (lists, Some(behind))).collect::<Vec<_>>();
    outcome.state(
        "000:recommended-are-on-the-front",
        format!("on ftp {found}; on auckland-2000 {}", said_behind(&public)),
        Answer::of_readings([own, public.iter().all(|&(_, behind)| is_near(behind))]),
    );
    shared(outcome, exploration, fronts);
    let pick =
        exploration.nominal_pick(Preference::Balanced).map(|index| exploration.rows[index].design.spec.to_string());
    outcome.found = format!(
        "The front has {front} places; the balanced pick is {}.",
        pick.unwrap_or_else(|| "none, as every design refused a request".to_owned())
    );
    if whole {
        outcome.found.push_str(&format!(
            " 10,000 designs, {} of them different heaps here, took {} seconds.",
            thousands(swept.heaps as u64),
            digits(swept.seconds)
        ));
    }
}

/// Whether the designs that the paper recommends are on the front, with two lists and with three.
pub(crate) fn recommended(outcome: &mut Outcome, claim: &str, exploration: &Exploration) {
    let (found, holds) = behind_front(exploration);
    outcome.state(claim, found, holds);
}

/// How far the designs that the paper recommends are behind the front, and whether all are on it or near.
fn behind_front(exploration: &Exploration) -> (String, bool) {
    let places = &places(exploration, Lookup::Table, |index| level(exploration, index, "freelists"));
    let over = [Objective::Fragmentation, Objective::Accesses];
    let behind = |index: usize| {
        let is_behind = !is_on(places, index);
        is_behind.then(|| distance(&exploration.points[index], &exploration.points, &over))
    };
    let all: Vec<(u8, Option<f64>)> =
        exploration.recommended().map(|index| (level(exploration, index, "freelists"), behind(index))).collect();
    (said_behind(&all), all.iter().all(|&(_, behind)| is_near(behind)))
}

/// Whether a design that is this far behind the front is among the best.
fn is_near(behind: Option<f64>) -> bool {
    behind.is_none_or(|behind| behind <= NEAR)
}

fn said_behind(designs: &[(u8, Option<f64>)]) -> String {
    let said = designs.iter().map(|(lists, behind)| match behind {
        None => format!("with {lists} lists on the front"),
        Some(behind) => format!("with {lists} lists {} behind it", percent(*behind)),
    });
    said.collect::<Vec<_>>().join("; ")
}

/// What the best allocators have in common: each level by itself, and all together. They are those of the front or of the
/// corner, where the list of a size is found for nothing or where lists are searched.
fn shared(outcome: &mut Outcome, exploration: &Exploration, fronts: [&[Place]; 4]) {
    let is = |index: usize, factor: &str, wanted: u8| level(exploration, index, factor) == wanted;
    let levels = [("fit", 0, "first fit"), ("split", 100, "full splitting"), ("coalesce", 100, "full coalescing")];
    let (mut each, mut together) = (Vec::new(), Vec::new());
    for (places, lookup) in fronts.into_iter().zip(SETS) {
        let counts = levels.map(|(factor, wanted, _)| count(places, |index| is(index, factor, wanted)));
        let all = count(places, |index| levels.iter().all(|&(factor, wanted, _)| is(index, factor, wanted)));
        let said = counts.iter().zip(levels).map(|(count, (.., name))| format!("{count} with {name}"));
        let said = listed(&said.collect::<Vec<_>>());
        each.push((format!("{lookup}{said} of {} places", places.len()), counts.iter().all(|&n| n * 2 > places.len())));
        together.push((format!("{lookup}{all} of {} places", places.len()), all * 2 > places.len()));
    }
    for (claim, found) in [("000:front-shares-each-factor", each), ("000:front-shares-their-combination", together)] {
        let answer = Answer::of_readings(found.iter().map(|&(_, holds)| holds));
        let said: Vec<&str> = found.iter().map(|(said, _)| said.as_str()).collect();
        outcome.state(claim, said.join("; "), answer);
    }
}

fn front(rows: &[Row], places: &[Place]) -> Shown {
    let mut columns = vec!["design"];
    columns.extend(FACTORS);
    columns.extend(["fragmentation", "accesses/op", "worst operation", "in the figure"]);
    let mut shown =
        Shown::new("The front, by the lowest number at each place, and the designs that the paper recommends", columns);
    let shown_of_place: Vec<usize> = places.iter().filter_map(|place| place.designs.first().copied()).collect();
    let is_wanted = |(index, row): &(usize, &Row)| row.recommended || shown_of_place.contains(index);
    let mut wanted: Vec<&Row> = rows.iter().enumerate().filter(is_wanted).map(|(_, row)| row).collect();
    wanted.sort_by(|a, b| a.fragmentation.total_cmp(&b.fragmentation));
    for row in wanted {
        let note = match (row.on_front, row.recommended) {
            (true, true) => "front, recommended",
            (true, false) => "front",
            _ => "recommended",
        };
        shown.row([
            Value::from(format!("{:04}", row.design)),
            u64::from(row.freelists).into(),
            u64::from(row.fit).into(),
            u64::from(row.split).into(),
            u64::from(row.coalesce).into(),
            Value::Share(row.fragmentation),
            row.accesses_per_op.into(),
            (row.accesses_max as u64).into(),
            note.into(),
        ]);
    }
    shown
}

fn chart(rows: &[Row]) -> String {
    let point = |row: &Row| (row.footprint_peak as f64 / 1000.0, row.accesses_per_op);
    let served = || rows.iter().filter(|row| row.failed == 0);
    let chart = Chart {
        title: "10,000 allocators for Easyport, ftp".into(),
        x: Axis::logarithmic("footprint, KB"),
        y: Axis::logarithmic("accesses an operation"),
        series: vec![
            Series::new("a design", Mark::Cloud, served().map(point)),
            Series::new("the front", Mark::Dots, served().filter(|row| row.on_front).map(point)),
            Series::new("recommended 2006", Mark::Rings, served().filter(|row| row.recommended).map(point)),
        ],
    };
    chart.svg()
}
