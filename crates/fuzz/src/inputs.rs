//! Files that become traces: recordings of other tools, captures, logs, packed or not, and trace files.

use std::io::Cursor;
use std::path::Path;

use heapsmith_import::{ImportError, Imported, buffers, import, import_live, importer};
use heapsmith_trace::memory::set_budget;
use heapsmith_trace::{Bytes, Event, PackedTrace, Sink, Trace, TraceError};

use crate::given::as_file;

/// Takes the first events of a trace.
struct Beginning {
    trace: Trace,
    max: usize,
}

impl Beginning {
    fn of(max: usize) -> Beginning {
        // What a process may have is decided once; what the machine has must not decide it here.
        set_budget(Bytes(128 << 20));
        Beginning { trace: Trace::default(), max }
    }
}

impl Sink for Beginning {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.trace.take(event)
    }

    fn is_full(&self) -> bool {
        self.trace.events.len() >= self.max
    }
}

/// Events of a file that makes more of them than it has bytes.
const EVENTS: usize = 50_000;

/// For the importer of the target's name: a valid trace of no more events than bytes, or an error. A stream of the bytes costs
/// no call of the system; one of eight inputs is a file too, whose damage is refused.
pub(crate) fn imported(name: &'static str, bytes: &[u8]) {
    let importer = importer(name);
    assert!(importer.is_some(), "no importer is called {name}");
    let stream = Box::new(Cursor::new(bytes.to_vec()));
    verify(bytes, Path::new("stream"), |sink| import_live(Path::new("stream"), stream, importer, sink));
    if bytes.len().is_multiple_of(8) {
        as_file(bytes, |path| verify(bytes, path, |sink| import(path, importer, false, sink)));
    }
}

/// Verifies what an importer sends and says.
fn verify(bytes: &[u8], path: &Path, import: impl FnOnce(&mut dyn Sink) -> Result<Option<Imported>, ImportError>) {
    let mut sink = Beginning::of(usize::MAX);
    match import(&mut sink) {
        Ok(_) => {
            assert!(sink.trace.events.len() <= bytes.len() + 2, "more events than bytes");
            PackedTrace::new(&sink.trace).expect("what is imported is valid");
        }
        Err(error) => names(path, &error),
    }
}

/// A list of buffers, for the importer and for `plan`.
pub(crate) fn lifetimes(name: &'static str, bytes: &[u8]) {
    imported(name, bytes);
    if bytes.len().is_multiple_of(8) {
        let _ = as_file(bytes, buffers);
    }
}

/// Any file, packed or not, whose content decides what it is.
pub(crate) fn packed(_: &'static str, bytes: &[u8]) {
    as_file(bytes, |path| loaded(path, None, &[]));
}

/// A capture, to every workload that reads one.
pub(crate) fn capture(_: &'static str, bytes: &[u8]) {
    as_file(bytes, |path| ["drr", "easyport", "url"].iter().for_each(|workload| loaded(path, Some(workload), &[])));
}

/// A log, a list of URLs, frames or sizes, to the workload that reads it.
pub(crate) fn log(_: &'static str, bytes: &[u8]) {
    as_file(bytes, |path| {
        loaded(path, Some("url"), &[]);
        loaded(path, Some("easyport"), &[]);
        loaded(path, Some("distribution"), &[("events".to_owned(), "200".to_owned())]);
    });
}

fn loaded(path: &Path, workload: Option<&str>, settings: &[(String, String)]) {
    let mut sink = Beginning::of(EVENTS);
    match heapsmith_workload::stream(path, workload, settings, &mut sink) {
        Ok(_) => drop(PackedTrace::new(&sink.trace).expect("what is made is valid")),
        Err(error) => names(path, &error),
    }
}

/// A trace file.
pub(crate) fn trace(_: &'static str, bytes: &[u8]) {
    as_file(bytes, |path| {
        let mut sink = Beginning::of(EVENTS);
        match Trace::stream(path, &mut sink) {
            // Nobody has verified yet that its blocks live when they are freed.
            Ok(_) => drop(PackedTrace::new(&sink.trace)),
            Err(error) => names(path, &error),
        }
    });
}

/// An error says which file it is about.
fn names(path: &Path, error: &dyn std::error::Error) {
    assert!(error.to_string().contains(&*path.to_string_lossy()), "{error} names no file");
}
