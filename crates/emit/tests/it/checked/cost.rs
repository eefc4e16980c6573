//! What `check=header` costs: instructions of the samples on an emulated Cortex-M3, and bytes of code.
//!
//! A block costs no byte. Behind free lists the region has at most half as many words.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use heapsmith_emit::cortex_m3::{BOARD, NANOSECONDS_PER_INSTRUCTION, NANOSECONDS_PER_TICK, run};
use heapsmith_emit::size::{TARGETS, size};
use heapsmith_emit::{Name, Request, c};
use heapsmith_spec::{Check, Spec, WordSize, resolve};
use heapsmith_trace::{Operation, PackedTrace};
use heapsmith_workload::load;

use super::{FAMILIES, hold};

/// Events that are played.
const EVENTS: usize = 20_000;

/// The beginnings of samples, as C.
fn events() -> &'static [String] {
    static EVENTS: OnceLock<Vec<String>> = OnceLock::new();
    EVENTS
        .get_or_init(|| [("web.pcap.xz", "drr"), ("web.log.xz", "url")].map(|(sample, how)| packed(sample, how)).into())
}

fn packed(sample: &str, workload: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
    let trace = load(&path, Some(workload), &[]).unwrap_or_else(|error| panic!("{error}"));
    let trace = PackedTrace::new(&trace).unwrap_or_else(|error| panic!("{error}"));
    let events = trace.events.iter().filter(|event| event.operation != Operation::Reallocate).take(EVENTS);
    let (mut text, mut slots) = ("static const struct event { uint16_t slot, size; } events[] = {\n".to_owned(), 0);
    for event in events {
        let size = if event.operation == Operation::Allocate { event.size.clamp(1, 0xFFFF) } else { 0 };
        slots = slots.max(event.slot + 1);
        writeln!(text, "{{ {}U, {size}U }},", event.slot).expect("a string");
    }
    format!("{text}}};\n#define EVENTS {EVENTS}U\n#define SLOTS {slots}U\n")
}

/// Bytes of code on a Cortex-M3 and instructions of an event under each sample, for one heap.
fn measured(dir: &Path, spec: &Spec) -> (u64, Vec<f64>) {
    let request = Request::new(spec.clone(), Name::new("my_heap").expect("a name"));
    let write = |name: &str, text: &str| std::fs::write(dir.join(name), text).expect("the file is written");
    for file in c::emit(&request).unwrap_or_else(|error| panic!("{spec}: {error}")) {
        write(&file.name, &file.text);
    }
    BOARD.iter().for_each(|(name, text)| write(name, text));
    write("play.c", include_str!("play.c"));
    let bytes = if spec.word == WordSize::Two { "(15U << 10)" } else { "REGION" };
    let instructions = events().iter().map(|events| {
        write("events.h", &format!("{events}#define BYTES {bytes}\n"));
        let text = run(dir, &["play.c", "my_heap.c"]).unwrap_or_else(|error| panic!("{spec}: {error}"));
        let ticks: u32 = text.split(' ').next().and_then(|ticks| ticks.parse().ok()).expect("a number");
        f64::from(ticks) * f64::from(NANOSECONDS_PER_TICK) / f64::from(NANOSECONDS_PER_INSTRUCTION) / EVENTS as f64
    });
    let instructions = instructions.collect();
    let code = size(&TARGETS[1], &dir.join("my_heap.c"), &dir.join("heap.o")).unwrap_or_else(|error| panic!("{error}"));
    (code.text, instructions)
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn what_checks_cost_is_in_the_table() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut table = "Cortex-M3, -Os: bytes of code, and instructions an event of web.pcap (drr) and web.log (url)\n\
                     code off, on; drr off, on, more; url off, on, more\n"
        .to_owned();
    for family in FAMILIES {
        let spec = resolve(family).unwrap_or_else(|error| panic!("{error}"));
        let (code, off) = measured(dir.path(), &spec);
        let (checked, on) = measured(dir.path(), &Spec { check: Check::Header, ..spec });
        write!(table, "{code:>5} {checked:>5}").expect("a string");
        for (off, on) in off.into_iter().zip(on) {
            write!(table, "  {off:>8.1} {on:>8.1} {:>5.1}%", (on / off - 1.0) * 100.0).expect("a string");
        }
        writeln!(table, "  {family}").expect("a string");
    }
    println!("{table}");
    hold("cost.txt", &table, |accepted, table| {
        accepted.lines().count() == table.lines().count() && same(accepted, table)
    });
}

/// Whether no number differs by more than a tenth: another compiler gives other code.
fn same(accepted: &str, table: &str) -> bool {
    let numbers = |text: &str| text.split_whitespace().filter_map(|word| word.parse().ok()).collect::<Vec<f64>>();
    let (accepted, table) = (numbers(accepted), numbers(table));
    accepted.len() == table.len() && accepted.iter().zip(&table).all(|(old, new)| (new / old - 1.0).abs() <= 0.1)
}
