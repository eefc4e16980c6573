//! Table 1 and Figure 5: where the memory is at the peak.

use heapsmith_replay::Region;
use heapsmith_report::chart::{Bars, Measured};
use serde::Serialize;

use super::runs::{Memory, PAPER as MODEL, Pair, interval, words};
use super::{ALLOCATORS, Allocator};
use crate::answer::{Agreement, Answer};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-table-1",
    paper: &MODEMS,
    place: "Table 1",
    title: "main memory at the peak: physical, used, headers, fragments",
    claim: "With 30,420 bytes (first fit) or 30,464 (best fit) all requests of the modems are served: at the peak 29,788 \
            are used, 532 are headers, 100, 92, 144 and 144 are fragments. All four allocators use over 97.8% for data and \
            leave less than 0.5% in fragments; there is no significant difference (Peintner et al. in their Table 1, section 5.1).",
    differs: "The paper does not print the memory needs of its units: those here are this project's, calibrated to its peak of \
              29,788 bytes in 133 blocks, and so are the calls. The physical size is the smallest region in which nothing is \
              refused, found by bisection; it holds three control words besides. Shares and differences are medians over \
              100 runs, each with the interval that holds the median with 95% confidence.",
    samples: &[],
    run,
};

/// The paper's columns: physical, used, headers, fragments.
const PAPER: [[u64; 4]; 4] =
    [[30_420, 29_788, 532, 100], [30_420, 29_796, 532, 92], [30_464, 29_788, 532, 144], [30_464, 29_788, 532, 144]];
/// First fit that splits off a remainder from five words on; the catalogue's does from four, a header, two links and a
/// tag.
const COARSER: &str = "list(order=implicit, fit=first, split>=20, coalesce=immediate)";
/// Runs for an interval.
const RUNS: u64 = 100;
/// Within this share of the memory, sizes agree.
const SIZE: f64 = 0.01;
/// Within this share of the memory, parts of it agree: the paper tells 0.3% from 0.5%.
const PART: f64 = 0.002;

#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    physical: u64,
    used: u64,
    headers: u64,
    fragments: u64,
    free_blocks: u64,
    padding: u64,
    control: u64,
    fragments_share: f64,
    paper_physical: u64,
    paper_used: u64,
    paper_headers: u64,
    paper_fragments: u64,
}

