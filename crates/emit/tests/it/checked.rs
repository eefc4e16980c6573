//! `check=header`: what every family detects, in the explored heap and in the emitted C alike, and what that costs.
//!
//! ```text
//!   spec ──▶ explored heap ──▶ heap errors (Rust) ──┐
//!     └────▶ emitted C ──────▶ heap_errors.c ────────┴─▶ the same kinds of heap errors ──▶ checked/table.txt
//! ```
//!
//! The tables are held against files: `HEAPSMITH_ACCEPT=1` writes them anew.

mod cost;
mod heap_errors;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use heapsmith_emit::c;
use heapsmith_spec::{Check, Layer, Spec, resolve};

use crate::differential::heaps::Heap;

/// A heap of every family that has headers and `check=header`.
pub(crate) const FAMILIES: &[&str] = &[
    "list(order=lifo)",
    "list(order=address, tags=off)",
    "list(order=implicit)",
    "list(order=fifo, coalesce>=64) align=16",
    "bins(lea)",
    "bins(log(4), each=tree) word=8",
    "tree(red-black)",
    "skiplist",
    "tlsf",
    "half-fit word=2",
    "classes(16..=1024 double)",
    "freelists(16,40) list(order=address)",
    "freelists(40, order=fifo) list(order=implicit, tags=off) word=8",
    "freelists(40) tlsf word=2 align=8",
    "freelists(16,40, magazine=3) list(order=address)",
    "buddy(knuth)",
    "buddy(estranged, glue=bounded(2), grow=before-gluing) word=8",
];

/// Those without a header in any block, and how many of the cases they do not see: the three of what is written over the end
/// of a block or before its beginning, and where freed blocks hold no links the two of what is written there.
pub(crate) const WITHOUT_HEADERS: &[(&str, usize)] = &[
    ("buddy(knuth, start=one-block)", 3),
    ("buddy(estranged, start=one-block)", 3),
    ("pages(page=512, min=16, search=word)", 5),
    ("pages(page=4096, min=16, search=tree, order=address, retain=2) word=8", 5),
];

/// All of them, with the cases that they may miss.
pub(crate) fn families() -> impl Iterator<Item = (&'static str, usize)> {
    FAMILIES.iter().map(|&spec| (spec, 2)).chain(WITHOUT_HEADERS.iter().copied())
}

/// The heaps of [`families`], with checks or without.
fn heaps(check: Check) -> Vec<Heap> {
    let specs = families().map(|(spec, _)| Spec { check, ..resolve(spec).unwrap_or_else(|error| panic!("{error}")) });
    specs.enumerate().map(|(number, spec)| Heap::new(number, spec)).collect()
}

/// Compares `text` with an accepted file of this folder by `agree`, or writes it.
fn hold(file: &str, text: &str, agree: impl Fn(&str, &str) -> bool) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/checked").join(file);
    if std::env::var_os("HEAPSMITH_ACCEPT").is_some() {
        std::fs::write(&path, text).expect("the file can be written");
    }
    let accepted = std::fs::read_to_string(&path).expect(file);
    assert!(agree(&accepted, text), "{accepted}\nbefore, now\n{text}\nif this is meant: HEAPSMITH_ACCEPT=1");
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; install build-essential"));
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{command:?}: {}\n{text}", output.status);
    text
}

/// What the emitted C says of each heap error: a line for each heap.
fn of_c(dir: &Path, heaps: &[Heap]) -> Vec<String> {
    let (mut includes, mut parts, mut rows) = (String::new(), String::new(), String::new());
    let mut cc = Command::new("cc");
    cc.args([
        "-std=c11",
        "-O1",
        "-g",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsanitize=address,undefined",
        "-include",
        "tell.h",
    ]);
    for heap in heaps {
        for file in c::emit(&heap.request()).unwrap_or_else(|error| panic!("{}: {error}", heap.spec)) {
            std::fs::write(dir.join(&file.name), file.text).expect("the file is written");
        }
        let name = heap.name.lower();
        cc.arg(format!("-D{}_ON_ERROR(heap,error,block)=tell(error)", heap.name.upper())).arg(format!("{name}.c"));
        writeln!(includes, "#include \"{name}.h\"").expect("a string");
        write!(parts, "PART({name}) ").expect("a string");
        write!(rows, "ROW({name}, {}U, {}UL), ", heap.spec.word.bytes(), cases(&heap.spec)).expect("a string");
    }
    std::fs::write(dir.join("tell.h"), "void tell(unsigned int error);\n").expect("the header is written");
    std::fs::write(dir.join("heaps.h"), format!("{includes}#define PARTS {parts}\n#define ROWS {rows}\n"))
        .expect("written");
    std::fs::write(dir.join("heap_errors.c"), include_str!("checked/heap_errors.c")).expect("the program is written");
    run(cc.args(["heap_errors.c", "-o", "heap_errors"]).current_dir(dir));
    run(&mut Command::new(dir.join("heap_errors"))).lines().map(str::to_owned).collect()
}

