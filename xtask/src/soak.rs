//! `cargo xtask soak` and `cargo xtask bench growth`: the long runs of `heapsmith-trial`.

use crate::run::{Outcome, cargo};

/// Random programs over every heap.
pub fn soak(arguments: &[String]) -> Outcome {
    long_run("soak", arguments)
}

/// How costs grow with the live blocks.
pub fn growth() -> Outcome {
    long_run("growth", &[])
}

/// Both are built once, optimised and with every assertion: a broken invariant is told, and does not crash.
fn long_run(program: &str, arguments: &[String]) -> Outcome {
    let run = ["run", "--quiet", "--profile", "soak", "--package", "heapsmith-trial", "--bin", program, "--"];
    cargo(&run.into_iter().chain(arguments.iter().map(String::as_str)).collect::<Vec<_>>())
}
