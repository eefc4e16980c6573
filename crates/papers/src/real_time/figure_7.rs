//! Figure 7: the programs, how many objects they create, and of which classes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_trace::{Action, Statistics, Trace};
use serde::Serialize;

use super::programs::{FILES, PROGRAMS, Program};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-figure-7",
    paper: &REAL_TIME,
    place: "Figure 7",
    title: "the Java programs and their objects",
    claim: "Six of the eight programs of SPEC JVM98 create 3.2 to 7.9 million objects each, compression and the decoder of sound \
            some seven thousand; programs create many objects of few classes, and a class that is no array has one size \
            (Donahue et al. 2001, Figure 7, section 2.7).",
    differs: "SPEC JVM98 is not public: seven programs stand for seven of its eight. Numbers of objects are those of the \
              whole recordings; classes are counted in their first 300,000 events, or in the whole ones with --inputs DIR.",
    samples: FILES,
    run,
};

/// Popular classes that are counted together.
const POPULAR: usize = 10;

/// Requests before one among which its block is looked for.
const RECENT: usize = 10;

/// What "millions" are at least here.
const MILLION: u64 = 1_000_000;

/// A class object has the static fields of its class.
const CLASS: &str = "java.lang.Class";

#[derive(Debug, Serialize)]
struct Row {
    program: &'static str,
    replaces: &'static str,
    objects_of_the_whole: u64,
    objects: u64,
    requested_peak: u64,
    classes: usize,
    popular: f64,
    popular_class: String,
    varying: usize,
    same_block_again: f64,
    by_chance: f64,
    among_ten: f64,
    among_ten_by_chance: f64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, program) in PROGRAMS.into_iter().enumerate() {
        setting.step(number, PROGRAMS.len(), program.name)?;
        let trace = setting.trace(program.input())?;
        rows.push(row(program, &trace)?);
    }
    outcome(&rows)
}

/// What one class's objects are.
#[derive(Debug, Default)]
struct Class {
    objects: u64,
    sizes: BTreeSet<u64>,
}

/// How often a request is for a block that was asked for shortly before.
#[derive(Debug, Default)]
struct Recurrence {
    recent: VecDeque<u64>,
    blocks: BTreeMap<u64, u64>,
    as_the_last: u64,
    among_recent: u64,
}

impl Recurrence {
    fn take(&mut self, block: u64) {
        self.as_the_last += u64::from(self.recent.back() == Some(&block));
        self.among_recent += u64::from(self.recent.contains(&block));
        *self.blocks.entry(block).or_default() += 1;
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(block);
    }
}

fn row(program: Program, trace: &Trace) -> Result<Row, ExperimentError> {
    let statistics = Statistics::of(trace)?;
    let mut classes: BTreeMap<&str, Class> = BTreeMap::new();
    let mut recurrence = Recurrence::default();
    for event in &trace.events {
        let Action::Allocate { size, .. } = event.action else { continue };
        let name = event.site.and_then(|site| trace.sites.get(site as usize)).map_or("", String::as_str);
        let class = classes.entry(name).or_default();
        class.objects += 1;
        class.sizes.insert(size.0);
        recurrence.take(size.0.next_power_of_two());
    }
    let objects: u64 = classes.values().map(|class| class.objects).sum();
    let share = |count: u64| count as f64 / objects.max(1) as f64;
    // Were requests independent, one of N before would be for the same block this often.
    let by_chance = |before: i32| -> f64 {
        recurrence.blocks.values().map(|&count| share(count) * (1.0 - (1.0 - share(count)).powi(before))).sum()
    };
    let mut counts: Vec<(u64, &str)> = classes.iter().map(|(name, class)| (class.objects, *name)).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    let varies = |(name, class): &(&&str, &Class)| !name.ends_with("[]") && **name != CLASS && class.sizes.len() > 1;
    Ok(Row {
        program: program.name,
        replaces: program.replaces,
        objects_of_the_whole: program.objects,
        objects,
        requested_peak: statistics.requested_peak.0,
        classes: classes.len(),
        popular: share(counts.iter().take(POPULAR).map(|(count, _)| count).sum()),
        popular_class: counts.first().map_or(String::new(), |(_, name)| (*name).to_owned()),
        varying: classes.iter().filter(varies).count(),
        same_block_again: share(recurrence.as_the_last),
        by_chance: by_chance(1),
        among_ten: share(recurrence.among_recent),
        among_ten_by_chance: by_chance(RECENT as i32),
    })
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let millions: Vec<&Row> = rows.iter().filter(|row| row.objects_of_the_whole >= MILLION).collect();
    numbers(&mut outcome, rows, &millions);
    classes(&mut outcome, rows, &millions);
    outcome.tables.push(shown(rows));
    let bars = Bars {
        title: "Objects of the whole programs".into(),
        y: "objects".into(),
        names: rows.iter().map(|row| row.program.to_owned()).collect(),
        series: vec![Measured::new("objects", rows.iter().map(|row| row.objects_of_the_whole as f64))],
        scale: Scale::Logarithmic,
        ..Bars::default()
    };
    outcome.draw("", "How many objects each program creates", bars.svg());
    Ok(outcome)
}

