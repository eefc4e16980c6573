//! Figures 19 to 24: the cost of a random-half program over the number of its requests, and how it grows.

use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use serde::Serialize;

use super::{EXPLICIT, IMPLICIT, LIFO, TREE};
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
            red-black tree grows linearly (Diamantstein et al. 2018, Figures 19 to 24, sections 3 and 5.1).",
    differs: "Growth is fitted to counted accesses (models a + b·g(n), smallest relative errors); times, and malloc, are those of \
              the authors' programs (001-originals). The explicit list is kept in the order of addresses, as the authors' is; \
              last in, first out is shown as a variant. A heap here takes never-used memory once its free blocks do not \
              serve, as the authors' implicit list and tree do, where their explicit list begins with one large free block.",
    samples: &[],
    run,
};

const HEAPS: [(&str, &str); 4] = [IMPLICIT, EXPLICIT, LIFO, TREE];
const REQUESTS: [u64; 12] = [10, 20, 50, 100, 200, 500, 1000, 2000, 3500, 5000, 7000, 10_000];
const FEWER: usize = 7;

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    requests: u64,
    operations: u64,
    accesses: u64,
    visits: u64,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let sizes = &REQUESTS[..setting.of(REQUESTS.len(), FEWER)];
    let mut rows = Vec::new();
    for (number, &requests) in sizes.iter().enumerate() {
        setting.step(number, sizes.len(), &format!("{} requests", thousands(requests)))?;
        let trace = setting.made("random-half", &[("requests", requests), ("seed", setting.seed)])?;
        let operations = trace.events.len() as u64;
        let mut region = Region::for_trace(&trace)?;
        for (heap, text) in HEAPS {
            let measures = replay(&resolve(text)?, &trace, &mut region, ReplayOptions::MEASURE)?;
            let (accesses, visits) = (measures.accesses.total, measures.visits.total);
            rows.push(Row { heap, requests, operations, accesses, visits });
        }
    }
    outcome(&rows)
}

fn points(rows: &[Row], heap: &str) -> Vec<(f64, f64)> {
    let own = rows.iter().filter(|row| row.heap == heap);
    own.map(|row| (row.requests as f64, row.accesses as f64)).collect()
}

/// How a cost grows: the model that fits, and the exponent of a power from a hundred requests on.
struct Grown {
    fitted: Fitted,
    slope: f64,
    last: f64,
}

fn grown(rows: &[Row], heap: &str) -> Option<Grown> {
    let points = points(rows, heap);
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
    for (heap, claim, is_parabola) in GROWTHS {
        if let Some(grown) = grown(rows, heap) {
            let holds = if is_parabola { grown.fitted.growth == Growth::Quadratic } else { grown.is_linear() };
            outcome.state(claim, format!("accesses grow {}", grown.words()), holds);
        }
    }
    let last = |heap: &str| grown(rows, heap).map_or(f64::NAN, |grown| grown.last);
    let [implicit, explicit, lifo, tree] = HEAPS.map(|(heap, _)| last(heap));
    outcome.state(
        "001:order-of-lists-and-tree",
        format!(
            "{} and {} and {} accesses in the largest program; an explicit list that is last in, first out has {}",
            digits(implicit),
            digits(explicit),
            digits(tree),
            digits(lifo)
        ),
        implicit > explicit && explicit > tree,
    );
    searches(&mut outcome, rows);
    let growth = |heap: &str| grown(rows, heap).map_or("?", |grown| grown.fitted.growth.words());
    outcome.found = format!(
        "Accesses of the implicit list grow {}, those of the explicit list by address {}, those of the tree {}. All requests come \
         before the first free, so only the implicit list searches while they are served; the explicit list walks to the place \
         of each block that is freed, and one that puts it in front grows {}.",
        growth(IMPLICIT.0),
        growth(EXPLICIT.0),
        growth(TREE.0),
        growth(LIFO.0),
    );
    outcome.tables = vec![fits(rows), costs(rows)];
    draw(&mut outcome, rows);
    Ok(outcome)
}

/// Each heap's claim of growth, and whether it is a parabola.
const GROWTHS: [(&str, &str, bool); 4] = [
    (IMPLICIT.0, "001:implicit-list-is-quadratic", true),
    (EXPLICIT.0, "001:explicit-list-is-quadratic", true),
    (LIFO.0, "001:explicit-list-lifo-is-quadratic", true),
    (TREE.0, "001:red-black-tree-is-linear", false),
];

/// How many blocks the searches of the largest program examine.
fn searches(outcome: &mut Outcome, rows: &[Row]) {
    let largest = |heap: &str| rows.iter().rfind(|row| row.heap == heap);
    let (Some(implicit), Some(explicit)) = (largest(IMPLICIT.0), largest(EXPLICIT.0)) else { return };
    let requests = implicit.requests;
    let per_request = implicit.visits as f64 / requests as f64;
    outcome.state(
        "001:implicit-list-examines-every-block",
        format!(
            "{} blocks are examined for {} requests: for each all those before it",
            thousands(implicit.visits),
            thousands(requests)
        ),
        implicit.visits >= requests * (requests - 1) / 2,
    );
    outcome.state(
        "001:explicit-list-examines-fewer",
        format!(
            "{} blocks, where the implicit list examines {}",
            thousands(explicit.visits),
            thousands(implicit.visits)
        ),
        explicit.visits < implicit.visits,
    );
    outcome.state(
        "001:list-takes-the-shorter-way",
        format!(
            "a request that is served at the end of the implicit list, where n − i is 0, examines {} blocks on average",
            digits(per_request)
        ),
        per_request < 2.0,
    );
}

fn fits(rows: &[Row]) -> Shown {
    let mut shown = Shown::new(
        "Growth: the model that fits best, its relative error, and the exponent of a power from 100 requests on",
        ["heap", "the paper", "accesses", "error", "exponent"],
    );
    for (heap, _) in HEAPS {
        let grown = grown(rows, heap);
        shown.row([
            heap.into(),
            if heap == TREE.0 { "linear" } else { "quadratic" }.into(),
            grown.as_ref().map(|grown| grown.fitted.growth.words()).into(),
            grown.as_ref().map(|grown| Value::Share(grown.fitted.error)).into(),
            grown.as_ref().map(|grown| grown.slope).into(),
        ]);
    }
    shown
}

fn costs(rows: &[Row]) -> Shown {
    let columns = HEAPS.iter().flat_map(|(heap, _)| [format!("{heap}: accesses"), "blocks examined".to_owned()]);
    let mut shown = Shown::new("Cost of the whole program", ["requests".to_owned()].into_iter().chain(columns));
    let mut requests: Vec<u64> = rows.iter().map(|row| row.requests).collect();
    requests.dedup();
    for number in requests {
        let own = rows.iter().filter(|row| row.requests == number);
        shown.row([number.into()].into_iter().chain(own.flat_map(|row| [row.accesses.into(), row.visits.into()])));
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let chart = Chart {
        title: "Accesses of the whole program".into(),
        x: Axis::logarithmic("requests"),
        y: Axis::logarithmic("accesses"),
        series: HEAPS.map(|(heap, _)| Series::new(heap, Mark::LineAndDots, points(rows, heap))).into(),
    };
    outcome.draw(
        "",
        "Figure 23, counted: accesses of the whole program over its requests, both as logarithms: a parabola has the \
         exponent 2",
        chart.svg(),
    );
}
