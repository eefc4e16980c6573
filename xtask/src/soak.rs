//! The long runs: `cargo xtask soak` and `cargo xtask bench growth` of `heapsmith-trial`, `cargo xtask threads` of
//! `heapsmith-preload`.

use crate::run::{Outcome, cargo, cargo_with};

/// Random programs over every heap.
pub fn soak(arguments: &[String]) -> Outcome {
    long_run("soak", arguments)
}

/// Two threads that free each other's blocks, on every way that threads share a heap, for this many minutes in all.
pub fn threads(minutes: u64) -> Outcome {
    // As many as the test tries.
    const HEAPS: u64 = 10;
    let seconds = (minutes * 60).div_ceil(HEAPS).to_string();
    let test = ["test", "--release", "--package", "heapsmith-preload", "--test", "threads"];
    cargo_with(&[("HEAPSMITH_TEST_SECONDS", &seconds)], &test)
}

/// How costs grow with the live blocks.
pub fn growth() -> Outcome {
    long_run("growth", &[])
}

/// Both are built once, optimised and with every assertion: a broken invariant is reported, and does not crash.
fn long_run(program: &str, arguments: &[String]) -> Outcome {
    let run = ["run", "--quiet", "--profile", "soak", "--package", "heapsmith-trial", "--bin", program, "--"];
    cargo(&run.into_iter().chain(arguments.iter().map(String::as_str)).collect::<Vec<_>>())
}
