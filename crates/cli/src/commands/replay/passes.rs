//! Traces over and over, as a table.

use heapsmith_replay::{Drift, Pass, Region, passes};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::args::{Format, Leaked, Replay};
use crate::console::say;
use crate::failure::Failure;
use crate::table::{Table, bytes, heap, integer, none, number, numbers, text, word};

/// A table without rows.
pub fn table() -> Table {
    let shown = [
        "passes",
        "first_peak",
        "last_peak",
        "drift",
        "settles",
        "after_last",
        "first_accesses_per_op",
        "last_accesses_per_op",
        "refused",
        "of",
        "heap",
    ];
    Table::new(&shown).hiding(&["trace", "leaked", "footprint_peaks", "footprints", "accesses"])
}

/// Adds a row for a heap.
pub fn add(
    table: &mut Table,
    spec: &Spec,
    trace: &PackedTrace,
    arguments: &Replay,
    count: usize,
) -> Result<(), Failure> {
    let mut reserve = Region::for_passes(trace, count as u64)?;
    let (leaked, named) = match arguments.leaked {
        Leaked::Keep => (heapsmith_replay::Leaked::Keep, "keep"),
        Leaked::Free => (heapsmith_replay::Leaked::Free, "free"),
    };
    let all = passes(spec, trace, &mut reserve, arguments.region.map(Bytes), count, leaked)?;
    let (Some(first), Some(last)) = (all.first(), all.last()) else { return Ok(()) };
    let Drift { bytes: drift, settles } = Drift::of(&all);
    let settled = settles.map_or_else(|| word("no", "no"), |pass| integer(pass as u64));
    let of = if arguments.traces.len() > 1 { text(trace.name.clone()) } else { none() };
    let per_operation = |pass: &Pass| number(pass.accesses as f64 / trace.events.len().max(1) as f64, 2);
    let each = |of: fn(&Pass) -> u64| numbers(&all.iter().map(|pass| of(pass) as f64).collect::<Vec<_>>());
    table.row([
        integer(count as u64),
        bytes(first.footprint_peak),
        bytes(last.footprint_peak),
        signed(drift),
        settled,
        bytes(last.footprint),
        per_operation(first),
        per_operation(last),
        integer(all.iter().map(|pass| pass.failed).sum()),
        of,
        heap(&spec.to_string()),
        text(trace.name.clone()),
        text(named),
        each(|pass| pass.footprint_peak.0),
        each(|pass| pass.footprint.0),
        each(|pass| pass.accesses),
    ]);
    Ok(())
}

/// A difference of bytes, shown with its sign and in its unit.
fn signed(difference: i128) -> crate::table::Item {
    let size = Bytes(u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX));
    let sign = match difference {
        0 => "",
        1.. => "+",
        _ => "-",
    };
    crate::table::difference(difference as i64, &format!("{sign}{size}"))
}

/// Below the table: what the columns mean.
pub fn explain(arguments: &Replay) {
    if arguments.format == Format::Table {
        say!(
            "first, last peak: peak footprint of the pass; drift: last peak minus first, or minus the second if the first pass \
             leaves blocks live;\nsettles: the first pass after which neither peak nor remainder changes. Blocks that the \
             trace never frees: {}.",
            match arguments.leaked {
                Leaked::Keep => "kept after the first pass, freed at the end of later passes",
                Leaked::Free => "freed at the end of each pass",
            }
        );
    }
}
