//! The recorder for boards (`trace/`) on an emulated Cortex-M3: its instructions an event, and the rate that it keeps up with.

use std::path::Path;

use heapsmith_emit::cortex_m3::{BOARD, NANOSECONDS_PER_INSTRUCTION, NANOSECONDS_PER_TICK, run};

/// Instructions of an event at most.
const MAX: u32 = 60;

/// The recorder as a program compiles it; time costs an event where it changes.
const RECORDER: &str = "#define HEAPSMITH_TRACE_WRITE discard\n#define HEAPSMITH_TRACE_CLOCK() now()\n\
                        #include <stdint.h>\nuint32_t now(void);\n#include \"heapsmith_trace.c\"\n";

#[test]
fn an_event_takes_few_instructions_and_bursts_of_the_rings_size_lose_none() {
    let dir = tempfile::tempdir().expect("a folder");
    let place = |name: &str| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../trace").join(name);
    let trace = ["heapsmith_trace.c", "heapsmith_trace.h"];
    let read = |name: &str| std::fs::read_to_string(place(name)).expect("the recorder");
    let texts = trace.map(|name| (name, read(name)));
    let own = [("recorder.c", RECORDER), ("play.c", include_str!("recorder/play.c"))];
    for (name, text) in BOARD.into_iter().chain(own).chain(texts.iter().map(|(name, text)| (*name, text.as_str()))) {
        std::fs::write(dir.path().join(name), text).expect("the file is written");
    }
    let text = run(dir.path(), &["play.c", "recorder.c"]).unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<(&str, u32, u32)> = text
        .lines()
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            (words[0], words[1].parse().expect("ticks"), words[2].parse().expect("events"))
        })
        .collect();
    let [.., (_, none, bursts), (_, lost, burst), (_, sent, _)] = lines[..] else { panic!("{text}") };
    for &(name, ticks, events) in &lines[..6] {
        let instructions = ticks * NANOSECONDS_PER_TICK / NANOSECONDS_PER_INSTRUCTION / events;
        println!("{name}: {instructions} instructions an event");
        assert!(instructions > 0 || name == "drain", "{name} was measured");
        assert!(instructions <= MAX, "{name} takes {instructions} instructions an event");
    }
    assert_eq!((none, bursts), (0, 50 * 247), "events that the ring has room for are not lost");
    assert_eq!((lost, burst), (9, 256));
    // Every event has 8 bytes; marks add 24 for every 256 and two for what was lost.
    let events = 200 * 8 + 100 + bursts + 247;
    assert!((events * 8..events * 8 + events / 256 * 24 + 96).contains(&sent), "{sent} bytes of {events} events");
}
