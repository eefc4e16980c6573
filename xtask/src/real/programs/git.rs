//! git on this repository.

use std::path::Path;

use crate::real::program::{Inputs, Program, Task, words};
use crate::run::{Outcome, root, run};
use crate::tools::Tool;

/// `git clone`, then `git gc --aggressive`.
pub const CLONE_AND_GC: Program = Program {
    name: "git",
    about: "git clones this repository and packs it anew, on two threads",
    threads: true,
    benchmark: false,
    min_calls: 1_000,
    tools: &[Tool { name: "git", package: "git", why: "to run it" }],
    prepare,
    task,
};

/// A bare copy, so that nothing changes between two runs.
fn prepare(inputs: &Inputs) -> Outcome {
    let copy = inputs.path("origin");
    let _ = std::fs::remove_dir_all(&copy);
    run("git", &["clone", "--quiet", "--bare", "--no-local", &root().display().to_string(), &copy])
}

fn task(inputs: &Inputs, scratch: &Path) -> Task {
    let (origin, clone) = (inputs.path("origin"), scratch.join("clone").display().to_string());
    // Deltas are searched for again with a wide window; a quick run keeps those that there are.
    let gc = if inputs.quick { "gc --quiet" } else { "gc --quiet --aggressive --prune=now" };
    let script =
        format!("git clone --quiet --no-local '{origin}' '{clone}' && git -C '{clone}' -c pack.threads=2 {gc} 2>&1");
    Task {
        evidence: vec![
            words(&["git", "-C", &clone, "fsck", "--full", "--strict"]),
            words(&["sh", "-c", &format!("git -C '{clone}' rev-list --all --objects | sha256sum")]),
            words(&["git", "-C", &clone, "status", "--short"]),
            words(&["sh", "-c", &format!("ls '{clone}/.git/objects/pack' | sed 's/.*[.]//' | sort")]),
        ],
        ..Task::new("git", words(&["sh", "-c", &script]))
    }
}
