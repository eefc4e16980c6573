//! `cargo xtask evidence`: `emit --evidence` of a heap of every family, with everything that the tools here can show; writes
//! `bench/results/evidence.csv`.
//!
//! The folders are those that users get, run as they run them, with more states and more programs. What cannot run is in the
//! table as not run. Lines are kept as soon as their heap is done, with the commit: after an interrupt the same commit
//! goes on where it was.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::origin::{Machine, commit};
use crate::run::{Outcome, cargo, is_there, root, target};
use crate::tools;

/// Which heaps, and how much of each.
#[derive(Clone, Debug, clap::Args)]
pub struct Arguments {
    /// Families; all of them where none is named
    families: Vec<String>,
    /// States after which a region is too long to be searched whole
    #[arg(long, default_value_t = Arguments::default().states)]
    states: u32,
    /// Random programs, each of 500 operations
    #[arg(long, default_value_t = Arguments::default().programs)]
    programs: u32,
    /// For how long libFuzzer breeds programs of each heap, in seconds
    #[arg(long, default_value_t = Arguments::default().fuzz_seconds)]
    fuzz_seconds: u32,
    /// The longest that CBMC may take for each heap, in seconds
    #[arg(long, default_value_t = Arguments::default().cbmc_seconds)]
    cbmc_seconds: u32,
    /// The CBMC to run: Debian has it from trixie on
    #[arg(long, default_value_t = Arguments::default().cbmc)]
    cbmc: String,
}

impl Default for Arguments {
    fn default() -> Arguments {
        Arguments {
            families: Vec::new(),
            states: 1_000_000,
            programs: 5_000,
            fuzz_seconds: 20,
            cbmc_seconds: 300,
            cbmc: "cbmc".to_owned(),
        }
    }
}

/// A heap of every family that C is emitted of.
const FAMILIES: &[(&str, &str)] = &[
    ("list-address", "list(order=address, fit=first)"),
    ("list-lifo-best", "list(order=lifo, fit=best)"),
    ("list-implicit", "list(order=implicit) word=2"),
    ("list-check-header", "list(order=address, fit=first) check=header"),
    ("freelists", "freelists(16,24) list(order=address, fit=first) word=8 align=16"),
    ("bins-lea", "bins(lea)"),
    ("bins-log", "bins(log, order=lifo)"),
    ("classes", "classes(32..=4096 double)"),
    ("tree", "tree(red-black, fit=best)"),
    ("skiplist", "skiplist(seed=1)"),
    ("tlsf", "tlsf(second-level=1) word=2"),
    ("half-fit", "half-fit"),
    ("buddy-knuth", "buddy(knuth)"),
    ("buddy-estranged", "buddy(estranged)"),
    ("chunks-address", "chunks(header=tags, index=address, fit=first)"),
    ("chunks-rings", "chunks(header=tags, index=rings, unit=16, coalesce=never)"),
    ("chunks-ends", "chunks(header=tags, index=address, fit=first, ends>=64)"),
    ("pages", "pages(page=512, min=8, search=linear)"),
    ("spans-inside", "spans(16..=64 step 16, span=256) list(order=address, fit=first)"),
    ("spans-outside", "spans(16..=64 step 16, span=256, free=bitmap, metadata=outside) list(order=address, fit=first)"),
    ("fixed", "fixed(64)"),
    ("bump", "bump"),
    ("stack", "stack"),
    ("zero", "zero list(order=address, fit=first)"),
    ("reserve", "reserve(high=20%) list(order=address, fit=first)"),
    ("guard", "guard(quarantine=2, pages=off) list(order=address, fit=first)"),
];

/// Heaps at once, each on a processor.
const AT_ONCE: usize = 2;

/// Emits, runs and keeps the evidence of every heap that has none of this commit.
pub fn evidence(arguments: &Arguments) -> Outcome {
    let unknown = |name: &&String| FAMILIES.iter().all(|(family, _)| family != *name);
    if let Some(name) = arguments.families.iter().find(unknown) {
        let names: Vec<&str> = FAMILIES.iter().map(|&(family, _)| family).collect();
        return Err(format!("there is no family {name}: {}", names.join(", ")));
    }
    tools::install(&[tools::CC])?;
    for (tool, why) in tools::obtain(&[tools::CLANG, tools::CPPCHECK]) {
        eprintln!("xtask: {} {}: {why}", tool.name, tool.why);
    }
    cargo(&["build", "--release", "--package", "heapsmith-cli"])?;
    let table = Mutex::new(Table::read(arguments)?);
    let wanted = |family: &str| arguments.families.is_empty() || arguments.families.iter().any(|name| name == family);
    let left: Vec<_> =
        FAMILIES.iter().filter(|(family, _)| wanted(family) && !table.lock().is_ok_and(|t| t.has(family))).collect();
    let (next, bad) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Outcome {
        while let Some(&&(family, spec)) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (green, lines) = shown(family, spec, arguments)?;
            eprintln!("xtask: evidence of {family}, {spec}\n{lines}");
            table.lock().map_err(|_| "another thread failed".to_owned())?.keep(family, spec, &lines)?;
            if !green {
                bad.lock().map_err(|_| "another thread failed".to_owned())?.push(family);
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads = [(); AT_ONCE].map(|()| scope.spawn(work));
        threads.into_iter().try_for_each(|thread| thread.join().map_err(|_| "a thread failed".to_owned())?)
    })?;
    let bad = bad.into_inner().map_err(|_| "a thread failed".to_owned())?;
    if bad.is_empty() { Ok(()) } else { Err(format!("something was found: {}", bad.join(", "))) }
}

