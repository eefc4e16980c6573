//! Figures 19 to 24: the cost of a random-half program over the number of its requests, and how it grows.

use heapsmith_replay::{Region, ReplayOptions, Subject, TimingEffort, replay, time};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::{BY_ADDRESS, EXPLICIT, IMPLICIT, MALLOC, TREE};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::fit::{Fitted, Growth, best, slope};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-figures-19-24",
    paper: &LOOKING_GLASS,
    place: "Figures 19-24",
    title: "10 to 10,000 requests of 1 to 1024 bytes, half freed at random",
    claim: "The implicit list is the slowest and grows like a parabola; so does the explicit list, which is faster; the \
            red-black tree and malloc grow linearly, and the tree is about 25% faster than malloc as the number of \
            requests grows (Diamantstein et al. 2018, Figures 19 to 24, sections 3 and 5.1).",
    differs: "Growth is fitted to counted accesses (models a + b·g(n), smallest relative errors); times are shown too, \
              the fastest of rounds in which the heaps take turns, on another machine with another malloc (that of the C \
              library the command is linked with). A heap here takes never-used memory once its free blocks do not \
              serve, where the paper's lists begin with one large free block.",
    samples: &[],
    run,
};

const HEAPS: [(&str, &str); 4] = [IMPLICIT, EXPLICIT, BY_ADDRESS, TREE];
const REQUESTS: [u64; 12] = [10, 20, 50, 100, 200, 500, 1000, 2000, 3500, 5000, 7000, 10_000];
const FEWER: usize = 7;

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    requests: u64,
    operations: u64,
    accesses: Option<u64>,
    visits: Option<u64>,
    microseconds: Option<f64>,
    null_microseconds: Option<f64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let sizes = &REQUESTS[..setting.of(REQUESTS.len(), FEWER)];
    let mut rows = Vec::new();
    for (number, &requests) in sizes.iter().enumerate() {
        setting.step(number, sizes.len(), &format!("{} requests", thousands(requests)))?;
        let trace = setting.made("random-half", &[("requests", requests), ("seed", setting.seed)])?;
        let operations = trace.events.len() as u64;
        let mut region = Region::for_trace(&trace)?;
        let names = HEAPS.into_iter().chain(setting.is_whole().then_some(MALLOC));
        let subjects = names.clone().map(|(_, text)| text.parse()).collect::<Result<Vec<Subject>, _>>()?;
        // Small programs need many rounds for a median, large ones take their time.
        let rounds = (30_000 / requests).clamp(5, 501) as usize;
        let times = match setting.is_whole() {
            true => Some(time(&subjects, &trace, &mut region, TimingEffort::rounds(rounds))?),
            false => None,
        };
        let whole = |ns: f64| ns * operations as f64 / 1000.0;
        for (index, (heap, text)) in names.enumerate() {
            let counted = match text.starts_with("peer:") {
                true => None,
                false => Some(replay(&resolve(text)?, &trace, &mut region, ReplayOptions::MEASURE)?),
            };
            rows.push(Row {
                heap,
                requests,
                operations,
                accesses: counted.as_ref().map(|measures| measures.accesses.total),
                visits: counted.as_ref().map(|measures| measures.visits.total),
                microseconds: times.as_ref().map(|times| whole(times.subjects[index].min)),
                null_microseconds: times.as_ref().map(|times| whole(times.null_allocator.min)),
            });
        }
    }
    outcome(&rows)
}

fn points(rows: &[Row], heap: &str, of: fn(&Row) -> Option<f64>) -> Vec<(f64, f64)> {
    let own = rows.iter().filter(|row| row.heap == heap);
    own.filter_map(|row| of(row).map(|value| (row.requests as f64, value))).collect()
}

fn accesses(row: &Row) -> Option<f64> {
    row.accesses.map(|accesses| accesses as f64)
}

fn microseconds(row: &Row) -> Option<f64> {
    row.microseconds
}

/// How a cost grows: the model that fits, and the exponent of a power from a hundred requests on.
struct Grown {
    fitted: Fitted,
    slope: f64,
    last: f64,
}

fn grown(rows: &[Row], heap: &str, of: fn(&Row) -> Option<f64>) -> Option<Grown> {
    let points = points(rows, heap, of);
    Some(Grown { fitted: best(&points)?, slope: slope(&points, 100.0), last: points.last()?.1 })
}

impl Grown {
    fn words(&self) -> String {
        let Fitted { growth, error, .. } = self.fitted;
        format!("{} (off by {}, exponent {})", growth.words(), percent(error), digits(self.slope))
    }

