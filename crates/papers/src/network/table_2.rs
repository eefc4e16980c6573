//! Table 2: what each factor does to internal and external fragmentation and to performance, over the whole space, for all
//! three applications and all their inputs: the 45 days of the paper.
//!
//! The table says what using a factor does, not to which design. There are three readings: in every design of the space
//! (matched pairs), in the recommended design, and by itself in a design that uses none. Where they differ, it is the other
//! factors that decide. The shares of the variance are an addition of this
//! project: a space has many designs that nobody would use, and a mean over all of them is about those too.

use heapsmith_explore::{Effect, Objective, effects};
use heapsmith_report::chart::{Bars, Measured};
use serde::Serialize;

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::network::applications::{ALL, APPLICATIONS};
use crate::network::balance::{self, Chosen};
use crate::network::pairs::{Change, FACTORS, Grid};
use crate::network::readings::median;
use crate::network::sweeps::{Swept, swept};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "000-table-2",
    paper: &NETWORK,
    place: "Table 2",
    title: "what each factor does, over 10,000 designs for each of three applications",
    claim: "Free lists lower internal and raise external fragmentation and raise performance; best fit and splitting \
            lower internal fragmentation and performance and do nothing to external fragmentation; coalescing lowers \
            external fragmentation, raises performance and does nothing to internal fragmentation. The lack of \
            splitting is the largest cause of fragmentation. The exploration took 45 days on two Pentium 4 \
            workstations (Mamagkakis et al. 2006, Table 2, section 5).",
    differs: "The paper gives signs, found by looking at its results; here a sign is that of the median change over all \
              pairs of designs that differ in the factor alone, that of the change in the recommended design, and that of \
              the factor by itself, in a design that uses no other. A \
              change below a tenth of a point of fragmentation or a hundredth of the accesses is none. Performance is metadata \
              accesses an operation; finding the list of a size costs none here. Other traffic, another machine, and \
              replay instead of running the application.",
    samples: ALL,
    run,
};

/// The paper's signs for using a factor: −1 is less of the objective, +1 more, 0 none. More accesses are less
/// performance.
const PAPER: [[i8; 3]; 4] = [[-1, 1, -1], [-1, 0, 1], [-1, 0, 1], [0, -1, -1]];
const OBJECTIVES: [(Objective, &str); 3] = [
    (Objective::Internal, "internal fragmentation"),
    (Objective::External, "external fragmentation"),
    (Objective::Accesses, "accesses"),
];

#[derive(Debug, Clone, Serialize)]
struct Row {
    application: &'static str,
    factor: &'static str,
    objective: &'static str,
    pairs: usize,
    rise: usize,
    fall: usize,
    median_change: f64,
    sign: i8,
    change_from_recommended: f64,
    sign_from_recommended: i8,
    change_by_itself: f64,
    sign_by_itself: i8,
    sign_of_paper: i8,
    mean_at_none: f64,
    mean_at_full: f64,
    share_of_variance: f64,
}

/// A sweep of one application, with what this project computes of it.
struct Explored {
    application: &'static str,
    lists: usize,
    effects: Vec<Effect>,
    swept: Swept,
}

impl Explored {
    fn chosen(&self) -> Chosen<'_> {
        Chosen { application: self.application, lists: self.lists, exploration: &self.swept.exploration }
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut all = Vec::new();
    for (number, application) in APPLICATIONS.into_iter().enumerate() {
        let swept = swept(setting, application, application.inputs, (number, APPLICATIONS.len()))?;
        let (application, lists) = (application.name, application.lists);
        all.push(Explored { application, lists, effects: effects(&swept.exploration, 0), swept });
    }
    let rows: Vec<Row> = all.iter().flat_map(rows).collect();
    let mut outcome = Outcome::new(&rows)?;
    for (number, factor) in FACTORS.into_iter().enumerate() {
        for (index, (_, objective)) in OBJECTIVES.into_iter().enumerate() {
            signs(&mut outcome, &rows, factor, objective, PAPER[number][index]);
        }
    }
    doubled(&mut outcome, &rows);
    largest(&mut outcome, &all);
    eradicated(&mut outcome, &all);
    two_lists(&mut outcome, &rows);
    balance::state(&mut outcome, &all.iter().map(Explored::chosen).collect::<Vec<_>>());
    let agree = outcome.statements.iter().filter(|statement| statement.answer == Answer::Holds).count();
    outcome.found = format!("{agree} of {} statements agree for all three applications.", outcome.statements.len());
    if setting.is_whole() {
        outcome.found.push_str(&seconds(&all));
    }
    outcome.tables = vec![matched(&rows), variance(&rows)];
    draw(&mut outcome, &all);
    Ok(outcome)
}

