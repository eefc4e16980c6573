//! Heaps on a trace in the format of Chrome's traces, which ui.perfetto.dev shows.
//!
//! ```text
//!   process: a heap ─┬─ counters: footprint, live bytes, live blocks
//!                    └─ thread: its operations, where the trace has several
//! ```
//!
//! An event of the trace is a microsecond.

use std::collections::BTreeMap;

use heapsmith_replay::{BlockLife, BlockLives};
use heapsmith_report::Mapped;
use heapsmith_trace::{Action, Event, Sink, TraceError};
use serde_json::Value;

/// The thread of each event that a heap sees, in their order.
#[derive(Debug, Default)]
pub struct Threads(Vec<u32>);

impl Sink for Threads {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        if !matches!(event.action, Action::Mark { .. }) {
            self.0.push(event.thread);
        }
        Ok(())
    }
}

impl Threads {
    /// The threads that appear, in order; none if there is but one.
    fn several(&self) -> Vec<u32> {
        let mut all = self.0.clone();
        all.sort_unstable();
        all.dedup();
        if all.len() > 1 { all } else { Vec::new() }
    }
}

/// All of it, as JSON.
pub fn events(heaps: &[Mapped], threads: &Threads) -> String {
    let (mut events, several) = (Vec::new(), threads.several());
    for (process, heap) in heaps.iter().enumerate() {
        let process = process + 1;
        let name = Value::from(heap.name.as_str());
        events.push(format!(r#"{{"name":"process_name","ph":"M","pid":{process},"args":{{"name":{name}}}}}"#));
        events.extend(counters(process, &heap.blocks));
        for thread in &several {
            let (track, name) = (track(*thread), format!("thread {thread}"));
            events.push(format!(
                r#"{{"name":"thread_name","ph":"M","pid":{process},"tid":{track},"args":{{"name":"{name}"}}}}"#
            ));
        }
        if !several.is_empty() {
            events.extend(operations(process, &heap.blocks, threads));
        }
    }
    format!("{{\"traceEvents\":[\n{}\n]}}\n", events.join(",\n"))
}

/// The number of a thread's track: Perfetto has none of number 0.
fn track(thread: u32) -> u64 {
    u64::from(thread) + 1
}

fn counters(process: usize, blocks: &BlockLives) -> Vec<String> {
    let counter = |name: &str, at: u64, value: u64| {
        format!(r#"{{"name":"{name}","ph":"C","pid":{process},"ts":{at},"args":{{"{name}":{value}}}}}"#)
    };
    let mut counters: Vec<String> =
        blocks.footprint.iter().map(|&(at, bytes)| counter("footprint", at, bytes.0)).collect();
    for (at, bytes, count) in live(blocks) {
        counters.extend([counter("live bytes", at, bytes), counter("live blocks", at, count)]);
    }
    counters
}

/// A slice for each operation, on the track of its thread, with its block. A reallocation ends a block and begins another.
fn operations(process: usize, blocks: &BlockLives, threads: &Threads) -> Vec<String> {
    let mut at: BTreeMap<u64, [Option<&BlockLife>; 2]> = BTreeMap::new();
    for life in &blocks.lives {
        at.entry(life.begin).or_default()[0] = Some(life);
        if life.end < blocks.events {
            at.entry(life.end).or_default()[1] = Some(life);
        }
    }
    let slice = |(event, [begun, ended]): (u64, [Option<&BlockLife>; 2])| {
        let name = match (begun, ended) {
            (Some(_), None) => "allocate",
            (None, _) => "free",
            (Some(_), Some(_)) => "reallocate",
        };
        let (life, track) = (begun.or(ended)?, track(*threads.0.get(event as usize)?));
        let (bytes, offset) = (life.requested, life.offset);
        Some(format!(
            r#"{{"name":"{name}","ph":"X","pid":{process},"tid":{track},"ts":{event},"dur":1,"args":{{"bytes":{bytes},"offset":{offset}}}}}"#
        ))
    };
    at.into_iter().filter_map(slice).collect()
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
