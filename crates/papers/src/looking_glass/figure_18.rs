//! Figure 18: ten allocations of each size by the linear allocator and by the stack.
//!
//! ```text
//!   accesses     counted over a region that is there before: without a header (an arena), with one, and of a stack
//!   asks         how often the arena's growth asks the system, all at once, by pages or for every block
//!   first call   gets the region: a system call, and its pages; the authors' stack asks the system at every call
//! ```

use std::collections::BTreeMap;

use heapsmith_replay::{Region, ReplayOptions, arena, replay};
use heapsmith_report::chart::{Axis, Chart, Mark, Series};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, Bytes, Event, Origin, PackedTrace, Trace};
use serde::Serialize;

use super::published::{FirstCalls, first_calls, interval, words};
use crate::answer::{Answer, Interval};
use crate::error::ExperimentError;
use crate::experiment::{Experiment, LOOKING_GLASS};
use crate::outcome::Outcome;
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "001-figure-18",
    paper: &LOOKING_GLASS,
    place: "Figure 18",
    title: "linear and stack allocator, ten allocations of each size",
    claim: "The linear allocator is faster than the stack at every size from 64 to 4096 bytes; the first size, 64 \
            bytes, takes much longer than the others, as the first call has to find where the heap begins \
            (Diamantstein et al. 2018, Figure 18, section 3).",
    differs: "Ten allocations take less than a step of the clock, so accesses to metadata are compared. The linear \
              allocator is an arena, without headers; with them, as a heap has that frees and resizes by pointer alone, it is shown by \
              itself. First calls are those of \
              processes: the authors' stack, which asks the system for each block, and a stack and a linear allocator of this \
              project, which get a region and its pages in their first call; 31 processes each (`cargo xtask papers 001`). \
              The authors' linear allocator is not in their repository.",
    samples: &[],
    run,
};

const SIZES: [u64; 6] = [64, 256, 512, 1024, 2048, 4096];
const ALLOCATIONS: u64 = 10;

const LINEAR: &str = "linear";
const WITH_HEADERS: &str = "linear, with headers";
const STACK: &str = "stack";
const HEAPS: [&str; 3] = [LINEAR, WITH_HEADERS, STACK];
/// The two with headers.
const SPECS: [(&str, &str); 2] = [(WITH_HEADERS, "bump"), (STACK, "stack")];
/// Bytes of the payloads' alignment.
const ALIGNMENT: usize = 8;
/// Bytes of a page, for which the system is asked.
const PAGE: u64 = 4096;

/// Programs whose first calls were timed: the authors' stack, and two heaps of this project.
const PROGRAMS: [&str; 3] = ["stack", "our-stack", "our-linear"];
/// Above this many times as long is much longer.
const MUCH: f64 = 2.0;

/// How often the system is asked during the allocations of a size, by how a heap grows.
#[derive(Debug, Clone, Copy, Default)]
struct Asks {
    all_at_once: u64,
    by_pages: u64,
    by_blocks: u64,
}

#[derive(Debug, Serialize)]
struct Row {
    heap: &'static str,
    size: u64,
    allocations: u64,
    accesses: u64,
    footprint: u64,
}

fn trace(size: u64) -> Result<PackedTrace, ExperimentError> {
    let mut trace = Trace::new(Origin::new("linear-stack", "none"));
    let allocate = |id| Event::at(id, Action::Allocate { id, size: Bytes(size), alignment: 0 });
    trace.events.extend((0..ALLOCATIONS).map(allocate));
    Ok(PackedTrace::new(&trace)?)
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let mut rows = Vec::new();
    for (number, size) in SIZES.into_iter().enumerate() {
        setting.step(number, SIZES.len(), &format!("{size} bytes"))?;
        let trace = trace(size)?;
        let mut region = Region::for_trace(&trace)?;
        rows.push(linear(size, &mut region)?);
        for (heap, text) in SPECS {
            let measures = replay(&resolve(text)?, &trace, &mut region, ReplayOptions::MEASURE)?;
            let (accesses, footprint) = (measures.accesses.total, measures.footprint_peak.0);
            rows.push(Row { heap, size, allocations: ALLOCATIONS, accesses, footprint });
        }
    }
    outcome(&rows, &asked()?, &first_calls()?)
}

