//! The instructions of the page heap under each search.
//!
//! `hardware/results/instructions.csv` is what costs of whole programs are computed from where no tool counts: for each
//! search and program of `examples/page_costs.rs` the instructions of a round besides its operations, those of them that
//! took never-used memory, accesses, visits and instructions of the unit; and the instructions of a word of work
//! without any of these.

#[path = "../../examples/page_costs.rs"]
#[allow(dead_code, unreachable_pub)]
mod example;

use std::fmt::Write;

use super::{accepted, callgrind};
use example::{LEVELS, PROGRAMS, SEARCHES};

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn costs_of_programs_are_computed_from_what_is_counted_now() {
    if cfg!(not(target_arch = "x86_64")) {
        println!("NOT RUN: instructions.csv was counted on x86-64");
        return;
    }
    let built = callgrind::built("page_costs");
    let mut table = "search,program,operations,by_growing,accesses,visits,unit,instructions\n".to_owned();
    let every = if accepted::is_whole() { 1 } else { 3 };
    for (place, search) in SEARCHES.into_iter().enumerate() {
        for (turn, program) in PROGRAMS.into_iter().enumerate() {
            let [operations, grown, accesses, visits, unit] = example::counted(search, program);
            let name = program.name;
            let instructions = match (place + turn) % every {
                0 => (callgrind::two_rounds(&built, &["run", search, name]) / 2).to_string(),
                _ => accepted::NOT_COUNTED.to_owned(),
            };
            writeln!(table, "{search},{name},{operations},{grown},{accesses},{visits},{unit},{instructions}")
                .expect("text");
        }
    }
    // A node of the tree has three words, each written once and read once.
    let words = 6 * ((1_u64 << LEVELS) - 1);
    writeln!(table, "work,tree,{words},0,0,0,0,{}", callgrind::two_rounds(&built, &["work"]) / 2).expect("text");
    accepted::hold("../../hardware/results/instructions.csv", &table, changes);
}

/// The lines whose counts differ, or whose instructions do by more than the tolerance.
fn changes(accepted: &str, table: &str) -> Vec<String> {
    assert_eq!(accepted.lines().count(), table.lines().count(), "the file has another set of programs");
    let split = |line: &str| -> (String, Option<f64>) {
        let (counts, instructions) = line.rsplit_once(',').expect("columns");
        (counts.to_owned(), accepted::count(instructions))
    };
    let pairs = accepted.lines().zip(table.lines()).skip(1);
    pairs
        .filter(|(old, new)| {
            let ((old, was), (new, is)) = (split(old), split(new));
            old != new || is.is_some_and(|is| accepted::differs(was.expect("every count is accepted"), is))
        })
        .map(|(old, new)| format!("{old} before, {new} now"))
        .collect()
}

#[test]
fn a_change_of_a_count_is_seen() {
    let table = "head\nlinear,a,10,20,30,0,100\nword,a,10,20,30,0,100\n";
    assert!(changes(table, "head\nlinear,a,10,20,30,0,109\nword,a,10,20,30,0,91\n").is_empty());
    assert_eq!(changes(table, "head\nlinear,a,10,20,30,0,111\nword,a,10,21,30,0,100\n").len(), 2);
    assert_eq!(changes(table, "head\nlinear,a,10,20,30,0,-\nword,a,10,21,30,0,-\n").len(), 1);
}
