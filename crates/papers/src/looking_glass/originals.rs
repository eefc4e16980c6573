//! The authors' published programs: what they ask for, how they grow, and the tree next to malloc.

use heapsmith_report::chart::{Axis, Chart, Mark, Series};

use super::published::{Count, Counts, PUBLISHED, Program, SAME_SIZES, Times, interval, kept, words};
use crate::answer::{Agreement, Answer, Interval};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::fit::{Growth, best, slope};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-originals",
    paper: &LOOKING_GLASS,
    place: "Section 2.4.2, Figures 19-24, with the authors' programs",
    title: "the authors' programs, a process for each size",
    claim: "Every allocator is asked for 10 to 10,000 blocks of 1 to 1024 bytes, and half of them are freed at random. Times of \
            both lists grow like a parabola, those of the tree and of malloc linearly; the tree takes about 25% less than malloc \
            (Diamantstein et al. 2018, sections 2.4.2, 3 and 5.1).",
    differs: "The programs are the authors', compiled as their makefiles say and run on another machine with another C library; \
              what running them showed is data (crates/papers/originals/001-*.csv, `cargo xtask papers 001`). A size is a process, \
              11 runs in turns with other seeds, timed by the processor's clock; an interval holds the median with 95%. Instructions are counted inside the \
              allocator's functions, without those of the system. What the authors' own runs took is in an earlier commit of \
              their repository.",
    samples: &[],
    run,
};

const TREE: Program = ("tree", 32);
const TREE_SAME: Program = ("tree", 1024);
const MALLOC: Program = ("malloc", 1024);
const MALLOC_SMALL: Program = ("malloc", 32);
const LINEAR: Program = ("our-linear", 1024);
const OUR_TREE: Program = ("our-tree", 1024);

/// Numbers of requests from which on differences are compared: the figures have linear axes.
const LARGE: f64 = 1000.0;
/// From here on a cost for each process as a whole does not show.
const GROWN: f64 = 100.0;
/// An exponent below this is linear growth.
const LINEAR_MAX: f64 = 1.2;
/// A paper's "about" is a tenth to both sides.
const ABOUT: f64 = 0.1;

/// All that is known of the programs.
struct Known {
    counts: Counts,
    times: Times,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    setting.step(0, 1, "what the authors' programs showed")?;
    let known = Known { counts: Counts::read()?, times: Times::read()? };
    outcome(&known)
}

fn outcome(known: &Known) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(&rows(known))?;
    what_is_asked(&mut outcome, &known.counts);
    growth(&mut outcome, known);
    order(&mut outcome, known);
    tree_and_malloc(&mut outcome, known)?;
    instructions(&mut outcome, &known.counts);
    let [published, same] = [[TREE, MALLOC], [TREE_SAME, MALLOC]].map(|pair| ratio(&known.times, pair));
    outcome.found = format!(
        "The published tester asks malloc for 1 to 1024 bytes and the tree for 1 to 32. So the tree takes {} times as long as \
         malloc from 1,000 requests on, and with the same sizes {} times.",
        digits(published.median),
        digits(same.median)
    );
    outcome.tables = vec![table(known), kept_table()?];
    draw(&mut outcome, &known.times);
    Ok(outcome)
}

#[derive(Debug, serde::Serialize)]
struct Row<'k> {
    program: &'k str,
    asks: u64,
    requests: u64,
    microseconds: f64,
    low: f64,
    high: f64,
    instructions: u64,
    requested: u64,
    grown_max: u64,
}

fn rows(known: &Known) -> Vec<Row<'_>> {
    let row = |count: &'_ Count| {
        let program: Program =
            programs().into_iter().find(|&(name, asks)| name == count.program && asks == count.asks)?;
        let time = *known.times.medians(program).get(&count.requests)?;
        let Count { asks, requests, instructions, requested, grown_max, .. } = *count;
        let Interval { low, median, high } = time;
        Some(Row {
            program: program.0,
            asks,
            requests,
            microseconds: median,
            low,
            high,
            instructions,
            requested,
            grown_max,
        })
    };
    known.counts.all().iter().filter_map(row).collect()
}

/// Every program, the authors' first.
fn programs() -> Vec<Program> {
    let more = [TREE_SAME, MALLOC_SMALL, ("tree-best-fit", 1024), ("our-implicit", 1024), ("our-explicit", 1024)];
    let trees = [("our-explicit-lifo", 1024), OUR_TREE, ("our-tree", 32), LINEAR];
    PUBLISHED.into_iter().chain(more).chain(trees).collect()
}

