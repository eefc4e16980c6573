//! One program on every allocator, in turns, round by round; its output against that on glibc.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::allocators::{Allocator, GLIBC};
use super::instruments::Instruments;
use super::launch::{Launcher, Run};
use super::program::{Inputs, Program};
use super::witness;

/// What all programs share.
pub struct Setting<'a> {
    /// What they run on, glibc first.
    pub allocators: &'a [Allocator],
    /// What measures.
    pub instruments: &'a Instruments,
    /// The C library.
    pub c_library: PathBuf,
    /// Where inputs and outputs lie.
    pub folder: &'a Path,
    /// Rounds, at most.
    pub rounds: usize,
    /// How long a program's rounds may take, after the first three.
    pub budget: Duration,
    /// Whether everything is to be small.
    pub quick: bool,
}

/// A program on every allocator.
pub struct Compared {
    /// The program.
    pub program: &'static Program,
    /// Calls of malloc and its relatives.
    pub calls: u64,
    /// A row for each allocator, glibc first.
    pub rows: Vec<Row>,
}

/// A program on one allocator.
pub struct Row {
    /// The allocator's name.
    pub allocator: &'static str,
    /// Its spec, if it is a heap of heapsmith.
    pub spec: Option<&'static str>,
    /// What was measured, a run for each round.
    pub runs: Vec<Run>,
    /// What went wrong; then no further round was run.
    pub failure: Option<String>,
}

/// Rounds that there are in any case, if as many were asked for.
const ENOUGH: usize = 3;

/// How long the first run of all may take; on glibc.
const FIRST: Duration = Duration::from_secs(900);
/// Times that an allocator may take longer than glibc, and seconds on top.
const SLOWER: u32 = 20;
const GRACE: Duration = Duration::from_secs(20);

/// Runs a program on everything.
pub fn compare(setting: &Setting, program: &'static Program) -> Result<Compared, String> {
    let folder = setting.folder.join(program.name);
    let inputs = Inputs { folder: folder.join("inputs"), quick: setting.quick };
    std::fs::create_dir_all(&inputs.folder)
        .map_err(|error| format!("cannot make {}: {error}", inputs.folder.display()))?;
    (program.prepare)(&inputs).map_err(|error| format!("{}: {error}", program.name))?;
    let launcher = Launcher { instruments: setting.instruments, folder: &folder };
    let task = (program.task)(&inputs, &launcher.scratch());
    let count = launcher.count(&task, &setting.c_library, FIRST);
    let calls = count.map_err(|error| format!("{} on glibc: {error}", program.name))?;
    if calls < program.min_calls {
        return Err(format!("{} called malloc {calls} times only: it has an allocator of its own", program.name));
    }

    let suited = setting.allocators.iter().filter(|allocator| allocator.suits(program));
    let mut rows: Vec<(&Allocator, Row)> = suited.map(|allocator| (allocator, Row::new(allocator))).collect();
    let mut right: Option<Run> = None;
    let begun = Instant::now();
    for round in 0..setting.rounds {
        if round >= ENOUGH && begun.elapsed() > setting.budget {
            break;
        }
        // Each round begins with another allocator, and the first with glibc, whose output is the right one.
        let start = round % rows.len();
        let (before, after) = rows.split_at_mut(start);
        let turns = after.iter_mut().chain(before);
        for (allocator, row) in turns.filter(|(_, row)| row.failure.is_none()) {
            eprintln!("xtask: round {} of {}: {} on {}", round + 1, setting.rounds, program.name, allocator.name);
            let limit = right.as_ref().map_or(FIRST, |right| right.clock * SLOWER + GRACE);
            let run = launcher.launch(&task, allocator, &setting.c_library, limit);
            match run.and_then(|run| evaluated(run, right.as_ref(), task.process, allocator)) {
                Ok(run) => {
                    right.get_or_insert_with(|| run.clone());
                    row.runs.push(run);
                }
                Err(error) if allocator.name == GLIBC => return Err(format!("{} on glibc: {error}", program.name)),
                Err(error) => {
                    eprintln!("xtask: {} on {}: {error}", program.name, allocator.name);
                    row.failure = Some(error);
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(launcher.scratch());
    Ok(Compared { program, calls, rows: rows.into_iter().map(|(_, row)| row).collect() })
}

/// A run whose output is right and whose malloc was the allocator's.
fn evaluated(run: Run, right: Option<&Run>, process: &str, allocator: &Allocator) -> Result<Run, String> {
    witness::check(&run.witnesses, process, &allocator.expected)?;
    match right.and_then(|right| difference(&right.output, &run.output)) {
        None => Ok(run),
        Some(difference) => Err(format!("wrong output: {difference}")),
    }
}

/// The first line in which two outputs differ.
fn difference(right: &str, wrong: &str) -> Option<String> {
    if right == wrong {
        return None;
    }
    let (mut right, mut wrong) = (right.lines(), wrong.lines());
    loop {
        match (right.next(), wrong.next()) {
            (None, None) => return Some("ends of lines".to_owned()),
            (right, wrong) if right != wrong => {
                let shown = |line: Option<&str>| line.map_or("nothing".to_owned(), |line| format!("{line:?}"));
                return Some(format!("{} where glibc has {}", shown(wrong), shown(right)));
            }
            _ => {}
        }
    }
}

impl Row {
    fn new(allocator: &Allocator) -> Row {
        Row { allocator: allocator.name, spec: allocator.spec, runs: Vec::new(), failure: None }
    }
}

#[cfg(test)]
mod tests {
    use super::{difference, evaluated};
    use crate::real::allocators::Allocator;
    use crate::real::figures::tests::row;
    use crate::real::witness::{Expected, Witness};

    #[test]
    fn a_run_counts_if_output_and_malloc_are_right() {
        let library = std::env::current_exe().and_then(|path| path.canonicalize()).expect("this test's program");
        let expected = Expected::Library(library.clone());
        let (before, spec) = (Vec::new(), Some("tlsf"));
        let allocator = Allocator { name: "tlsf", spec, threads: false, library: None, before, expected };
        let mut run = row("tlsf", None, &[(1, 1)]).runs.remove(0);
        run.output = "right\n".to_owned();
        run.witnesses = vec![Witness { library, program: "perl".to_owned(), heap: String::new() }];
        assert!(evaluated(run.clone(), Some(&run), "perl", &allocator).is_ok());
        assert!(evaluated(run.clone(), Some(&run), "node", &allocator).is_err(), "no node was there");
        let wrong = crate::real::launch::Run { output: "left\n".to_owned(), ..run.clone() };
        let error = evaluated(wrong, Some(&run), "perl", &allocator).expect_err("a wrong output");
        assert_eq!(error, "wrong output: \"left\" where glibc has \"right\"");
        run.witnesses[0].library = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").into();
        assert!(evaluated(run.clone(), None, "perl", &allocator).is_err(), "another malloc");
    }

    #[test]
    fn outputs_differ_by_their_first_line_that_differs() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(difference("a\nb\n", "a\nc\nd\n").as_deref(), Some("\"c\" where glibc has \"b\""));
        assert_eq!(difference("a\nb\n", "a\n").as_deref(), Some("nothing where glibc has \"b\""));
        assert_eq!(difference("a\n", "a").as_deref(), Some("ends of lines"));
    }
}