/// What a digit of the table says.
const LEGEND: &str =
    "0 nothing, 1 double free, 2 foreign pointer, 3 damaged; the columns are the cases of heap_errors.c\n";

#[test]
fn every_family_detects_the_same_in_rust_and_in_c() {
    let (dir, heaps) = (tempfile::tempdir().expect("a folder"), heaps(Check::Header));
    let of_c = of_c(dir.path(), &heaps);
    let mut table = LEGEND.to_owned();
    assert_eq!(of_c.len(), heaps.len());
    for ((heap, said), (_, misses)) in heaps.iter().zip(&of_c).zip(families()) {
        let (none, wrong) = said.split_at(1);
        assert_eq!(none, "0", "{}: a program that is right has no heap errors", heap.spec);
        // Rust has no pointer to nothing.
        assert_eq!(heap_errors::of_rust(&heap.spec, (1 << 16) - 1), said[..16], "{}", heap.spec);
        let caught = wrong.bytes().filter(|kind| *kind != b'0').count();
        assert!(caught + misses >= wrong.len(), "{} detects {caught} of {}: {said}", heap.spec, wrong.len());
        writeln!(table, "{wrong} {caught}/{}  {}", wrong.len(), heap.spec).expect("a string");
    }
    hold("table.txt", &table, |accepted, table| accepted == table);
}

/// Guards of every kind, before pools of every kind.
const GUARDED: &[&str] = &[
    "guard(quarantine=3, pages=off) list(order=lifo)",
    "guard(quarantine=0, pages=off) tlsf word=8",
    "guard(quarantine=4, pages=off) half-fit word=2",
    "guard(quarantine=1, pages=off) fixed(120)",
    "zero guard(quarantine=4, pages=off) reserve(high=10%) buddy(knuth)",
    "reserve(high=10%) guard(quarantine=3, pages=off) pages(page=512, min=16, search=word) word=8 align=16",
    "guard(quarantine=2, pages=off) freelists(40) list(order=address) check=header",
    "guard(quarantine=0, pages=off) zero skiplist check=header",
];

/// A bit for each case of `heap_errors.c` that a heap plays: those that only a guard detects need one, those of a header below
/// the guard need `check=header`. What is written to freed blocks a guard detects in its quarantine.
fn cases(spec: &Spec) -> u32 {
    const LATE: u32 = 1 << 11 | 1 << 12 | 1 << 18;
    let guard = spec.layers.iter().find_map(|layer| if let Layer::Guard(guard) = layer { Some(guard) } else { None });
    let Some(guard) = guard else { return (1 << 17) - 1 };
    let all = if spec.check == Check::Header { (1 << 24) - 1 } else { (1 << 22) - 1 };
    if guard.quarantine > 0 { all } else { all & !LATE }
}

#[test]
fn a_guard_detects_the_same_in_rust_and_in_c() {
    detected_behind_guards("guarded.txt", GUARDED.iter().map(|&spec| spec.to_owned()));
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn every_family_with_all_checks_detects_the_same_in_rust_and_in_c() {
    detected_behind_guards("full.txt", families().map(|(family, _)| format!("{family} check=full")));
}

/// Holds what heaps with guards detect against a file of this folder.
fn detected_behind_guards(file: &str, specs: impl Iterator<Item = String>) {
    let dir = tempfile::tempdir().expect("a folder");
    let specs = specs.map(|spec| resolve(&spec).unwrap_or_else(|error| panic!("{error}")));
    let heaps: Vec<Heap> = specs.enumerate().map(|(number, spec)| Heap::new(number, spec)).collect();
    let of_c = of_c(dir.path(), &heaps);
    let mut table = LEGEND.to_owned();
    assert_eq!(of_c.len(), heaps.len());
    for (heap, said) in heaps.iter().zip(&of_c) {
        assert!(said.starts_with('0'), "{}: a program that is right has no heap errors", heap.spec);
        let mut without = said.clone();
        assert_eq!(without.remove(heap_errors::NO_BLOCK as usize), '2', "{}: {said}", heap.spec);
        assert_eq!(heap_errors::of_rust(&heap.spec, cases(&heap.spec)), without, "{}", heap.spec);
        writeln!(table, "{:23}  {}", &said[1..], heap.spec).expect("a string");
    }
    hold(file, &table, |accepted, table| accepted == table);
}
