//! Traces from what was named on the command line.

use std::path::Path;

use heapsmith_import::{import_live, importer};
use heapsmith_recording::{Recording, RecordingError, decode_to, is_recording};
use heapsmith_trace::{Event, Origin, PackedTrace, Packer, Sink, Trace, TraceError, plural};
use heapsmith_workload::{LoadError, Loaded, stream};
use indicatif::ProgressBar;

use crate::args::Reading;
use crate::coming::Coming;
use crate::console::{self, note};
use crate::failure::Failure;
use crate::progress;
use crate::spool::Spool;

/// Hands what lies at `path` to a sink, through the transforms that were asked for. A sample of a program is refused: for what
/// takes a trace for all that its program asked of its heap.
pub fn send(path: &Path, reading: &Reading, sink: &mut dyn Sink) -> Result<Origin, Failure> {
    let origin = send_sampled(path, reading, sink)?;
    origin.whole()?;
    Ok(origin)
}

/// The same, also of a sample.
pub fn send_sampled(path: &Path, reading: &Reading, sink: &mut dyn Sink) -> Result<Origin, Failure> {
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
    if let Some(every) = origin.sample().filter(|_| transforms.make_another()) {
        return Err(Failure::bad_input(format!(
            "{} is a sample: one block in {every} was recorded, and another program cannot be made of a part of one: leave out \
             --jitter, --stretch, --shuffle, --copies and --gc-every",
            named.display()
        )));
    }
    origin.settings.extend(transforms.settings());
    Ok(origin)
}

/// As [`send`], from a serial port or a pipe, as it comes.
pub fn send_live(path: &Path, baud: Option<u64>, reading: &Reading, sink: &mut dyn Sink) -> Result<Origin, Failure> {
    if !reading.set.is_empty() {
        return Err(Failure::wrong_use("--follow takes what came before the first damage: leave out --set"));
    }
    let named = match reading.input_format.as_deref() {
        Some(name) => Some(importer(name).ok_or_else(|| {
            Failure::wrong_use(format!(
                "--follow reads what tools and boards record, and {name} is none of it: leave out --follow"
            ))
        })?),
        None => None,
    };
    let spinner = progress::spinner(&format!("waiting for {}", path.display()));
    let coming = Coming::open(path, baud)?;
    let transforms = reading.transforms();
    let mut shown = Shown { sink: &mut *transforms.before(sink), spinner: &spinner, events: 0 };
    let imported = import_live(path, Box::new(coming), named, &mut shown);
    spinner.finish_and_clear();
    let imported = imported.map_err(|error| Failure::from(LoadError::from(error)))?.ok_or_else(|| {
        Failure::bad_input(format!(
            "what comes from {} is no recording that is known: name it with --as, or read it without --follow",
            path.display()
        ))
    })?;
    for remark in &imported.remarks {
        note!("{}: {remark}", console::name(&path.to_string_lossy()));
    }
    let mut origin = imported.origin;
    origin.settings.extend(transforms.settings());
    Ok(origin)
}

/// A sink whose events are counted on the terminal.
struct Shown<'s> {
    sink: &'s mut dyn Sink,
    spinner: &'s ProgressBar,
    events: u64,
}

impl Sink for Shown<'_> {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.events += 1;
        if !self.spinner.is_hidden() && self.events.is_multiple_of(64) {
            self.spinner.set_message(format!(
                "{} events, {} s; Ctrl-C ends it",
                self.events,
                self.spinner.elapsed().as_secs()
            ));
        }
        self.sink.take(event)
    }

    fn name_site(&mut self, name: &str) {
        self.sink.name_site(name);
    }

    fn name_label(&mut self, text: &str) {
        self.sink.name_label(text);
    }

    fn is_full(&self) -> bool {
        self.sink.is_full()
    }

    fn end(&mut self) -> Result<(), TraceError> {
        self.sink.end()
    }
}

/// Hands what a recording of our own holds to a sink.
fn recorded(path: &Path, sink: &mut dyn Sink) -> Result<Loaded, Failure> {
    let recorded = Recording::open(path).and_then(|recording| decode_to(&recording, sink));
    let recorded = recorded.map_err(|error| match error {
        RecordingError::Trace(error) => Failure::from(error.of(&path.display())),
        error => error.into(),
    })?;
    let stopped =
        recorded.remarks.stopped.map(|stopped| format!("recording ended before the program did: {}", stopped.advice()));
    let remarks = stopped.into_iter().chain(recorded.remarks.sentences()).collect();
    Ok(Loaded { origin: recorded.trace.origin, remarks })
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
    Ok(packer.finish(&origin).checked()?)
}

/// As [`stream_packed`]; another sink learns of each event, too.
pub fn stream_packed_with(path: &Path, reading: &Reading, other: &mut dyn Sink) -> Result<PackedTrace, Failure> {
    let mut both = (Packer::default(), other);
    let origin = send(path, reading, &mut both)?;
    Ok(both.0.finish(&origin).checked()?)
}

/// A trace as it is replayed.
pub fn packed(trace: &Trace) -> Result<PackedTrace, Failure> {
    let packed = PackedTrace::new(trace).map_err(|error| error.of(&trace.name()))?;
    Ok(packed.checked()?)
}

/// Says on standard error what a trace is.
pub fn announce(trace: &PackedTrace) {
    note!(
        "{}: {}, at most {} in {} live at once",
        trace.name,
        plural(trace.events.len() as u64, "event", "events"),
        trace.requested_peak,
        plural(trace.slots as u64, "block", "blocks")
    );
}
