//! Ablation: what the invented part of the workload does to Table 1.

use heapsmith_replay::Region;
use heapsmith_report::chart::{Bars, Measured};
use serde::Serialize;

use super::responses::{Response, Run};
use super::runs::{Model, PAPER, Pair, interval, words};
use crate::answer::{Agreement, Answer, Interval};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-workload",
    paper: &MODEMS,
    place: "Section 5, the model",
    title: "ablation: frames, calls and the sizes of units",
    claim: "The model issues the requests of each software unit, linked as in the application; the measured differences \
            depend on the workload (Peintner et al. in sections 5 and 6).",
    differs: "The paper prints neither sizes nor calls. Here each of these is changed by itself: random frames are added, the \
              run is made shorter, down to a call for each instance, every call agrees on the same protocols, and the units' sizes \
              are rounded up to multiples of 64 and 256 bytes, so that fewer sizes differ.",
    samples: &[],
    run,
};

/// A change of the model, with its name.
const VARIANTS: [(&str, Model); 9] = [
    ("the units alone", PAPER),
    ("one frame a call", Model { frames: Some(1), ..PAPER }),
    ("40 frames a call", Model { frames: Some(40), ..PAPER }),
    ("100 calls", Model { calls: 100, ..PAPER }),
    ("20 calls", Model { calls: 20, ..PAPER }),
    ("5 calls", SHORT),
    ("5 calls, one protocol", Model { one_protocol: true, ..SHORT }),
    ("sizes in 64 bytes", Model { granule: 64, ..PAPER }),
    ("sizes in 256 bytes", Model { granule: 256, ..PAPER }),
];
/// Every instance takes one call.
const SHORT: Model = Model { calls: 5, ..PAPER };

/// How many times cheaper the paper's frees are with tags, with first fit.
const FREE_RATIO: f64 = 1.28 / 0.24;
/// Within this share of the paper's, a ratio agrees.
const RATIO: f64 = 0.15;
/// Runs for the ratios of costs.
const RATIO_RUNS: u64 = 7;

/// A median with the ends of its interval.
#[derive(Debug, Serialize)]
struct Row {
    variant: &'static str,
    used: f64,
    used_low: f64,
    used_high: f64,
    fragments: f64,
    fragments_low: f64,
    fragments_high: f64,
    more_of_best: f64,
    more_of_best_low: f64,
    more_of_best_high: f64,
    runs: usize,
    /// Times that freeing is cheaper with tags, with first fit.
    free_ratio: f64,
    /// An allocation and its free, as times those of first fit fast free: first slow, best slow, best fast.
    total_first_slow: f64,
    total_best_slow: f64,
    total_best_fast: f64,
}

/// How the costs of the four allocators compare on a run.
struct Ratios {
    free: f64,
    /// First slow, best slow and best fast over first fast.
    totals: [f64; 3],
}

impl Ratios {
    /// On the runs of `seeds` seeds; none where an allocator served none.
    fn on(model: &Model, setting: &Setting<'_>, seeds: u64) -> Result<Vec<Ratios>, ExperimentError> {
        let (model, mut all) = (model.within(setting), Vec::new());
        for seed in 0..seeds {
            let run = Run::new(&model.trace(setting, setting.seed + seed)?)?;
            let mut region = Region::for_trace(&run.trace)?;
            let Some(responses) = run.responses(&mut region)? else { continue };
            let whole: Vec<Response> = responses.iter().map(|responses| responses.whole).collect();
            let total = |allocator: usize| whole[allocator].both() / whole[1].both();
            all.push(Ratios { free: whole[0].free.mean / whole[1].free.mean, totals: [total(0), total(2), total(3)] });
        }
        Ok(all)
    }
}

impl Row {
    fn used(&self) -> Interval {
        Interval { low: self.used_low, median: self.used, high: self.used_high }
    }

    fn fragments(&self) -> Interval {
        Interval { low: self.fragments_low, median: self.fragments, high: self.fragments_high }
    }

