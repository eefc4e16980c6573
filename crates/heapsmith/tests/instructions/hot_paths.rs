//! The instructions of the hot paths.
//!
//! `hot_paths.txt` has instructions an event, allocations and frees alike, for each heap and program of
//! `examples/hot_paths.rs`. They depend on the compiler and on nothing else of a machine, so a change of more
//! than a tenth is a change of the code.

#[path = "../../examples/hot_paths.rs"]
#[allow(dead_code, unreachable_pub)]
mod example;

use std::fmt::Write;
use std::path::Path;

use super::{accepted, callgrind};
use example::{HEAPS, PROGRAMS};

/// Events of a program, twice: the difference of three rounds and one.
const EVENTS: f64 = 2.0 * 20_000.0;

fn an_event(built: &Path, program: &str, heap: &str) -> f64 {
    callgrind::two_rounds(built, &[program, heap]) as f64 / EVENTS
}

#[test]
fn no_hot_path_takes_more_instructions_than_it_did() {
    if cfg!(not(target_arch = "x86_64")) {
        println!("NOT RUN: hot_paths.txt was counted on x86-64");
        return;
    }
    let built = callgrind::built("hot_paths");
    let mut table = format!("{:<16}", "");
    PROGRAMS.iter().for_each(|program| write!(table, "{:>9}", program.name).expect("text"));
    let all: Vec<(&str, &str)> = wanted().collect();
    let counts = callgrind::each(&all, |(heap, program)| an_event(&built, program, heap));
    for heap in HEAPS {
        write!(table, "\n{heap:<16}").expect("text");
        for program in &PROGRAMS {
            match all.iter().position(|one| *one == (heap, program.name)) {
                Some(place) => write!(table, "{:>9.1}", counts[place]).expect("text"),
                None => write!(table, "{:>9}", accepted::NOT_COUNTED).expect("text"),
            }
        }
    }
    table.push('\n');
    println!("instructions an event\n{table}");
    accepted::hold("tests/instructions/hot_paths.txt", &table, changes);
}

/// Every heap under every program where everything is counted; otherwise each under one program, by turns.
fn wanted() -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_whole = accepted::is_whole();
    let pairs = HEAPS.iter().enumerate().flat_map(|(place, heap)| {
        PROGRAMS.iter().enumerate().map(move |(turn, program)| (place + turn, *heap, program.name))
    });
    pairs.filter(move |(turn, ..)| is_whole || turn % PROGRAMS.len() == 2).map(|(_, heap, program)| (heap, program))
}

/// The counts that differ, of those that were taken.
fn changes(accepted: &str, table: &str) -> Vec<String> {
    assert_eq!(accepted.lines().count(), table.lines().count(), "the file has another set of heaps");
    let mut changes = Vec::new();
    for (old, new) in accepted.lines().zip(table.lines()).skip(1) {
        let name = new.split_whitespace().next().unwrap_or_default();
        let counts = |line: &str| line.split_whitespace().skip(1).map(accepted::count).collect::<Vec<_>>();
        for ((old, new), program) in counts(old).into_iter().zip(counts(new)).zip(PROGRAMS) {
            let (old, Some(new)) = (old.expect("every count is accepted"), new) else { continue };
            if accepted::differs(old, new) {
                changes.push(format!("{name}, {}: {old} before, {new} now", program.name));
            }
        }
    }
    changes
}

#[test]
fn a_change_of_a_count_is_seen() {
    let table = "  pairs packets mixed\nlist 100 100 100\n";
    assert!(changes(table, "  pairs packets mixed\nlist 109 91 100\n").is_empty());
    assert_eq!(changes(table, "  pairs packets mixed\nlist 100 111 89\n").len(), 2);
    assert_eq!(
        changes(table, "  pairs packets mixed\nlist - 111 -\n").len(),
        1,
        "what was not counted is not compared"
    );
}