/// Runs the folder of a heap. Whether nothing was found, and the lines of its results.
fn shown(family: &str, spec: &str, arguments: &Arguments) -> Result<(bool, String), String> {
    let folder = target().join("evidence").join(family);
    let run = |command: &mut Command| command.output().map_err(|error| format!("{family}: {error}"));
    let mut emit = Command::new(target().join("release/heapsmith"));
    emit.args(["emit", spec, "--lang", "c", "--name", "shown", "-o"]).arg(folder.join("src"));
    let emitted = run(emit.arg("--evidence").arg(&folder))?;
    if !emitted.status.success() {
        return Err(format!("{family}: {}", String::from_utf8_lossy(&emitted.stderr)));
    }
    let mut script = Command::new("sh");
    script.arg(folder.join("run.sh")).args([arguments.states.to_string(), arguments.programs.to_string()]);
    script.env("FUZZ_SECONDS", arguments.fuzz_seconds.to_string());
    script.env("CBMC_SECONDS", arguments.cbmc_seconds.to_string()).env("CBMC", &arguments.cbmc);
    let outcome = run(&mut script)?;
    let lines = std::fs::read_to_string(folder.join("results.txt")).map_err(|error| format!("{family}: {error}"))?;
    Ok((outcome.status.success(), lines))
}

/// A line for each part of each heap.
struct Table {
    path: PathBuf,
    head: String,
    lines: String,
    commit: String,
}

impl Table {
    /// What is there with these arguments and tools; otherwise nothing.
    fn read(arguments: &Arguments) -> Result<Table, String> {
        let path = root().join("bench/results/evidence.csv");
        let head = head(arguments);
        let before = std::fs::read_to_string(&path).unwrap_or_default();
        let lines = before.strip_prefix(&head).unwrap_or_default().to_owned();
        Ok(Table { path, head, lines, commit: commit()? })
    }

    /// Whether there are lines of a family and this commit.
    fn has(&self, family: &str) -> bool {
        let (begin, end) = (format!("{family},"), format!(",{}", self.commit));
        self.lines.lines().any(|line| line.starts_with(&begin) && line.ends_with(&end))
    }

    fn keep(&mut self, family: &str, spec: &str, results: &str) -> Outcome {
        let begin = format!("{family},");
        self.lines = self
            .lines
            .lines()
            .filter(|line| !line.starts_with(&begin))
            .fold(String::new(), |lines, line| lines + line + "\n");
        results.lines().filter_map(part).for_each(|(outcome, part, figures)| {
            let (figures, commit) = (figures.replace('"', "\"\""), &self.commit);
            let _ = writeln!(self.lines, "{family},\"{spec}\",{part},{outcome},\"{figures}\",{commit}");
        });
        write(&self.path, &format!("{}{}", self.head, self.lines))
    }
}

fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// The first lines of the table: what was run, with which tools.
fn head(arguments: &Arguments) -> String {
    let Machine { processor, processors, system, .. } = Machine::here();
    let Arguments { states, programs, fuzz_seconds, cbmc_seconds, cbmc, .. } = arguments;
    let version = |program: &str| {
        let output = Command::new(program).arg("--version").output().ok().filter(|output| output.status.success());
        let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        text.and_then(|text| Some(text.lines().next()?.to_owned())).unwrap_or_else(|| "none".to_owned())
    };
    let cbmc = if is_there(cbmc) { version(cbmc) } else { "none".to_owned() };
    format!(
        "# cargo xtask evidence: up to {states} states, {programs} programs, libFuzzer {fuzz_seconds} s, CBMC up to {cbmc_seconds} s\n\
         # {processor}, {processors} processors, {system}; cc: {}; clang: {}; cppcheck: {}; cbmc: {cbmc}\n\
         family,heap,part,outcome,figures,commit\n",
        version("cc"),
        version("clang"),
        version("cppcheck"),
    )
}

/// Outcome, part and figures of a line of results.txt; none of a line that belongs to the one before.
fn part(line: &str) -> Option<(&str, &str, &str)> {
    if line.starts_with(' ') {
        return None;
    }
    let (outcome, rest) = line.split_at_checked(9)?;
    let (part, figures) = rest.trim_start().split_once(' ')?;
    Some((outcome.trim(), part, figures.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_results_has_outcome_part_and_figures() {
        let line = "NOT RUN   cbmc         no none here: it is a package of Debian from trixie on";
        assert_eq!(part(line), Some(("NOT RUN", "cbmc", "no none here: it is a package of Debian from trixie on")));
        assert_eq!(part("GREEN     fuzz         50 random programs"), Some(("GREEN", "fuzz", "50 random programs")));
        assert_eq!(part("          allocate 8 bytes"), None);
    }
}
