//! The instructions of the page heap under each search.
//!
//! `hardware/results/instructions.csv` is what costs of whole programs are computed from where no tool counts: for each
//! search and program of `examples/page_costs.rs` the instructions of a round beside its operations, those of them that
//! took never-used memory, accesses, visits and instructions of the unit; and the instructions of a word of work beside none of these. With `HEAPSMITH_ACCEPT=1`
//! the file is written anew.

#[path = "../../examples/page_costs.rs"]
#[allow(dead_code, unreachable_pub)]
mod example;

use std::fmt::Write;
use std::path::Path;

use super::callgrind;
use example::{LEVELS, PROGRAMS, SEARCHES};

/// What a count of instructions may differ by: another compiler gives other code.
const TOLERANCE: f64 = 0.10;

/// Instructions of a round: three, less one, by two.
fn round(program: &Path, arguments: &[&str]) -> u64 {
    let whole = |number| callgrind::counted(program, &[arguments, &[number]].concat());
    (whole("3") - whole("1")) / 2
}

#[test]
fn costs_of_programs_are_computed_from_what_is_counted_now() {
    if cfg!(not(target_arch = "x86_64")) {
        println!("NOT RUN: instructions.csv was counted on x86-64");
        return;
    }
    let built = callgrind::built("page_costs");
    let mut table = "search,program,operations,by_growing,accesses,visits,unit,instructions\n".to_owned();
    for search in SEARCHES {
        for program in PROGRAMS {
            let [operations, grown, accesses, visits, unit] = example::counted(search, program);
            let instructions = round(&built, &["run", search, program.name]);
            let name = program.name;
            writeln!(table, "{search},{name},{operations},{grown},{accesses},{visits},{unit},{instructions}")
                .expect("text");
        }
    }
    // A node of the tree has three words, each written once and read once.
    let words = 6 * ((1_u64 << LEVELS) - 1);
    writeln!(table, "work,tree,{words},0,0,0,0,{}", round(&built, &["work"])).expect("text");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hardware/results/instructions.csv");
    if std::env::var_os("HEAPSMITH_ACCEPT").is_some() {
        std::fs::write(&file, &table).expect("the file can be written");
    }
    let accepted = std::fs::read_to_string(&file).expect("hardware/results/instructions.csv");
    let changes = changes(&accepted, &table);
    assert!(changes.is_empty(), "{changes:#?}\nif this is meant: HEAPSMITH_ACCEPT=1 cargo test --test instructions");
}

/// The lines whose counts differ, or whose instructions do by more than the tolerance.
fn changes(accepted: &str, table: &str) -> Vec<String> {
    assert_eq!(accepted.lines().count(), table.lines().count(), "the file has another set of programs");
    let split = |line: &str| -> (String, f64) {
        let (counts, instructions) = line.rsplit_once(',').expect("columns");
        (counts.to_owned(), instructions.parse().expect("a count"))
    };
    let pairs = accepted.lines().zip(table.lines()).skip(1);
    pairs
        .filter(|(old, new)| {
            let ((old, was), (new, is)) = (split(old), split(new));
            old != new || (is / was - 1.0).abs() > TOLERANCE
        })
        .map(|(old, new)| format!("{old} before, {new} now"))
        .collect()
}

#[test]
fn a_change_of_a_count_is_seen() {
    let table = "head\nlinear,a,10,20,30,0,100\nword,a,10,20,30,0,100\n";
    assert!(changes(table, "head\nlinear,a,10,20,30,0,109\nword,a,10,20,30,0,91\n").is_empty());
    assert_eq!(changes(table, "head\nlinear,a,10,20,30,0,111\nword,a,10,21,30,0,100\n").len(), 2);
}