fn what_is_asked(outcome: &mut Outcome, counts: &Counts) {
    let mean = |program: Program| {
        counts.largest(program).map_or(f64::NAN, |count| count.requested as f64 / count.requests as f64)
    };
    let [tree, malloc] = [TREE, MALLOC].map(mean);
    outcome.state(
        "001:every-request-is-1-to-1024-bytes",
        format!(
            "of the published testers those of the lists and of malloc draw from 1 to 1024 bytes, {} on average; that of the tree \
             from 1 to 32 after its first request, {} on average",
            digits(malloc),
            digits(tree)
        ),
        PUBLISHED.iter().all(|&program| mean(program) > 400.0),
    );
    let halved =
        PUBLISHED.iter().filter_map(|&program| counts.largest(program)).all(|count| count.frees * 2 == count.requests);
    outcome.state(
        "001:half-is-freed",
        "each program of 10,000 requests frees 5,000 blocks, after the last request, in a random order",
        halved,
    );
}

fn growth(outcome: &mut Outcome, known: &Known) {
    let exponent = |program, min| known.times.exponent(program, min);
    let lists = [("implicit", 1024), ("explicit", 1024)];
    let [implicit, explicit] = lists.map(|program| exponent(program, LARGE));
    let runs = lists.map(|program| known.times.runs(program)).concat();
    let parabolas = runs.iter().filter(|run| best(run).is_some_and(|fitted| fitted.growth == Growth::Quadratic));
    let parabolas = parabolas.count();
    outcome.state(
        "001:lists-are-parabolas-in-time",
        format!(
            "a parabola fits best in {parabolas} of {} runs; exponents from 1,000 requests on: implicit list {}, explicit list {}",
            runs.len(),
            words(&implicit),
            words(&explicit)
        ),
        parabolas == runs.len(),
    );
    let malloc = exponent(MALLOC, GROWN);
    outcome.state(
        "001:malloc-is-linear",
        format!("exponent from 100 requests on: {}", words(&malloc)),
        malloc.is_below(LINEAR_MAX),
    );
    let trees = [TREE, TREE_SAME].map(|program| exponent(program, GROWN));
    let counted = [TREE, TREE_SAME].map(|program| slope(&known.counts.instructions(program), GROWN));
    outcome.state(
        "001:tree-is-linear-in-time",
        format!(
            "exponent of the time {} as published and {} with the sizes of malloc; of the instructions {} and {}",
            words(&trees[0]),
            words(&trees[1]),
            digits(counted[0]),
            digits(counted[1])
        ),
        Answer::of_readings(
            trees
                .iter()
                .map(|tree| tree.is_below(LINEAR_MAX) == Answer::Holds)
                .chain(counted.map(|one| one < LINEAR_MAX)),
        ),
    );
}

fn order(outcome: &mut Outcome, known: &Known) {
    let last =
        |program: Program| known.times.medians(program).into_values().next_back().unwrap_or_else(|| interval([]));
    let [implicit, explicit, tree, malloc] = PUBLISHED.map(last);
    let ms = |found: &Interval| digits(found.median / 1000.0);
    let said = format!(
        "{} ms, {}, {} and {} for 10,000 requests (implicit list, explicit list, tree, malloc)",
        ms(&implicit),
        ms(&explicit),
        ms(&tree),
        ms(&malloc)
    );
    let slower = tree.high.max(malloc.high);
    outcome.state(
        "001:lists-are-slower",
        said.clone(),
        implicit.is_above(explicit.high).and(explicit.is_above(slower)),
    );
    outcome.state(
        "001:tree-and-malloc-are-similar",
        said,
        Answer::from((tree.median - malloc.median).abs() < 0.1 * explicit.median),
    );
}

/// The time of the first of a pair over that of the second, on average over the large sizes.
fn ratio(times: &Times, pair: [Program; 2]) -> Interval {
    times.of_pair(pair, |sizes| {
        let large: Vec<f64> = sizes.iter().filter(|size| size.0 >= LARGE).map(|size| size.1 / size.2).collect();
        large.iter().sum::<f64>() / large.len().max(1) as f64
    })
}

fn tree_and_malloc(outcome: &mut Outcome, known: &Known) -> Result<(), ExperimentError> {
    let ratios = [[TREE, MALLOC], [TREE_SAME, MALLOC], [TREE, MALLOC_SMALL]].map(|pair| ratio(&known.times, pair));
    let [published, same, small] = &ratios;
    let own = kept()?;
    let of = |program: &str| own.iter().find(|kept| kept.program == program && kept.requests == 10_000);
    let own = of("tree").zip(of("malloc")).map_or(f64::NAN, |(tree, malloc)| tree.median / malloc.median);
    outcome.state(
        "001:tree-is-faster-than-malloc",
        format!(
            "it takes {} times as long as malloc as published; {} where both are asked for 1 to 1024 bytes, {} for 1 to 32; {} in the \
             authors' own runs of 10,000 requests",
            words(published),
            words(same),
            words(small),
            digits(own)
        ),
        Answer::of_readings(ratios.iter().map(|ratio| ratio.is_below(1.0) == Answer::Holds).chain([own < 1.0])),
    );
    let saved = 1.0 - published.median;
    outcome
        .state(
            "001:tree-saves-a-quarter",
            format!("it takes {} times as long as malloc from 1,000 requests on, as published", words(published)),
            Agreement::of(saved, 0.25, ABOUT),
        )
        .with("share of the time saved", saved);
    let gap = |sizes: &[(f64, f64, f64)], at: f64| {
        sizes.iter().find(|size| size.0 == at).map_or(f64::NAN, |size| size.2 - size.1)
    };
    let grown = [TREE, TREE_SAME]
        .map(|tree| known.times.of_pair([tree, MALLOC], |sizes| gap(sizes, 10_000.0) - gap(sizes, 5000.0)));
    outcome.state(
        "001:gap-grows",
        format!(
            "what malloc takes more than the tree grows from 5,000 to 10,000 requests by {} µs as published, and by {} with the same \
             sizes",
            words(&grown[0]),
            words(&grown[1])
        ),
        Answer::of_readings(grown.iter().map(|grown| grown.is_above(0.0) == Answer::Holds)),
    );
    outcome.state(
        "001:authors-own-runs-have-the-tree-slower",
        format!("it takes {} times as long: medians of 100 runs each", digits(own)),
        own > 1.0,
    );
    Ok(())
}

