//! Instructions of an optimised example, counted by Valgrind's callgrind.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds an example of this crate, optimised.
pub fn built(example: &str) -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = package.join("../../target/folding");
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--release", "--package", "heapsmith", "--example", example, "--target-dir"])
        .arg(&target)
        .current_dir(package)
        .status()
        .expect("cargo runs");
    assert!(status.success(), "the example compiles");
    target.join("release/examples").join(example)
}

/// Instructions of two rounds, the last argument being their number: three less one, so that what is done once falls out.
pub fn two_rounds(program: &Path, arguments: &[&str]) -> u64 {
    let whole = |rounds| counted(program, &[arguments, &[rounds]].concat());
    whole("3") - whole("1")
}

/// Instructions of a whole run.
fn counted(program: &Path, arguments: &[&str]) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(arguments)
        .output()
        .expect("valgrind is missing: install the package valgrind");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    let count = told.lines().find_map(|line| line.split_once("Collected : "));
    count.and_then(|(_, number)| number.trim().parse().ok()).expect("callgrind prints its count")
}
