//! Every block of heaps on a trace: as a page of maps, and for Perfetto.

use heapsmith_replay::{Region, block_lives};
use heapsmith_report::{Mapped, maps};
use heapsmith_spec::Spec;
use heapsmith_trace::Bytes;

use super::perfetto::{Threads, events};
use crate::args::Replay;
use crate::failure::Failure;
use crate::{input, output, progress};

/// Writes what is asked for of one trace.
pub fn write(arguments: &Replay, heaps: &[&Spec]) -> Result<(), Failure> {
    let [path] = arguments.traces.as_slice() else {
        return Err(Failure::wrong_use("--map and --perfetto show one trace: name one"));
    };
    if heaps.is_empty() {
        return Err(Failure::wrong_use("--map and --perfetto show heaps of specs: name one with --heap"));
    }
    // Before the trace is read: what will not be written is said at once.
    let open = |out: &Option<std::path::PathBuf>| out.as_deref().map(|out| output::named(out, [path])).transpose();
    let (map, perfetto) = (open(&arguments.map)?, open(&arguments.perfetto)?);
    let mut threads = Threads::default();
    let trace = input::stream_packed_with(path, &arguments.reading, &mut threads)?;
    input::announce(&trace);
    let mut region = match arguments.region {
        Some(bytes) => Region::exactly(Bytes(bytes))?,
        None => Region::for_trace(&trace)?,
    };
    let mut mapped = Vec::new();
    for (text, spec) in arguments.heap.iter().zip(heaps) {
        let spinner = progress::spinner(&format!("{} on {spec}", trace.name));
        let blocks = block_lives(spec, &trace, &mut region)?;
        mapped.push(Mapped { name: text.clone(), spec: spec.to_string(), blocks });
        spinner.finish_and_clear();
    }
    if let Some(out) = map {
        output::put(out, maps(&trace.name, &mapped))?;
    }
    if let Some(out) = perfetto {
        output::put(out, events(&mapped, &threads))?;
    }
    Ok(())
}
