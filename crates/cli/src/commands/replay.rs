//! `heapsmith replay`: given heaps on given traces, measured.

use heapsmith_replay::{AtPeak, Measures, Options, Region, Timing, at_peak, min_region, replay, time};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{Bytes, PackedTrace};

use crate::args::{Format, Replay};
use crate::failure::Failure;
use crate::table::{self, Item, Table, bytes, integer, none, number, percent, text};
use crate::{input, progress};

/// Rounds of timing.
const ROUNDS: usize = 9;

pub fn run(arguments: &Replay) -> Result<(), Failure> {
    let specs: Vec<Spec> = arguments.heap.iter().map(|text| resolve(text)).collect::<Result<_, _>>()?;
    let mut table = Table::new(SHOWN).hiding(Measures::COLUMNS).hiding(MORE);
    let (mut refused, mut floor) = (None, None);
    for path in &arguments.traces {
        let trace = input::stream_packed(path, &arguments.reading)?;
        input::announce(&trace);
        let mut region = Region::for_trace(&trace)?;
        let timings = timings(arguments, &specs, &trace, &mut region)?;
        floor = timings.as_ref().map(|(_, floor)| *floor);
        for (number, spec) in specs.iter().enumerate() {
            let spinner = progress::spinner(&format!("{} on {spec}", trace.name));
            let result = measure(arguments, spec, &trace, &mut region)?;
            spinner.finish_and_clear();
            if result.measures.failed > 0 {
                refused.get_or_insert(format!("{spec} refused {} requests of {}", result.measures.failed, trace.name));
            }
            let timing = timings.as_ref().map(|(times, floor)| (times[number], *floor));
            table.row(row(arguments, spec, &trace, &result, timing));
        }
    }
    table.print(arguments.format)?;
    if arguments.format == Format::Table {
        if let Some(floor) = floor {
            println!("ns/op: median of {ROUNDS} rounds; a heap that does nothing: {:.1}.", floor.median);
        }
        println!("fragmentation = footprint peak / requested peak - 1; accesses: metadata words read and written.");
    }
    match refused {
        Some(refused) if arguments.verify => Err(Failure::job(refused)),
        Some(refused) => {
            eprintln!("heapsmith: {refused}");
            Ok(())
        }
        None => Ok(()),
    }
}

/// What was measured of one heap on one trace.
struct Measured {
    measures: Measures,
    at_peak: AtPeak,
    min_region: Option<Option<Bytes>>,
}

fn measure(arguments: &Replay, spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<Measured, Failure> {
    let options = Options {
        region: arguments.region.map(Bytes),
        verify: arguments.verify,
        check_every: arguments.check,
        stop_when_refused: false,
    };
    let measures = replay(spec, trace, region, options)?;
    let at_peak = at_peak(spec, trace, region, &measures)?;
    let min_region = arguments.min_region.then(|| min_region(spec, trace, region)).transpose()?;
    Ok(Measured { measures, at_peak, min_region })
}

type Timings = Option<(Vec<Timing>, Timing)>;

fn timings(arguments: &Replay, specs: &[Spec], trace: &PackedTrace, region: &mut Region) -> Result<Timings, Failure> {
    if !arguments.time {
        return Ok(None);
    }
    let spinner = progress::spinner(&format!("timing {} rounds of {}", ROUNDS, trace.name));
    let timed = time(&specs.iter().collect::<Vec<_>>(), trace, region, ROUNDS)?;
    spinner.finish_and_clear();
    Ok(Some(timed))
}

const SHOWN: &[&str] = &[
    "fragmentation",
    "footprint",
    "min_region",
    "accesses_per_op",
    "p99",
    "worst",
    "refused",
    "ns_per_op",
    "of",
    "heap",
];

const MORE: &[&str] = &[
    "trace",
    "floor_ns_per_op",
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
];

fn row(
    arguments: &Replay,
    spec: &Spec,
    trace: &PackedTrace,
    result: &Measured,
    timing: Option<(Timing, Timing)>,
) -> Vec<Item> {
    let Measured { measures, at_peak, min_region } = result;
    let shown = [
        percent(measures.fragmentation()),
        bytes(measures.footprint_peak),
        min_region.flatten().map_or_else(none, bytes),
        number(measures.accesses_per_operation(), 2),
        integer(measures.accesses.p99),
        integer(measures.accesses.max),
        integer(measures.failed),
        timing.map_or_else(none, |(time, _)| number(time.median, 1)),
        if arguments.traces.len() > 1 { text(trace.name.clone()) } else { none() },
        table::heap(&spec.to_string()),
    ];
    let name = text(trace.name.clone());
    let floor = timing.map_or_else(none, |(_, floor)| number(floor.median, 1));
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
    let integers = measures.to_row().into_iter().map(integer);
    shown.into_iter().chain(integers).chain([name, floor]).chain(shares).chain(peak.map(bytes)).collect()
}
