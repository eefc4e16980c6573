//! Real programs with the library before their `malloc`, on heaps of every kind.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output, Stdio};

use crate::bench::{Bench, text};

const HEAPS: &[&str] = &[
    "list",
    "freelists(16..=512 step 16) bins(log) word=8",
    "freelists(16..=512 step 16) bins(log) word=8 threads=each",
    "freelists(16..=512 step 16) bins(log) word=8 threads=lists",
    "freelists(16..=1024 double) buddy(knuth) threads=lists",
    "bins(lea)",
    "tlsf threads=each",
    "half-fit word=8",
    "tree(red-black) word=8",
    "skiplist threads=each",
    "pages(search=tree) word=8",
    "pages(search=linear) threads=each",
    "buddy(estranged) word=8 threads=each",
    "classes(16..=4096 double, then step 4096)",
    "bump word=8",
    "guard(quarantine=16) tlsf word=8",
    "guard(quarantine=0) pages threads=each",
    "guard(quarantine=16, pages=all) list threads=each check=header",
    "guard(quarantine=16, pages=off) list word=8",
    "zero list(order=implicit, fit=best, tags=off) word=8",
];

/// One of `fewer` heaps where not everything is tried, as `cargo xtask nightly` does: a heap takes a second or two.
fn one_of(fewer: usize) -> usize {
    if std::env::var_os("HEAPSMITH_WHOLE").is_some() { 1 } else { fewer }
}

fn hold_on<'h>(bench: &Bench, program: &[&OsStr], heaps: impl Iterator<Item = &'h str>) {
    for heap in heaps {
        let Output { status, stdout, stderr } = bench.on(heap, program).output().expect("the program runs");
        assert!(
            status.success() && text(&stdout) == "all hold\n" && stderr.is_empty(),
            "{heap}: {status}\n{}\n{}",
            text(&stdout),
            text(&stderr)
        );
    }
}

#[test]
fn results_and_errno_are_those_of_the_c_library() {
    let bench = Bench::new();
    let program = bench.compile("functions.c", &[]);
    let own = Command::new(&program).output().expect("the program runs");
    assert_eq!(text(&own.stdout), "all hold\n", "what is asked holds of the C library too");
    hold_on(&bench, &[program.as_os_str()], HEAPS.iter().copied().step_by(one_of(3)));
}

#[test]
fn children_of_threaded_processes_allocate_free_and_start_threads() {
    let bench = Bench::new();
    let program = bench.compile("forks.c", &[]);
    // A bump takes nothing back, and this program would not end before its memory did.
    let heaps = HEAPS.iter().copied().filter(|heap| !heap.starts_with("bump"));
    hold_on(&bench, &[program.as_os_str()], heaps.step_by(one_of(5)));
}

#[test]
fn requests_before_main_after_it_and_at_the_end_of_threads_are_served() {
    let bench = Bench::new();
    let plugin = bench.compile("plugin.c", &["-shared", "-fPIC"]);
    let program = bench.compile("late.c", &["-ldl"]);
    hold_on(&bench, &[program.as_os_str(), plugin.as_os_str()], HEAPS.iter().copied());
}

#[test]
fn memory_goes_back_to_the_system() {
    let bench = Bench::new();
    let program = bench.compile("grows.c", &[]);
    for heap in ["bins(lea)", "tlsf threads=each", "tree(red-black) word=8", "pages word=8", "buddy(knuth) word=8"] {
        let output = bench.on(heap, &[program.as_os_str()]).output().expect("the program runs");
        let shown = text(&output.stdout);
        let kilobytes: Vec<u64> = shown.split_whitespace().map(|word| word.parse().expect("a number")).collect();
        let [at_most, holed, _freed, trimmed] = kilobytes[..] else { panic!("{heap}: {shown}") };
        assert!(at_most > 90_000, "{heap}: {shown}");
        assert!(trimmed < 12_000, "what was freed goes back with a trim: {heap}: {shown}");
        // Every sixteenth block is left. What lies between is a page and more with heaps that join what is free.
        if !heap.starts_with("pages") && !heap.starts_with("buddy") {
            assert!(holed < at_most * 2 / 5, "holes go back with a trim: {heap}: {shown}");
        }
    }
}

