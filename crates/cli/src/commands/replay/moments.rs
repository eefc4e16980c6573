//! Heaps at many moments of a trace, as a table.

use heapsmith_replay::{Moment, Region, ReplayOptions, over_time, replay};
use heapsmith_report::Watched;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::args::{Format, Replay};
use crate::console::say;
use crate::failure::Failure;
use crate::table::{Table, bytes, heap, integer, none, percent, text};

/// A table without rows.
pub fn table() -> Table {
    let shown = [
        "event",
        "requested",
        "blocks",
        "footprint",
        "footprint_peak",
        "fragmentation",
        "free",
        "largest_free",
        "largest_request",
        "heap",
    ];
    Table::new(&shown).hiding(&["trace", "region", "headers", "padding", "layers", "control"])
}

/// A heap at this many moments, in a region of this size, or else of its largest footprint.
pub fn watch(
    name: &str,
    spec: &Spec,
    trace: &PackedTrace,
    region: Option<Bytes>,
    count: usize,
) -> Result<Watched, Failure> {
    let mut reserve = Region::for_trace(trace)?;
    let size = match region {
        Some(region) => region,
        None => Bytes(replay(spec, trace, &mut reserve, ReplayOptions::MEASURE)?.footprint_peak.0.next_multiple_of(8)),
    };
    let moments = over_time(spec, trace, &mut reserve, size, count)?;
    Ok(Watched { name: name.to_owned(), spec: spec.to_string(), region: size, moments })
}

/// Adds a row for each moment.
pub fn add(table: &mut Table, trace: &PackedTrace, watched: &Watched) {
    for &Moment { event, blocks, footprint, footprint_peak, bytes: now } in &watched.moments {
        let fragmentation = match now.requested.0 {
            0 => none(),
            requested => percent(footprint.0 as f64 / requested as f64 - 1.0),
        };
        let sizes = [now.free, now.largest_free, now.largest_request].map(bytes);
        let hidden = [watched.region, now.headers, now.padding, now.layers, now.control].map(bytes);
        let shown = [integer(event), bytes(now.requested), integer(blocks), bytes(footprint), bytes(footprint_peak)];
        let ends = [heap(&watched.spec), text(trace.name.clone())];
        table.row(shown.into_iter().chain([fragmentation]).chain(sizes).chain(ends).chain(hidden));
    }
}

/// Below the table: what the columns mean.
pub fn explain(arguments: &Replay) {
    if arguments.format == Format::Table {
        say!(
            "fragmentation = footprint / requested - 1 now; free: bytes in free blocks below the never-used part of the \
             region;\nlargest request: the largest that would succeed now, in a region of {}.",
            match arguments.region {
                Some(size) => format!("{}, as --region says", Bytes(size)),
                None => "the heap's largest footprint".to_owned(),
            }
        );
    }
}
