//! Traces from what was named on the command line.

use std::path::Path;

use heapsmith_recording::{Recording, decode, is_recording};
use heapsmith_trace::{PackedTrace, Trace};
use heapsmith_workload::load;

use crate::args::Reading;
use crate::failure::Failure;
use crate::progress;

/// Reads a trace, whatever lies at `path`.
pub fn trace(path: &Path, reading: &Reading) -> Result<Trace, Failure> {
    let spinner = progress::spinner(&format!("reading {}", path.display()));
    let trace = if reading.as_.is_none() && is_recording(path) {
        Recording::open(path).and_then(|recording| Ok(decode(&recording)?.trace)).map_err(Failure::from)
    } else {
        load(path, reading.as_.as_deref(), &reading.set).map_err(Failure::from)
    };
    spinner.finish_and_clear();
    let trace = trace?;
    Ok(match reading.shorten {
        Some(events) => trace.shortened(events),
        None => trace,
    })
}

/// A trace as it is replayed.
pub fn packed(trace: &Trace) -> Result<PackedTrace, Failure> {
    let packed = PackedTrace::new(trace)?;
    if packed.events.is_empty() {
        return Err(Failure::bad_input(format!("{} holds no allocations", packed.name)));
    }
    Ok(packed)
}

/// Says on standard error what a trace is.
pub fn announce(trace: &PackedTrace) {
    eprintln!(
        "{}: {} events, at most {} in {} blocks live at once",
        trace.name,
        trace.events.len(),
        trace.requested_peak,
        trace.slots
    );
}
