//! Traces from what was named on the command line.

use std::path::Path;

use heapsmith_recording::{Recording, decode_to, is_recording};
use heapsmith_trace::{Origin, PackedTrace, Packer, Sink, Trace};
use heapsmith_workload::{Loaded, stream};

use crate::args::Reading;
use crate::failure::Failure;
use crate::progress;

/// Hands what lies at `path` to a sink, through the transforms that were asked for.
pub fn send(path: &Path, reading: &Reading, sink: &mut dyn Sink) -> Result<Origin, Failure> {
    let spinner = progress::spinner(&format!("reading {}", path.display()));
    let transforms = reading.transforms();
    let sink = &mut *transforms.before(sink);
    let loaded = if reading.input_format.is_none() && is_recording(path) {
        recorded(path, sink)
    } else {
        stream(path, reading.input_format.as_deref(), &reading.set, sink).map_err(Failure::from)
    };
    spinner.finish_and_clear();
    let loaded = loaded?;
    for remark in &loaded.remarks {
        eprintln!("{}: {remark}", path.display());
    }
    let mut origin = loaded.origin;
    origin.settings.extend(transforms.settings());
    Ok(origin)
}

/// Hands what a recording of our own holds to a sink.
fn recorded(path: &Path, sink: &mut dyn Sink) -> Result<Loaded, Failure> {
    let recorded = decode_to(&Recording::open(path)?, sink)?;
    Ok(Loaded { origin: recorded.trace.origin, remarks: Vec::new() })
}

/// Reads a trace, whatever lies at `path`.
pub fn trace(path: &Path, reading: &Reading) -> Result<Trace, Failure> {
    let mut trace = Trace::default();
    trace.origin = send(path, reading, &mut trace)?;
    Ok(trace)
}

/// Reads a trace as it is replayed: 16 bytes an event, and nothing else that grows with it.
pub fn stream_packed(path: &Path, reading: &Reading) -> Result<PackedTrace, Failure> {
    let mut packer = Packer::default();
    let origin = send(path, reading, &mut packer)?;
    Ok(packer.finish(origin.name()).checked()?)
}

/// A trace as it is replayed.
pub fn packed(trace: &Trace) -> Result<PackedTrace, Failure> {
    Ok(PackedTrace::new(trace)?.checked()?)
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