#[test]
fn a_heap_error_ends_the_program_and_names_block_and_call_sites() {
    let bench = Bench::new();
    let program = bench.compile("heap_error.c", &["-rdynamic"]);
    let told = |heap: &str, what: &str| {
        let mut command = bench.on(heap, &[program.as_os_str(), what.as_ref()]);
        let output = command.env("HEAPSMITH_SITES", "4").output().expect("the program runs");
        (output.status.success(), text(&output.stderr))
    };
    let off = "guard(quarantine=16, pages=off) tlsf word=8";
    for heap in ["guard(quarantine=16) tlsf word=8", "guard(quarantine=16, pages=all) list threads=each", off] {
        assert_eq!(told(heap, "nothing"), (true, String::new()));
        for (what, said) in [
            ("double", "double free of the block at 0x"),
            ("overflow", "overflow of the block at 0x"),
            ("foreign", "where no block begins"),
            ("after", "was written after it was freed"),
            ("resize", "overflow of the block at 0x"),
        ] {
            let (lives, message) = told(heap, what);
            assert!(!lives && message.contains(said), "{heap}: {what}: {message}");
            if what != "foreign" {
                assert!(message.contains("asked for with 24 bytes"), "{what}: {message}");
                let (allocated, freed) = message.split_once("freed at").unwrap_or_else(|| panic!("{what}: {message}"));
                assert!(allocated.contains("(make)") && allocated.contains("(main)"), "{what}: {message}");
                let giver = if what == "resize" { "(main)" } else { "(give_away)" };
                assert!(freed.contains(giver), "{what}: {message}");
            }
        }
    }
    for heap in ["freelists(16..=64 step 16) tlsf word=8 check=header", "list threads=each check=header"] {
        assert_eq!(told(heap, "nothing"), (true, String::new()));
        for (what, said) in [("double", "double free of the block at 0x"), ("foreign", "where no block begins")] {
            let (lives, message) = told(heap, what);
            assert!(!lives && message.contains(said), "{heap}: {what}: {message}");
        }
    }
    let (lives, message) = told("guard(quarantine=16) tlsf word=8", "read");
    assert!(!lives && message.contains("was read after it was freed"), "{message}");
    let (lives, message) = told("tlsf", "stack");
    assert!(!lives && message.contains("where no block begins"), "every heap knows what it never had: {message}");
}

#[test]
fn a_fault_that_is_no_heap_error_ends_the_program_as_without_a_guard() {
    let bench = Bench::new();
    let program = bench.compile("heap_error.c", &[]);
    let ended = |what: &str| {
        let output = bench.on("guard(quarantine=16) tlsf word=8", &[program.as_os_str(), what.as_ref()]).output();
        let output = output.expect("the program runs");
        (output.status.signal(), output.status.code(), text(&output.stderr))
    };
    assert_eq!(ended("null"), (Some(11), None, String::new()));
    assert_eq!(ended("handled"), (None, Some(7), String::new()), "the program's own handler comes first");
}

#[test]
fn operators_new_and_delete_do_what_the_standard_says() {
    let bench = Bench::new();
    for own in [&[][..], &["-DOWN"], &["-static-libstdc++"]] {
        let program = bench.compile("operators.cpp", own);
        let heaps =
            ["tlsf word=8", "guard(quarantine=16) tlsf word=8", "guard(quarantine=16, pages=off) list threads=each"];
        hold_on(&bench, &[program.as_os_str()], heaps.into_iter());
    }
}

#[test]
fn a_module_with_the_cpp_library_inside_of_it_makes_blocks_that_others_delete() {
    let bench = Bench::new();
    let library = bench.folder().join("libinside.so");
    let made = bench.compile("inside.cpp", &["-DLIBRARY", "-shared", "-fPIC", "-static-libstdc++", "-Wl,-Bsymbolic"]);
    std::fs::rename(made, &library).expect("the library has its name");
    let path = library.to_str().expect("a path");
    let program = bench.compile("inside.cpp", &["-Wl,--as-needed", path]);
    hold_on(&bench, &[program.as_os_str()], ["tlsf word=8", "guard(quarantine=16) tlsf word=8"].into_iter());
}

#[test]
fn a_signal_writes_statistics_while_the_program_runs() {
    let bench = Bench::new();
    let program = bench.compile("waits.c", &[]);
    let file = bench.folder().join("statistics.json");
    let mut child = bench
        .on("tlsf", &[program.as_os_str()])
        .env("HEAPSMITH_STATS", &file)
        .env("HEAPSMITH_STARTED_BY", std::process::id().to_string())
        .env("HEAPSMITH_SIGNAL", "12")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().expect("its output")).read_line(&mut line).expect("a line");
    assert_eq!(line, "ready\n");
    let killed = Command::new("kill").args(["-USR2", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success());
    let begun = std::time::Instant::now();
    while !file.exists() && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    drop(child.stdin.take());
    assert!(child.wait().expect("it ends").success(), "the signal does not end the program");
    let shown = std::fs::read_to_string(&file).expect("statistics");
    for key in ["\"requested\": 1", "\"footprint_peak\": ", "\"minor_faults\": ", "\"heaps\": [", "\"heap\": \"tlsf"] {
        assert!(shown.contains(key), "{key}: {shown}");
    }
}

#[test]
fn a_heap_that_cannot_be_is_an_error_before_the_program_runs() {
    let bench = Bench::new();
    let output = bench.on("lst", &["echo".as_ref(), "ran".as_ref()]).output().expect("the program is started");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && text(&output.stderr).contains("did you mean `list`?"));
}
