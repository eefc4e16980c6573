//! `cargo xtask sanitize` and `cargo xtask miri`: the heaps under tools that see what a test does not.
//!
//! | tool | sees | runs |
//! |---|---|---|
//! | AddressSanitizer | every access outside the region, leaks of the tests | tests of `heapsmith` but `folding` and `cortex_m`, heaps on trial, layers, threads |
//! | ThreadSanitizer | races of threads that free each other's blocks | threads of `heapsmith-preload` |
//! | Valgrind | reads of what was never written | heaps on trial, a few programs |
//! | Miri | undefined behaviour of the language: aliasing, alignment, uninitialised reads | examples and tests of `heapsmith`, heaps on trial, a program each |

use std::process::Command;

use crate::run::{Outcome, cargo_with, output, root};
use crate::tools;

/// The machine that the sanitizer is asked for; naming it keeps the flags from build scripts.
const HOST: &str = "x86_64-unknown-linux-gnu";

/// Runs the tests under AddressSanitizer, then a part of them under Valgrind.
pub fn sanitize() -> Outcome {
    tools::install(&[tools::CC, tools::VALGRIND])?;
    // Sanitizers are not stable yet; the stable compiler has them behind this variable.
    let flags = [("RUSTC_BOOTSTRAP", "1"), ("RUSTFLAGS", "-Zsanitizer=address"), ("PROPTEST_CASES", "100")];
    let test = ["test", "--target", HOST, "--package"];
    // Examples for the documentation are linked without the sanitizer, so they are left out.
    // Nor can `folding` be: it reads machine code, and the sanitizer adds to it; and a Cortex-M has no sanitizer.
    let own = ["heapsmith", "--all-features", "--test", "it", "--test", "global", "--"];
    cargo_with(&flags, &[&test[..], &own, &["--skip", "folding::", "--skip", "cortex_m::"]].concat())?;
    cargo_with(&flags, &[&test[..], &["heapsmith-trial", "--test", "it"]].concat())?;
    cargo_with(
        &flags,
        &[&test[..], &["heapsmith-spec", "--test", "it", "--", "layers::", "constant_time::"]].concat(),
    )?;
    let threads = [&test[..], &["heapsmith-preload", "--test", "threads"]].concat();
    // What lives as long as the process hangs on mapped memory, where the sanitizer does not look for it.
    cargo_with(&[&flags[..], &[("ASAN_OPTIONS", "detect_leaks=0")]].concat(), &threads)?;
    // The standard library is not compiled with it: the tests use nothing of it that threads share.
    let flags = "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer";
    cargo_with(&[("RUSTC_BOOTSTRAP", "1"), ("RUSTFLAGS", flags)], &threads)?;
    valgrind()
}

/// The trial of every heap under Valgrind's memcheck.
fn valgrind() -> Outcome {
    let program = trial_test(&[])?;
    let status = Command::new("valgrind")
        .args(["--quiet", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite"])
        .args([&program, "trial::every_heap_gets_through_some_programs"])
        .env("HEAPSMITH_TRIAL_PROGRAMS", "4")
        .current_dir(root())
        .status()
        .map_err(|error| format!("cannot run valgrind: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("valgrind found errors: {status}")) }
}

/// Builds the tests of `heapsmith-trial` and returns the path of the program.
fn trial_test(options: &[&str]) -> Result<String, String> {
    let build = ["test", "--package", "heapsmith-trial", "--test", "it", "--no-run", "--message-format", "json"];
    let messages = output(env!("CARGO"), &[&build[..], options].concat())?;
    let program = messages.lines().filter_map(|line| line.split_once("\"executable\":\"")).next_back();
    let program = program.and_then(|(_, rest)| rest.split('"').next());
    program.map(str::to_owned).ok_or_else(|| "cargo built no test program of heapsmith-trial".to_owned())
}

/// Runs a trial of every heap under Miri.
pub fn miri() -> Outcome {
    let rustup = |arguments: &[&str]| output("rustup", arguments);
    rustup(&[
        "toolchain",
        "install",
        "nightly",
        "--profile",
        "minimal",
        "--component",
        "miri",
        "--component",
        "rust-src",
    ])
    .map_err(|error| {
        format!("Miri cannot be had here: {error}\ninstall it with: rustup +nightly component add miri rust-src")
    })?;
    // Heaps turn addresses into pointers through the region's base, so strict provenance holds.
    let flags = [
        ("MIRIFLAGS", "-Zmiri-strict-provenance -Zmiri-disable-isolation"),
        ("PROPTEST_CASES", "4"),
        ("HEAPSMITH_TRIAL_PROGRAMS", "1"),
    ];
    let miri = ["run", "nightly", "cargo", "miri", "test", "--package"];
    let run = |arguments: &[&str]| crate::run::run_with("rustup", &flags, &[&miri[..], arguments].concat());
    // The crate that is published: its examples, its indexes, its heaps by name and what it refuses.
    run(&["heapsmith", "--doc"])?;
    run(&["heapsmith", "--lib"])?;
    run(&[
        "heapsmith",
        "--test",
        "it",
        "--features",
        "allocator-api2",
        "--",
        "examples::",
        "heaps::",
        "locks::",
        "refusals::",
    ])?;
    run(&["heapsmith-trial", "--test", "it", "--", "every_heap_gets_through_some_programs", "--nocapture"])
}
