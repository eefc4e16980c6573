//! The instructions of the hot paths.
//!
//! `hot_paths.txt` has instructions an event, allocations and frees alike, for each heap and program of
//! `examples/hot_paths.rs`. They depend on the compiler and on nothing else of a machine, so a change of more
//! than [`TOLERANCE`] is a change of the code. With `HEAPSMITH_ACCEPT=1` the file is written anew.

#[path = "../../examples/hot_paths.rs"]
#[allow(dead_code, unreachable_pub)]
mod example;

use std::fmt::Write;
use std::path::Path;

use super::callgrind;
use example::{HEAPS, PROGRAMS};

/// What a count may differ by: another compiler gives other code.
const TOLERANCE: f64 = 0.10;

/// Events of a program, twice: the difference of three rounds and one.
const EVENTS: f64 = 2.0 * 20_000.0;

fn an_event(built: &Path, program: &str, heap: &str) -> f64 {
    let whole = |rounds| callgrind::counted(built, &[program, heap, rounds]) as f64;
    (whole("3") - whole("1")) / EVENTS
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
    for heap in HEAPS {
        write!(table, "\n{heap:<16}").expect("text");
        for program in PROGRAMS {
            write!(table, "{:>9.1}", an_event(&built, program.name, heap)).expect("text");
        }
    }
    table.push('\n');
    println!("instructions an event\n{table}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/instructions/hot_paths.txt");
    if std::env::var_os("HEAPSMITH_ACCEPT").is_some() {
        std::fs::write(&file, &table).expect("the file can be written");
    }
    let accepted = std::fs::read_to_string(&file).expect("tests/instructions/hot_paths.txt");
    let changes = changes(&accepted, &table);
    assert!(changes.is_empty(), "{changes:#?}\nif this is meant: HEAPSMITH_ACCEPT=1 cargo test --test instructions");
}

/// The counts that differ by more than the tolerance; those that sank, too, so that the file stays true.
fn changes(accepted: &str, table: &str) -> Vec<String> {
    assert_eq!(accepted.lines().count(), table.lines().count(), "the file has another set of heaps");
    let mut changes = Vec::new();
    for (old, new) in accepted.lines().zip(table.lines()).skip(1) {
        let name = new.split_whitespace().next().unwrap_or_default();
        let counts =
            |line: &str| line.split_whitespace().skip(1).map(|count| count.parse().expect("a count")).collect();
        let (old, new): (Vec<f64>, Vec<f64>) = (counts(old), counts(new));
        for ((old, new), program) in old.iter().zip(&new).zip(PROGRAMS) {
            if (new / old - 1.0).abs() > TOLERANCE {
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
}
