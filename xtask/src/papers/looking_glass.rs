//! Paper 001: the authors' published programs compared with heaps of this project, a process for each size.
//!
//! | file | a row | what is measured |
//! |---|---|---|
//! | `001-times.csv` | a program, a size, a run | what the authors' loop prints: time of the processor, so that other programs do not count |
//! | `001-counts.csv` | a program, a size | instructions inside the allocator (callgrind), what is asked for, the memory that it takes |
//! | `001-first-calls.csv` | a heap, a size of Figure 18, a run | nanoseconds and system calls of ten allocations |
//! | `001-kept.csv` | a program, a size | what the authors' own runs took |
//!
//! Every program is compiled as its makefile says: lists and testers without optimisation, the tree with `-O3`. The heaps of
//! this project are emitted as C, compiled in the same way and run by the tester of the authors' implicit list. A seed takes
//! the place of the time of day, so that counts are the same each time.

mod measured;
mod programs;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::original::{Original, empty};
use crate::run::{Outcome, cargo, root, target};
use measured::{Counts, first_calls, kept};
use programs::{PROGRAMS, Program};

const SOURCE: Original = Original {
    name: "Memory_Allocators",
    address: "https://github.com/ZacASTaylor/Memory_Allocators",
    commit: "52ff2572c4e747ff7cae889f5b9e75c39ebe1e1f",
};

/// Allocations of a process.
const REQUESTS: [u64; 12] = [10, 20, 50, 100, 200, 500, 1000, 2000, 3500, 5000, 7000, 10_000];
/// Runs of each size: the interval of the median leaves out one at either end.
const RUNS: u64 = 11;
/// Runs of Figure 18's loop, which take microseconds.
const FIRST_CALL_RUNS: u64 = 31;

/// Compiles the programs, runs them in turns, and writes the files.
pub fn run(originals: &Path) -> Outcome {
    let files = SOURCE.files(originals)?;
    let folder = target().join("papers/001");
    empty(&folder)?;
    cargo(&["build", "--quiet", "-p", "heapsmith-cli"])?;
    for program in PROGRAMS {
        program.compile(&files, &folder)?;
    }
    write("001-kept.csv", KEPT, &kept(&files, KEPT_AT)?)?;
    write("001-times.csv", "microseconds of the processor for the authors' loop, as it prints them", &times(&folder)?)?;
    write("001-counts.csv", COUNTED, &counts(&folder)?)?;
    write("001-first-calls.csv", FIRST_CALLS, &first_calls(&files, &folder, FIRST_CALL_RUNS)?)
}

/// The last commit that has the authors' own times.
const KEPT_AT: &str = "7cd61b09788b0636e6ee807f606b6e9b8df26054";

const KEPT: &str = "microseconds of the authors' own runs, of the files outputTime*.txt at their commit 7cd61b0: median and the \
                    interval of 95% that holds it";

const COUNTED: &str = "requests, and of the seed 1: instructions between call and return of the allocator's two functions \
                       (callgrind; the system's are not among them), bytes requested in all, smallest and largest size, frees, \
                       bytes by which the heap grew until the first free, and at its largest";

const FIRST_CALLS: &str = "nanoseconds and system calls of ten allocations of each size in one process, in this order; a heap of \
                           this project gets its region and the region's pages in its first call";

/// Every time of every program, with the programs in turns.
fn times(folder: &Path) -> Result<String, String> {
    let mut text = "program,asks,requests,run,microseconds\n".to_owned();
    for run in 0..RUNS {
        for requests in REQUESTS {
            for Program { name, asks, .. } in PROGRAMS {
                let took = programs::took(&folder.join(programs::file(name, *asks)), requests, run + 1)?;
                let _ = writeln!(text, "{name},{asks},{requests},{run},{took}");
            }
        }
        eprintln!("xtask: run {} of {RUNS}", run + 1);
    }
    Ok(text)
}

fn counts(folder: &Path) -> Result<String, String> {
    let mut text = "program,asks,requests,instructions,requested,min,max,frees,grown,grown_max\n".to_owned();
    for program in PROGRAMS {
        for requests in REQUESTS {
            let Counts { instructions, asked } = measured::counts(program, folder, requests)?;
            let _ = writeln!(text, "{},{},{requests},{instructions},{asked}", program.name, program.asks);
        }
        eprintln!("xtask: counted {}", program.name);
    }
    Ok(text)
}

fn write(name: &str, what: &str, rows: &str) -> Outcome {
    let path: PathBuf = root().join("crates/papers/originals").join(name);
    let head = format!(
        "# Programs of {}, commit {}, and heaps of this project in their tester;\n# {what}.\n# Written by `cargo xtask papers \
         001 --originals DIR`.\n",
        SOURCE.address, SOURCE.commit
    );
    std::fs::write(&path, head + rows).map_err(|error| format!("{}: {error}", path.display()))
}
