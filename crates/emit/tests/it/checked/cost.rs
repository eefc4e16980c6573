//! What `check=header` and `check=full` cost: instructions of the samples on an emulated Cortex-M3, and bytes of code.
//!
//! With `header` a block costs no byte; behind free lists the region has at most half as many words. With `full` a block costs
//! four words and rounding, and 16 freed ones wait.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use heapsmith_emit::size::{TARGETS, size};
use heapsmith_emit::{Emulated, Name, Request, c};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::PackedTrace;
use heapsmith_workload::load;

use super::{families, hold};

/// Events that are played.
const EVENTS: usize = 20_000;

/// The beginning of a sample.
fn played(sample: &str, workload: &str) -> Emulated {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(sample);
    let trace = load(&path, Some(workload), &[]).unwrap_or_else(|error| panic!("{error}"));
    let trace = PackedTrace::new(&trace).unwrap_or_else(|error| panic!("{error}"));
    Emulated::new(&trace, EVENTS).expect("a folder")
}

/// Bytes of code on a Cortex-M3 and instructions of an event under each sample, for one heap.
fn measured(dir: &Path, samples: &[Emulated], spec: &Spec) -> (u64, Vec<f64>) {
    let request = Request::new(spec.clone(), Name::new("my_heap").expect("a name"));
    for file in c::emit(&request).unwrap_or_else(|error| panic!("{spec}: {error}")) {
        std::fs::write(dir.join(file.name), file.text).expect("the file is written");
    }
    let instructions = samples.iter().map(|sample| {
        let counted = sample.of(spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
        counted.unwrap_or_else(|| panic!("{spec} is emitted")).mean
    });
    let m3 = TARGETS.iter().find(|target| target.name == "Cortex-M3").expect("the core");
    let code = size(m3, &dir.join("my_heap.c"), &dir.join("heap.o")).unwrap_or_else(|error| panic!("{error}"));
    (code.text, instructions.collect())
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn what_checks_cost_is_in_the_table() {
    let dir = tempfile::tempdir().expect("a folder");
    let samples = [played("web.pcap.xz", "drr"), played("web.log.xz", "url")];
    let mut table = "Cortex-M3, -Os: bytes of code, and instructions an event of web.pcap (drr) and web.log (url)\n\
                     code off, header, full; drr off, more with header, with full; url the same\n"
        .to_owned();
    for (family, _) in families() {
        let of = |level| {
            let spec = resolve(&format!("{family} check={level}")).unwrap_or_else(|error| panic!("{error}"));
            measured(dir.path(), &samples, &spec)
        };
        let [(code, off), (with_header, header), (with_all, full)] = ["off", "header", "full"].map(of);
        write!(table, "{code:>5} {with_header:>5} {with_all:>5}").expect("a string");
        for ((off, header), full) in off.into_iter().zip(header).zip(full) {
            let more = |on: f64| (on / off - 1.0) * 100.0;
            write!(table, "  {off:>8.1} {:>5.1}% {:>6.1}%", more(header), more(full)).expect("a string");
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
