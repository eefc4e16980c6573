//! What the heap of a program did, next to what the exploration promised of it.
//!
//! ```text
//!   exploration ─▶ Measures of the pick, pages ─▶ promised ┐
//!   library ─▶ statistics of the process, JSON ─▶ counted  ┴─▶ one row a figure
//! ```
//!
//! With several traces the promise is the largest figure over them.

use heapsmith_replay::Measures;
use heapsmith_trace::{Bytes, plural};
use serde_json::Value;

use crate::args::Format;
use crate::console::note;
use crate::failure::Failure;
use crate::heap::Named;
use crate::table::{Item, Table, bytes, integer, none, percent, text};

/// Prints the statistics of a process that ran on the heap, as the library wrote them.
pub fn print(named: &Named, statistics: &Value) -> Result<(), Failure> {
    let mut table = Table::new(&["measure", "promised", "counted"]);
    let counted = |key: &str| statistics[key].as_u64();
    let operations = ["allocations", "frees", "reallocations"].map(|key| counted(key).unwrap_or(0)).iter().sum();
    let measured = named.measured();
    let promised = |of: fn(&Measures) -> u64| measured.iter().map(|(_, measures)| of(measures)).max();
    let mut row = |name: &str, promised: Option<u64>, counted: Option<u64>, item: fn(u64) -> Item| {
        table.row([text(name), promised.map_or_else(none, item), counted.map_or_else(none, item)]);
    };
    let size = |value: u64| bytes(Bytes(value));
    row("operations", promised(|measures| measures.operations), Some(operations), integer);
    row("requests refused", promised(|measures| measures.failed), counted("refused"), integer);
    row("peak live bytes", promised(|measures| measures.requested_peak.0), counted("requested_peak"), size);
    row("peak footprint", promised(|measures| measures.footprint_peak.0), counted("footprint_peak"), size);
    row("mean footprint", promised(|measures| measures.footprint_mean.0), counted("footprint_mean"), size);
    row("pages touched", named.touched().map(|touched| touched.0), counted("touched_peak"), size);
    row("resident, all of the process", None, counted("resident_peak"), size);
    let worst = measured.iter().map(|(_, measures)| measures.fragmentation()).max_by(f64::total_cmp);
    let fragmentation = statistics["fragmentation"].as_f64().filter(|_| operations > 0);
    table.row([text("fragmentation"), worst.map_or_else(none, percent), fragmentation.map_or_else(none, percent)]);
    table.note(Format::Table)?;
    remarks(named, statistics);
    Ok(())
}

/// What keeps the two columns from being figures of the same thing.
fn remarks(named: &Named, statistics: &Value) {
    let mapped = statistics["mapped_requests"].as_u64().unwrap_or(0);
    if mapped > 0 {
        let mapped = plural(mapped, "request", "requests");
        note!("mapped separately, in the footprint and not in the pages touched: {mapped}");
    }
    let touched = statistics["touched_peak"].as_u64().zip(named.touched());
    if let Some((counted, promised)) =
        touched.filter(|(counted, promised)| mapped == 0 && counted * 10 < promised.0 * 9)
    {
        let share = counted * 100 / promised.0;
        note!("pages are promised for blocks that are written whole: the program wrote to {share}% of those pages");
    }
    if let measured @ [_, _, ..] = named.measured() {
        note!("promised: the largest of {} traces", measured.len());
    }
    if statistics["heaps"].as_array().is_some_and(|heaps| heaps.len() > 1) {
        note!("the threads of the program had heaps of their own: the footprint is the sum of them");
    }
}
