//! Section 2.8, on a processor: the pause that moving blocks makes, in instructions of the emitted C.

use std::fmt::Write;

use heapsmith_emit::{SizeError, cortex_m3};
use heapsmith_output::Scratch;
use heapsmith_report::chart::{Bars, Measured};
use heapsmith_trace::{Operation, PackedTrace};
use serde::Serialize;

use super::loads::Shape;
use crate::error::ExperimentError;
use crate::experiment::{Experiment, REAL_TIME};
use crate::outcome::Outcome;
use crate::played::{self, Cost, NAME};
use crate::setting::Setting;
use crate::shown::{Shown, Value, digits, listed, thousands};

pub(crate) static EXPERIMENT: Experiment = Experiment {
    name: "002-pause",
    paper: &REAL_TIME,
    place: "Section 2.8, pause",
    title: "instructions of a request that moves blocks, on an emulated Cortex-M3",
    claim: "Defragmentation has to take bounded time, since no program can foresee it; objects are reached through \
            handles, so that only the handle's pointer changes when one moves (Donahue et al. 2001, sections 2.8 and 3). \
            The paper measures nothing of it.",
    differs: "The C that this project emits, at -Os, on an emulated Cortex-M3, which counts instructions and knows no \
              cycles. Loads that fragment, with 80% of the heap live, blocks of 64 to 4096 bytes, and all handles \
              reserved at the start. The bound is on bytes: (k - l)·2^k words for a block of 2^k, l the smallest order; \
              besides, every block of the heap is visited at most 2^(k-l) times, which no load comes near.",
    samples: &[],
    run,
};

const SYSTEMS: [(&str, &str); 2] =
    [("Knuth's", "buddy(knuth, defragment=on-demand)"), ("estranged", "buddy(estranged, defragment=on-demand)")];
/// The heaps, in bytes.
const HEAPS: [u64; 3] = [8 << 10, 16 << 10, 32 << 10];
/// The share of the heap that is live.
const LIVE: f64 = 0.8;
/// Bytes of the largest request.
const LARGEST: u64 = 4096 - 8;

#[derive(Debug, Serialize)]
struct Row {
    system: &'static str,
    load: &'static str,
    heap: u64,
    events: usize,
    allocate: Option<f64>,
    max_allocate: Option<f64>,
    moved_for: Option<f64>,
    moving: Option<f64>,
    max_moving: Option<f64>,
    refused: Option<f64>,
    max_refused: Option<f64>,
    free: Option<f64>,
    max_free: Option<f64>,
    max_moved: Option<u64>,
    bound: Option<u64>,
    blocks_read: Option<u64>,
    bytes_wrong: Option<u64>,
}

fn run(setting: &mut Setting<'_>) -> Result<Outcome, ExperimentError> {
    let (mut rows, mut missing) = (Vec::new(), None);
    let steps = SYSTEMS.len() * Shape::ALL.len() * HEAPS.len();
    for system in SYSTEMS {
        for shape in Shape::ALL {
            for heap in HEAPS {
                setting.step(rows.len(), steps, &format!("{}, {}, {heap} bytes", system.0, shape.name()))?;
                let requests = setting.of(6000, 500);
                let trace = shape.program(requests, (heap as f64 * LIVE) as u64, setting.seed)?;
                let scratch = Scratch::new()?;
                let sources =
                    played::write(&scratch, system.1, include_str!("pause/player.c"), &defines(heap, &trace))?;
                // The emulator is a program of its own, which a test does without.
                let printed = match setting.is_whole() {
                    true => cortex_m3::run(scratch.path(), &sources.iter().map(String::as_str).collect::<Vec<_>>()),
                    false => Ok(String::new()),
                };
                let played = match printed {
                    Ok(text) => Played::read(&text),
                    Err(error @ SizeError::Missing { .. }) => {
                        missing = Some(error.to_string());
                        None
                    }
                    Err(error) => return Err(error.into()),
                };
                rows.push(row(system.0, shape, heap, trace.events.len(), played));
            }
        }
    }
    outcome(&rows, missing)
}

