//! Instructions of an optimised example, counted by Valgrind's callgrind.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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

/// What `count` gives for each of `all`, on every processor: Valgrind is slow, and counts do not depend on what else runs.
pub fn each<T: Sync>(all: &[T], count: impl Fn(&T) -> f64 + Sync) -> Vec<f64> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut counted = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(one) = all.get(index) else { return counted };
            counted.push((index, count(one)));
        }
    };
    let mut counted: Vec<(usize, f64)> = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..thread::available_parallelism().map_or(1, usize::from)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("Valgrind counts")).collect()
    });
    counted.sort_by_key(|(index, _)| *index);
    counted.into_iter().map(|(_, count)| count).collect()
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
