//! The C compiler on a large file.

use std::path::Path;

use crate::real::program::{Inputs, Program, Task, words};
use crate::run::{Outcome, output};
use crate::tools;

/// `gcc -O1 -c`.
pub const GCC: Program = Program {
    name: "gcc",
    about: "gcc -O1 compiles a generated file of up to 12,000 lines",
    threads: false,
    benchmark: false,
    min_calls: 10_000,
    tools: &[tools::CC, tools::PYTHON],
    prepare,
    task,
};

fn prepare(inputs: &Inputs) -> Outcome {
    let text = output("python3", &[&inputs.sample("large.py"), &inputs.amount(12_000, 1_500)])?;
    std::fs::write(inputs.path("large.c"), text).map_err(|error| format!("cannot write large.c: {error}"))
}

fn task(inputs: &Inputs, scratch: &Path) -> Task {
    let object = scratch.join("large.o").display().to_string();
    let program = scratch.join("large").display().to_string();
    Task {
        // The object file to the byte, and what the program that it is linked to prints.
        evidence: vec![
            vec!["sh".into(), "-c".into(), format!("sha256sum <{object}")],
            words(&["gcc", "-o", &program, &object]),
            vec![program],
        ],
        ..Task::new("cc1", words(&["gcc", "-O1", "-c", &inputs.path("large.c"), "-o", &object]))
    }
}