/// Objects of the paper's six programs that create many.
const PAPERS_NUMBERS: std::ops::RangeInclusive<u64> = 3_210_520..=7_923_782;
/// Objects of the paper's ray tracer with two threads over those with one, 6,586,584 over 6,346,487.
const MORE_WITH_THREADS: f64 = 1.038;
/// As many times more, within this.
const WITHIN: f64 = 0.02;

/// How many objects the whole programs create.
fn numbers(outcome: &mut Outcome, rows: &[Row], millions: &[&Row]) {
    let number =
        |replaces: &str| rows.iter().find(|row| row.replaces == replaces).map_or(0, |row| row.objects_of_the_whole);
    let created = millions.iter().map(|row| row.objects_of_the_whole);
    let (min, max) = (created.clone().min().unwrap_or(0), created.max().unwrap_or(0));
    outcome
        .state(
            "002:programs-create-millions",
            format!("{} programs create {} to {} objects", millions.len(), thousands(min), thousands(max)),
            Answer::of_readings([
                millions.len() >= 6 && PAPERS_NUMBERS.contains(&min) && PAPERS_NUMBERS.contains(&max),
                millions.len() >= 6,
            ]),
        )
        .with("objects, least", min as f64)
        .with("objects, most", max as f64);
    let few = number("compress");
    outcome
        .state(
            "002:compress-creates-few",
            format!("{} objects, a {}th of the next program's", thousands(few), min / few.max(1)),
            few * 100 < min,
        )
        .with("objects", few as f64);
    let (one, two) = (number("raytrace") as f64, number("mtrt") as f64);
    outcome
        .state(
            "002:threads-create-as-many",
            format!("{} more objects with two threads", percent(two / one - 1.0)),
            (two / one - MORE_WITH_THREADS).abs() <= WITHIN,
        )
        .with("objects of two threads over those of one", two / one);
    outcome.found = format!(
        "{} programs create {} to {} objects each, {} creates {}.",
        millions.len(),
        thousands(min),
        thousands(max),
        PROGRAMS[0].name,
        thousands(few)
    );
}

/// Which classes their objects have, and which blocks they need.
fn classes(outcome: &mut Outcome, rows: &[Row], millions: &[&Row]) {
    let all: usize = rows.iter().map(|row| row.classes).sum();
    let varying: usize = rows.iter().map(|row| row.varying).sum();
    outcome.state(
        "002:a-class-has-one-size",
        format!(
            "{} of {} classes have objects of more than one size",
            thousands(varying as u64),
            thousands(all as u64)
        ),
        varying == 0,
    );
    let min = millions.iter().map(|row| row.popular).fold(1.0, f64::min);
    outcome.state(
        "002:many-objects-of-few-classes",
        format!("the ten most popular classes have at least {} of a program's objects", percent(min)),
        min > 0.5,
    );
    recurrence(outcome, millions);
}

/// Section 2.7 says that a request makes similar ones likely in the future, not how soon: both readings are compared with
/// what independent requests would give.
fn recurrence(outcome: &mut Outcome, millions: &[&Row]) {
    let compared = |of: fn(&Row) -> (f64, f64)| {
        let more = millions.iter().map(|&row| of(row)).filter(|(found, chance)| found > chance).count();
        let each = millions.iter().map(|&row| (row.program, of(row)));
        let each = each.map(|(name, (found, chance))| format!("{name} {} ({})", percent(found), percent(chance)));
        let said = format!("{more} of {}: {}", millions.len(), each.collect::<Vec<_>>().join(", "));
        (more == millions.len(), said)
    };
    let (next, next_said) = compared(|row| (row.same_block_again, row.by_chance));
    let (soon, soon_said) = compared(|row| (row.among_ten, row.among_ten_by_chance));
    let among = millions.iter().map(|row| row.among_ten).fold(1.0, f64::min);
    outcome.state(
        "002:same-size-again",
        format!(
            "as the request before more often than by chance on {next_said}; as one of the ten before on {soon_said}"
        ),
        Answer::of_readings([next, soon && among > 0.5]),
    );
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Every program",
        [
            "program",
            "replaces",
            "what it does",
            "objects of the whole",
            "objects here",
            "most bytes that live",
            "classes",
            "share of the ten most popular",
            "most popular",
            "block as the one before",
            "by chance",
            "as one of the ten before",
            "by chance, of ten",
        ],
    );
    for (row, program) in rows.iter().zip(PROGRAMS) {
        shown.row([
            row.program.into(),
            row.replaces.into(),
            program.does.into(),
            row.objects_of_the_whole.into(),
            row.objects.into(),
            row.requested_peak.into(),
            (row.classes as u64).into(),
            Value::Share(row.popular),
            row.popular_class.as_str().into(),
            Value::Share(row.same_block_again),
            Value::Share(row.by_chance),
            Value::Share(row.among_ten),
            Value::Share(row.among_ten_by_chance),
        ]);
    }
    shown
}
