//! Paper 003: its programs recorded, their instructions counted, and where phkmalloc 1.89 places what they request.
//!
//! ```text
//!   DIR/003/bin/NAME ──heapsmith record──▶ samples/programs/NAME.parquet ──▶ DIR/003/bin/phkmalloc ──▶ phkmalloc-1.89.csv
//!                    └─callgrind─────────▶ samples/programs/NAME.txt
//! ```
//!
//! The folder has these files, made of others' files outside this repository:
//!
//! | file | what it is |
//! |---|---|
//! | `bin/NAME` | a program of [`PROGRAMS`], for 64 bits |
//! | `lib` | libraries that they need, if the system does not have them |
//! | `largest.espresso` | espresso's input, of the folder of its source |
//! | `link-grammar/en` | the English dictionary of link-grammar |
//! | `bin/phkmalloc` | plays the requests of a file through phkmalloc, for 32 bits: see [`phkmalloc`] |
//!
//! perl is the system's, recorded by `samples/perl/make`.

mod counted;
mod phkmalloc;
mod recorded;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{self, Outcome, root};
use crate::tools;

/// A program, and what it is started with in the folder.
struct Program {
    name: &'static str,
    /// Where it is from.
    source: &'static str,
    arguments: &'static [&'static str],
    /// What it reads from its standard input.
    input: &'static str,
    /// Events of the recording that are kept, where those are not all.
    events: Option<u64>,
    /// Basic blocks that are counted, where it does not end under callgrind.
    blocks: Option<u64>,
}

const MIMALLOC_BENCH: &str = "bench/ of https://github.com/daanx/mimalloc-bench, commit ce5784f";
const OLDEN: &str = "MultiSource/Benchmarks/Olden of https://github.com/llvm/llvm-test-suite, commit 3c0a28f (treeadd with one addition)";

const fn program(name: &'static str, source: &'static str, arguments: &'static [&'static str]) -> Program {
    Program { name, source, arguments, input: "", events: None, blocks: None }
}

/// The programs, but for perl.
const PROGRAMS: [Program; 8] = [
    program("cfrac", MIMALLOC_BENCH, &["3141592653377433689557"]),
    Program {
        events: Some(200_000),
        blocks: Some(173_000_000),
        ..program("espresso", MIMALLOC_BENCH, &["largest.espresso"])
    },
    Program {
        input: SENTENCES,
        events: Some(150_000),
        ..program("link-parser", "link-grammar 5.12.0 of Debian 12", &["link-grammar/en"])
    },
    program("treeadd", OLDEN, &["20", "1"]),
    program("bisort", OLDEN, &["250000", "1"]),
    program("perimeter", OLDEN, &["10", "1"]),
    program("health", OLDEN, &["5", "500", "1"]),
    program("voronoi", OLDEN, &["20000", "1"]),
];

/// What the parser reads.
const SENTENCES: &str = "\
The cat that the dog chased ran up a tree.
She told me that she had seen the man who sold the house.
What did you think of the book that I gave you yesterday?
The students who had finished early were allowed to leave the room.
If it rains tomorrow, we will not go to the beach.
He is the kind of person that everybody wants to work with.
There was a long line of people waiting outside the theater.
The report, which was written by a committee, surprised nobody.
I have never seen a more beautiful garden than this one.
They argued about whether the new rules should apply to everyone.
";

impl Program {
    /// What its recording is called.
    fn sample(&self) -> &'static str {
        if self.name == "link-parser" { "parser" } else { self.name }
    }

    fn file(&self) -> String {
        format!("bin/{}", self.name)
    }

    /// A command in the folder, with the folder's libraries, that reads the program's input.
    fn command(&self, program: &Path, folder: &Path, scratch: &Path) -> Result<Command, String> {
        let input = scratch.join("input");
        std::fs::write(&input, self.input).map_err(|error| said(&input, error))?;
        let mut command = Command::new(program);
        command.current_dir(folder).env("LD_LIBRARY_PATH", folder.join("lib"));
        command.stdin(std::fs::File::open(&input).map_err(|error| said(&input, error))?);
        Ok(command)
    }
}

/// Records and counts every program, and plays three recordings through phkmalloc.
pub fn run(folder: &Path) -> Outcome {
    let folder = std::path::absolute(folder).map_err(|error| error.to_string())?;
    has_all(&folder)?;
    tools::install(&[tools::VALGRIND, tools::PERL])?;
    let command = tools::command()?;
    for program in &PROGRAMS {
        eprintln!("xtask: {}", program.name);
        let scratch = tempfile::tempdir().map_err(|error| error.to_string())?;
        let events = recorded::record(program, &folder, &command, scratch.path())?;
        let counts = counted::count(program, &folder, scratch.path())?;
        // A free of nothing is a call, and no event.
        let counts = if program.blocks.is_none() { counts.of_events(events) } else { counts };
        write(&sample(program.sample(), "txt"), &counts.text())?;
    }
    run::run_with("samples/perl/make", &[("HEAPSMITH", &command.display().to_string())], &[])?;
    write(&root().join(phkmalloc::FILE), &phkmalloc::addresses(&folder, &command)?)
}

/// Nothing is recorded before every program is there.
fn has_all(folder: &Path) -> Outcome {
    let programs = PROGRAMS.iter().map(|program| (program.file(), program.source));
    let others = [("largest.espresso", MIMALLOC_BENCH), ("link-grammar/en", "link-grammar 5.12.0 of Debian 12")];
    let others = others.into_iter().chain([(phkmalloc::PROGRAM, phkmalloc::SOURCE)]);
    let all = programs.chain(others.map(|(file, source)| (file.to_owned(), source)));
    match all.map(|(file, source)| (folder.join(file), source)).find(|(path, _)| !path.exists()) {
        Some((path, source)) => Err(format!("{} is not there: it is to be had of {source} first", path.display())),
        None => Ok(()),
    }
}

/// A file of a recorded program.
fn sample(name: &str, ending: &str) -> PathBuf {
    root().join("samples/programs").join(format!("{name}.{ending}"))
}

fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|error| said(path, error))
}

fn said(path: &Path, error: std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

/// Runs a command to its end.
fn ended(command: &mut Command) -> Result<std::process::Output, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(format!("{name} failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_its_source() {
        let folder = tempfile::tempdir().expect("a folder");
        let told = run(folder.path()).expect_err("nothing is there");
        assert!(told.contains("bin/cfrac is not there") && told.contains("mimalloc-bench"), "{told}");
        std::fs::create_dir(folder.path().join("bin")).expect("a folder");
        for program in &PROGRAMS {
            std::fs::write(folder.path().join(program.file()), "").expect("a file");
        }
        let told = run(folder.path()).expect_err("the input is not there");
        assert!(told.contains("largest.espresso is not there"), "{told}");
    }

    #[test]
    fn every_program_has_its_samples() {
        for program in &PROGRAMS {
            assert!(sample(program.sample(), "parquet").exists() && sample(program.sample(), "txt").exists());
        }
    }
}
