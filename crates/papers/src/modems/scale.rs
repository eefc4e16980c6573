//! Future work: more instances than five.

use heapsmith_replay::{Priority, Region, ReplayOptions, event_costs, replay};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use heapsmith_trace::Bytes;
use serde::Serialize;

use super::responses::Response;
use super::runs::{Model, PAPER};
use super::{ALLOCATORS, Allocator};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, MODEMS};
use crate::fit::slope;
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "004-scale",
    paper: &MODEMS,
    place: "Section 6, scalability",
    title: "5 to 256 instances",
    claim: "With boundary tags freeing takes constant time; without them it is a search that depends on the number of \
            entries. How the allocators scale is left to further simulation (Peintner et al. in sections 4.3.4 and 6).",
    differs: "There is no measurement to compare with. 6 calls for each instance, in a region that grows as it is needed.",
    samples: &[],
    run,
};

const INSTANCES: [u64; 6] = [5, 10, 20, 50, 100, 256];
/// The tree that the paper proposes to hide in free blocks.
static TREE: Allocator =
    Allocator { name: "best fit, red-black tree", spec: "tree(red-black, fit=best, split=always, coalesce=immediate)" };
/// Calls for each instance.
const CALLS: u64 = 6;

#[derive(Debug, Serialize)]
struct Row {
    allocator: &'static str,
    instances: u64,
    blocks_peak: u64,
    fragmentation: f64,
    allocate: f64,
    max_allocate: u64,
    free: f64,
    max_free: u64,
}

impl Row {
    fn both(&self) -> f64 {
        self.allocate + self.free
    }
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let sizes = &INSTANCES[..setting.of(INSTANCES.len(), 3)];
    let mut rows = Vec::new();
    for (number, &instances) in sizes.iter().enumerate() {
        setting.step(number, sizes.len(), &format!("{instances} instances"))?;
        let trace = Model { instances, calls: CALLS * instances, ..PAPER }.packed(setting, setting.seed)?;
        let mut region = Region::for_trace(&trace)?;
        for allocator in allocators() {
            let spec = resolve(allocator.spec)?;
            let measures = replay(&spec, &trace, &mut region, ReplayOptions::MEASURE)?;
            let costs = event_costs(&spec, &trace, &mut region, Bytes(u64::MAX), |_| Priority::Low)?;
            let Response { allocate, free } = Response::of(&trace, &costs, |_| true);
            rows.push(Row {
                allocator: allocator.name,
                instances,
                blocks_peak: trace.slots as u64,
                fragmentation: measures.fragmentation(),
                allocate: allocate.mean,
                max_allocate: allocate.max,
                free: free.mean,
                max_free: free.max,
            });
        }
    }
    outcome(&rows)
}

/// The four, and the tree.
fn allocators() -> impl Iterator<Item = &'static Allocator> {
    ALLOCATORS.iter().chain([&TREE])
}

/// The rows of an allocator, by its number among [`allocators`].
fn of(rows: &[Row], number: usize) -> Vec<&Row> {
    allocators().nth(number).map_or(Vec::new(), |known| rows.iter().filter(|row| row.allocator == known.name).collect())
}

/// A value of an allocator over its blocks.
fn points(rows: &[Row], number: usize, value: fn(&Row) -> f64) -> Vec<(f64, f64)> {
    of(rows, number).iter().map(|row| (row.blocks_peak as f64, value(row))).collect()
}

fn outcome(rows: &[Row]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    frees(&mut outcome, rows);
    at_scale(&mut outcome, rows);
    fragmentation(&mut outcome, rows);
    let growth = slope(&points(rows, 1, |row| row.allocate), 0.0);
    if let Some(last) = of(rows, 1).last() {
        outcome.found = format!(
            "An allocation with first fit grows with the blocks, with the exponent {}: with {} instances it takes {} \
             accesses on average, and a free with tags at most {}.",
            digits(growth),
            last.instances,
            digits(last.allocate),
            last.max_free
        );
    }
    outcome.tables.push(shown(rows));
    let series = allocators().enumerate().map(|(number, allocator)| {
        let points = of(rows, number).into_iter().map(|row| (row.instances as f64, row.both()));
        Series::new(allocator.name, Mark::LineAndDots, points)
    });
    let chart = Chart {
        title: "Allocating and freeing a block over the number of instances".into(),
        x: Axis::logarithmic("instances"),
        y: Axis::logarithmic("accesses"),
        series: series.collect(),
    };
    outcome.draw("", "What a block costs with more instances", chart.svg());
    Ok(outcome)
}

