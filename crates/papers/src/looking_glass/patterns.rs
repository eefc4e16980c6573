//! What the paper left out: the patterns that each allocator is made for.

use heapsmith_replay::{Region, ReplayOptions, replay};
use heapsmith_report::chart::{Bars, Measured, Scale};
use heapsmith_spec::resolve;
use heapsmith_trace::{Operation, PackedTrace};
use serde::Serialize;

use super::programs::{churn, last_in_first_out, phase, queue};
use super::{EXPLICIT, IMPLICIT, LIFO, TREE};
use crate::answer::Answer;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, percent};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-patterns",
    paper: &LOOKING_GLASS,
    place: "Section 5.3, patterns",
    title: "the patterns that each allocator is best at, which were not tried",
    claim: "Patterns that suit one allocator were not tried. The paper recommends the linear allocator where nothing is \
            freed by itself, the stack where blocks are freed in reverse order, the pool for objects of one size, and \
            the red-black tree where time is short and the order is free (Diamantstein et al. 2018, sections 4 and \
            5.3).",
    differs: "There is no measurement to compare with. Five programs of 10,000 allocations; an allocator that cannot \
              serve a program (a stack that is freed in another order, a pool of one size) is not in its row. \
              Best is fewest accesses an operation, all within one percent included.",
    samples: &[],
    run,
};

const LINEAR: (&str, &str) = ("linear", "bump");
const STACK: (&str, &str) = ("stack", "stack");
const POOL: (&str, &str) = ("pool", "fixed(64)");
const HEAPS: [(&str, &str); 7] = [LINEAR, STACK, POOL, IMPLICIT, EXPLICIT, LIFO, TREE];

/// Within this of the fewest accesses is best, too.
const EQUAL: f64 = 1.01;

#[derive(Debug, Serialize)]
struct Row {
    pattern: &'static str,
    heap: &'static str,
    serves: bool,
    accesses_per_op: f64,
    accesses_max: u64,
    fragmentation: f64,
}

/// What a pattern asks of an allocator.
struct Pattern {
    name: &'static str,
    /// The claim about it.
    claim: &'static str,
    trace: PackedTrace,
    /// The allocator that the paper recommends for it.
    recommended: &'static str,
}

fn patterns(setting: &Setting<'_>) -> Result<Vec<Pattern>, ExperimentError> {
    let (blocks, seed) = (setting.of(10_000, 1000), setting.seed);
    let pattern =
        |name, claim, program: super::programs::RandomProgram, recommended| -> Result<Pattern, ExperimentError> {
            Ok(Pattern { name, claim, trace: program.packed()?, recommended })
        };
    Ok(vec![
        pattern("nothing freed", "001:pattern-linear", phase(blocks, seed), LINEAR.0)?,
        pattern("last in, first out", "001:pattern-stack", last_in_first_out(blocks, seed), STACK.0)?,
        pattern(
            "one size, any order",
            "001:pattern-pool",
            churn("one size", blocks / 10, blocks, (64, 64), seed),
            POOL.0,
        )?,
        pattern("first in, first out", "001:pattern-fifo", queue(blocks / 10, blocks, seed), TREE.0)?,
        pattern(
            "any size, any order",
            "001:pattern-any",
            churn("any size", blocks / 10, blocks, (1, 1024), seed),
            TREE.0,
        )?,
    ])
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let patterns = patterns(setting)?;
    let mut rows = Vec::new();
    for (number, pattern) in patterns.iter().enumerate() {
        setting.step(number, patterns.len(), pattern.name)?;
        let mut region = Region::for_trace(&pattern.trace)?;
        for (heap, text) in HEAPS {
            let measures = replay(&resolve(text)?, &pattern.trace, &mut region, ReplayOptions::MEASURE)?;
            rows.push(Row {
                pattern: pattern.name,
                heap,
                serves: measures.failed == 0 && serves(heap, &pattern.trace),
                accesses_per_op: measures.accesses_per_operation(),
                accesses_max: measures.accesses.max,
                fragmentation: measures.fragmentation(),
            });
        }
    }
    outcome(&rows, &patterns)
}

/// The fewest accesses of those that serve a pattern, and who has them; without one of the heaps.
fn best<'r>(serving: &[&'r Row], without: &str) -> (f64, Vec<&'r str>) {
    let others = || serving.iter().filter(|row| row.heap != without);
    let fewest = others().map(|row| row.accesses_per_op).fold(f64::INFINITY, f64::min);
    (fewest, others().filter(|row| row.accesses_per_op <= fewest * EQUAL).map(|row| row.heap).collect())
}

