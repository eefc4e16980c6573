//! Programs with heap errors, on the levels of `guard`: which are caught is a table, `heap_errors/table.txt`.
//!
//! A program is *stopped* when the library ends it and says why, *refused* when the request that it must not get fails, and
//! *cleared* when a block that it did not write shows nothing of a freed one: these are caught. What ends
//! without a word of the library's is missed, also where a signal ended it.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{Bench, text};

/// The columns of the table.
const LEVELS: [&str; 4] =
    ["check=header", "guard(quarantine=16, pages=off)", "guard(quarantine=16)", "guard(quarantine=16, pages=all)"];

/// The level that is there for finding what a program does wrong.
const PLAIN: usize = 2;

/// The measure: 105 of 116.
const CAUGHT: (usize, usize) = (105, 116);

struct Programs {
    bench: Bench,
    path: PathBuf,
    /// Kind and name of each.
    names: Vec<(String, String)>,
}

impl Programs {
    fn new() -> Programs {
        let bench = Bench::new();
        let path = bench.compile("heap_errors.cpp", &[]);
        let listed = Command::new(&path).output().expect("the program runs");
        let names = text(&listed.stdout);
        let names = names.lines().filter_map(|line| line.split_once('\t'));
        let names = names.map(|(kind, name)| (kind.to_owned(), name.to_owned())).collect();
        Programs { bench, path, names }
    }

    /// Whether program `number` is caught on a heap, and what was said.
    fn caught(&self, number: usize, heap: &str) -> (bool, String) {
        let mut command = self.bench.on(heap, &[self.path.as_os_str(), number.to_string().as_ref()]);
        command.env_remove("HEAPSMITH_CHECK").env("HEAPSMITH_SEED", "1");
        let output = command.output().expect("the program runs");
        let (out, said) = (text(&output.stdout), text(&output.stderr));
        let stopped = !output.status.success() && said.starts_with("heapsmith: ");
        (stopped || (output.status.success() && ["refused\n", "cleared\n"].contains(&&*out)), said)
    }

    /// The programs that are caught on a heap.
    fn all_caught(&self, heap: &str) -> Vec<bool> {
        (0..self.names.len()).map(|number| self.caught(number, heap).0).collect()
    }
}

/// The heap of a level.
fn heap(level: &str) -> String {
    if level.starts_with("guard") { format!("{level} tlsf word=8") } else { format!("tlsf word=8 {level}") }
}

/// A row for each kind: its programs, and those that each level catches; what a level misses is named.
fn table(programs: &Programs, levels: &[Vec<bool>]) -> String {
    let mut table = String::from("kind                                         programs  header  off  sampled  all\n");
    let mut kinds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, (kind, _)) in programs.names.iter().enumerate() {
        let first = programs.names.iter().position(|(other, _)| other == kind).expect("it is there");
        kinds.entry(first).or_default().push(number);
    }
    let mut row = |kind: &str, numbers: &[usize]| {
        let caught = |level: &Vec<bool>| numbers.iter().filter(|number| level[**number]).count();
        let [header, off, sampled, all] = [0, 1, 2, 3].map(|level| caught(&levels[level]));
        let missed = numbers.iter().filter(|number| !levels[PLAIN][**number]).map(|number| &*programs.names[*number].1);
        let missed =
            if numbers.len() < programs.names.len() { missed.collect::<Vec<_>>().join("; ") } else { String::new() };
        let line = format!("{kind:<45}{:>8}{header:>8}{off:>5}{sampled:>9}{all:>5}  {missed}", numbers.len());
        writeln!(table, "{}", line.trim_end()).expect("text");
    };
    kinds.iter().for_each(|(first, numbers)| row(&programs.names[*first].0, numbers));
    row("all", &(0..programs.names.len()).collect::<Vec<_>>());
    table
}

fn accepted() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/heap_errors/table.txt")
}

/// Holds columns of the table against the file; all of them, where all were measured.
fn hold(programs: &Programs, levels: &[Vec<bool>]) {
    let now = table(programs, levels);
    if std::env::var_os("HEAPSMITH_ACCEPT").is_some() {
        std::fs::write(accepted(), &now).expect("the table is written");
    }
    let before = std::fs::read_to_string(accepted()).expect("the table");
    assert_eq!(before, now, "if this is meant: HEAPSMITH_ACCEPT=1 with the ignored tests");
}

#[test]
fn a_guard_catches_105_of_116_programs_with_heap_errors() {
    let programs = Programs::new();
    let count = programs.names.len();
    let caught = programs.all_caught(&heap(LEVELS[PLAIN]));
    let missed = |caught: &[bool]| -> Vec<String> {
        let names = programs.names.iter().zip(caught).filter(|(_, caught)| !**caught);
        names.map(|((kind, name), _)| format!("{kind}: {name}")).collect()
    };
    let share = caught.iter().filter(|caught| **caught).count();
    assert!(count >= CAUGHT.1 && share * CAUGHT.1 >= CAUGHT.0 * count, "{share} of {count}: {:?}", missed(&caught));
    let file = std::fs::read_to_string(accepted()).expect("the table");
    let all: Vec<_> = file.lines().last().expect("a row").split_whitespace().collect();
    assert_eq!((all[1], all[4]), (&*count.to_string(), &*share.to_string()), "{:?}", missed(&caught));
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn every_level_catches_what_the_table_says() {
    let programs = Programs::new();
    let levels: Vec<_> = LEVELS.iter().map(|level| programs.all_caught(&heap(level))).collect();
    hold(&programs, &levels);
    let each = programs.all_caught("guard(quarantine=16) list threads=each");
    assert_eq!(each, levels[PLAIN], "a heap for each thread catches the same");
}
