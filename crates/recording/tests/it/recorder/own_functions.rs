//! Programs with an allocator of their own, which is recorded in place of `malloc`.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_recording::{OwnFunctions, Recorded, Remarks};
use heapsmith_trace::Action;

use super::programs::{Bench, allocations_of, words};
use super::sites;

/// The program with a pool, compiled with more arguments, and its functions.
fn pool(bench: &Bench, arguments: &[&str]) -> (OsString, OwnFunctions) {
    let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
    let program = bench.compile_with("pool.c", &arguments);
    let own = find(&program, &["pool_*"]).expect("all of them can be moved");
    (program, own)
}

fn find(program: &OsStr, names: &[&str]) -> Result<OwnFunctions, String> {
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    OwnFunctions::find(Path::new(program), &names, false).map_err(|error| error.to_string())
}

fn run(bench: &Bench, command: &[OsString], own: &OwnFunctions) {
    assert!(bench.start_on(command, 0, Some(own)).wait().expect("it ends").success(), "no block was wrong");
}

fn of<'r>(recorded: &'r [Recorded], program: &str) -> &'r Recorded {
    recorded.iter().find(|one| one.program == program).unwrap_or_else(|| panic!("no recording of {program}"))
}

/// How often the pool's program frees and reallocates, and allocates.
const FREES: usize = 40_006;
const REALLOCATIONS: usize = 40_001;
/// How often it asks for a reallocation that there is no room for.
const FAILED: u64 = 400;

fn count(recorded: &Recorded, is: impl Fn(&Action) -> bool) -> usize {
    recorded.trace.events.iter().filter(|event| is(&event.action)).count()
}

/// The pool's program asks its pool for this, and the pool's functions ask each other for more.
fn assert_of_the_pool(recorded: &Recorded) {
    assert_eq!(recorded.allocations, FREES as u64);
    assert_eq!(count(recorded, |action| matches!(action, Action::Reallocate { .. })), REALLOCATIONS);
    assert_eq!(count(recorded, |action| matches!(action, Action::Free { .. })), FREES);
    assert_eq!(
        (recorded.threads, recorded.remarks),
        (2, Remarks { own_functions: true, failed_reallocations: FAILED, ..Remarks::default() })
    );
    let aligned = |bytes: u64, to: u64| {
        count(recorded, |action| {
            let Action::Allocate { size, alignment, .. } = action else { return false };
            size.0 == bytes && *alignment == to
        })
    };
    assert_eq!([aligned(1001, 64), aligned(1002, 4096), aligned(1003, 128), aligned(1004, 256)], [1; 4]);
    // Asked for as three times seven.
    assert!(allocations_of(recorded, 21) > 0);
}

#[test]
fn a_pool_is_recorded_wherever_its_program_lies() {
    // The last one's compiler knows what registers and what alignment of the stack its functions need.
    let of_one_file = "-DKEEP=static __attribute__((noinline, used))";
    for arguments in
        [&["-pie", "-fPIE"][..], &["-no-pie"], &["-pie", "-fPIE", "-fcf-protection=full"], &["-O2", of_one_file]]
    {
        let bench = Bench::new();
        let (program, own) = pool(&bench, arguments);
        run(&bench, &[program], &own);
        assert_of_the_pool(&bench.only());
    }
}

#[test]
fn call_sites_are_those_of_the_program() {
    let bench = Bench::new();
    let (program, own) = pool(&bench, &["-g"]);
    assert!(bench.start_on(&[program], 2, Some(&own)).wait().expect("it ends").success());
    let names = sites::by_name(&bench.only());
    let innermost = names.keys().map(|name| name.split(' ').next().unwrap_or_default());
    assert!(names.len() > 8 && innermost.clone().all(|name| ["main", "thread"].contains(&name)), "{names:#?}");
}

#[test]
fn programs_that_it_starts_or_is_started_by_are_recorded_by_malloc() {
    let bench = Bench::new();
    let (program, own) = pool(&bench, &[]);
    let count = bench.compile("count.c");
    let both = format!("'{}' && '{}'", program.display(), count.display());
    run(&bench, &words(&["sh", "-c", &both]), &own);
    let recorded = bench.recorded();
    assert_of_the_pool(of(&recorded, "pool"));
    let alone = Bench::new();
    assert!(alone.start(&[alone.compile("count.c")]).wait().expect("it ends").success());
    assert_eq!(of(&recorded, "count").allocations, alone.only().allocations);
}