fn linear(size: u64, region: &mut Region) -> Result<Row, ExperimentError> {
    let mut arena = arena(region, ALIGNMENT)?;
    let before = arena.meter().accesses;
    let served = (0..ALLOCATIONS).filter(|_| arena.allocate(size as usize, 0).is_some()).count();
    let accesses = arena.meter().accesses - before;
    Ok(Row { heap: LINEAR, size, allocations: served as u64, accesses, footprint: arena.footprint() as u64 })
}

/// All sizes in one process, one after the other: the first call also finds where the heap begins.
fn asked() -> Result<Vec<Asks>, ExperimentError> {
    let mut region = Region::new(Bytes(SIZES.iter().map(|size| size * ALLOCATIONS).sum::<u64>() + PAGE))?;
    let mut arena = arena(&mut region, ALIGNMENT)?;
    let mut has = 0_u64;
    let mut of_size = |size: u64| -> Asks {
        let mut asks = Asks::default();
        for _ in 0..ALLOCATIONS {
            let is_first = u64::from(has == 0);
            arena.allocate(size as usize, 0);
            let needs = arena.footprint() as u64;
            asks.all_at_once += is_first;
            asks.by_pages += needs.div_ceil(PAGE) - has.div_ceil(PAGE);
            asks.by_blocks += 1 + is_first;
            has = needs;
        }
        asks
    };
    Ok(SIZES.into_iter().map(&mut of_size).collect())
}

/// What a program's first calls took, by size.
fn times(calls: &[FirstCalls], program: &str) -> BTreeMap<u64, Interval> {
    let own = |size| calls.iter().filter(move |call| call.heap == program && call.size == size);
    SIZES.into_iter().map(|size| (size, interval(own(size).map(|call| call.nanoseconds)))).collect()
}

/// How many times as long the first size takes as the slowest of the others.
fn first_to_others(calls: &[FirstCalls], program: &str) -> Interval {
    let runs = calls.iter().map(|call| call.run).max().map_or(0, |last| last + 1);
    interval((0..runs).map(|run| {
        let own = calls.iter().filter(|call| call.heap == program && call.run == run);
        let (first, others): (Vec<_>, Vec<_>) = own.partition(|call| call.size == SIZES[0]);
        let slowest = others.iter().map(|call| call.nanoseconds).fold(0.0, f64::max);
        first.first().map_or(f64::NAN, |call| call.nanoseconds) / slowest
    }))
}

fn outcome(rows: &[Row], asks: &[Asks], calls: &[FirstCalls]) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let of = |heap: &str| rows.iter().filter(move |row| row.heap == heap).collect::<Vec<_>>();
    let [linear, headed, stack] = HEAPS.map(of);
    let fewer = linear.iter().zip(&stack).filter(|(one, other)| one.accesses < other.accesses).count();
    let [own, with_headers, of_stack] = [&linear, &headed, &stack].map(|rows| rows[0].accesses);
    outcome.state(
        "001:linear-beats-stack",
        format!(
            "linear needs fewer accesses at {fewer} of {} sizes: {own} against {of_stack} for ten of 64 bytes; with a header for \
             each block it would be {with_headers}",
            SIZES.len()
        ),
        fewer == SIZES.len(),
    );
    let is_constant = |rows: &[&Row]| rows.iter().all(|row| row.accesses == rows[0].accesses);
    outcome.state(
        "001:linear-is-constant",
        format!("{} accesses an allocation at every size", digits(own as f64 / ALLOCATIONS as f64)),
        is_constant(&linear),
    );
    first_size(&mut outcome, calls);
    first_asks(&mut outcome, asks);
    outcome.found = format!(
        "Ten allocations take the linear heap {own} accesses and the stack {of_stack}, whatever their size. The first call takes \
         much longer than the others where it gets all memory, and not where every call asks the system."
    );
    outcome.tables = vec![counted(rows), modelled(asks), timed(calls)];
    outcome.draw("", "Accesses of ten allocations by the linear heap and by the stack", chart(rows).svg());
    Ok(outcome)
}

