//! Table 2: what allocating, freeing and swapping cost.

use heapsmith_replay::{Region, Subject, TimingEffort, time};
use heapsmith_report::chart::{Bars, Measured};
use serde::Serialize;

use super::ALLOCATORS;
use super::responses::{Response, Responses, Run};
use super::runs::{PAPER as MODEL, interval, words};
use crate::answer::{Agreement, Answer};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, digits, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-table-2",
    paper: &MODEMS,
    place: "Table 2",
    title: "response: allocation, freeing, both, swap",
    claim: "An allocation takes 2.80, 2.89, 2.72 and 3.24 µs (first fit slow and fast free, best fit slow and fast free), \
            freeing 1.28, 0.24, 1.42 and 0.36 µs, both together 4.08, 3.13, 4.14 and 3.60 µs; a swap 128.88, 134.33, 138.36 \
            and 144.28 µs. First fit fast free is the best (Peintner et al. in their Table 2, section 5.2).",
    differs: "Words of metadata read and written are counted, which do not depend on a processor; ratios are compared with the \
              paper's, never words with microseconds. Each heap has the smallest region that serves it, as in the paper. Every \
              claim is read in two ways, over the whole run and at the moments when at least 95% of the maximum of blocks is live, \
              which the paper calls crucial. It does not say what a swap is: both the exchange of one unit for another and \
              all that a call asks for are shown.",
    samples: &[],
    run,
};

/// The paper's columns, in µs: allocation, freeing, both, swap.
const PAPER: [[f64; 4]; 4] =
    [[2.80, 1.28, 4.08, 128.88], [2.89, 0.24, 3.13, 134.33], [2.72, 1.42, 4.14, 138.36], [3.24, 0.36, 3.60, 144.28]];
/// Runs for an interval.
const RUNS: u64 = 20;
/// Within this share of the memory, sizes are the same.
const SIZE: f64 = 0.01;
/// So near, a small addition to an allocation agrees.
const TAGS: f64 = 0.05;
/// Within this share of the paper's, a ratio agrees.
const RATIO: f64 = 0.15;

#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    allocate: f64,
    median_allocate: u64,
    max_allocate: u64,
    free: f64,
    median_free: u64,
    max_free: u64,
    both: f64,
    allocate_near_max: f64,
    free_near_max: f64,
    exchange: f64,
    max_exchange: u64,
    exchange_in: f64,
    call_in: f64,
    ns_per_op: Option<f64>,
    null_ns_per_op: Option<f64>,
    paper_allocate_us: f64,
    paper_free_us: f64,
    paper_both_us: f64,
    paper_swap_us: f64,
}