/// What the player has to know of the heap and the load.
fn defines(heap: u64, trace: &PackedTrace) -> String {
    let mut events = String::new();
    for event in &trace.events {
        let size = if event.operation == Operation::Allocate { event.size } else { 0 };
        let _ = write!(events, "{}U,", u64::from(event.slot) << 16 | size);
    }
    let slots = trace.slots;
    format!(
        "#define HANDLE {NAME}_handle\n#define RESERVE {NAME}_reserve_handles\n\
         #define ALLOCATE {NAME}_allocate_movable\n#define FREE {NAME}_free_movable\n#define GET {NAME}_get\n\
         #define STATISTICS {NAME}_statistics\n#define BOUND {NAME}_max_moved\n#define LARGEST {LARGEST}U\n\
         #define REGION {heap}U\n#define SLOTS {slots}U\n#define EVENTS {events}"
    )
}

/// What the player printed.
#[derive(Debug)]
struct Played {
    wrong: u64,
    looked: u64,
    max_moved: u64,
    bound: u64,
    /// Requests that moved nothing, that moved blocks, that were refused; frees.
    costs: Vec<Cost>,
}

impl Played {
    fn read(text: &str) -> Option<Played> {
        let mut lines = text.lines();
        let first: Option<Vec<u64>> = lines.next()?.split(' ').map(|number| number.parse().ok()).collect();
        let [wrong, looked, max_moved, bound] = first?[..] else { return None };
        let costs: Vec<Cost> = lines.map(Cost::read).collect::<Option<_>>()?;
        (costs.len() == 4).then_some(Played { wrong, looked, max_moved, bound, costs })
    }
}

fn row(system: &'static str, shape: Shape, heap: u64, events: usize, played: Option<Played>) -> Row {
    let played = played.as_ref();
    let of = |kind: usize, value: fn(&Cost) -> f64| {
        played.map(|played| &played.costs[kind]).filter(|cost| cost.operations > 0.0).map(value)
    };
    Row {
        system,
        load: shape.name(),
        heap,
        events,
        allocate: of(0, |cost| cost.mean),
        max_allocate: of(0, |cost| cost.max),
        moved_for: played.map(|played| played.costs[1].operations),
        moving: of(1, |cost| cost.mean),
        max_moving: of(1, |cost| cost.max),
        refused: played.map(|played| played.costs[2].operations),
        max_refused: of(2, |cost| cost.max),
        free: of(3, |cost| cost.mean),
        max_free: of(3, |cost| cost.max),
        max_moved: played.map(|played| played.max_moved),
        bound: played.map(|played| played.bound),
        blocks_read: played.map(|played| played.looked),
        bytes_wrong: played.map(|played| played.wrong),
    }
}

fn outcome(rows: &[Row], missing: Option<String>) -> Result<Outcome, ExperimentError> {
    let mut outcome = Outcome::new(rows)?;
    let events: usize = rows.iter().map(|row| row.events).sum();
    outcome.state(
        "002:handles-in-c",
        format!("{} programs of {} operations in all", rows.len(), thousands(events as u64)),
        rows.len() == SYSTEMS.len() * Shape::ALL.len() * HEAPS.len(),
    );
    let is_measured = rows.iter().all(|row| row.bound.is_some());
    outcome.found = match missing {
        Some(missing) => format!("Not measured: {missing}."),
        None if is_measured => measured(&mut outcome, rows),
        None => "The programs are written; the emulator was not asked.".to_owned(),
    };
    outcome.tables.push(shown(rows));
    draw(&mut outcome, rows);
    Ok(outcome)
}

/// The largest of a column, over the rows of one heap or all.
fn largest(rows: &[Row], heap: Option<u64>, of: fn(&Row) -> Option<f64>) -> f64 {
    rows.iter().filter(|row| heap.is_none_or(|heap| row.heap == heap)).filter_map(of).fold(0.0, f64::max)
}

