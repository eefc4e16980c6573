//! `cargo xtask test` and `cargo xtask lint`.

use crate::check32::{Which, check32};
use crate::run::{Outcome, cargo};
use crate::tools;

/// Everything that must hold before a change lands.
pub fn test() -> Outcome {
    tools::install(&[tools::CC, tools::BROWSER, tools::VALGRIND, tools::SQLITE, tools::PYTHON, tools::JAVA])?;
    lint()?;
    cargo(&["test", "--workspace", "--all-features"])?;
    // Whole spaces are replayed: these need optimised heaps.
    cargo(&[
        "test",
        "--release",
        "--package",
        "heapsmith-explore",
        "--test",
        "space",
        "--",
        "--include-ignored",
        "--nocapture",
    ])?;
    check32(Which::Quick)
}

/// Format, clippy, docs.
pub fn lint() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"])
}
