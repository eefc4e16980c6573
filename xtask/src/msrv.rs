//! `cargo xtask msrv`: what is published and what ships, checked by the oldest compiler that Cargo.toml promises.

use crate::run::{Outcome, output, run};

/// That compiler: the field `rust-version` of the workspace.
const OLDEST: &str = env!("CARGO_PKG_RUST_VERSION");

/// Installs the compiler and checks with it, as others would compile: with the versions of dependencies in Cargo.lock. The
/// crate that others depend on with every feature, then every crate with its tests: a build without code.
pub fn msrv() -> Outcome {
    output("rustup", &["toolchain", "install", OLDEST, "--profile", "minimal"])
        .map_err(|error| format!("Rust {OLDEST}, the oldest that Cargo.toml promises, cannot be had: {error}"))?;
    let check = |what: &[&str]| run("rustup", &[&["run", OLDEST, "cargo", "check", "--locked"], what].concat());
    check(&["--package", "heapsmith", "--all-features"])?;
    check(&["--workspace", "--all-targets"])
}