fn first_size(outcome: &mut Outcome, calls: &[FirstCalls]) {
    let slower = PROGRAMS.map(|program| first_to_others(calls, program));
    let [theirs, stack, linear] = &slower;
    outcome.state(
        "001:first-size-is-slow",
        format!(
            "the first size takes {} times as long as the slowest of the others where the first call gets the region ({} for the \
             linear allocator), and {} times in the authors' stack, which asks the system at every call",
            words(stack),
            words(linear),
            words(theirs)
        ),
        Answer::of_readings(slower.iter().map(|slower| slower.is_above(MUCH) == Answer::Holds)),
    );
}

/// A way to grow, in words, and what it asks.
type Growth = (&'static str, fn(&Asks) -> u64);

const GROWTHS: [Growth; 3] = [
    ("all at once", |asks| asks.all_at_once),
    ("by pages", |asks| asks.by_pages),
    ("for every block", |asks| asks.by_blocks),
];

fn first_asks(outcome: &mut Outcome, asks: &[Asks]) {
    let [first, others @ ..] = asks else { return };
    let each = GROWTHS.map(|(way, of)| (way, of(first), others.iter().map(of).max().unwrap_or(0)));
    let said = each.map(|(way, first, others)| format!("{first} against at most {others} {way}"));
    outcome.state(
        "001:first-size-asks-more",
        format!("the system is asked {}", said.join(", ")),
        Answer::of_readings(each.map(|(_, first, others)| first as f64 > MUCH * others as f64)),
    );
}

fn modelled(asks: &[Asks]) -> Shown {
    let columns = ["size", "asked all at once", "asked by pages", "asked for every block"];
    let mut shown =
        Shown::new("How often the system is asked for memory, ten allocations of each size in turn", columns);
    for (size, asks) in SIZES.into_iter().zip(asks) {
        shown.row([size].into_iter().chain(GROWTHS.map(|(_, of)| of(asks))).map(Value::from));
    }
    shown
}

fn counted(rows: &[Row]) -> Shown {
    let mut shown = Shown::new("Ten allocations of each size", ["heap", "size", "accesses", "footprint"]);
    for row in rows {
        shown.row([row.heap.into(), row.size.into(), row.accesses.into(), row.footprint.into()]);
    }
    shown
}

fn timed(calls: &[FirstCalls]) -> Shown {
    let columns = ["program", "size", "system calls", "nanoseconds", "low", "high"];
    let mut shown =
        Shown::new("Ten allocations of each size in a process, one size after the other: median time", columns);
    for program in PROGRAMS {
        for (size, time) in times(calls, program) {
            let asked = calls.iter().find(|call| call.heap == program && call.size == size);
            let asked = asked.map(|call| call.system_calls);
            let numbers = [time.median, time.low, time.high].map(Value::from);
            shown.row([program.into(), size.into(), asked.into()].into_iter().chain(numbers));
        }
    }
    shown
}

fn chart(rows: &[Row]) -> Chart {
    let points = |heap: &str| {
        let own = rows.iter().filter(|row| row.heap == heap);
        own.map(|row| (row.size as f64, row.accesses as f64)).collect::<Vec<_>>()
    };
    Chart {
        title: "Ten allocations of each size".into(),
        x: Axis::linear("bytes of a request"),
        y: Axis::linear("accesses of ten allocations"),
        series: HEAPS.map(|heap| Series::new(heap, Mark::LineAndDots, points(heap))).into(),
    }
}