fn instructions(outcome: &mut Outcome, counts: &Counts) {
    let last = |program: Program| counts.largest(program).map_or(0, |count| count.instructions);
    let [implicit, explicit, tree, malloc] = SAME_SIZES.map(last);
    outcome.state(
        "001:malloc-searches-least",
        format!(
            "instructions of 10,000 requests of 1 to 1024 bytes: malloc {}, tree {}, explicit list {}, implicit list {}",
            thousands(malloc),
            thousands(tree),
            thousands(explicit),
            thousands(implicit)
        ),
        malloc < tree && tree < explicit && explicit < implicit,
    );
    let [linear, own] = [LINEAR, OUR_TREE].map(last);
    outcome.state(
        "001:malloc-is-not-best-for-all",
        format!(
            "where nothing has to be used again, a linear allocator of this project needs {} instructions, malloc {}",
            thousands(linear),
            thousands(malloc)
        ),
        linear < malloc,
    );
    outcome.state(
        "001:another-tree-needs-fewer-instructions",
        format!(
            "a best-fit tree of this project {}, malloc {}, the authors' tree {}",
            thousands(own),
            thousands(malloc),
            thousands(tree)
        ),
        own < malloc,
    );
}

fn table(known: &Known) -> Shown {
    let columns = [
        "program",
        "asks for",
        "exponent of time",
        "of instructions",
        "µs of 10,000",
        "low",
        "high",
        "instructions",
        "bytes",
    ];
    let caption = "Growth from 100 requests on, and 10,000 requests: median time with its interval, instructions inside the \
                   allocator, bytes by which the heap grew";
    let mut shown = Shown::new(caption, columns);
    for program in programs() {
        let (Some(time), Some(count)) =
            (known.times.medians(program).into_values().next_back(), known.counts.largest(program))
        else {
            continue;
        };
        shown.row([
            program.0.into(),
            format!("1 to {}", program.1).into(),
            words(&known.times.exponent(program, GROWN)).into(),
            slope(&known.counts.instructions(program), GROWN).into(),
            time.median.into(),
            time.low.into(),
            time.high.into(),
            count.instructions.into(),
            count.grown_max.into(),
        ]);
    }
    shown
}

fn kept_table() -> Result<Shown, ExperimentError> {
    let caption =
        "What the authors' own runs took, of files that an earlier commit of their repository has: microseconds";
    let mut shown = Shown::new(caption, ["program", "requests", "runs", "median", "low", "high"]);
    for kept in kept()? {
        let numbers = [kept.median, kept.low, kept.high].map(Value::from);
        shown.row([kept.program.into(), kept.requests.into(), kept.runs.into()].into_iter().chain(numbers));
    }
    Ok(shown)
}

fn draw(outcome: &mut Outcome, times: &Times) {
    let series = |name: String, program: Program| {
        let points = times.medians(program).into_iter().map(|(size, time)| (size as f64, time.median));
        Series::new(name, Mark::LineAndDots, points)
    };
    let chart = |title: &str, scale: fn(&str) -> Axis, series: Vec<Series>| {
        Chart { title: title.into(), x: scale("requests"), y: scale("microseconds"), series }.svg()
    };
    outcome.draw(
        "",
        "Figures 19 to 23: median time of the published programs, both as logarithms: a parabola is twice as steep",
        chart(
            "The published programs",
            Axis::logarithmic,
            PUBLISHED.into_iter().map(|program| series(program.0.to_owned(), program)).collect(),
        ),
    );
    outcome.draw(
        "-tree-and-malloc",
        "Figure 24: the tree and malloc, each asked for 1 to 32 and for 1 to 1024 bytes; the paper has the tree's 32 and malloc's \
         1024",
        chart(
            "The tree and malloc",
            Axis::linear,
            [TREE, TREE_SAME, MALLOC_SMALL, MALLOC]
                .into_iter()
                .map(|program| series(format!("{}, 1 to {}", program.0, program.1), program))
                .collect(),
        ),
    );
}
