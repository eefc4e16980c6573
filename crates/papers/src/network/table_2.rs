//! Table 2: what each factor does to internal and external fragmentation and to performance, as computed main
//! effects over the whole space, for all three applications and all their inputs: the 45 days of the paper.

use heapsmith_explore::{Effect, Objective, effects};
use heapsmith_report::chart::{Bars, Measured, Scale};
use serde::Serialize;

use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::network::applications::{ALL, APPLICATIONS};
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
    differs: "The paper gives signs, found by looking at its results; here they are means over all designs at no use \
              and at full use of a factor, all inputs together. Under one percent of the variance is no effect. \
              Performance is metadata accesses an operation. Other traffic, another machine, and replay instead of \
              running the application.",
    samples: ALL,
    run,
};

/// Below this share of the variance a factor has no effect to speak of.
const NONE: f64 = 0.01;

/// Days that the paper's exploration took.
const DAYS: f64 = 45.0;

/// The paper's signs for using a factor: −1 is less of the objective, +1 more, 0 none. More accesses are less
/// performance.
const PAPER: [[i8; 3]; 4] = [[-1, 1, -1], [-1, 0, 1], [-1, 0, 1], [0, -1, -1]];
const OBJECTIVES: [(Objective, &str); 3] = [
    (Objective::Internal, "internal fragmentation"),
    (Objective::External, "external fragmentation"),
    (Objective::Accesses, "accesses"),
];
const FACTORS: [&str; 4] = ["free lists", "best fit", "splitting", "coalescing"];

#[derive(Debug, Clone, Serialize)]
struct Row {
    application: &'static str,
    factor: &'static str,
    objective: &'static str,
    none: f64,
    full: f64,
    share_of_variance: f64,
    sign: i8,
    sign_of_paper: i8,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut all: Vec<(&'static str, Vec<Effect>, Swept)> = Vec::new();
    for (number, application) in APPLICATIONS.into_iter().enumerate() {
        let swept = swept(setting, application, application.inputs, (number, APPLICATIONS.len()))?;
        all.push((application.name, effects(&swept.exploration, 0), swept));
    }
    let rows: Vec<Row> = all.iter().flat_map(|(name, effects, _)| rows(name, effects)).collect();
    let mut outcome = Outcome::new(&rows)?;
    for (number, factor) in FACTORS.into_iter().enumerate() {
        for (index, (_, objective)) in OBJECTIVES.into_iter().enumerate() {
            signs(&mut outcome, &rows, factor, objective, PAPER[number][index]);
        }
    }
    largest(&mut outcome, &all);
    let agree = outcome.statements.iter().filter(|statement| statement.answer == Answer::Holds).count();
    outcome.found = format!("{agree} of {} statements agree for all three applications.", outcome.statements.len());
    if setting.is_whole() {
        outcome.found.push_str(&seconds(&all));
    }
    outcome.tables.push(shown(&rows));
    draw(&mut outcome, &all);
    Ok(outcome)
}

fn rows(application: &'static str, effects: &[Effect]) -> Vec<Row> {
    let mut rows = Vec::new();
    for (number, factor) in FACTORS.into_iter().enumerate() {
        for (index, (objective, name)) in OBJECTIVES.into_iter().enumerate() {
            let Some(effect) = effects.iter().find(|e| e.factor == number && e.objective == objective) else {
                continue;
            };
            rows.push(Row {
                application,
                factor,
                objective: name,
                none: effect.first(),
                full: effect.last(),
                share_of_variance: effect.share,
                sign: sign(effect),
                sign_of_paper: PAPER[number][index],
            });
        }
    }
    rows
}

fn sign(effect: &Effect) -> i8 {
    match effect.change() {
        _ if effect.share < NONE => 0,
        change if change < 0.0 => -1,
        _ => 1,
    }
}

fn signs(outcome: &mut Outcome, rows: &[Row], factor: &str, objective: &str, paper: i8) {
    let own: Vec<&Row> = rows.iter().filter(|row| row.factor == factor && row.objective == objective).collect();
    let found: Vec<String> = own
        .iter()
        .map(|row| format!("{} {} ({})", row.application, change(row), percent(row.share_of_variance)))
        .collect();
    outcome.state(
        format!("000:table-2-{}-{}", factor.replace(' ', "-"), objective.split(' ').next().unwrap_or_default()),
        listed(&found),
        !own.is_empty() && own.iter().all(|row| row.sign == paper),
    );
}

fn change(row: &Row) -> String {
    let shown = |value: f64| if row.objective == "accesses" { digits(value) } else { percent(value) };
    format!("{} to {}", shown(row.none), shown(row.full))
}

/// Which factor explains most of the fragmentation.
fn largest(outcome: &mut Outcome, all: &[(&'static str, Vec<Effect>, Swept)]) {
    let mut found = Vec::new();
    let mut holds = true;
    for (application, effects, _) in all {
        let fragmentation = effects.iter().filter(|effect| effect.objective == Objective::Fragmentation);
        let Some(max) = fragmentation.max_by(|a, b| a.share.total_cmp(&b.share)) else { continue };
        found.push(format!("{application}: {} ({} of the variance)", FACTORS[max.factor], percent(max.share)));
        holds &= FACTORS[max.factor] == "splitting";
    }
    outcome.state("000:splitting-matters-most", found.join("; "), holds);
}

fn seconds(all: &[(&'static str, Vec<Effect>, Swept)]) -> String {
    let seconds: f64 = all.iter().map(|(_, _, swept)| swept.seconds).sum();
    let events: u64 = all.iter().map(|(_, _, swept)| swept.events).sum();
    let designs: usize = all.iter().map(|(_, _, swept)| swept.exploration.rows.len()).sum();
    let heaps: usize = all.iter().map(|(_, _, swept)| swept.heaps).sum();
    format!(
        " The paper's 45 days are {} seconds here: {} designs, which are {} different heaps, and {} million operations: \
         {} times as fast.",
        digits(seconds),
        thousands(designs as u64),
        thousands(heaps as u64),
        thousands(events / 1_000_000),
        thousands((DAYS * 86_400.0 / seconds.max(1e-9)) as u64),
    )
}

fn shown(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Mean over all designs from no use to full use of a factor, and the share of the variance that it explains",
        ["application", "factor", "objective", "no use", "full use", "share of variance", "sign", "the paper's"],
    );
    for row in rows {
        let value = |value: f64| if row.objective == "accesses" { Value::from(value) } else { Value::Share(value) };
        shown.row([
            row.application.into(),
            row.factor.into(),
            row.objective.into(),
            value(row.none),
            value(row.full),
            Value::Share(row.share_of_variance),
            written(row.sign).into(),
            written(row.sign_of_paper).into(),
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

fn draw(outcome: &mut Outcome, all: &[(&'static str, Vec<Effect>, Swept)]) {
    let names: Vec<String> = all
        .iter()
        .flat_map(|(application, ..)| {
            ["fragmentation", "accesses"].map(|objective| format!("{application}: {objective}"))
        })
        .collect();
    let share = |factor: usize| {
        all.iter().flat_map(move |(_, effects, _)| {
            [Objective::Fragmentation, Objective::Accesses].map(|objective| {
                let own = effects.iter().find(|effect| effect.factor == factor && effect.objective == objective);
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
        scale: Scale::Linear,
        line: None,
    };
    outcome.draw(
        "",
        "Share of the variance over all designs that each factor explains by itself; what is left of 100% is how \
         factors act together",
        bars.svg(),
    );
}