fn rows(explored: &Explored) -> Vec<Row> {
    let grid = Grid::of(&explored.swept.exploration);
    let mut rows = Vec::new();
    for (number, factor) in FACTORS.into_iter().enumerate() {
        for (index, (objective, name)) in OBJECTIVES.into_iter().enumerate() {
            let pairs = grid.matched(number, objective);
            let one = grid.in_recommended(explored.lists, number, objective);
            let alone = grid.by_itself(explored.lists, number, objective);
            let effect = explored.effects.iter().find(|e| e.factor == number && e.objective == objective);
            let of = |value: fn(&Effect) -> f64| effect.map_or(f64::NAN, value);
            rows.push(Row {
                application: explored.application,
                factor,
                objective: name,
                pairs: pairs.pairs,
                rise: pairs.up,
                fall: pairs.down,
                median_change: pairs.median,
                sign: pairs.sign(),
                change_from_recommended: one.median,
                sign_from_recommended: one.sign(),
                change_by_itself: alone.median,
                sign_by_itself: alone.sign(),
                sign_of_paper: PAPER[number][index],
                mean_at_none: of(Effect::first),
                mean_at_full: of(Effect::last),
                share_of_variance: of(|effect| effect.share),
            });
        }
    }
    rows
}

/// The sign of the paper against that of each kind of pairs: where the change is one to speak of, and, where the paper has a
/// sign, whatever its size.
fn signs(outcome: &mut Outcome, rows: &[Row], factor: &str, objective: &str, paper: i8) {
    let own: Vec<&Row> = rows.iter().filter(|row| row.factor == factor && row.objective == objective).collect();
    let found: Vec<String> = own.iter().map(|row| pairs(row)).collect();
    let signs: [fn(&Row) -> i8; 3] = [|row| row.sign, |row| row.sign_from_recommended, |row| row.sign_by_itself];
    let changes: [fn(&Row) -> f64; 3] =
        [|row| row.median_change, |row| row.change_from_recommended, |row| row.change_by_itself];
    let counted = signs.map(|sign| own.iter().all(|row| sign(row) == paper));
    let any = changes.map(|change| own.iter().all(|row| change(row) * f64::from(paper) > 0.0));
    outcome.state(
        format!("000:table-2-{}-{}", factor.replace(' ', "-"), objective.split(' ').next().unwrap_or_default()),
        listed(&found),
        Answer::of_readings(counted.into_iter().chain(any.into_iter().filter(|_| paper != 0))),
    );
}

fn pairs(row: &Row) -> String {
    format!(
        "{}: {} in the median of {} pairs, of which {} rise and {} fall, {} in the recommended design, {} by itself",
        row.application,
        signed(row.median_change),
        thousands(row.pairs as u64),
        thousands(row.rise as u64),
        thousands(row.fall as u64),
        signed(row.change_from_recommended),
        signed(row.change_by_itself),
    )
}

fn signed(change: f64) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    format!("{sign}{:.2}%", change.abs() * 100.0)
}