/// How frees grow, with tags and without.
fn frees(outcome: &mut Outcome, rows: &[Row]) {
    let fast: Vec<u64> = [1, 3].into_iter().flat_map(|number| of(rows, number)).map(|row| row.max_free).collect();
    outcome.state(
        "004:free-with-tags-is-constant",
        format!("at most {} accesses with any number of instances", fast.iter().max().unwrap_or(&0)),
        fast.iter().all(|&max| max == fast[0]),
    );
    let slow = [0, 2].map(|number| slope(&points(rows, number, |row| row.free), 0.0));
    let each =
        |value: fn(&Row) -> f64| (0..ALLOCATORS.len()).map(move |number| slope(&points(rows, number, value), 0.0));
    let (allocate, free): (Vec<f64>, Vec<f64>) = (each(|row| row.allocate).collect(), each(|row| row.free).collect());
    let said = |slopes: &[f64]| listed(&slopes.iter().map(|&slope| digits(slope)).collect::<Vec<_>>());
    outcome.state(
        "004:scalability",
        format!("exponents of the four: of an allocation {}, of a free {}", said(&allocate), said(&free)),
        allocate.iter().chain(&free).all(|slope| slope.is_finite()),
    );
    outcome.state(
        "004:free-without-tags-grows",
        format!("it grows with the blocks, with the exponents {} and {}", digits(slow[0]), digits(slow[1])),
        slow.iter().all(|&slope| slope > 0.5),
    );
}

/// Which is the fastest where there are the most instances.
fn at_scale(outcome: &mut Outcome, rows: &[Row]) {
    let last = rows.iter().map(|row| row.instances).max().unwrap_or(0);
    let (tree, four): (Vec<&Row>, Vec<&Row>) =
        rows.iter().filter(|row| row.instances == last).partition(|row| row.allocator == TREE.name);
    let of_tree = tree.first().map_or(f64::INFINITY, |row| row.both());
    let each = listed(&four.iter().map(|row| digits(row.both())).collect::<Vec<_>>());
    outcome.state(
        "004:trees-scale-better",
        format!(
            "with {last} instances an allocation and its free take a tree {} accesses, the four {each}",
            digits(of_tree)
        ),
        four.iter().all(|row| of_tree < row.both()),
    );
    let fastest = four.iter().min_by(|a, b| a.both().total_cmp(&b.both())).map_or("none", |row| row.allocator);
    outcome.state(
        "004:first-fast-scales-best",
        format!("with {last} instances both together take {each} accesses"),
        fastest == ALLOCATORS[1].name,
    );
}

/// Whether first fit fragments more with more instances, and more than best fit does.
fn fragmentation(outcome: &mut Outcome, rows: &[Row]) {
    let ends = |number: usize| {
        let of = of(rows, number);
        [of.first(), of.last()].map(|row| row.map_or(0.0, |row| row.fragmentation))
    };
    let ([few, many], [few_best, many_best]) = (ends(1), ends(3));
    outcome.state(
        "004:first-fit-fragments-with-scale",
        format!(
            "first fit from {} with the fewest instances to {} with the most, best fit from {} to {}",
            percent(few),
            percent(many),
            percent(few_best),
            percent(many_best)
        ),
        many > few && many / few > many_best / few_best,
    );
}

fn shown(rows: &[Row]) -> Shown {
    let columns = ["allocator", "instances", "blocks", "fragmentation", "allocation", "max", "free", "max"];
    let mut shown = Shown::new("Accesses on average and at most, by instances", columns);
    for row in rows {
        shown.row([
            row.allocator.into(),
            row.instances.into(),
            row.blocks_peak.into(),
            Value::Share(row.fragmentation),
            row.allocate.into(),
            row.max_allocate.into(),
            row.free.into(),
            row.max_free.into(),
        ]);
    }
    shown
}
