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
//! Source: Donahue, Hampton, Deters, Nye, Cytron, Kavi, "Storage Allocation for Real-Time,
//! Embedded Systems", EMSOFT 2001, sections 2.6 and 3, which distinguishes the two kinds and
//! experiments with occasional collection.

use std::path::Path;

use heapsmith_trace::{Bytes, Profiler, Sink, Trace, Transforms};

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
    let asked = settings.bytes("heap", "auto or bytes, such as 65536 or 64K")?;
    let heap = occasional.then(|| heap(path, asked, settings)).transpose()?;
    let transforms = Transforms { heap, ..Transforms::default() };
    if let Some(heap) = heap {
        settings.found("heap", heap.0.to_string());
    }
    let mut origin = Trace::stream(path, &mut *transforms.before(sink))?;
    // The program that was recorded stays the trace's name; how it was collected joins its settings.
    origin.settings.extend(settings.used());
    Ok(Loaded { origin, remarks: Vec::new() })
}

/// How much the heap takes.
fn heap(path: &Path, asked: Option<u64>, settings: &Settings) -> Result<Bytes, LoadError> {
    let mut profiler = Profiler::new(1);
    Trace::stream(path, &mut profiler)?;
    let max = profiler.finish().statistics.requested_peak;
    match asked {
        None => Ok(Bytes(max.0 + max.0 / 2)),
        Some(heap) if heap >= max.0 => Ok(Bytes(heap)),
        Some(_) => Err(LoadError::HeapTooSmall { heap: settings.text("heap").to_owned(), min: max.0 }),
    }
}
