//! The objects of a Java program, freed by one kind of garbage collection or the other.
//!
//! ```text
//!   recorded with its deaths     + + - + + - - + - +
//!   collection=continuous        + + - + + - - + - +      each where it was found dead
//!   collection=occasional        + +   + +     + ---- +   all dead ones, when the heap is full
//! ```
//!
//! What is allocated when:
//!
//! | block | size | from | to |
//! |---|---|---|---|
//! | object | as recorded | as recorded | continuous: its recorded death; occasional: the next collection after it |
//!
//! The input is a trace as the agent of `heapsmith record --java` leaves it. Recorded with
//! `--java-collect BYTES` it holds deaths to within this many bytes, which is what continuous
//! collection needs; without, deaths are where the machine happened to collect.
//!
//! `heap` is how many bytes of objects the heap takes, living and dead; `auto` is one and a half
//! times the most that live at once, about what collectors need to work well. A heap
//! smaller than what lives at once is refused, as the program would have ended there.
//!
//! `jvm` says whose sizes objects have. The agent records the bytes of header and fields or elements, without padding: in
//! today's JVM (HotSpot of 64 bits, compressed references) headers are of 12 bytes, 16 with an array's length. A JVM
//! of 1998 had headers of 8 and 12, references of 4 as today's, multiples of 8, and no object of fewer than 16:
//!
//! | jvm | bytes of an object recorded with s |
//! |---|---|
//! | recorded | s |
//! | 1998 | the larger of 16 and s − 4, up to a multiple of 8 |
//!
//! Source: Donahue, Hampton, Deters, Nye, Cytron, Kavi, "Storage Allocation for Real-Time,
//! Embedded Systems", EMSOFT 2001, sections 2.6 and 3, which distinguishes the two kinds and
//! experiments with occasional collection, and section 3.4 for the least object.

use std::path::Path;

use heapsmith_trace::{Action, Bytes, Event, Origin, Profiler, Sink, Trace, TraceError, Transforms};

use crate::error::LoadError;
use crate::load::Loaded;
use crate::settings::Settings;
use crate::workload::{Parameter, Run, Workload};

pub(crate) const WORKLOAD: Workload = Workload {
    name: "java",
    about: "a recorded Java program under continuous or occasional garbage collection",
    source: "Donahue et al.: Storage Allocation for Real-Time, Embedded Systems, EMSOFT 2001, sections 2.6 and 3",
    input: "trace of a Java program (heapsmith record --java)",
    parameters: &[
        Parameter {
            name: "collection",
            default: "occasional",
            about: "occasional frees the dead objects when the heap is full; continuous where they were found dead",
        },
        Parameter {
            name: "heap",
            default: "auto",
            about: "with collection=occasional: bytes of objects that the heap takes (K, M, G may follow); auto is \
                    one and a half times the most that live at once",
        },
        Parameter {
            name: "jvm",
            default: "recorded",
            about: "whose sizes objects have: recorded, or 1998: headers of 4 bytes less than today's, multiples of 8, at \
                    least 16",
        },
    ],
    formats: &[],
    run: Run::Trace(run),
};

fn run(path: &Path, settings: &mut Settings, sink: &mut dyn Sink) -> Result<Loaded, LoadError> {
    let occasional = match settings.text("collection") {
        "occasional" => true,
        "continuous" => false,
        _ => return Err(settings.bad("collection", "occasional or continuous")),
    };
    let early = match settings.text("jvm") {
        "recorded" => false,
        "1998" => true,
        _ => return Err(settings.bad("jvm", "recorded or 1998")),
    };
    let asked = settings.bytes("heap", "auto or bytes, such as 65536 or 64K")?;
    let heap = occasional.then(|| heap(path, asked, early, settings)).transpose()?;
    let transforms = Transforms { heap, ..Transforms::default() };
    if let Some(heap) = heap {
        settings.found("heap", heap.0.to_string());
    }
    let mut origin = stream(path, early, &mut *transforms.before(sink))?;
    // The program that was recorded stays the trace's name; how it was collected joins its settings.
    origin.settings.extend(settings.used());
    Ok(Loaded { origin, remarks: Vec::new() })
}

/// The trace, with the sizes of its JVM or of an early one.
fn stream(path: &Path, early: bool, sink: &mut dyn Sink) -> Result<Origin, LoadError> {
    if early { Ok(Trace::stream(path, &mut Early { sink })?) } else { Ok(Trace::stream(path, sink)?) }
}

/// Hands a trace on with the sizes that objects had in a JVM of 1998.
struct Early<'s> {
    sink: &'s mut dyn Sink,
}

impl Sink for Early<'_> {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        let action = match event.action {
            Action::Allocate { id, size, alignment } => Action::Allocate { id, size: early(size), alignment },
            other => other,
        };
        self.sink.take(Event { action, ..event })
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

/// How much less the header of an object was in a JVM of 1998.
const SHORTER: u64 = 4;
/// What its sizes were multiples of.
const GRAIN: u64 = 8;
/// Its least object.
const SMALLEST: u64 = 16;

fn early(size: Bytes) -> Bytes {
    Bytes(size.0.saturating_sub(SHORTER).next_multiple_of(GRAIN).max(SMALLEST))
}

/// How much the heap takes.
fn heap(path: &Path, asked: Option<u64>, early: bool, settings: &Settings) -> Result<Bytes, LoadError> {
    let mut profiler = Profiler::new(1);
    stream(path, early, &mut profiler)?;
    let max = profiler.finish().statistics.requested_peak;
    match asked {
        None => Ok(Bytes(max.0 + max.0 / 2)),
        Some(heap) if heap >= max.0 => Ok(Bytes(heap)),
        Some(_) => Err(LoadError::HeapTooSmall { heap: settings.text("heap").to_owned(), min: max.0 }),
    }
}
