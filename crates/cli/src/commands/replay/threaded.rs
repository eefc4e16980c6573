//! `replay --threaded`: what sharing a heap takes, counted in the recorded order of threads and in others.

use heapsmith_replay::{ThreadCost, ThreadCounts, ThreadMeasures, ThreadedOptions, threaded};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{Bytes, ThreadSteps};

use crate::args::{Format, Replay};
use crate::console::say;
use crate::failure::Failure;
use crate::table::{Item, Table, bytes, heap, integer, none, number, text};
use crate::{input, progress};

const SHOWN: &[&str] = &[
    "footprint",
    "blow_up",
    "stranded_peak",
    "stranded_mean",
    "locks_per_op",
    "moves_per_op",
    "remote_frees_per_op",
    "accesses_per_op",
    "ns_per_op",
    "of",
    "heap",
];

/// What a narrow terminal does without.
const SPARED: &[&str] = &["stranded_mean", "remote_frees_per_op", "accesses_per_op", "locks_per_op"];

const MORE: &[&str] = &[
    "trace",
    "threads",
    "operations",
    "accesses",
    "acquisitions",
    "moves",
    "remote_frees",
    "mapped",
    "grown",
    "purges",
    "visited",
    "faults",
    "huge_faults",
    "resident_peak",
    "resident_mean",
    "resident_in_time",
    "huge_mean",
    "lazy_mean",
    "footprint_mean",
    "stranded_blocks_peak",
    "stranded_blocks_mean",
    "ns_per_op_played",
    "moves_per_op_played",
    "orders",
    "ns_per_op_low",
    "ns_per_op_high",
    "moves_per_op_low",
    "moves_per_op_high",
    "footprint_low",
    "footprint_high",
    "stranded_peak_low",
    "stranded_peak_high",
];

/// Counts every heap on every trace, and prints a row for each.
pub fn replay(arguments: &Replay) -> Result<(), Failure> {
    let specs = arguments.heap.iter().map(|named| Ok(resolve(named)?.for_malloc()?));
    let specs = specs.collect::<Result<Vec<Spec>, Failure>>()?;
    let orders = arguments.threaded.unwrap_or_default().into();
    let options = ThreadedOptions { orders, seed: arguments.order_seed, processors: arguments.processors };
    let mut table = Table::new(SHOWN).hiding(MORE).sparing(SPARED);
    for path in &arguments.traces {
        let trace = input::trace(path, &arguments.reading)?;
        let steps = ThreadSteps::of(&trace, trace.events.len());
        for spec in &specs {
            let spinner = progress::spinner(&format!("{} on {spec}", trace.name()));
            let measures = threaded(spec, &steps, options)?;
            spinner.finish_and_clear();
            let of = if arguments.traces.len() > 1 { text(trace.name()) } else { none() };
            table.row(row(spec, &steps, &measures, &trace.name(), of));
        }
    }
    table.print(arguments.format)?;
    if arguments.format == Format::Table {
        explain(orders);
    }
    Ok(())
}

fn row(spec: &Spec, trace: &ThreadSteps, measures: &ThreadMeasures, name: &str, of: Item) -> Vec<Item> {
    let counts = &measures.recorded;
    let each = |count: u64| count as f64 / counts.operations.max(1) as f64;
    let cost = |counts: &ThreadCounts| ThreadCost::MODEL.of(counts);
    let moves = |counts: &ThreadCounts| counts.moves as f64 / counts.operations.max(1) as f64;
    let range = |value: &dyn Fn(&ThreadCounts) -> f64| {
        let (low, high) = measures.range(value);
        [number(low, 3), number(high, 3)]
    };
    let bytes_range = |value: fn(&ThreadCounts) -> Bytes| {
        let (low, high) = measures.range(|counts| value(counts).0 as f64);
        [bytes(Bytes(low as u64)), bytes(Bytes(high as u64))]
    };
    let shown = [
        bytes(counts.footprint_peak),
        number(measures.blow_up(), 2),
        bytes(counts.stranded_peak),
        bytes(counts.stranded_mean),
        number(each(counts.acquisitions), 3),
        number(each(counts.moves), 3),
        number(each(counts.remote_frees), 3),
        number(each(counts.accesses), 2),
        number(cost(counts), 1),
        of,
        heap(&spec.to_string()),
        text(name),
        integer(trace.threads as u64),
        integer(counts.operations),
        integer(counts.accesses),
        integer(counts.acquisitions),
        integer(counts.moves),
        integer(counts.remote_frees),
        integer(counts.mapped),
        bytes(counts.grown),
        integer(counts.purges),
        integer(counts.visited),
        integer(counts.faults),
        integer(counts.huge_faults),
        bytes(counts.resident_peak),
        bytes(counts.resident_mean),
        bytes(counts.resident_in_time),
        bytes(counts.huge_mean),
        bytes(counts.lazy_mean),
        bytes(counts.footprint_mean),
        integer(counts.stranded_blocks_peak),
        integer(counts.stranded_blocks_mean),
        number(cost(&measures.played), 1),
        number(moves(&measures.played), 3),
        integer(measures.drawn.len() as u64),
    ];
    let ranges = [
        range(&cost),
        range(&moves),
        bytes_range(|counts| counts.footprint_peak),
        bytes_range(|counts| counts.stranded_peak),
    ];
    shown.into_iter().chain(ranges.into_iter().flatten()).collect()
}

fn explain(orders: usize) {
    let ThreadCost { access, acquisition, moved, remote_free, mapped, page, huge_page, purge, visit } =
        ThreadCost::MODEL;
    say!(
        "blow_up: the footprint over that of one heap for all threads. stranded: bytes that wait on lists or in heaps of other \
         threads. moves: locks that another thread had held last. ns_per_op: by a model, {access} ns an access, {acquisition} a \
         lock, {moved} a move, {remote_free} a remote free, {mapped} a mapping, {page} a page that \
         gets memory, {huge_page} a huge one, {purge} a call that gives pages back, {visit} a block that is visited for that; --time measures."
    );
    if orders > 0 {
        say!("In the recorded order; --format json also has the least and the most of {orders} further orders.");
    }
}
