//! `cargo xtask check32`: the heaps as a program of 32 bits runs them.

use crate::run::{Outcome, cargo, cargo_with};
use crate::tools;

/// A target of 32 bits whose programs run on the host.
const TARGET: &str = "i686-unknown-linux-gnu";

/// Compiles the tests of `heapsmith`, `heapsmith-spec` and `heapsmith-trial` for 32 bits, and runs them.
pub fn check32() -> Outcome {
    tools::install(&[tools::CC, tools::CC32])?;
    tools::install_target(TARGET)?;
    let test = ["test", "--target", TARGET, "--package"];
    let few = [("PROPTEST_CASES", "100")];
    cargo_with(&few, &[&test[..], &["heapsmith", "--all-features", "--lib", "--tests"]].concat())?;
    cargo_with(&few, &[&test[..], &["heapsmith-trial", "--test", "it"]].concat())?;
    cargo(&[&test[..], &["heapsmith-spec", "--all-features", "--lib", "--tests"]].concat())
}
