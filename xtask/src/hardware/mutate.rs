//! Mutations of single gates: each must break a property of `hardware/formal`, or be proved to change nothing.
//!
//! ```text
//!   page_unit as gates ──mutate──▶ an input or output inverted or constant ──▶ breaks a property: killed
//!                                                                         └──▶ else: same answers and next bitmaps, proved
//! ```
//!
//! Yosys picks the mutations so that every wire and line of the source is covered. A mutation that changes nothing is one of logic that
//! is not needed, as `& ~all` in `object_unit`: where all objects are taken, clearing the last one changes nothing either.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::prove::{Parameters, fill, yosys};
use super::source::{built, hardware, text};
use crate::run::Outcome;
use crate::tools;

/// A unit with all that larger ones have: three classes, one that there is not, bitmaps of two words and of less than one.
const UNIT: (&str, Parameters) = ("page_unit", &[("P", 128), ("S", 16), ("W", 4)]);
/// Mutations: those that yosys finds at this size by its rules of coverage are 399.
const MUTATIONS: usize = 399;

/// Every mutation.
pub fn mutate() -> Outcome {
    tools::install(&[tools::YOSYS])?;
    let folder = built().join("mutations");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
    let (top, parameters) = UNIT;
    let more = [("out", &*text(&folder)), ("count", &MUTATIONS.to_string())];
    yosys(&fill("mutations.ys", &hardware().join("rtl"), top, parameters, &more)?)?;
    let list = fs::read_to_string(folder.join("mutations.txt")).map_err(|error| error.to_string())?;
    let mutations: Vec<&str> = list.lines().collect();
    if mutations.len() < MUTATIONS * 9 / 10 {
        return Err(format!("yosys finds {} mutations, not {MUTATIONS}", mutations.len()));
    }
    let kept = survivors(&folder, top, &mutations)?;
    for &number in &kept {
        changes_nothing(&folder, top, mutations[number]).map_err(|error| {
            format!("no property is broken by\n{}\nand it changes something: {error}", mutations[number])
        })?;
    }
    let killed = mutations.len() - kept.len();
    eprintln!(
        "xtask: {killed} of {} mutations of {top} break a property; {} change nothing, proved",
        mutations.len(),
        kept.len()
    );
    Ok(())
}

/// Numbers of the mutations that break no property. All are tried by one process.
fn survivors(folder: &Path, top: &str, mutations: &[&str]) -> Result<Vec<usize>, String> {
    let out = text(folder);
    let mut script = format!("read_rtlil {out}/base.il\ndesign -save base\n");
    for (number, mutation) in mutations.iter().enumerate() {
        let log = format!("{out}/{number}.log");
        writeln!(script, "design -load base\n{mutation}\nopt -full").expect("text");
        writeln!(script, "tee -q -o {log} sat -tempinduct -prove-asserts -maxsteps 3 {top}").expect("text");
    }
    run(folder, "survivors.ys", &script)?;
    let mut kept = Vec::new();
    for number in 0..mutations.len() {
        let log = fs::read_to_string(folder.join(format!("{number}.log"))).map_err(|error| error.to_string())?;
        match (log.contains("Induction step proven: SUCCESS!"), log.contains("FAIL!")) {
            (true, false) => kept.push(number),
            (false, true) => {}
            _ => return Err(format!("yosys says neither yes nor no: {out}/{number}.log")),
        }
    }
    Ok(kept)
}

/// Proves that answers and next bitmaps are those of the unit without the mutation, for every bitmap and input.
fn changes_nothing(folder: &Path, top: &str, mutation: &str) -> Outcome {
    let mut script = String::new();
    for (name, change) in [("gold", ""), ("gate", mutation)] {
        writeln!(script, "read_rtlil {}/base.il\n{change}\ndelete {top}/c:*u_properties*", text(folder)).expect("text");
        writeln!(script, "expose {top}/w:*bitmap_d\nexpose -input {top}/w:*bitmap_q\nopt_clean").expect("text");
        writeln!(script, "rename -top {name}\ndesign -stash {name}").expect("text");
    }
    script.push_str("design -copy-from gold -as gold gold\ndesign -copy-from gate -as gate gate\n");
    script.push_str("miter -equiv -flatten -make_assert gold gate miter\nhierarchy -top miter\nopt -full\n");
    script.push_str("sat -verify -prove-asserts miter\n");
    run(folder, "changes-nothing.ys", &script)
}

fn run(folder: &Path, name: &str, script: &str) -> Outcome {
    let path = folder.join(name);
    fs::write(&path, script).map_err(|error| format!("cannot write {}: {error}", text(&path)))?;
    yosys(&path)
}
