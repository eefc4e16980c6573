//! Every block of heaps on a trace: as a page of maps, and as counters for Perfetto.

use heapsmith_replay::{BlockLives, Region, block_lives};
use heapsmith_report::{Mapped, maps};
use heapsmith_spec::Spec;
use serde_json::Value;

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
    let trace = input::stream_packed(path, &arguments.reading)?;
    input::announce(&trace);
    let mut region = Region::for_trace(&trace)?;
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
        output::put(out, counters(&mapped))?;
    }
    Ok(())
}

/// Counters in the format of Chrome's traces, a process for each heap; an event of the trace is a microsecond.
fn counters(heaps: &[Mapped]) -> String {
    let mut events = Vec::new();
    for (process, heap) in heaps.iter().enumerate() {
        let process = process + 1;
        let name = Value::from(heap.name.as_str());
        events.push(format!(r#"{{"name":"process_name","ph":"M","pid":{process},"args":{{"name":{name}}}}}"#));
        let counter = |name: &str, at: u64, value: u64| {
            format!(r#"{{"name":"{name}","ph":"C","pid":{process},"ts":{at},"args":{{"{name}":{value}}}}}"#)
        };
        events.extend(heap.blocks.footprint.iter().map(|&(at, bytes)| counter("footprint", at, bytes.0)));
        for (at, bytes, blocks) in live(&heap.blocks) {
            events.extend([counter("live bytes", at, bytes), counter("live blocks", at, blocks)]);
        }
    }
    format!("{{\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"))
}

/// Requested bytes that are live, and their blocks, after each event that changed them.
fn live(blocks: &BlockLives) -> Vec<(u64, u64, u64)> {
    let lives = || blocks.lives.iter();
    let begins = lives().map(|life| (life.begin, life.requested as i64, 1));
    let ends = lives().filter(|life| life.end < blocks.events).map(|life| (life.end, -(life.requested as i64), -1));
    let mut changes: Vec<(u64, i64, i64)> = begins.chain(ends).collect();
    changes.sort_unstable_by_key(|change| change.0);
    let (mut bytes, mut count) = (0, 0);
    let after = changes.chunk_by(|a, b| a.0 == b.0).map(|together| {
        bytes += together.iter().map(|change| change.1).sum::<i64>();
        count += together.iter().map(|change| change.2).sum::<i64>();
        (together[0].0, bytes as u64, count as u64)
    });
    after.collect()
}
