//! What `replay` measured, as a table.

use heapsmith_replay::{AtPeak, Latencies, Latency, Measures, Spread, Timing};

use super::{Counted, Measured, regions};
use crate::args::{Format, Replay};
use crate::console::say;
use crate::failure::Failure;
use crate::table::{self, Item, Table, bytes, integer, none, number, numbers, percent, text};

const SHOWN: &[&str] = &[
    "fragmentation",
    "footprint",
    "touched_page_overhead",
    "touched_pages",
    "min_region",
    "accesses_per_op",
    "p99",
    "max",
    "max_in_region",
    "cost_per_op",
    "refused",
    "ns_per_op",
    "of",
    "heap",
];

/// What a narrow terminal does without.
const SPARED: &[&str] = &["touched_pages", "cost_per_op", "touched_page_overhead", "refused", "p99", "of"];

const MORE: &[&str] = &[
    "trace",
    "null_ns_per_op",
    "internal_fragmentation",
    "external_fragmentation",
    "peak_requested",
    "peak_headers",
    "peak_padding",
    "peak_layers",
    "peak_free",
    "peak_control",
    "peak_largest_free",
    "peak_largest_request",
    "version",
    "timed_as",
    "events_replayed",
    "ns_per_op_low",
    "ns_per_op_high",
    "ns_reliable",
    "ns_per_op_min",
    "ns_per_op_max",
    "ns_per_op_rounds",
    "latency_p50",
    "latency_p90",
    "latency_p99",
    "latency_p999",
    "latency_max",
    "counter_p50",
    "counter_p90",
    "counter_p99",
    "counter_p999",
    "counter_max",
    "cost",
    "cost_first_misses",
    "cost_second_misses",
    "cost_copied",
];

/// A row for each heap on each trace.
pub fn table(arguments: &Replay, results: &[Measured]) -> Table {
    let mut table = Table::new(SHOWN).hiding(Measures::COLUMNS).hiding(MORE).hiding(regions::COLUMNS).sparing(SPARED);
    results.iter().for_each(|result| table.row(row(arguments, result)));
    table
}

fn row(arguments: &Replay, result: &Measured) -> Vec<Item> {
    let timing = result.timing.as_ref().and_then(|timings| timings.subjects.first());
    let pages = result.pages.as_ref();
    let of = if arguments.traces.len() > 1 { text(result.trace.clone()) } else { none() };
    let (before, after, integers, peak) = match &result.counted {
        Counted::Heap { measures, at_peak, smallest, cost, .. } => (
            [percent(measures.fragmentation()), bytes(measures.footprint_peak)],
            [
                smallest.as_ref().map_or_else(none, |(region, _)| bytes(*region)),
                number(measures.accesses_per_operation(), 2),
                integer(measures.accesses.p99),
                integer(measures.accesses.max),
                smallest.as_ref().map_or_else(none, |(_, there)| integer(there.accesses.max)),
                cost.map_or_else(none, |cost| number(cost.per_operation(), 1)),
                integer(measures.failed),
            ],
            measures.to_row().into_iter().map(integer).collect(),
            at_the_peak(measures, at_peak),
        ),
        Counted::Peer(measures) => (
            [none(), none()],
            [none(), none(), none(), none(), none(), none(), integer(measures.failed)],
            Measures::COLUMNS
                .iter()
                .map(|&column| match column {
                    "operations" => integer(measures.operations),
                    "failed" => integer(measures.failed),
                    "requested_peak" => bytes(result.requested_peak),
                    _ => none(),
                })
                .collect::<Vec<_>>(),
            vec![none(); 10],
        ),
    };
    let in_pages = [
        pages.map_or_else(none, |pages| percent(pages.fragmentation())),
        pages.map_or_else(none, |pages| bytes(pages.touched)),
    ];
    let shown = before.into_iter().chain(in_pages).chain(after);
    let time = [timing.map_or_else(none, |timing| table::time(timing.spread)), of, named(result)];
    let null_allocator =
        result.timing.as_ref().map_or_else(none, |timings| number(timings.null_allocator.spread.median, 1));
    let version = result.subject.peer().map_or_else(none, |peer| text(peer.version()));
    let events = timing.map_or_else(none, |timing| integer(timing.events as u64));
    let mut items: Vec<Item> = shown.chain(time).chain(integers).collect();
    items.extend([text(result.trace.clone()), null_allocator]);
    items.extend(peak);
    let timed = timing.filter(|_| result.subject.spec().is_some());
    let timed_as = timed.map_or_else(none, |_| text(if result.is_compiled { "compiled" } else { "built-in" }));
    items.extend([version, timed_as, events]);
    items.extend(rounds(timing));
    items.extend(latencies(result.latency.as_ref()));
    items.extend(costs(&result.counted));
    items.extend(regions::items(&result.counted));
    items
}

/// The heap's spec; of a peer also how far it was let.
fn named(result: &Measured) -> Item {
    let name = result.subject.to_string();
    match result.cut_short {
        Some(events) => table::word(&name, &format!("{name}, first {events} events")),
        None => table::heap(&name),
    }
}