/// What the paper says of each use: the time that it takes at worst, and the memory.
fn uses(outcome: &mut Outcome, rows: &[Row]) {
    let row =
        |pattern: &str, heap: &str| rows.iter().find(|row| row.pattern == pattern && row.heap == heap && row.serves);
    let constant = |outcome: &mut Outcome, claim: &str, row: &Row| {
        let worst = row.accesses_max;
        let found = format!("{worst} accesses in the worst operation, {} on average", digits(row.accesses_per_op));
        outcome.state(claim, found, worst as f64 <= row.accesses_per_op * EQUAL);
    };
    let (Some(linear), Some(stack), Some(pool)) =
        (row("nothing freed", LINEAR.0), row("last in, first out", STACK.0), row("one size, any order", POOL.0))
    else {
        return;
    };
    constant(outcome, "001:stack-is-constant", stack);
    constant(outcome, "001:pool-is-constant", pool);
    let min = |pattern: &str| {
        let own = rows.iter().filter(|row| row.pattern == pattern && row.serves);
        own.map(|row| row.fragmentation).fold(f64::INFINITY, f64::min)
    };
    for (claim, pattern, own) in [
        ("001:linear-fragments-little", "nothing freed", linear),
        ("001:stack-has-little-overhead", "last in, first out", stack),
        ("001:pool-does-not-fragment", "one size, any order", pool),
    ] {
        outcome.state(
            claim,
            format!(
                "{} beyond the requests; the least of all is {}",
                percent(own.fragmentation),
                percent(min(pattern))
            ),
            own.fragmentation <= min(pattern) + LITTLE,
        );
    }
}

/// Within a percent of the requests of the least.
const LITTLE: f64 = 0.01;

/// Whether an allocator gives back what the program frees: a linear one never does, a stack in reverse order.
fn serves(heap: &str, trace: &PackedTrace) -> bool {
    if heap == LINEAR.0 {
        return trace.frees == 0;
    }
    if heap != STACK.0 {
        return true;
    }
    let mut stack = Vec::new();
    trace.events.iter().all(|event| match event.operation {
        Operation::Allocate => {
            stack.push(event.slot);
            true
        }
        Operation::Free => stack.pop() == Some(event.slot),
        Operation::Reallocate => false,
    })
}

fn outcome(rows: &[Row], patterns: &[Pattern]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let mut right = 0;
    for pattern in patterns {
        let serving: Vec<&Row> = rows.iter().filter(|row| row.pattern == pattern.name && row.serves).collect();
        // The paper's explicit list is in the order of addresses; last in, first out is a variant.
        let [authors, with_lifo] = [best(&serving, LIFO.0), best(&serving, "")];
        let own =
            serving.iter().find(|row| row.heap == pattern.recommended).map_or(f64::NAN, |row| row.accesses_per_op);
        let holds = [&authors, &with_lifo].map(|best| best.1.contains(&pattern.recommended));
        right += usize::from(holds[0]);
        outcome.state(
            pattern.claim,
            format!(
                "fewest accesses: {} with {}; the {} has {}; with a list that is last in, first out among them: {} with {}",
                authors.1.join(", "),
                digits(authors.0),
                pattern.recommended,
                digits(own),
                with_lifo.1.join(", "),
                digits(with_lifo.0)
            ),
            Answer::of_readings(holds),
        );
    }
    uses(&mut outcome, rows);
    outcome.found = format!(
        "The allocator that the paper recommends has the fewest accesses on {right} of {} patterns, with the explicit list in the \
         order of addresses.",
        patterns.len()
    );
    let mut shown = Shown::new("Every pattern", ["pattern", "heap", "accesses/op", "worst operation", "fragmentation"]);
    for row in rows.iter().filter(|row| row.serves) {
        shown.row([
            row.pattern.into(),
            row.heap.into(),
            row.accesses_per_op.into(),
            row.accesses_max.into(),
            Value::Text(percent(row.fragmentation)),
        ]);
    }
    outcome.tables.push(shown);
    let value = |pattern: &Pattern, heap: &str| {
        let own = rows.iter().find(|row| row.pattern == pattern.name && row.heap == heap && row.serves);
        own.map_or(f64::NAN, |row| row.accesses_per_op)
    };
    let bars = Bars {
        title: "Accesses an operation, by pattern".into(),
        y: "accesses an operation".into(),
        names: patterns.iter().map(|pattern| pattern.name.to_owned()).collect(),
        series: HEAPS
            .iter()
            .map(|(heap, _)| Measured::new(*heap, patterns.iter().map(|pattern| value(pattern, heap))))
            .collect(),
        scale: Scale::Logarithmic,
        ..Bars::default()
    };
    outcome.draw("", "Accesses an operation of each allocator that serves a pattern", bars.svg());
    Ok(outcome)
}
