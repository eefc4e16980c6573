//! The programs, and how each is run.

use std::path::Path;
use std::process::Command;

/// A program that allocates, and frees half at random: a tester of the authors with an allocator in it.
pub struct Program {
    /// The allocator.
    pub name: &'static str,
    /// The largest size that it asks for after the first request.
    pub asks: u64,
    /// What allocates and what frees.
    pub functions: [&'static str; 2],
}

/// The functions of the authors' tree.
const TREE: [&str; 2] = ["rbmalloc", "rbfree"];
/// Those of the C library.
const MALLOC: [&str; 2] = ["malloc", "free"];
/// Those of the authors' implicit list, whose tester has the heaps of this project in its place.
const MYMALLOC: [&str; 2] = ["mymalloc", "myfree"];

const fn program(name: &'static str, asks: u64, functions: [&'static str; 2]) -> Program {
    Program { name, asks, functions }
}

/// All of them. The first four are as published; `tree-best-fit` is the tree with `FIND_BEST`, which its makefile leaves out.
pub const PROGRAMS: &[Program] = &[
    program("implicit", 1024, MYMALLOC),
    program("explicit", 1024, ["fl_malloc", "fl_free"]),
    program("tree", 32, TREE),
    program("malloc", 1024, MALLOC),
    program("tree", 1024, TREE),
    program("malloc", 32, MALLOC),
    program("tree-best-fit", 1024, TREE),
    program("our-implicit", 1024, MYMALLOC),
    program("our-explicit", 1024, MYMALLOC),
    program("our-explicit-lifo", 1024, MYMALLOC),
    program("our-tree", 1024, MYMALLOC),
    program("our-tree", 32, MYMALLOC),
    program("our-linear", 1024, MYMALLOC),
];

/// The name of a program's file; the one that says what was asked for has `-traced` after it.
pub fn file(name: &str, asks: u64) -> String {
    format!("{name}-{asks}")
}

/// Runs a program with a seed: the microseconds that it prints.
pub fn took(program: &Path, requests: u64, seed: u64) -> Result<f64, String> {
    let output =
        Command::new(program).args([requests.to_string(), "1".to_owned()]).env("SEED", seed.to_string()).output();
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    let milliseconds = String::from_utf8_lossy(&output.stdout).trim().parse::<f64>();
    milliseconds.map(|ms| (ms * 1e6).round() / 1e3).map_err(|error| format!("{}: {error}", program.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_apart() {
        let mut names: Vec<String> = PROGRAMS.iter().map(|program| file(program.name, program.asks)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), PROGRAMS.len());
    }
}
