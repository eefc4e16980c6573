//! `cargo xtask check32`: the heaps as a program of 32 bits runs them.

use crate::run::{Outcome, cargo, cargo_with};
use crate::tools;

/// A target of 32 bits whose programs run on the host.
const TARGET: &str = "i686-unknown-linux-gnu";

/// Installs what programs of 32 bits need.
pub fn prepare() -> Outcome {
    tools::install(&[tools::CC, tools::CC32])?;
    tools::install_target(TARGET)
}

/// Compiles the tests of `heapsmith`, `heapsmith-spec` and `heapsmith-trial` for 32 bits, and runs them.
pub fn check32(which: Which) -> Outcome {
    let test = ["test", "--target", TARGET, "--package"];
    let quick = [("PROPTEST_CASES", "100")];
    cargo_with(&quick, &[&test[..], &["heapsmith", "--all-features", "--lib", "--tests"]].concat())?;
    if which == Which::All {
        cargo_with(&quick, &[&test[..], &["heapsmith-trial", "--test", "it"]].concat())?;
        cargo(&[&test[..], &["heapsmith-spec", "--all-features", "--lib", "--tests"]].concat())?;
    }
    Ok(())
}

/// How much is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The heaps' own tests, which need no other crate for 32 bits.
    Quick,
    /// Every heap through some programs and the conformance suite, too.
    All,
}
