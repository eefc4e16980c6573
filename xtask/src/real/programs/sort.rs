//! Sorting on two threads: GNU's, which allocates little, and one that allocates every string.

use std::fmt::Write;
use std::path::Path;

use crate::real::program::{Inputs, Program, Task, words};
use crate::run::{Outcome, compile};
use crate::tools::{self, Tool};

/// `sort --parallel=2`.
pub const GNU: Program = Program {
    name: "sort",
    about: "GNU sort --parallel=2 of a file of up to 1,000,000 lines",
    threads: true,
    benchmark: false,
    // One buffer for all lines.
    min_calls: 50,
    tools: &[Tool { name: "sort", package: "coreutils", why: "to run it" }],
    prepare: write_lines,
    task: gnu,
};

/// `strings`.
pub const STRINGS: Program = Program {
    name: "strings",
    about: "two threads sort strings and free each other's: xtask/real/strings.c",
    threads: true,
    benchmark: false,
    min_calls: 100_000,
    tools: &[tools::CC],
    prepare: |inputs| compile("xtask/real/strings.c", &inputs.folder.join("strings")),
    task: strings,
};

/// Lines of a key that a generator draws, and of a number.
fn write_lines(inputs: &Inputs) -> Outcome {
    let lines: u64 = if inputs.quick { 50_000 } else { 1_000_000 };
    let mut state = 1_u64;
    let mut text = String::new();
    for line in 0..lines {
        // Knuth's generator MMIX; its upper bits are the better ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let _ = writeln!(text, "{:x} line {line} of those to be sorted", state >> 20);
    }
    std::fs::write(inputs.path("lines"), text).map_err(|error| format!("cannot write the lines: {error}"))
}

fn gnu(inputs: &Inputs, scratch: &Path) -> Task {
    let sorted = scratch.join("sorted").display().to_string();
    let command = ["sort", "--parallel=2", "--buffer-size=64M", "--output", &sorted, &inputs.path("lines")];
    Task {
        environment: vec![("TMPDIR", scratch.display().to_string())],
        evidence: vec![words(&["sh", "-c", &format!("sha256sum <'{sorted}'")]), words(&["sort", "--check", &sorted])],
        ..Task::new("sort", words(&command))
    }
}

fn strings(inputs: &Inputs, _: &Path) -> Task {
    let command = [&inputs.path("strings"), "2", &inputs.amount(100_000, 10_000), "5"];
    Task { proof: "checksum ", ..Task::new("strings", words(&command)) }
}
