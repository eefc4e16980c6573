//! `cargo xtask msrv`: what is published and what ships, checked by the oldest compiler that Cargo.toml promises.

use crate::run::{Outcome, output, run};

/// That compiler: the field `rust-version` of the workspace.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// How much is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The crate that others depend on, with every feature: seconds.
    Published,
    /// Every crate, with its tests: a build without code.
    All,
}

/// Installs the compiler.
pub fn prepare() -> Outcome {
    output("rustup", &["toolchain", "install", OLDEST, "--profile", "minimal"])
        .map(drop)
        .map_err(|error| format!("Rust {OLDEST}, the oldest that Cargo.toml promises, cannot be had: {error}"))
}

/// Checks with it, as others would compile: with the versions of dependencies in Cargo.lock.
pub fn msrv(which: Which) -> Outcome {
    let what: &[&str] = match which {
        Which::Published => &["--package", "heapsmith", "--all-features"],
        Which::All => &["--workspace", "--all-targets"],
    };
    run("rustup", &[&["run", OLDEST, "cargo", "check", "--locked"], what].concat())
}