/// States what the emulator counted; returns what was found.
fn measured(outcome: &mut Outcome, rows: &[Row]) -> String {
    let sum = |of: fn(&Row) -> Option<u64>| rows.iter().filter_map(of).sum::<u64>();
    let moved_for: f64 = rows.iter().filter_map(|row| row.moved_for).sum();
    outcome.state(
        "002:only-the-handle-changes",
        format!(
            "{} blocks read through their handles, {} bytes wrong, with {} requests that moved blocks",
            thousands(sum(|row| row.blocks_read)),
            sum(|row| row.bytes_wrong),
            thousands(moved_for as u64)
        ),
        sum(|row| row.bytes_wrong) == 0 && moved_for > 0.0,
    );
    let within = rows.iter().filter(|row| row.max_moved <= row.bound).count();
    let moved = largest(rows, None, |row| row.max_moved.map(|bytes| bytes as f64));
    let bound = largest(rows, None, |row| row.bound.map(|bytes| bytes as f64));
    let pause = largest(rows, None, |row| row.max_moving);
    outcome.state(
        "002:pause-is-within-its-bound",
        format!(
            "in {within} of {} runs; at most {} bytes of {} were moved, in a pause of {} instructions",
            rows.len(),
            thousands(moved as u64),
            thousands(bound as u64),
            thousands(pause as u64)
        ),
        within == rows.len(),
    );
    let grows = growth(rows);
    outcome.state(
        "002:pause-does-not-grow-with-the-heap",
        format!(
            "from 8 to 32 KB the longest of a load grows {} times; over all loads they are {} instructions in 8, 16 and 32 KB",
            listed(&grows.iter().copied().map(digits).collect::<Vec<_>>()),
            listed(&HEAPS.map(|heap| digits(largest(rows, Some(heap), |row| row.max_moving))))
        ),
        grows.iter().all(|&grows| grows < 1.5),
    );
    format!(
        "The longest request that moved blocks took {} instructions and moved at most {} bytes (bound {}); the longest \
         that moved nothing {}.",
        thousands(pause as u64),
        thousands(moved as u64),
        thousands(bound as u64),
        thousands(largest(rows, None, |row| row.max_allocate) as u64)
    )
}

/// How many times as long the longest request that moved blocks is in the largest heap as in the smallest, by system and
/// load.
fn growth(rows: &[Row]) -> Vec<f64> {
    let of = |row: &Row, heap: u64| {
        let same = rows.iter().find(|other| (other.system, other.load, other.heap) == (row.system, row.load, heap));
        same.and_then(|same| same.max_moving)
    };
    let smallest = rows.iter().filter(|row| row.heap == HEAPS[0]);
    smallest.filter_map(|row| Some(of(row, HEAPS[HEAPS.len() - 1])? / row.max_moving?)).collect()
}

fn shown(rows: &[Row]) -> Shown {
    let columns = [
        "system",
        "load",
        "heap, bytes",
        "allocation",
        "max",
        "requests that moved",
        "mean",
        "max",
        "refused",
        "max",
        "free",
        "max",
        "bytes moved, max",
        "bound",
    ];
    let mut shown = Shown::new("Instructions on an emulated Cortex-M3, on average and at most", columns);
    for row in rows {
        let whole = |number: Option<f64>| number.map(|number| Value::Integer(number.round() as u64));
        shown.row([
            row.system.into(),
            row.load.into(),
            row.heap.into(),
            whole(row.allocate).into(),
            whole(row.max_allocate).into(),
            whole(row.moved_for).into(),
            whole(row.moving).into(),
            whole(row.max_moving).into(),
            whole(row.refused).into(),
            whole(row.max_refused).into(),
            whole(row.free).into(),
            whole(row.max_free).into(),
            row.max_moved.into(),
            row.bound.into(),
        ]);
    }
    shown
}

fn draw(outcome: &mut Outcome, rows: &[Row]) {
    let names = HEAPS.iter().map(|heap| format!("{} KB", heap >> 10)).collect();
    let series = |name: &str, of: fn(&Row) -> Option<f64>| {
        Measured::new(name, HEAPS.map(|heap| largest(rows, Some(heap), of).max(1.0)))
    };
    let bars = Bars {
        title: "The longest request".into(),
        y: "instructions on a Cortex-M3".into(),
        names,
        series: vec![
            series("that moved nothing", |row| row.max_allocate),
            series("that moved blocks", |row| row.max_moving),
        ],
        ..Bars::default()
    };
    outcome.draw("", "The longest request of all loads and both systems, by the size of the heap", bars.svg());
}

#[cfg(test)]
mod tests {
    use super::Played;

    #[test]
    fn what_the_player_printed_is_bytes_and_instructions() {
        let played = Played::read("0 9 640 8192\n10 320 64\n2 320 256\n0 0 0\n9 288 32\n").expect("five lines");
        assert_eq!((played.wrong, played.looked, played.max_moved, played.bound), (0, 9, 640, 8192));
        assert_eq!((played.costs[0].mean, played.costs[1].mean, played.costs[1].max), (10.0, 50.0, 80.0));
        assert_eq!((played.costs[2].operations, played.costs[3].max), (0.0, 10.0));
        assert!(Played::read("0 9 640\n10 320 64\n").is_none() && Played::read("fault\n").is_none());
    }
}
