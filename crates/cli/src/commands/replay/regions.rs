//! What each of several regions served: columns for programs, and a table for people.

use heapsmith_replay::{ByRegion, RegionMeasures};

use super::{Counted, Measured};
use crate::args::Format;
use crate::console::say;
use crate::failure::Failure;
use crate::table::{Item, Table, bytes, integer, none, numbers, text};

/// The columns of a heap's regions: a value for each region, in their order.
pub const COLUMNS: &[&str] = &[
    "weighted_cost",
    "regions",
    "region_footprint_peaks",
    "region_requested_peaks",
    "region_blocks",
    "region_bytes",
    "region_spilled",
    "region_accesses",
    "region_payload_words",
];

/// Their values.
pub fn items(counted: &Counted) -> Vec<Item> {
    let Some(found) = of(counted) else { return vec![none(); COLUMNS.len()] };
    let names: Vec<&str> = found.regions.iter().map(|region| region.region.name.as_str()).collect();
    let each = |of: fn(&RegionMeasures) -> u64| {
        numbers(&found.regions.iter().map(|region| of(region) as f64).collect::<Vec<f64>>())
    };
    vec![
        integer(found.cycles()),
        text(names.join(",")),
        each(|region| region.footprint_peak.0),
        each(|region| region.requested_peak.0),
        each(|region| region.blocks),
        each(|region| region.bytes),
        each(|region| region.spilled),
        each(|region| region.accesses),
        each(|region| region.payload),
    ]
}

/// The table of all heaps in regions; nothing where there is none.
pub fn explain(results: &[Measured]) -> Result<(), Failure> {
    let with_regions = || results.iter().filter_map(|result| Some((result, of(&result.counted)?)));
    if with_regions().next().is_none() {
        return Ok(());
    }
    say!();
    let columns =
        ["region", "size", "footprint", "requested", "blocks", "spilled", "accesses", "cost", "cycles", "of", "heap"];
    let mut table = Table::new(&columns).sparing(&["requested", "accesses", "cost"]);
    let several = results.iter().any(|result| result.trace != results[0].trace);
    for (result, found) in with_regions() {
        let of = || if several { text(result.trace.clone()) } else { none() };
        let heap = result.subject.spec().map_or_else(String::new, |spec| spec.in_one_region().to_string());
        for region in &found.regions {
            table.row([
                text(region.region.name.clone()),
                bytes(heapsmith_trace::Bytes(region.region.size)),
                bytes(region.footprint_peak),
                bytes(region.requested_peak),
                integer(region.blocks),
                integer(region.spilled),
                integer(region.accesses),
                integer(region.region.cost.into()),
                integer(region.cycles()),
                of(),
                crate::table::heap(&heap),
            ]);
        }
        let sums = [none(), none(), none(), none(), integer(found.spilled()), none(), none(), integer(found.cycles())];
        table.row([text("all")].into_iter().chain(sums).chain([of(), crate::table::heap(&heap)]));
    }
    table.print(Format::Table)?;
    say!(
        "cycles: a model. Each metadata access costs what one of its region does, and so does each word of payload, written once and \
         read once\nin the region that its block lies in. spilled: blocks that came to a region in which their size does not begin."
    );
    Ok(())
}

fn of(counted: &Counted) -> Option<&ByRegion> {
    match counted {
        Counted::Heap { by_region, .. } => by_region.as_ref(),
        Counted::Peer(_) => None,
    }
}