impl Row {
    fn new(allocator: &Allocator, memory: &Memory, paper: [u64; 4]) -> Row {
        let [paper_physical, paper_used, paper_headers, paper_fragments] = paper;
        Row {
            allocator: allocator.name,
            physical: memory.physical,
            used: memory.used,
            headers: memory.headers,
            fragments: memory.fragments(),
            free_blocks: memory.free,
            padding: memory.padding,
            control: memory.control,
            fragments_share: memory.share(memory.fragments()),
            paper_physical,
            paper_used,
            paper_headers,
            paper_fragments,
        }
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    setting.step(0, 1, "the calibrated run")?;
    let trace = MODEL.packed(setting, setting.seed)?;
    let mut region = Region::for_trace(&trace)?;
    let mut rows = Vec::new();
    for (allocator, paper) in ALLOCATORS.iter().zip(PAPER) {
        let memory = Memory::of(allocator.spec, &trace, &mut region)?;
        rows.extend(memory.map(|memory| Row::new(allocator, &memory, paper)));
    }
    let coarser = Memory::of(COARSER, &trace, &mut region)?;
    let pairs = Pair::on(&MODEL, setting, setting.of(RUNS, 6), (0, 1))?;
    let mut outcome = outcome(&rows, &pairs)?;
    if let ([first_slow, first_fast, best_slow, best_fast], Some(coarser)) = (&rows[..], coarser) {
        shift(&mut outcome, [(first_slow, first_fast), (best_slow, best_fast)], &coarser);
    }
    Ok(outcome)
}

/// Bytes that boundary tags move from free blocks into used ones.
fn shift(outcome: &mut Outcome, pairs: [(&Row, &Row); 2], coarser: &Memory) {
    let [first, best] = pairs.map(|(slow, fast)| slow.padding.abs_diff(fast.padding));
    outcome
        .state(
            "004:internal-external-shift",
            format!(
                "{} bytes lie inside blocks with slow free and {} with fast free; {} where remainders below five words \
                 are not split off instead of below four",
                pairs[0].0.padding, pairs[0].1.padding, coarser.padding
            ),
            first == 8 && best == 0,
        )
        .with("shift of first fit, bytes", first as f64);
}

fn outcome(rows: &[Row], pairs: &[Pair]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let [first_slow, first_fast, best_slow, best_fast] = rows else {
        outcome.found = "Not every allocator served the modems in any region.".to_owned();
        return Ok(outcome);
    };
    sizes(&mut outcome, [first_fast, best_fast]);
    shares(&mut outcome, pairs);
    policies(&mut outcome, pairs);
    let alike = [(first_slow, first_fast), (best_slow, best_fast)];
    outcome.state(
        "004:fast-and-slow-alike",
        format!(
            "slow and fast free need {} and {} bytes with first fit, {} and {} with best fit",
            thousands(first_slow.physical),
            thousands(first_fast.physical),
            thousands(best_slow.physical),
            thousands(best_fast.physical)
        ),
        alike.iter().all(|(slow, fast)| slow.physical == fast.physical),
    );
    outcome.found = format!(
        "The modems need {} bytes at the peak, in {} blocks, as the paper's. They are served by {} bytes with first fit \
         and {} with best fit; {} of that is data. Over {} runs the median share of data is {}.",
        thousands(first_fast.used),
        first_fast.headers / 4,
        thousands(first_fast.physical),
        thousands(best_fast.physical),
        percent(first_fast.used as f64 / first_fast.physical as f64),
        pairs.len(),
        words(interval(pairs, Pair::used_share), percent),
    );
    outcome.tables.push(shown(rows));
    outcome.tables.push(runs(pairs));
    draw(&mut outcome, rows);
    Ok(outcome)
}

/// The table's sizes on the calibrated run.
fn sizes(outcome: &mut Outcome, [first, best]: [&Row; 2]) {
    let near =
        |row: &Row| Agreement::of(row.physical as f64, row.paper_physical as f64, SIZE * row.paper_physical as f64);
    let agreements = [near(first), near(best)];
    outcome
        .state(
            "004:physical-size",
            format!(
                "{} bytes with first fit: {}; {} with best fit: {}",
                thousands(first.physical),
                agreements[0].words(),
                thousands(best.physical),
                agreements[1].words()
            ),
            Answer::from(agreements[0]).and(agreements[1].into()),
        )
        .with("first fit, bytes", first.physical as f64)
        .with("best fit, bytes", best.physical as f64);
    outcome
        .state(
            "004:headers-at-the-peak",
            format!("{} bytes, a word of four for each of {} blocks", first.headers, first.headers / 4),
            first.headers == 532 && best.headers == 532,
        )
        .with("bytes", first.headers as f64);
    let managed = |row: &Row| (row.headers + row.control) as f64 / row.physical as f64;
    let worst = managed(first).max(managed(best));
    outcome
        .state(
            "004:management-share",
            format!("{} of the memory is headers and control words", percent(worst)),
            Agreement::of(worst, 0.018, PART),
        )
        .with("percent", worst * 100.0);
    let share = |bytes: u64| bytes as f64 / best.physical as f64;
    let parts = [(best.used, 0.978), (best.headers, 0.017), (best.fragments, 0.005)];
    outcome
        .state(
            "004:figure-5",
            format!(
                "best fit: {} data, {} headers, {} fragments",
                percent(share(best.used)),
                percent(share(best.headers)),
                percent(share(best.fragments))
            ),
            parts.iter().all(|&(bytes, paper)| Agreement::of(share(bytes), paper, PART) == Agreement::Agrees),
        )
        .with("data, percent", share(best.used) * 100.0)
        .with("headers, percent", share(best.headers) * 100.0)
        .with("fragments, percent", share(best.fragments) * 100.0);
}

/// The shares that the paper names, over all runs.
fn shares(outcome: &mut Outcome, pairs: &[Pair]) {
    let used = interval(pairs, Pair::used_share);
    // 97.78% is what the paper rounds to 97.8%.
    outcome
        .state(
            "004:used-share",
            format!("{} in the worse of the two policies, median of {} runs", words(used, percent), pairs.len()),
            used.is_above(0.9775),
        )
        .with("percent, at least", used.median * 100.0);
    let fragments = interval(pairs, Pair::fragments_share);
    outcome
        .state(
            "004:fragments-share",
            format!("{} in the worse of the two policies, median of {} runs", words(fragments, percent), pairs.len()),
            fragments.is_below(0.005),
        )
        .with("percent, at most", fragments.median * 100.0);
}

/// First fit against best fit, over all runs.
fn policies(outcome: &mut Outcome, pairs: &[Pair]) {
    let apart = interval(pairs, |pair| pair.more_of_best().abs() / pair.first.physical as f64);
    outcome
        .state(
            "004:no-significant-difference",
            format!(
                "the two policies are {} of the memory apart, median of {} runs",
                words(apart, percent),
                pairs.len()
            ),
            apart.is_below(SIZE),
        )
        .with("percent", apart.median * 100.0);
    let more = interval(pairs, Pair::more_of_best);
    let wins = pairs.iter().filter(|pair| pair.more_of_best() > 0.0).count();
    outcome
        .state(
            "004:first-fit-needs-less",
            format!(
                "best fit needs {} bytes more, median of {} runs; first fit needs less in {wins} of them",
                words(more, digits),
                pairs.len()
            ),
            more.is_above(0.0),
        )
        .with("bytes more of best fit", more.median);
}

fn shown(rows: &[Row]) -> Shown {
    let mut columns = vec!["bytes".to_owned()];
    for row in rows {
        columns.extend([row.allocator.to_owned(), "the paper's".to_owned()]);
    }
    let mut shown = Shown::new("Memory at the peak of the calibrated run", columns);
    let mut line = |name: &str, of: fn(&Row) -> u64, paper: fn(&Row) -> Option<u64>| {
        let cells = rows.iter().flat_map(|row| [of(row).into(), paper(row).into()]);
        shown.row(std::iter::once(Value::from(name)).chain(cells));
    };
    line("physical size", |row| row.physical, |row| Some(row.paper_physical));
    line("effectively used", |row| row.used, |row| Some(row.paper_used));
    line("headers", |row| row.headers, |row| Some(row.paper_headers));
    line("fragments", |row| row.fragments, |row| Some(row.paper_fragments));
    line("of these in free blocks", |row| row.free_blocks, |_| None);
    line("in padding", |row| row.padding, |_| None);
    line("in control words", |row| row.control, |_| None);
    let share = |row: &Row| {
        [Value::Share(row.fragments_share), Value::Share(row.paper_fragments as f64 / row.paper_physical as f64)]
    };
    shown.row(std::iter::once(Value::from("fragments, share")).chain(rows.iter().flat_map(share)));
    shown
}

/// Medians over the runs.
fn runs(pairs: &[Pair]) -> Shown {
    let columns = ["over all runs", "median", "from", "to"];
    let mut shown = Shown::new("Medians over the runs, with the interval of 95%", columns);
    let mut line = |name: &str, of: fn(&Pair) -> f64, value: fn(f64) -> Value| {
        let found = interval(pairs, of);
        shown.row([name.into(), value(found.median), value(found.low), value(found.high)]);
    };
    line("physical size, first fit", |pair| pair.first.physical as f64, Value::Number);
    line("physical size, best fit", |pair| pair.best.physical as f64, Value::Number);
    line("best fit less first fit, bytes", Pair::more_of_best, Value::Number);
    line("data, first fit", |pair| pair.first.share(pair.first.used), Value::Share);
    line("data, best fit", |pair| pair.best.share(pair.best.used), Value::Share);
    line("fragments, first fit", |pair| pair.first.share(pair.first.fragments()), Value::Share);
    line("fragments, best fit", |pair| pair.best.share(pair.best.fragments()), Value::Share);
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let share = |of: fn(&Row) -> u64| rows.iter().map(move |row| 100.0 * of(row) as f64 / row.physical as f64);
    let paper = |of: fn(&Row) -> u64| rows.iter().map(move |row| 100.0 * of(row) as f64 / row.paper_physical as f64);
    let bars = Bars {
        title: "Memory that is not data, at the peak".into(),
        y: "percent of the physical size".into(),
        names: rows.iter().map(|row| row.allocator.to_owned()).collect(),
        series: vec![
            Measured::new("headers", share(|row| row.headers)),
            Measured::new("headers, the paper", paper(|row| row.paper_headers)),
            Measured::new("fragments", share(|row| row.fragments)),
            Measured::new("fragments, the paper", paper(|row| row.paper_fragments)),
        ],
        ..Bars::default()
    };
    outcome.draw("", "Figure 5 of the paper: what of the memory is headers and fragments", bars.svg());
}
