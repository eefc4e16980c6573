//! Instructions of a hit in emitted C, as a compiler optimises it for speed: what an allocation takes for which a freed block
//! waits, and what freeing that block takes, without the call and its arguments; and what is left of a request of a constant size
//! where the linker optimises (`-flto`), which puts the hit in place of the call.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use heapsmith_emit::{Name, Request, c};

/// Heaps, with the instructions that an allocation and a free take at most, `ret` included: those that gcc 12 makes of them.
const HEAPS: &[(&str, u64, u64)] = &[
    ("freelists(64) list(order=lifo, fit=first)", 16, 14),
    ("freelists(12..=1020 step 16) list(order=lifo, fit=first) align=16", 14, 18),
    ("freelists(12..=1020 step 16, magazine=64) list(order=lifo, fit=first) align=16", 21, 24),
    ("freelists(8..=1016 step 16) list(order=lifo, fit=first) word=8 align=16", 17, 16),
    ("freelists(16..=2048 double(4)) list(order=lifo, fit=first) align=16", 21, 20),
    ("freelists(16..=2048 double(4)) tlsf word=8 align=16", 17, 19),
    ("freelists(8,24,40,72,136,264,520,1032,4104,32776) list(order=lifo, fit=first) align=16", 24, 24),
    ("mimalloc-like", 34, 35),
    ("jemalloc-like", 59, 47),
];

/// Heaps, with the instructions that a function takes at most that asks for a block of 64 bytes and returns it, `ret` included.
const IN_PLACE: &[(&str, u64)] = &[
    ("freelists(64) list(order=lifo, fit=first)", 8),
    ("freelists(12..=1020 step 16) list(order=lifo, fit=first) align=16", 8),
    ("freelists(16..=2048 double(4)) tlsf word=8 align=16", 9),
];

/// Pairs of an allocation and a free.
const PAIRS: u64 = 1000;

#[test]
fn no_hit_takes_more_instructions() {
    if cfg!(not(target_arch = "x86_64")) {
        println!("NOT RUN: the limits are those of x86-64");
        return;
    }
    let mut table = format!("{:<80}{:>9}{:>6}\n", "", "allocate", "free");
    let mut too_many = Vec::new();
    for &(heap, allocate, free) in HEAPS {
        let dir = tempfile::tempdir().expect("a folder");
        let program = compiled(heap, &[], dir.path());
        let (counted_allocate, counted_free) =
            (inside(&program, "hit_heap_allocate"), inside(&program, "hit_heap_free"));
        writeln!(table, "{heap:<80}{counted_allocate:>9}{counted_free:>6}").expect("text");
        if counted_allocate > allocate || counted_free > free {
            too_many.push(format!("{heap}: {counted_allocate} and {counted_free}, {allocate} and {free} at most"));
        }
    }
    println!("instructions of a hit\n{table}");
    assert!(too_many.is_empty(), "{}", too_many.join("\n"));
}

#[test]
fn no_hit_takes_more_where_the_linker_optimises() {
    if cfg!(not(target_arch = "x86_64")) {
        println!("NOT RUN: the limits are those of x86-64");
        return;
    }
    for &(heap, limit) in IN_PLACE {
        let dir = tempfile::tempdir().expect("a folder");
        let program = compiled(heap, &["-flto"], dir.path());
        let counted = inside(&program, "take");
        println!("{heap:<80}{counted:>9}");
        assert!(counted <= limit, "{heap}: {counted}, {limit} at most");
    }
}

/// The heap and its program, as two objects: a call is a call, unless the linker does something about it.
fn compiled(heap: &str, options: &[&str], folder: &Path) -> std::path::PathBuf {
    let request = Request::new(heapsmith_spec::resolve(heap).expect("a heap"), Name::new("hit_heap").expect("a name"));
    for file in c::emit(&request).expect("source") {
        std::fs::write(folder.join(file.name), file.text).expect("the file is written");
    }
    std::fs::write(folder.join("play.c"), include_str!("hits/play.c")).expect("the file is written");
    let status = Command::new("cc")
        .args(["-std=c11", "-O2", "-o", "play", "play.c", "hit_heap.c"])
        .args(options)
        .current_dir(folder)
        .status()
        .expect("a C compiler runs");
    assert!(status.success(), "{heap} compiles");
    folder.join("play")
}

/// Instructions of a call of this function, what it calls included: those of two runs, one with more calls, so that what is done
/// once falls out.
fn inside(program: &Path, function: &str) -> u64 {
    let counted = |pairs: u64| {
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--collect-atstart=no"])
            .arg(format!("--toggle-collect={function}"))
            .arg(program)
            .arg(pairs.to_string())
            .output()
            .expect("valgrind is missing: install the package valgrind");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{function}: {told}");
        let count = told.lines().find_map(|line| line.split_once("Collected : "));
        count.and_then(|(_, number)| number.trim().parse::<u64>().ok()).expect("callgrind prints its count")
    };
    let (more, few) = (counted(2 * PAIRS), counted(PAIRS));
    (more - few).div_ceil(PAIRS)
}
