//! Blocks that cross threads, in the three ways of well-known stress tests of allocators; every block is checked.

use std::path::Path;

use crate::real::program::{Inputs, Program, Task, Time, words};
use crate::run::{Outcome, run};
use crate::tools;

/// `slots`.
pub const SLOTS: Program = Program {
    name: "slots",
    about: "threads come and go, and replace blocks of those before: xtask/real/crossing.c, as larson",
    task: |inputs, _| crossing(inputs, "slots"),
    ..CROSSING
};

/// `exchange`.
pub const EXCHANGE: Program = Program {
    name: "exchange",
    about: "threads free what others put in places that all share: xtask/real/crossing.c, as mstress",
    task: |inputs, _| crossing(inputs, "exchange"),
    ..CROSSING
};

/// `producers`.
pub const PRODUCERS: Program = Program {
    name: "producers",
    about: "one thread allocates batches, the other frees them: xtask/real/crossing.c, as xmalloc-test",
    task: |inputs, _| crossing(inputs, "producers"),
    ..CROSSING
};

/// What the three have in common.
const CROSSING: Program = Program {
    name: "",
    about: "",
    threads: true,
    time: Time::Clock,
    min_calls: 100_000,
    tools: &[tools::CC],
    prepare: compile,
    task: |inputs, _: &Path| crossing(inputs, ""),
};

fn compile(inputs: &Inputs) -> Outcome {
    run("cc", &["-O2", "-pthread", "-o", &inputs.path("crossing"), &inputs.sample("crossing.c")])
}

fn crossing(inputs: &Inputs, way: &str) -> Task {
    let command = [&inputs.path("crossing"), way, "2", &inputs.amount(1_000_000, 100_000), "10"];
    Task { proof: " 0 damaged, 0 bytes lost", ..Task::new("crossing", words(&command)) }
}
