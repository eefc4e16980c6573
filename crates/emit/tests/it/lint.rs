//! The emitted C under compilers with every warning, and under linters.
//!
//! The emitted source notes deviations from MISRA C:2012, with their reasons; `misra.rs` says which rules are left out.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use heapsmith_emit::{Name, c, misra};

use crate::differential::heaps::{self, Heap};

/// Warnings that are errors.
const STRICT: &[&str] = &[
    "-std=c11",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wshadow",
    "-Wcast-align",
    "-Wcast-qual",
    "-Wundef",
    "-Wmissing-prototypes",
    "-Wstrict-prototypes",
    "-ffreestanding",
    "-Werror",
    "-c",
    "-o",
    "/dev/null",
];

/// A few heaps that between them are emitted from every template.
fn few() -> Vec<Heap> {
    let mut few = heaps::few();
    // What it is called where nobody says anything else.
    few[0].name = Name::new("my_heap").expect("a name");
    few.extend(in_regions());
    few
}

/// The same in several regions.
fn in_regions() -> Vec<Heap> {
    let named = |(number, heap)| Heap { name: Name::new(&format!("board{number}")).expect("a name"), ..heap };
    heaps::in_regions().into_iter().enumerate().map(named).collect()
}

/// Those of [`few`] that are looked at where not everything is tried: one in five, from different pools.
fn fewer() -> Vec<Heap> {
    few().into_iter().step_by(if heaps::is_whole() { 1 } else { 5 }).collect()
}

/// Writes the C of `heaps`; returns the sources.
fn sources(dir: &Path, heaps: &[Heap]) -> Vec<PathBuf> {
    let mut sources = Vec::new();
    for heap in heaps {
        for file in c::emit(&heap.request()).unwrap_or_else(|error| panic!("{}: {error}", heap.spec)) {
            let path = dir.join(&file.name);
            std::fs::write(&path, file.text).expect("the file is written");
            if file.name.ends_with(".c") {
                sources.push(path);
            }
        }
    }
    sources
}

/// Runs a program that must find nothing to say.
fn silent(program: &str, package: &str, arguments: &[&str], sources: &[PathBuf]) {
    let output = Command::new(program).args(arguments).args(sources).output();
    let output = output.unwrap_or_else(|error| panic!("cannot run {program}: {error}; install {package}"));
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(output.status.success(), "{program} {arguments:?}: {text}");
}

fn compiles(compiler: &str, package: &str, more: &[&str]) {
    let dir = tempfile::tempdir().expect("a folder");
    let heaps = if heaps::is_whole() { [few(), heaps::named()].concat() } else { fewer() };
    for source in sources(dir.path(), &heaps) {
        silent(compiler, package, &[STRICT, more].concat(), &[source]);
    }
}

#[test]
fn gcc_has_no_warning() {
    compiles("gcc", "gcc", &[]);
}

#[test]
fn clang_has_no_warning() {
    // Its warnings do not hang on what it optimises.
    compiles("clang", "clang", &["-fsyntax-only"]);
}

/// A project may build all its sources as C++.
#[test]
fn it_is_cpp_as_well() {
    let dir = tempfile::tempdir().expect("a folder");
    let flags =
        ["-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Wno-type-limits", "-Werror", "-fsyntax-only"];
    let heaps = if heaps::is_whole() { heaps::named() } else { fewer() };
    for source in sources(dir.path(), &heaps) {
        silent("g++", "g++", &flags, &[source]);
    }
}

#[test]
fn arm_gcc_has_no_warning() {
    compiles("arm-none-eabi-gcc", "gcc-arm-none-eabi", &["-mcpu=cortex-m0plus", "-mthumb"]);
}

#[test]
fn cppcheck_has_no_complaint() {
    let dir = tempfile::tempdir().expect("a folder");
    let checks = ["--enable=warning,style,performance,portability", "--std=c11", "--error-exitcode=1"];
    silent(
        "cppcheck",
        "cppcheck",
        &[&checks[..], &["--inline-suppr", "--quiet"]].concat(),
        &sources(dir.path(), &few()),
    );
}

#[test]
fn misra_deviations_are_justified_in_place() {
    let dir = tempfile::tempdir().expect("a folder");
    // One at a time: two heaps in one program would share the names of their static functions.
    for source in sources(dir.path(), &fewer()) {
        let found = misra(&source).unwrap_or_else(|error| panic!("{error}"));
        assert!(found.unjustified.is_empty() && found.justified > 0, "{}: {found:?}", source.display());
    }
}

#[test]
fn misra_counts_nothing_in_what_is_not_looked_at() {
    let dir = tempfile::tempdir().expect("a folder");
    let source = dir.path().join("own.c");
    let looked_at = |text: &str| {
        std::fs::write(&source, text).expect("the file is written");
        misra(&source)
    };
    let found =
        looked_at("static int one(int a)\n{\n    if (a)\n        return 1;\n    return 2;\n}\n").expect("cppcheck");
    assert!(found.unjustified.iter().any(|rule| rule.starts_with("misra-c2012-14.4 at ")), "{found:?}");
    assert!(looked_at("int one(\n").is_err());
}

#[test]
fn clang_tidy_has_no_complaint() {
    let dir = tempfile::tempdir().expect("a folder");
    // Indexes, words and flags are all words: parameters look swappable. Sizes of bins and the shifts of a
    // published hash are numbers; `at` is a name.
    let checks = "-*,bugprone-*,-bugprone-easily-swappable-parameters,cert-*,clang-analyzer-*,misc-*,performance-*,\
        portability-*,readability-*,-readability-magic-numbers,-readability-identifier-length,\
        -readability-suspicious-call-argument";
    let checks = format!("-checks={checks}");
    let sources = sources(dir.path(), &fewer());
    // The slowest of all: a part of the sources for each core.
    let cores = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for first in 0..cores.min(sources.len()) {
            let part = sources.iter().skip(first).step_by(cores).filter_map(|source| source.to_str());
            let arguments: Vec<&str> = ["--quiet", "--warnings-as-errors=*", &checks]
                .into_iter()
                .chain(part)
                .chain(["--", "-std=c11", "-ffreestanding"])
                .collect();
            scope.spawn(move || silent("clang-tidy", "clang-tidy", &arguments, &[]));
        }
    });
}
