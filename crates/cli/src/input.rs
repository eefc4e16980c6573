//! Traces from what was named on the command line.

use std::path::Path;

use heapsmith_recording::{Recording, RecordingError, decode_to, is_recording};
use heapsmith_trace::{Origin, PackedTrace, Packer, Sink, Trace};
use heapsmith_workload::{Loaded, stream};

use crate::args::Reading;
use crate::console::{self, note};
use crate::failure::Failure;
use crate::progress;
use crate::spool::Spool;

/// Hands what lies at `path` to a sink, through the transforms that were asked for.
pub fn send(path: &Path, reading: &Reading, sink: &mut dyn Sink) -> Result<Origin, Failure> {
    let spool = Spool::of(path)?;
    let mut origin = read(&spool, reading, sink).map_err(|failure| spool.name_in(failure))?;
    spool.name_origin(&mut origin);
    Ok(origin)
}

fn read(spool: &Spool<'_>, reading: &Reading, sink: &mut dyn Sink) -> Result<Origin, Failure> {
    let (path, named) = (spool.path(), spool.named());
    let spinner = progress::spinner(&format!("reading {}", named.display()));
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
        note!("{}: {remark}", console::name(&named.to_string_lossy()));
    }
    let mut origin = loaded.origin;
    origin.settings.extend(transforms.settings());
    Ok(origin)
}

/// Hands what a recording of our own holds to a sink.
fn recorded(path: &Path, sink: &mut dyn Sink) -> Result<Loaded, Failure> {
    let recorded = Recording::open(path).and_then(|recording| decode_to(&recording, sink));
    let recorded = recorded.map_err(|error| match error {
        RecordingError::Trace(error) => Failure::from(error.of(&path.display())),
        error => error.into(),
    })?;
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

/// As [`stream_packed`]; another sink learns of each event, too.
pub fn stream_packed_with(path: &Path, reading: &Reading, other: &mut dyn Sink) -> Result<PackedTrace, Failure> {
    let mut both = (Packer::default(), other);
    let origin = send(path, reading, &mut both)?;
    Ok(both.0.finish(origin.name()).checked()?)
}

/// A trace as it is replayed.
pub fn packed(trace: &Trace) -> Result<PackedTrace, Failure> {
    let packed = PackedTrace::new(trace).map_err(|error| error.of(&trace.name()))?;
    Ok(packed.checked()?)
}

/// Says on standard error what a trace is.
pub fn announce(trace: &PackedTrace) {
    note!(
        "{}: {} events, at most {} in {} blocks live at once",
        trace.name,
        trace.events.len(),
        trace.requested_peak,
        trace.slots
    );
}