    fn more_of_best(&self) -> Interval {
        Interval { low: self.more_of_best_low, median: self.more_of_best, high: self.more_of_best_high }
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let runs = setting.of(30, 6);
    let mut rows = Vec::new();
    for (part, (variant, model)) in VARIANTS.iter().enumerate() {
        let pairs = Pair::on(model, setting, runs, (part, VARIANTS.len()))?;
        let [used, fragments, more] =
            [Pair::used_share, Pair::fragments_share, Pair::more_of_best].map(|of| interval(&pairs, of));
        let ratios = Ratios::on(model, setting, setting.of(RATIO_RUNS, 1))?;
        let total = |place: usize| interval(&ratios, |ratios| ratios.totals[place]).median;
        rows.push(Row {
            variant,
            used: used.median,
            used_low: used.low,
            used_high: used.high,
            fragments: fragments.median,
            fragments_low: fragments.low,
            fragments_high: fragments.high,
            more_of_best: more.median,
            more_of_best_low: more.low,
            more_of_best_high: more.high,
            runs: pairs.len(),
            free_ratio: interval(&ratios, |ratios| ratios.free).median,
            total_first_slow: total(0),
            total_best_slow: total(1),
            total_best_fast: total(2),
        });
    }
    outcome(&rows)
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let row = |variant: usize| &rows[variant];
    let (alone, frames, short) = (row(0), row(2), row(6));
    let differ = |of: fn(&Row) -> Interval| {
        let low = rows.iter().map(|row| of(row).low).fold(f64::NEG_INFINITY, f64::max);
        let high = rows.iter().map(|row| of(row).high).fold(f64::INFINITY, f64::min);
        low > high
    };
    outcome.state(
        "004:differences-depend-on-workload",
        format!(
            "best fit needs from {} to {} bytes more than first fit",
            digits(rows.iter().map(|row| row.more_of_best).fold(f64::INFINITY, f64::min)),
            digits(rows.iter().map(|row| row.more_of_best).fold(f64::NEG_INFINITY, f64::max))
        ),
        differ(Row::more_of_best),
    );
    outcome.state(
        "004:frames-raise-fragments",
        format!(
            "{} with 40 frames a call, {} without",
            words(frames.fragments(), percent),
            words(alone.fragments(), percent)
        ),
        if frames.fragments_low > alone.fragments_high { Answer::Holds } else { Answer::Undecided },
    );
    short_run(&mut outcome, alone, short);
    outcome.found = format!(
        "Fragments are {} of the memory with the units alone, {} with 40 frames a call, and {} with a call for each \
         instance, all of one kind: the paper's 0.3% to 0.5% are those of a run in which little has been freed.",
        percent(alone.fragments),
        percent(frames.fragments),
        percent(short.fragments)
    );
    outcome.tables.extend([shown(rows), costs(rows)]);
    draw(&mut outcome, rows);
    Ok(outcome)
}

/// Whether a run in which little is freed has the paper's numbers.
fn short_run(outcome: &mut Outcome, alone: &Row, short: &Row) {
    outcome.state(
        "004:a-short-run-has-the-papers-used-share",
        format!("{} data with a call for each instance, all of one kind", words(short.used(), percent)),
        short.used().is_above(0.9775),
    );
    outcome.state(
        "004:a-short-run-has-the-papers-fragments",
        format!("{} fragments with a call for each instance, all of one kind", words(short.fragments(), percent)),
        short.fragments().is_below(0.005),
    );
    let free = Agreement::of(short.free_ratio, FREE_RATIO, RATIO * FREE_RATIO);
    outcome
        .state(
            "004:a-short-run-has-the-papers-free-ratio",
            format!(
                "{} times with a call for each instance, all of one kind, {} with the units alone: {}",
                digits(short.free_ratio),
                digits(alone.free_ratio),
                free.words()
            ),
            free,
        )
        .with("first fit", short.free_ratio);
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let bars = Bars {
        title: "Fragments at the peak".into(),
        y: "percent of the physical size".into(),
        names: rows.iter().map(|row| row.variant.to_owned()).collect(),
        series: vec![Measured::new("fragments", rows.iter().map(|row| row.fragments * 100.0))],
        line: Some(("the paper's 0.5%".to_owned(), 0.5)),
        ..Bars::default()
    };
    outcome.draw("", "Fragments by what is changed of the model", bars.svg());
}

fn shown(rows: &[Row]) -> Shown {
    let columns =
        ["model", "data", "from", "to", "fragments", "from", "to", "best less first, bytes", "from", "to", "runs"];
    let mut shown = Shown::new("The worse of first and best fit: medians with the interval of 95%", columns);
    for row in rows {
        let shares = [row.used, row.used_low, row.used_high, row.fragments, row.fragments_low, row.fragments_high]
            .map(Value::Share);
        let bytes = [row.more_of_best, row.more_of_best_low, row.more_of_best_high].map(Value::Number);
        let name = std::iter::once(Value::from(row.variant));
        shown.row(name.chain(shares).chain(bytes).chain([Value::from(row.runs as u64)]));
    }
    shown
}

/// How the costs compare.
fn costs(rows: &[Row]) -> Shown {
    let columns = ["model", "free without tags over with", "first fit slow", "best fit slow", "best fit fast"];
    let caption =
        "Accesses: a free with first fit, and an allocation with its free as times those of first fit fast free";
    let mut shown = Shown::new(caption, columns);
    for row in rows {
        let numbers =
            [row.free_ratio, row.total_first_slow, row.total_best_slow, row.total_best_fast].map(Value::Number);
        shown.row(std::iter::once(Value::from(row.variant)).chain(numbers));
    }
    let paper = [FREE_RATIO, 4.08 / 3.13, 4.14 / 3.13, 3.60 / 3.13].map(Value::Number);
    shown.row(std::iter::once(Value::from("the paper's, in µs")).chain(paper));
    shown
}
