//! `cargo xtask test` and `cargo xtask lint`.

use crate::check32;
use crate::hardware;
use crate::python;
use crate::real;
use crate::run::{Outcome, cargo, target};
use crate::tools;

/// Everything that must hold before a change lands.
pub fn test() -> Outcome {
    tools::install(&[
        tools::CC,
        tools::CXX,
        tools::BROWSER,
        tools::VALGRIND,
        tools::SQLITE,
        tools::PYTHON,
        tools::JAVA,
    ])?;
    tools::install(&tools::EMIT)?;
    lint()?;
    cargo(&["test", "--workspace", "--all-features"])?;
    // Whole spaces are replayed, which plain `cargo test` leaves out.
    cargo(&[
        "test",
        "--workspace",
        "--all-features",
        "--test",
        "space",
        "--test",
        "wide",
        "--",
        "--include-ignored",
        "--nocapture",
    ])?;
    // Cargo built the command beside its tests. Built alone it would be compiled again: without the tests' dependencies
    // others have fewer features.
    let command = target().join("debug/heapsmith");
    real::real(&real::Arguments::quick(command.clone()))?;
    hardware::quick()?;
    python::python(&python::Arguments::with(command))?;
    match check32::prepare() {
        Ok(()) => check32::check32(check32::Which::Quick),
        Err(why) => {
            eprintln!("xtask: NOT RUN: the heaps' tests on 32 bits, since this machine cannot have them: {why}");
            Ok(())
        }
    }
}

/// Format, clippy, docs.
pub fn lint() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"])
}