impl Row {
    fn new(number: usize, responses: &Responses) -> Row {
        let Responses { whole, near_max, exchange, exchange_in, call_in, .. } = *responses;
        let [paper_allocate_us, paper_free_us, paper_both_us, paper_swap_us] = PAPER[number];
        Row {
            allocator: ALLOCATORS[number].name,
            allocate: whole.allocate.mean,
            median_allocate: whole.allocate.median,
            max_allocate: whole.allocate.max,
            free: whole.free.mean,
            median_free: whole.free.median,
            max_free: whole.free.max,
            both: whole.both(),
            allocate_near_max: near_max.allocate.mean,
            free_near_max: near_max.free.mean,
            exchange: exchange.mean,
            max_exchange: exchange.max,
            exchange_in: exchange_in.mean,
            call_in,
            ns_per_op: None,
            null_ns_per_op: None,
            paper_allocate_us,
            paper_free_us,
            paper_both_us,
            paper_swap_us,
        }
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let runs = setting.of(RUNS, 2);
    let (mut all, mut rows) = (Vec::new(), Vec::new());
    for number in 0..runs {
        setting.step(number as usize, runs as usize, &format!("run {} of {runs}", number + 1))?;
        let run = Run::new(&MODEL.trace(setting, setting.seed + number)?)?;
        let mut region = Region::for_trace(&run.trace)?;
        let Some(responses) = run.responses(&mut region)? else { continue };
        if number == 0 {
            rows = responses.iter().enumerate().map(|(number, one)| Row::new(number, one)).collect();
            timed(setting, &run, &mut region, &mut rows)?;
        }
        all.push(responses);
    }
    outcome(&rows, &all)
}

/// Adds times of this machine, which no claim is decided by.
fn timed(setting: &Setting<'_>, run: &Run, region: &mut Region, rows: &mut [Row]) -> Result<(), ExperimentError> {
    if !setting.is_whole() {
        return Ok(());
    }
    let subjects = ALLOCATORS.iter().map(|known| known.spec.parse()).collect::<Result<Vec<Subject>, _>>()?;
    let times = time(&subjects, &run.trace, region, TimingEffort::rounds(51))?;
    for (row, subject) in rows.iter_mut().zip(&times.subjects) {
        row.ns_per_op = Some(subject.spread.median);
        row.null_ns_per_op = Some(times.null_allocator.spread.median);
    }
    Ok(())
}

/// What a response is read as: a name, and the part of the run.
type Reading = (&'static str, fn(&Responses) -> Response);
/// The two readings of a response.
const READINGS: [Reading; 2] =
    [("over the run", |responses| responses.whole), ("near the maximum of blocks", |responses| responses.near_max)];

fn outcome(rows: &[Row], all: &[Vec<Responses>]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let [first_slow, first_fast, best_slow, best_fast] = rows else {
        outcome.found = "Not every allocator served the modems in any region.".to_owned();
        return Ok(outcome);
    };
    frees(&mut outcome, all);
    orders(&mut outcome, all);
    allocations(&mut outcome, all);
    swaps(&mut outcome, rows);
    outcome.found = format!(
        "With boundary tags a free takes {} accesses instead of {} on average and never more than {}, where without them \
         it takes up to {}. An allocation takes {} to {}: the search through used and free blocks is most of the cost.",
        digits(first_fast.free),
        digits(first_slow.free),
        first_fast.max_free.max(best_fast.max_free),
        first_slow.max_free.max(best_slow.max_free),
        digits(rows.iter().map(|row| row.allocate).fold(f64::INFINITY, f64::min)),
        digits(rows.iter().map(|row| row.allocate).fold(0.0, f64::max)),
    );
    outcome.tables = vec![shown(rows), swaps_shown(rows), paper(rows)];
    let bars = Bars {
        title: "Accesses of an operation".into(),
        y: "words of metadata".into(),
        names: rows.iter().map(|row| row.allocator.to_owned()).collect(),
        series: vec![
            Measured::new("allocation", rows.iter().map(|row| row.allocate)),
            Measured::new("free", rows.iter().map(|row| row.free)),
        ],
        stacked: true,
        ..Bars::default()
    };
    outcome.draw("", "What allocating and freeing a block costs on average", bars.svg());
    Ok(outcome)
}

/// A number of the four allocators under both readings, as words and as an answer of both.
fn readings(all: &[Vec<Responses>], of: impl Fn(&[Response]) -> (String, bool)) -> (String, Answer) {
    let read = READINGS.map(|(name, reading)| {
        let responses: Vec<Response> = all[0].iter().map(reading).collect();
        let (words, holds) = of(&responses);
        (format!("{name} {words}"), holds)
    });
    (read.each_ref().map(|(words, _)| words.clone()).join("; "), Answer::of_readings(read.map(|(_, holds)| holds)))
}

/// How much cheaper boundary tags make a free.
fn frees(outcome: &mut Outcome, all: &[Vec<Responses>]) {
    let ratios = |of: &[Response]| [of[0].free.mean / of[1].free.mean, of[2].free.mean / of[3].free.mean];
    let (words, answer) = readings(all, |of| {
        let [first, best] = ratios(of);
        (format!("{} and {} times", digits(first), digits(best)), first > 2.0 && best > 2.0)
    });
    outcome.state("004:fast-free-is-cheaper", words, answer);
    let near = |found: f64, paper: f64| Agreement::of(found, paper, RATIO * paper);
    let (words, answer) = readings(all, |of| {
        let [first, best] = ratios(of);
        let agreements = [near(first, 1.28 / 0.24), near(best, 1.42 / 0.36)];
        let words = format!("{} and {} times: {}", digits(first), digits(best), agreements[0].words());
        (words, agreements == [Agreement::Agrees; 2])
    });
    let whole: Vec<Response> = all[0].iter().map(|responses| responses.whole).collect();
    let [first, best] = ratios(&whole);
    outcome.state("004:free-ratio", words, answer).with("first fit", first).with("best fit", best);
}

/// Which allocator is the fastest, and which the slowest.
fn orders(outcome: &mut Outcome, all: &[Vec<Responses>]) {
    for (claim, first, best) in [("004:first-fit-takes-less", 1, 3), ("004:first-fit-takes-less-with-slow-free", 0, 2)]
    {
        let more = READINGS.map(|(name, reading)| {
            let more = interval(all, |run| reading(&run[best]).both() - reading(&run[first]).both());
            (format!("{name} best fit takes {} accesses more for both", words(more, digits)), more.is_above(0.0))
        });
        let answer = more[0].1.and(more[1].1);
        outcome.state(claim, more.map(|(words, _)| words).join("; "), answer);
    }
    let (words, answer) = readings(all, |of| {
        let both: Vec<f64> = of.iter().map(Response::both).collect();
        let words =
            format!("both together take {} accesses", listed(&both.iter().map(|&one| digits(one)).collect::<Vec<_>>()));
        (words, both.iter().all(|&one| both[1] <= one))
    });
    outcome.state("004:first-fast-is-fastest", words, answer);
    let apart = interval(all, |run| run[1].physical as f64 / run[3].physical as f64 - 1.0);
    outcome.state(
        "004:first-fast-is-most-suitable",
        format!("it is the fastest and needs {} more memory than best fit", self::words(apart, percent)),
        answer.and(apart.is_below(SIZE)),
    );
    let order = |place: usize, allocator: usize| {
        readings(all, |of| {
            let mut order: Vec<usize> = (0..of.len()).collect();
            order.sort_by(|&a, &b| of[a].both().total_cmp(&of[b].both()));
            (format!("it is {}", ALLOCATORS[order[place]].name), order[place] == allocator)
        })
    };
    let (words, answer) = order(1, 3);
    outcome.state("004:best-fast-is-second", words, answer);
    let (words, answer) = order(3, 2);
    outcome.state("004:best-slow-is-slowest", words, answer);
    let whole: Vec<f64> = all[0].iter().map(|responses| responses.whole.both() / all[0][1].whole.both()).collect();
    let paper = PAPER.map(|columns| columns[2] / PAPER[1][2]);
    let agree =
        whole.iter().zip(paper).all(|(&found, paper)| Agreement::of(found, paper, RATIO * paper) == Agreement::Agrees);
    let found =
        format!("{} times first fit fast free", listed(&whole.iter().map(|&one| digits(one)).collect::<Vec<_>>()));
    let statement = outcome.state("004:total-ratios", found, agree);
    for (allocator, found) in ALLOCATORS.iter().zip(whole) {
        statement.with(allocator.name, found);
    }
}

/// What boundary tags and the policy do to an allocation.
fn allocations(outcome: &mut Outcome, all: &[Vec<Responses>]) {
    let (words, answer) = readings(all, |of| {
        let [first, best] = [of[1].allocate.mean / of[0].allocate.mean, of[3].allocate.mean / of[2].allocate.mean];
        (format!("{} and {} times that without", digits(first), digits(best)), first > 1.0 && best > 1.0)
    });
    let whole: Vec<f64> = all[0].iter().map(|responses| responses.whole.allocate.mean).collect();
    outcome.state("004:tags-cost-allocation", words, answer);
    let [first, best] = [whole[1] / whole[0], whole[3] / whole[2]];
    let near = |found: f64, paper: f64| Agreement::of(found, paper, TAGS);
    let agreements = [near(first, 2.89 / 2.80), near(best, 3.24 / 2.72)];
    outcome
        .state(
            "004:allocation-ratio",
            format!(
                "{first:.2} times with first fit: {}; {best:.2} times with best fit: {}",
                agreements[0].words(),
                agreements[1].words()
            ),
            Answer::from(agreements[0]).and(agreements[1].into()),
        )
        .with("first fit", first)
        .with("best fit", best);
    let (words, answer) = readings(all, |of| {
        let means: Vec<String> = of.iter().map(|one| digits(one.allocate.mean)).collect();
        (
            format!("{} accesses", listed(&means)),
            of[0].allocate.mean < of[2].allocate.mean && of[1].allocate.mean < of[3].allocate.mean,
        )
    });
    outcome.state("004:first-fit-searches-less", words, answer);
}

/// What a swap is, by the paper's own ratios, and whether slow free is faster at it.
fn swaps(outcome: &mut Outcome, rows: &[Row]) {
    let spread = |of: fn(&[f64; 4]) -> f64| {
        let times = PAPER.map(|columns| columns[3] / of(&columns));
        let mean = times.iter().sum::<f64>() / 4.0;
        (times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / 4.0).sqrt() / mean
    };
    let (allocations, both) = (spread(|columns| columns[0]), spread(|columns| columns[2]));
    outcome.state(
        "004:a-swap-is-allocations",
        format!(
            "the paper's swap is a number of allocations that differs by {:.0}% between its allocators, of allocations and \
             frees by {:.0}%",
            allocations * 100.0,
            both * 100.0
        ),
        allocations < both,
    );
    let ratios = |of: fn(&Row) -> f64| rows.iter().map(|row| of(row) / row.allocate).collect::<Vec<f64>>();
    let (unit, call) = (ratios(|row| row.exchange_in), ratios(|row| row.call_in));
    let agrees = |ratios: &[f64]| {
        let near =
            |(&found, paper): (&f64, [f64; 4])| Agreement::of(found, paper[3] / paper[0], RATIO * paper[3] / paper[0]);
        ratios.iter().zip(PAPER).map(near).all(|agreement| agreement == Agreement::Agrees)
    };
    let statement = outcome.state(
        "004:swap-to-allocation",
        format!("{} allocations for a unit, {} for all that a call asks for", digits(unit[0]), digits(call[0])),
        Answer::of_readings([agrees(&unit), agrees(&call)]),
    );
    for (row, call) in rows.iter().zip(&call) {
        statement.with(row.allocator, *call);
    }
    let slower = |of: fn(&Row) -> f64| of(&rows[0]) < of(&rows[1]) && of(&rows[2]) < of(&rows[3]);
    let pair = |of: fn(&Row) -> f64| listed(&rows.iter().map(|row| digits(of(row))).collect::<Vec<_>>());
    let holds = [slower(|row| row.exchange), slower(|row| row.exchange_in), slower(|row| row.call_in)];
    outcome.state(
        "004:swap-prefers-slow-free",
        format!(
            "the exchange of a unit takes {} accesses, its allocations {}, those of a call {}",
            pair(|row| row.exchange),
            pair(|row| row.exchange_in),
            pair(|row| row.call_in)
        ),
        Answer::of_readings(holds),
    );
}

fn shown(rows: &[Row]) -> Shown {
    let columns = [
        "allocator",
        "allocation",
        "median",
        "max",
        "near the maximum of blocks",
        "free",
        "median",
        "max",
        "near the maximum of blocks",
        "both",
        "ns/op",
        "ns/op of the null allocator",
    ];
    let mut shown = Shown::new("Accesses of the calibrated run: means, medians and maxima", columns);
    for row in rows {
        shown.row([
            row.allocator.into(),
            row.allocate.into(),
            row.median_allocate.into(),
            row.max_allocate.into(),
            row.allocate_near_max.into(),
            row.free.into(),
            row.median_free.into(),
            row.max_free.into(),
            row.free_near_max.into(),
            row.both.into(),
            row.ns_per_op.into(),
            row.null_ns_per_op.into(),
        ]);
    }
    shown
}

fn swaps_shown(rows: &[Row]) -> Shown {
    let columns = [
        "allocator",
        "exchange of a unit",
        "max",
        "its allocations",
        "allocations of a call",
        "in allocations",
        "the paper's",
    ];
    let mut shown = Shown::new("Accesses of a swap, by what it is read as, and the last in allocations", columns);
    for row in rows {
        shown.row([
            row.allocator.into(),
            row.exchange.into(),
            row.max_exchange.into(),
            row.exchange_in.into(),
            row.call_in.into(),
            (row.call_in / row.allocate).into(),
            (row.paper_swap_us / row.paper_allocate_us).into(),
        ]);
    }
    shown
}

fn paper(rows: &[Row]) -> Shown {
    let mut shown = Shown::new("The paper's, in µs", ["allocator", "allocation", "free", "both", "swap"]);
    for row in rows {
        let columns = [row.paper_allocate_us, row.paper_free_us, row.paper_both_us, row.paper_swap_us];
        shown.row(std::iter::once(row.allocator.into()).chain(columns.map(Into::into)));
    }
    shown
}