/// The table doubles some signs: of performance those of best fit and splitting, not that of coalescing.
fn doubled(outcome: &mut Outcome, rows: &[Row]) {
    let size = |factor: &str, of: fn(&Row) -> f64| {
        let own = rows.iter().filter(|row| row.factor == factor && row.objective == "accesses");
        median(own.map(|row| of(row).abs()))
    };
    let larger = |of: fn(&Row) -> f64| {
        size("best fit", of) > size("coalescing", of) && size("splitting", of) > size("coalescing", of)
    };
    let said = |of: fn(&Row) -> f64| {
        let each =
            ["best fit", "splitting", "coalescing"].map(|factor| format!("{factor} {}", percent(size(factor, of))));
        listed(&each)
    };
    outcome.state(
        "000:table-2-double-signs",
        format!(
            "median change of the accesses over the applications: matched pairs {}; in the recommended design {}; by \
             itself {}",
            said(|row| row.median_change),
            said(|row| row.change_from_recommended),
            said(|row| row.change_by_itself),
        ),
        Answer::of_readings([
            larger(|row| row.median_change),
            larger(|row| row.change_from_recommended),
            larger(|row| row.change_by_itself),
        ]),
    );
}

/// Which factor changes fragmentation most, if it is taken away.
fn largest(outcome: &mut Outcome, all: &[Explored]) {
    let (mut found, mut in_pairs, mut in_one, mut by_itself) = (Vec::new(), true, true, true);
    for explored in all {
        let grid = Grid::of(&explored.swept.exploration);
        let largest_fall = |of: &dyn Fn(usize) -> Change| {
            let falls = (0..FACTORS.len()).map(|factor| (-of(factor).median, factor));
            falls.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::NAN, 0))
        };
        let (by_pairs, pairs) = largest_fall(&|factor| grid.matched(factor, Objective::Fragmentation));
        let (by_one, one) =
            largest_fall(&|factor| grid.in_recommended(explored.lists, factor, Objective::Fragmentation));
        let (by_alone, alone) =
            largest_fall(&|factor| grid.by_itself(explored.lists, factor, Objective::Fragmentation));
        by_itself &= FACTORS[alone] == "splitting";
        in_pairs &= FACTORS[pairs] == "splitting";
        in_one &= FACTORS[one] == "splitting";
        found.push(format!(
            "{}: {} in matched pairs (by {}), {} in the recommended design (by {}), {} by itself (by {})",
            explored.application,
            FACTORS[pairs],
            percent(by_pairs),
            FACTORS[one],
            percent(by_one),
            FACTORS[alone],
            percent(by_alone),
        ));
    }
    let found = format!("what lowers fragmentation most: {}", found.join("; "));
    outcome.state("000:splitting-matters-most", found, Answer::of_readings([in_pairs, in_one, by_itself]));
}

/// Lists of the dominant sizes, in the recommended design and by themselves: less internal fragmentation and fewer accesses,
/// and at most a point more of external fragmentation.
fn two_lists(outcome: &mut Outcome, rows: &[Row]) {
    let own = |objective: &str, of: fn(&Row) -> f64| {
        let own = rows.iter().filter(|row| row.factor == "free lists" && row.objective == objective);
        own.map(of).collect::<Vec<f64>>()
    };
    let said = |changes: &[f64]| listed(&changes.iter().map(|&change| signed(change)).collect::<Vec<_>>());
    let (mut found, mut holds) = (Vec::new(), Vec::new());
    for (place, of) in [
        ("the recommended design", (|row| row.change_from_recommended) as fn(&Row) -> f64),
        ("a design that uses nothing else", |row| row.change_by_itself),
    ] {
        let [internal, external, accesses] = OBJECTIVES.map(|(_, name)| own(name, of));
        found.push(format!(
            "in {place} internal fragmentation {}, accesses {}, external fragmentation {}",
            said(&internal),
            said(&accesses),
            said(&external)
        ));
        let fall = internal.iter().chain(&accesses).all(|&change| change < 0.0);
        holds.push(fall && external.iter().all(|&change| change <= ERADICATED));
    }
    outcome.state(
        "000:lists-of-dominant-sizes-help",
        format!("for drr, easyport and url: {}", found.join("; ")),
        Answer::of_readings(holds),
    );
}

/// The most external fragmentation that may be called none.
const ERADICATED: f64 = 0.01;

