//! Figure 2: ten thousand allocators as dots, on Easyport with a capture of FTP sessions.

use heapsmith_explore::{Exploration, Objective, Preference, effects, finding};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use serde::Serialize;

use crate::error::ExperimentError;
use crate::experiment::{Experiment, NETWORK};
use crate::network::applications::EASYPORT;
use crate::network::sweeps::{Swept, swept};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent, thousands};

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
              open.",
    samples: &["ftp.pcap.xz"],
    run,
};

/// What may be called a handful, of ten thousand.
const HANDFUL: usize = 20;

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
            on_front: exploration.front_2d.contains(&index),
            recommended: exploration.families.is_recommended(&row.design),
        }
    };
    let rows: Vec<Row> = (0..exploration.rows.len()).map(row).collect();
    let mut outcome = Outcome::new(&rows)?;
    state(&mut outcome, &swept, whole);
    outcome.tables.push(front(&rows));
    outcome.draw(
        "",
        "Every design as a dot, cost over memory; the front and the designs that the paper recommends",
        chart(&rows),
    );
    Ok(outcome)
}

fn state(outcome: &mut Outcome, swept: &Swept, whole: bool) {
    let exploration = &swept.exploration;
    let finding = finding(exploration, &effects(exploration, 0));
    let front = exploration.front_2d.len();
    outcome.state(
        "000:front-is-a-handful",
        format!("{front} places on the front of {} designs", thousands(exploration.rows.len() as u64)),
        front <= HANDFUL,
    );
    let near: Vec<String> = finding
        .recommended
        .iter()
        .map(|design| {
            let place = if design.on_front {
                "on the front".to_owned()
            } else {
                format!("{} off the front", percent(design.distance))
            };
            format!("with {} lists {place}", design.lists)
        })
        .collect();
    outcome.state(
        "000:recommended-are-on-the-front",
        near.join("; "),
        !finding.recommended.is_empty() && finding.recommended.iter().all(|design| design.holds()),
    );
    let at = |(factor, wanted): (&str, u8)| {
        exploration.front_2d.iter().filter(|&&index| level(exploration, index, factor) == wanted).count()
    };
    let [first, split, coalesce] = [("fit", 0), ("split", 100), ("coalesce", 100)].map(at);
    outcome.state(
        "000:front-shares-factors",
        format!("of {front}: {first} with first fit, {split} with full splitting, {coalesce} with full coalescing"),
        [first, split, coalesce].iter().all(|&count| count * 2 > front),
    );
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

fn front(rows: &[Row]) -> Shown {
    let mut columns = vec!["design"];
    columns.extend(FACTORS);
    columns.extend(["fragmentation", "accesses/op", "worst operation", "in the figure"]);
    let mut shown = Shown::new("The front, and the designs that the paper recommends", columns);
    let mut wanted: Vec<&Row> = rows.iter().filter(|row| row.on_front || row.recommended).collect();
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
