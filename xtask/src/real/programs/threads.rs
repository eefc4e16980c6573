//! Blocks that cross threads, in the ways of three well-known tests of allocators: `examples/threads`.

use std::path::Path;

use crate::real::program::{Inputs, Program, Task, words};
use crate::run::{Outcome, compile};
use crate::tools;

/// `larson`.
pub const LARSON: Program = Program {
    name: "larson",
    about: "threads come and go, and replace blocks of those before: examples/threads/larson.c",
    task: |inputs, _| task("larson", inputs, &["2", "1000", &inputs.amount(1_000_000, 50_000), "10"], " blocks, "),
    prepare: |inputs| prepare(inputs, "larson"),
    ..OF_THREADS
};

/// `mstress`.
pub const MSTRESS: Program = Program {
    name: "mstress",
    about: "threads free what others put in a table that all share: examples/threads/mstress.c",
    task: |inputs, _| task("mstress", inputs, &["2", &inputs.amount(200_000, 50_000), "20"], " bytes"),
    prepare: |inputs| prepare(inputs, "mstress"),
    ..OF_THREADS
};

/// `xmalloc`.
pub const XMALLOC: Program = Program {
    name: "xmalloc",
    about: "one thread allocates batches, the other frees them: examples/threads/xmalloc.c",
    task: |inputs, _| task("xmalloc", inputs, &["1", &inputs.amount(50_000, 1_500)], " bytes"),
    prepare: |inputs| prepare(inputs, "xmalloc"),
    ..OF_THREADS
};

/// What the three have in common.
const OF_THREADS: Program = Program {
    name: "",
    about: "",
    threads: true,
    benchmark: true,
    min_calls: 100_000,
    tools: &[tools::CC],
    prepare: |_| Ok(()),
    task: |inputs, _: &Path| task("", inputs, &[], ""),
};

fn prepare(inputs: &Inputs, name: &str) -> Outcome {
    compile(&format!("examples/threads/{name}.c"), &inputs.folder.join(name))
}

fn task(name: &'static str, inputs: &Inputs, arguments: &[&str], proof: &'static str) -> Task {
    let binary = inputs.path(name);
    Task { proof, ..Task::new(name, words(&[&[binary.as_str()], arguments].concat())) }
}