/// What is left of external fragmentation with full coalescing.
fn eradicated(outcome: &mut Outcome, all: &[Explored]) {
    let (mut found, mut in_all, mut in_one) = (Vec::new(), true, true);
    for explored in all {
        let grid = Grid::of(&explored.swept.exploration);
        let every = grid.fully_coalescing(Objective::External);
        let one = grid.recommended(explored.lists, Objective::External).unwrap_or(f64::NAN);
        let none = every.iter().filter(|&&share| share < ERADICATED).count();
        in_all &= none == every.len();
        in_one &= one < ERADICATED;
        found.push(format!(
            "{}: {} in the recommended design, {} in it without lists; under a point in {} of {} designs with full coalescing, {} in their median",
            explored.application,
            percent(one),
            percent(grid.recommended(0, Objective::External).unwrap_or(f64::NAN)),
            none,
            every.len(),
            percent(median(every.iter().copied())),
        ));
    }
    outcome.state("000:full-coalescing-eradicates", found.join("; "), Answer::of_readings([in_all, in_one]));
}

fn seconds(all: &[Explored]) -> String {
    let seconds: f64 = all.iter().map(|explored| explored.swept.seconds).sum();
    let events: u64 = all.iter().map(|explored| explored.swept.events).sum();
    let heaps: usize = all.iter().map(|explored| explored.swept.heaps).sum();
    format!(
        " The designs are {} different heaps here, which took {} seconds and {} million operations: {} ms for each.",
        thousands(heaps as u64),
        digits(seconds),
        thousands(events / 1_000_000),
        digits(seconds * 1000.0 / heaps.max(1) as f64),
    )
}

fn matched(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "What using a factor changes: the median over matched pairs of designs, in the recommended design, and by \
         itself in a design that uses nothing else. \
         Fragmentation in points, accesses in percent",
        [
            "application",
            "factor",
            "objective",
            "pairs",
            "rise",
            "fall",
            "median",
            "sign",
            "recommended",
            "sign",
            "by itself",
            "sign",
            "paper's",
        ],
    );
    for row in rows {
        shown.row([
            row.application.into(),
            row.factor.into(),
            row.objective.into(),
            (row.pairs as u64).into(),
            (row.rise as u64).into(),
            (row.fall as u64).into(),
            signed(row.median_change).into(),
            written(row.sign).into(),
            signed(row.change_from_recommended).into(),
            written(row.sign_from_recommended).into(),
            signed(row.change_by_itself).into(),
            written(row.sign_by_itself).into(),
            written(row.sign_of_paper).into(),
        ]);
    }
    shown
}

fn variance(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "An addition: means over all designs at no use and at full use of a factor, and the share of the variance that it \
         explains",
        ["application", "factor", "objective", "no use", "full use", "share of variance"],
    );
    for row in rows {
        let value = |value: f64| if row.objective == "accesses" { Value::from(value) } else { Value::Share(value) };
        shown.row([
            row.application.into(),
            row.factor.into(),
            row.objective.into(),
            value(row.mean_at_none),
            value(row.mean_at_full),
            Value::Share(row.share_of_variance),
        ]);
    }
    shown
}

fn written(sign: i8) -> &'static str {
    match sign {
        0 => "none",
        1 => "+",
        _ => "−",
    }
}

fn draw(outcome: &mut Outcome, all: &[Explored]) {
    let names: Vec<String> = all
        .iter()
        .flat_map(|explored| {
            ["fragmentation", "accesses"].map(|objective| format!("{}: {objective}", explored.application))
        })
        .collect();
    let share = |factor: usize| {
        all.iter().flat_map(move |explored| {
            [Objective::Fragmentation, Objective::Accesses].map(|objective| {
                let own =
                    explored.effects.iter().find(|effect| effect.factor == factor && effect.objective == objective);
                own.map_or(f64::NAN, |effect| effect.share * 100.0)
            })
        })
    };
    let series = FACTORS.iter().enumerate().map(|(factor, name)| Measured::new(*name, share(factor))).collect();
    let bars = Bars {
        title: "What explains the differences between designs".into(),
        y: "percent of the variance".into(),
        names,
        series,
        stacked: true,
        ..Bars::default()
    };
    outcome.draw(
        "",
        "Share of the variance over all designs that each factor explains by itself; what is left of 100% is how \
         factors act together",
        bars.svg(),
    );
}