#[test]
fn a_program_that_has_changed_is_recorded_by_malloc() {
    let bench = Bench::new();
    let (program, own) = pool(&bench, &[]);
    let code = std::fs::read(&program).expect("the program");
    // The same instruction in its other form: `test rdi, rdi`, and `cmp qword [pool_calls], 0` with another number.
    let needle = [0x48, 0x85, 0xFF, 0x74];
    let at = code.windows(4).position(|bytes| bytes == needle).expect("the beginning of pool_malloc");
    let mut changed = code;
    changed[at..at + 3].copy_from_slice(&[0x48, 0x09, 0xFF]);
    std::fs::write(&program, changed).expect("the program is written");
    run(&bench, &[program], &own);
    let recorded = bench.only();
    assert!(recorded.allocations >= 40_000 && allocations_of(&recorded, 1003) == 0);
    assert_eq!(count(&recorded, |action| matches!(action, Action::Reallocate { .. })), 0);
}

#[test]
fn what_cannot_be_recorded_is_refused_with_the_reason() {
    let bench = Bench::new();
    let program = bench.compile("pool.c");
    let refused = |names: &[&str]| find(&program, names).expect_err("it is refused");
    let cases: [(&[&str], &str); 11] = [
        (&["pool_*", "short_free"], "short_free cannot be recorded: it is shorter than a jump"),
        (&["pool_*", "back_free"], "back_free cannot be recorded: it jumps back between its first instructions"),
        (&["pool_*", "loop_free"], "loop_free cannot be recorded: it begins with a loop"),
        (&["pool_*", "inner_free"], "inner_free cannot be recorded: its first instructions jump among themselves"),
        (&["pool_*", "two_free"], "two_free cannot be recorded: another function begins within the first five bytes"),
        (&["pool_*", "get=pool_get"], "\"get\" is no role: write ROLE=NAME"),
        (&["je_*"], "defines no function je_*; it has "),
        (&["pool_malloc", "free"], "defines no function free; it has "),
        (&["pool_get", "pool_free"], "what pool_get does is not to be seen from its name: write ROLE=pool_get"),
        (&["pool_malloc"], "names no function that frees"),
        (&["free=pool_put"], "names no function that allocates"),
    ];
    for (names, why) in cases {
        let said = refused(names);
        assert!(said.contains(why), "{names:?}: {said}");
    }
    find(&program, &["malloc=pool_get", "free=pool_put"]).expect("their roles are given");
    let stripped = bench.compile_with("pool.c", &["-s".as_ref()]);
    let said = find(&stripped, &["pool_*"]).expect_err("it has no symbols");
    assert!(said.contains("it has no symbols of an allocator, as where it was stripped of them"), "{said}");
    let script = bench.path().join("script");
    std::fs::write(&script, "#!/bin/sh\n").expect("a file");
    let said = find(script.as_os_str(), &["pool_*"]).expect_err("it is no program");
    assert!(said.contains("is a script, whose file defines no pool_*: start the program that does"), "{said}");
    std::fs::write(&script, "neither").expect("a file");
    let said = find(script.as_os_str(), &["pool_*"]).expect_err("it is no program");
    assert!(said.contains("is no program of 64 bits for x86-64"), "{said}");
}

/// The Rust compiler brings jemalloc along where it is the one that the Rust project builds.
#[test]
fn the_rust_compiler_is_recorded_with_its_own_jemalloc() {
    let root = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc, by which this was compiled");
    let compiler = PathBuf::from(String::from_utf8_lossy(&root.stdout).trim()).join("bin/rustc");
    let own = match find(compiler.as_os_str(), &["*"]) {
        Ok(own) => own,
        Err(why) => return println!("not tried: this rustc has no jemalloc: {why}"),
    };
    let bench = Bench::new();
    let (source, made) = (bench.path().join("a.rs"), bench.path().join("a.rmeta"));
    std::fs::write(&source, "pub fn f(n: u32) -> Vec<u32> { (0..n).collect() }\n").expect("a file");
    let arguments = ["--crate-type=lib", "--emit=metadata", "-o"].map(OsString::from);
    let command = [[compiler.into()].as_slice(), &arguments, &[made.clone().into(), source.into()]].concat();
    run(&bench, &command, &own);
    let recorded = bench.recorded();
    let recorded = of(&recorded, "rustc");
    assert!(recorded.allocations > 5_000 && recorded.threads > 1, "{} allocations", recorded.allocations);
    // Libraries that begin before the recorder allocate as well.
    assert!(recorded.remarks.missed_frees == 0 && recorded.remarks.unknown_frees < recorded.allocations / 10);
    assert!(made.is_file(), "it did its work");
}