fn at_the_peak(measures: &Measures, at_peak: &AtPeak) -> Vec<Item> {
    let shares = [percent(measures.internal_fragmentation()), percent(measures.external_fragmentation())];
    let peak = [
        at_peak.requested,
        at_peak.headers,
        at_peak.padding,
        at_peak.layers,
        at_peak.free,
        at_peak.control,
        at_peak.largest_free,
        at_peak.largest_request,
    ];
    shares.into_iter().chain(peak.map(bytes)).collect()
}

fn rounds(timing: Option<&Timing>) -> Vec<Item> {
    let Some(timing) = timing else { return vec![none(); 6] };
    let Spread { low, high, .. } = timing.spread;
    let interval = [number(low, 1), number(high, 1), table::flag(timing.spread.is_reliable())];
    interval.into_iter().chain([number(timing.min, 1), number(timing.max, 1), numbers(&timing.rounds)]).collect()
}

/// What the cost is made of, besides accesses and visits.
fn costs(counted: &Counted) -> Vec<Item> {
    let Counted::Heap { cost: Some(cost), .. } = counted else { return vec![none(); 4] };
    [cost.cycles(), cost.first_misses, cost.second_misses, cost.copied].map(integer).to_vec()
}

fn latencies(latencies: Option<&Latencies>) -> Vec<Item> {
    match latencies {
        Some(all) => all.subjects.iter().chain([&all.counter]).flat_map(percentiles).collect(),
        None => vec![none(); 10],
    }
}

fn percentiles(latency: &Latency) -> [Item; 5] {
    [latency.p50, latency.p90, latency.p99, latency.p999, latency.max].map(|nanoseconds| number(nanoseconds, 1))
}

/// Below the table: the latencies, and what the columns mean.
pub fn explain(arguments: &Replay, results: &[Measured]) -> Result<(), Failure> {
    if arguments.latency {
        latency_table(results)?;
    }
    regions::explain(results)?;
    if let Some(null_allocator) =
        results.last().and_then(|result| result.timing.as_ref()).map(|timings| &timings.null_allocator)
    {
        let rounds = arguments.rounds;
        let median = null_allocator.spread.median;
        say!(
            "ns/op: median of {rounds} interleaved rounds of a trace that was just played; the null allocator takes {median:.1}."
        );
        if results.iter().any(|result| result.is_compiled) {
            say!("Heaps were timed as they ship: emitted as C, and compiled at -O2.");
        }
    }
    let timings = || results.iter().filter_map(|result| result.timing.as_ref()).flat_map(|all| &all.subjects);
    if timings().any(|timing| !timing.spread.is_reliable()) {
        say!("{}", table::UNRELIABLE);
    }
    if arguments.cost {
        say!("cost: model cycles of accesses, visits, and lines that a model cache of 32 and 512 KiB does not hold.");
    }
    if arguments.min_region {
        say!("max in region: the most accesses of an operation in the smallest region; max: in a region with room.");
    }
    say!("fragmentation = footprint peak / requested peak - 1; accesses: metadata words read and written.");
    if results.iter().any(|result| result.pages.is_some()) {
        say!(
            "touched pages: peak bytes of the pages that a child process touches while it replays and writes all payloads;\n\
             touched-page overhead = touched / requested peak - 1. Reference allocators expose neither metadata \
             accesses nor an exact footprint."
        );
    }
    if results.iter().any(|result| result.cut_short.is_some()) {
        say!(
            "Cut short: reference allocators that search all free blocks for a request (--linear-events). Their \
             memory is compared with the peak of those events."
        );
    }
    Ok(())
}

fn latency_table(results: &[Measured]) -> Result<(), Failure> {
    say!(
        "\nSingle operations in ns by the processor's counter: the mean of each operation's rounds without the slowest; \
         then accesses, which are the same everywhere"
    );
    let columns = ["p50", "p90", "p99", "p99.9", "max", "accesses p50", "p99 ", "p99.9 ", "max ", "of", "heap"];
    let mut table = Table::new(&columns);
    for result in results {
        let Some(latency) = result.latency.as_ref().and_then(|latencies| latencies.subjects.first()) else { continue };
        let accesses = match &result.counted {
            Counted::Heap { measures, .. } => {
                let accesses = &measures.accesses;
                [accesses.p50, accesses.p99, accesses.p999, accesses.max].map(integer)
            }
            Counted::Peer(_) => [none(), none(), none(), none()],
        };
        let several = results.iter().any(|other| other.trace != result.trace);
        let of = if several { text(result.trace.clone()) } else { none() };
        table.row(percentiles(latency).into_iter().chain(accesses).chain([of, named(result)]));
    }
    if let Some(Latencies { counter, step, .. }) = results.last().and_then(|result| result.latency.as_ref()) {
        let nothing = [none(), none(), none(), none(), none()];
        let cost = "the null allocator: the cost of reading the counter, included in every row";
        let name = text(format!("{cost} (it advances in steps of {step:.1} ns)"));
        table.row(percentiles(counter).into_iter().chain(nothing).chain([name]));
    }
    table.print(Format::Table)
}