    fn is_linear(&self) -> bool {
        self.fitted.growth != Growth::Quadratic && self.slope < 1.2
    }
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let growth = |heap: &str| grown(rows, heap, accesses);
    let timed = |heap: &str| grown(rows, heap, microseconds);
    let stated = |outcome: &mut Outcome, heap: &str, claim: &str, parabolic: bool| {
        if let Some(grown) = growth(heap) {
            let holds = if parabolic { grown.fitted.growth == Growth::Quadratic } else { grown.is_linear() };
            outcome.state(claim, format!("accesses grow {}", grown.words()), holds);
        }
    };
    stated(&mut outcome, IMPLICIT.0, "001:implicit-list-is-quadratic", true);
    stated(&mut outcome, EXPLICIT.0, "001:explicit-list-is-quadratic", true);
    stated(&mut outcome, BY_ADDRESS.0, "001:explicit-list-by-address-is-quadratic", true);
    stated(&mut outcome, TREE.0, "001:red-black-tree-is-linear", false);
    if let Some(grown) = timed(MALLOC.0) {
        outcome.state("001:malloc-is-linear", format!("time grows {}", grown.words()), grown.is_linear());
    }
    let last = |heap: &str| growth(heap).map_or(f64::NAN, |grown| grown.last);
    let [implicit, explicit, tree] = [IMPLICIT, EXPLICIT, TREE].map(|(heap, _)| last(heap));
    outcome.state(
        "001:order-of-lists-and-tree",
        format!("{} and {} and {} accesses in the largest program", digits(implicit), digits(explicit), digits(tree)),
        implicit > explicit && explicit > tree,
    );
    faster(&mut outcome, rows);
    outcome.found = format!(
        "Accesses of the implicit list grow {}, those of the explicit list {}, those of the tree {}: all requests come \
         before the first free, so a list of free blocks is empty while they are served, and only the implicit list \
         searches.",
        growth(IMPLICIT.0).map_or("?".to_owned(), |grown| grown.fitted.growth.words().to_owned()),
        growth(EXPLICIT.0).map_or("?".to_owned(), |grown| grown.fitted.growth.words().to_owned()),
        growth(TREE.0).map_or("?".to_owned(), |grown| grown.fitted.growth.words().to_owned()),
    );
    outcome.tables = vec![fits(rows), costs(rows)];
    draw(&mut outcome, rows);
    Ok(outcome)
}

/// How much faster the tree is than malloc in the larger programs.
fn faster(outcome: &mut Outcome, rows: &[Row]) {
    let (tree, malloc) = (points(rows, TREE.0, microseconds), points(rows, MALLOC.0, microseconds));
    if malloc.is_empty() {
        return;
    }
    let large = tree.iter().zip(&malloc).filter(|(tree, _)| tree.0 >= 1000.0);
    let saved: Vec<f64> = large.map(|(tree, malloc)| 1.0 - tree.1 / malloc.1).collect();
    let mean = saved.iter().sum::<f64>() / saved.len().max(1) as f64;
    let words = if mean >= 0.0 { format!("{} less", percent(mean)) } else { format!("{} more", percent(-mean)) };
    outcome.state(
        "001:tree-beats-malloc",
        format!("from 1,000 requests on it takes {words} on average"),
        (0.15..=0.35).contains(&mean),
    );
}

fn heaps(rows: &[Row]) -> Vec<&'static str> {
    let all = HEAPS.iter().chain([&MALLOC]).map(|heap| heap.0);
    all.filter(|heap| rows.iter().any(|row| row.heap == *heap)).collect()
}

fn fits(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Growth: the model that fits best, its relative error, and the exponent of a power from 100 requests on",
        ["heap", "the paper", "accesses", "error", "exponent", "time", "error", "exponent"],
    );
    for heap in heaps(rows) {
        let paper = if heap == TREE.0 || heap == MALLOC.0 { "linear" } else { "quadratic" };
        let mut cells = vec![Value::from(heap), Value::from(paper)];
        for of in [accesses, microseconds] {
            let grown = grown(rows, heap, of);
            cells.push(grown.as_ref().map(|grown| grown.fitted.growth.words()).into());
            cells.push(grown.as_ref().map(|grown| Value::Share(grown.fitted.error)).into());
            cells.push(grown.as_ref().map(|grown| grown.slope).into());
        }
        shown.row(cells);
    }
    shown
}

fn costs(rows: &[Row]) -> Shown {
    let heaps = heaps(rows);
    let mut columns = vec!["requests".to_owned()];
    for heap in &heaps {
        columns.extend([format!("{heap}: accesses"), "µs".to_owned()]);
    }
    let mut shown = Shown::new("Cost of the whole program", columns);
    let mut requests: Vec<u64> = rows.iter().map(|row| row.requests).collect();
    requests.dedup();
    for number in requests {
        let mut cells = vec![Value::from(number)];
        for row in rows.iter().filter(|row| row.requests == number) {
            cells.extend([row.accesses.into(), row.microseconds.into()]);
        }
        shown.row(cells);
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let all = heaps(rows);
    let series = |names: &[&'static str], of: fn(&Row) -> Option<f64>| -> Vec<Series> {
        names.iter().map(|&heap| Series::new(heap, Mark::LineAndDots, points(rows, heap, of))).collect()
    };
    let chart = |title: &str, x: Axis, y: Axis, series: Vec<Series>| Chart { title: title.into(), x, y, series }.svg();
    outcome.draw(
        "-accesses",
        "Figure 23, counted: accesses of the whole program over its requests, both as logarithms: a parabola has the \
         exponent 2",
        chart(
            "Accesses of the whole program",
            Axis::logarithmic("requests"),
            Axis::logarithmic("accesses"),
            series(&HEAPS.map(|heap| heap.0), accesses),
        ),
    );
    if !all.contains(&MALLOC.0) {
        return;
    }
    outcome.draw(
        "-time",
        "Figures 19 to 23: time of the whole program over its requests",
        chart(
            "Time of the whole program",
            Axis::linear("requests"),
            Axis::linear("microseconds"),
            series(&all, microseconds),
        ),
    );
    outcome.draw(
        "-tree-and-malloc",
        "Figure 24: the tree and malloc alone",
        chart(
            "The tree and malloc",
            Axis::linear("requests"),
            Axis::linear("microseconds"),
            series(&[TREE.0, MALLOC.0], microseconds),
        ),
    );
}
