//! `cargo xtask test` and `cargo xtask lint`: what must hold before a change lands, the first in about twenty minutes on two
//! cores.
//!
//! The tests run on the build that ships: the features of the command, without those of the reference allocators that
//! compile for minutes (`cargo xtask nightly` has them), and without the atomic words that `heapsmith-preload` switches
//! on for itself. So it is compiled and tested apart, and everything else once, by one selection of packages.

use crate::actions;
use crate::needs::{self, Needs};
use crate::parts::Parts;
use crate::real;
use crate::run::{Outcome, cargo, cargo_with, run, target};
use crate::tools::{self, Tool};

/// The packages that are compiled and tested together, with the features that only tests ask for. Another selection
/// would have other features, and compile all heaps once more.
pub const SHIPPED: [&str; 7] =
    ["--workspace", "--exclude", "heapsmith-preload", "--exclude", "xtask", FEATURES[0], FEATURES[1]];

/// The features that only tests ask for.
const FEATURES: &[&str] = &["--features", "heapsmith/allocator-api2,heapsmith/critical-section,heapsmith/lock_api"];

/// What is tested apart: words of its own kind, and this program.
const APART: [&str; 2] = ["heapsmith-preload", "xtask"];

/// Everything is compiled once and seldom again: what would help the next compilation takes a tenth of the time.
const ONCE: [(&str, &str); 1] = [("CARGO_INCREMENTAL", "0")];

/// Everything that must hold before a change lands, but for lint; the time of each part is printed at the end.
pub fn test() -> Outcome {
    let mut parts = Parts::default();
    let outcome = all(&mut parts);
    parts.tell();
    outcome
}

fn all(parts: &mut Parts) -> Outcome {
    let mut needs = Needs::default();
    parts.run("tools", || {
        needs = Needs::obtain(needs::BY_DAY, &others_need());
        Ok(())
    })?;
    needs.left_out().for_each(|what| parts.leave_out(what));
    if !needs.has(&[tools::CC]) {
        return Err("nothing can be linked without a C compiler".to_owned());
    }
    parts.run("format", || cargo(&["fmt", "--all", "--check"]))?;
    let test = |words: &[&str]| cargo_with(&ONCE, &[&["test"], words].concat());
    // Built apart, so that the times tell building from running.
    parts.run("build", || test(&[&SHIPPED[..], &["--no-run"]].concat()))?;
    // Cargo built the command along with its tests. Built alone it would be compiled again: without the tests' dependencies
    // others have fewer features.
    let command = target().join("debug/heapsmith").display().to_string();
    // The first run on a heap compiles the library of `heapsmith run`.
    parts.run("library", || run(&command, &["run", "--heap", "list", "--", "true"]))?;
    let skipped = [needs.skipped(), needs::skips(needs::BY_NIGHT)].concat();
    parts.side_by_side(
        |parts| {
            parts.run("tests", || test(&[&SHIPPED[..], &["--"], &skipped].concat()))?;
            APART.iter().try_for_each(|package| parts.run(package, || test(&["--package", package])))
        },
        |parts| others(parts, &command, &needs),
    )
}

/// What waits for networks or for one processor: it runs along with the tests, each part as a verb of its own.
fn others(parts: &mut Parts, command: &str, needs: &Needs) -> Outcome {
    let this = std::env::current_exe().map_err(|error| format!("cannot find this program: {error}"))?;
    let this = this.display().to_string();
    let mut verb = |name, tools: &[Tool], words: &[&str]| match needs.has(tools) {
        true => parts.run(name, || run(&this, words)),
        false => Ok(()),
    };
    let real = [&["real", "--quick", "--command", command], real::FEW].concat();
    verb("python", PYTHON, &["python", "--quick"])?;
    verb("hardware", HARDWARE, &["hardware", "lint"])?;
    verb("real programs", &real::tools(real::FEW), &real)?;
    verb("hostile", HOSTILE, &["hostile", "--quick", "--command", command])
}

/// What [`others`] need.
const PYTHON: &[Tool] = &[tools::PYTHON, tools::VENV];
const HARDWARE: &[Tool] = &[tools::VERILATOR, tools::ICARUS];
const HOSTILE: &[Tool] = &[tools::SQLITE, tools::XZ, tools::ZSTD];

/// The same in one list, with the C compiler, so that all are installed in one call.
fn others_need() -> Vec<Tool> {
    [&[tools::CC], PYTHON, HARDWARE, HOSTILE, &real::tools(real::FEW)].concat()
}

/// Format, the workflows, and clippy with warnings as errors; the features of the tests, so that build scripts run once.
pub fn lint() -> Outcome {
    cargo(&["fmt", "--all", "--check"])?;
    match actions::actionlint() {
        Ok(actionlint) => actions::lint(&actionlint)?,
        Err(why) => eprintln!("xtask: NOT RUN: the workflows are not looked over: {why}"),
    }
    let clippy = |which: &[&str]| cargo(&[&["clippy", "--all-targets"], which, &["--", "--deny", "warnings"]].concat());
    clippy(&[&["--workspace", "--exclude", "heapsmith-preload"], FEATURES].concat())?;
    clippy(&["--package", "heapsmith-preload"])?;
    // The recorder without a C library, as `crates/launch/src/compile.rs` compiles it.
    let alone = "--cfg heapsmith_library --cfg heapsmith_alone -Cpanic=abort";
    cargo_with(&[("RUSTFLAGS", alone)], &["clippy", "--package", "heapsmith-recorder", "--", "--deny", "warnings"])
}

/// The same for what other features add, and the documentation.
pub fn lint_whole() -> Outcome {
    lint()?;
    cargo(&["clippy", "--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"])?;
    cargo_with(&[("RUSTDOCFLAGS", "--deny warnings")], &["doc", "--workspace", "--no-deps", "--quiet"])
}
