//! Paper 001: the authors' published programs compared with heaps of this project, a process for each size.
//!
//! | file | a row | what is measured |
//! |---|---|---|
//! | `001-times.csv` | a program, a size, a run | what the authors' loop prints: time of the processor, so that other programs do not count |
//! | `001-counts.csv` | a program, a size | instructions inside the allocator (callgrind), what is asked for, the memory that it takes |
//! | `001-first-calls.csv` | a heap, a size of Figure 18, a run | nanoseconds and system calls of ten allocations |
//! | `001-kept.csv` | a program, a size | what the authors' own runs took |
//!
//! The folder has these executables, made of the authors' files outside this repository, which read their seed from
//! `SEED` instead of the time of day, so that counts are the same each time:
//!
//! | file | what it is |
//! |---|---|
//! | `NAME-ASKS` | a tester of the authors with one of the allocators of [`PROGRAMS`], asking for at most `ASKS` bytes; a heap of this project is emitted as C and compiled with the same options |
//! | `NAME-ASKS-traced` | the same; prints the fields from `requested` on of a row of `001-counts.csv` to its standard error |
//! | `first-calls-NAME` | Figure 18's loop; prints size, nanoseconds and system calls of ten allocations of each size |
//! | `kept/NAME/outputTimeN.txt` | the authors' own times, which their repository had at commit 7cd61b0 |

mod measured;
mod programs;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use crate::run::{Outcome, root};
use measured::{Counts, first_calls, kept};
use programs::{PROGRAMS, Program};

/// Where the programs are from.
const SOURCE: &str =
    "https://github.com/ZacASTaylor/Memory_Allocators, commit 52ff2572c4e747ff7cae889f5b9e75c39ebe1e1f";

/// Allocations of a process.
const REQUESTS: [u64; 12] = [10, 20, 50, 100, 200, 500, 1000, 2000, 3500, 5000, 7000, 10_000];
/// Runs of each size: the interval of the median leaves out one at either end.
const RUNS: u64 = 11;
/// Runs of Figure 18's loop, which take microseconds.
const FIRST_CALL_RUNS: u64 = 31;

/// Runs the programs in turns, and writes the files.
pub fn run(folder: &Path) -> Outcome {
    has_all(folder)?;
    write("001-kept.csv", KEPT, &kept(folder)?)?;
    write("001-times.csv", "microseconds of the processor for the authors' loop, as it prints them", &times(folder)?)?;
    write("001-counts.csv", COUNTED, &counts(folder)?)?;
    write("001-first-calls.csv", FIRST_CALLS, &first_calls(folder, FIRST_CALL_RUNS)?)
}

/// Nothing is measured before every program is there.
fn has_all(folder: &Path) -> Outcome {
    let files = PROGRAMS.iter().map(|program| programs::file(program.name, program.asks));
    match files.map(|file| folder.join(file)).find(|path| !path.exists()) {
        Some(path) => Err(format!("{} is not there: it is to be made of {SOURCE} first", path.display())),
        None => Ok(()),
    }
}

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
        "# Programs of {SOURCE}, and heaps of this project in their tester;\n# {what}.\n# Written by `cargo xtask papers 001 \
         --originals DIR`.\n"
    );
    std::fs::write(&path, head + rows).map_err(|error| format!("{}: {error}", path.display()))
}
