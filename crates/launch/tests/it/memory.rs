//! What programs hold of the system's memory and address space, compared with the C library's own `malloc`.

use std::process::Command;

use crate::bench::{Bench, text};

/// The default heap of the library, with each way that threads share it.
const SHARED: [&str; 3] = [
    "freelists(16..=1024 step 16) bins(lea) word=8 threads=one",
    "freelists(16..=1024 step 16) bins(lea) word=8 threads=each",
    "freelists(16..=1024 step 16) bins(lea) word=8 threads=lists",
];

/// The numbers that a program printed.
fn numbers(command: &mut Command) -> Vec<u64> {
    let output = command.output().expect("the program runs");
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{command:?}: {shown}{}", text(&output.stderr));
    shown.split_whitespace().map(|word| word.parse().expect("a number")).collect()
}

#[test]
fn a_server_holds_no_more_than_a_third_above_the_c_library() {
    let bench = Bench::new();
    let program = bench.compile("server.c", &[]);
    // More threads than an allocator can have heaps for, 2,048 connections, 500,000 requests.
    let arguments = ["128", "2048", "500000"];
    let [_, own, ..] = numbers(Command::new(&program).args(arguments))[..] else { panic!("four numbers") };
    for heap in SHARED {
        let [_, held, live, _] = numbers(bench.on(heap, &[program.as_os_str()]).args(arguments))[..] else {
            panic!("four numbers")
        };
        assert!(held * 10 <= own * 13, "{heap}: {held} kB resident, {own} kB with the C library, {live} kB asked for");
    }
}

#[test]
fn threads_that_wait_keep_no_more_than_their_share_of_what_is_free() {
    let bench = Bench::new();
    let program = bench.compile("waiting.c", &[]);
    let heap = "freelists(16..=4096 step 16) bins(log) word=8 threads=lists";
    let [before, waiting] = numbers(&mut bench.on(heap, &[program.as_os_str()]))[..] else { panic!("two numbers") };
    // 64 threads have freed 2 MiB each. They may keep 4 MiB for all and 32 KiB for each, and every block that is kept
    // keeps its page: how many pages depends on how the threads took turns (14 to 24 MB were seen).
    let (kept, freed) = (waiting - before, 64 * 2048);
    assert!(kept * 4 < freed, "{kept} kB are kept where nothing is live");
}

#[test]
fn a_program_gets_the_address_space_that_it_allows_itself() {
    let bench = Bench::new();
    let program = bench.compile("allows.c", &[]);
    let [own, _] = numbers(&mut Command::new(&program))[..] else { panic!("two numbers") };
    for heap in SHARED.into_iter().chain(["tlsf", "list", "tree(red-black) word=8 threads=each"]) {
        let [got, refused] = numbers(&mut bench.on(heap, &[program.as_os_str()]))[..] else { panic!("two numbers") };
        assert_eq!(refused, 1, "{heap}: ENOMEM");
        assert!(got * 20 >= own * 19 && got <= 200, "{heap}: {got} MB of 200, {own} with the C library");
    }
}

#[test]
fn a_shell_that_limits_address_space_starts_every_heap() {
    let bench = Bench::new();
    let program = bench.compile("functions.c", &[]);
    for heap in SHARED.into_iter().chain(["tlsf threads=each", "guard(quarantine=16) tlsf word=8 threads=each"]) {
        for statistics in [false, true] {
            let mut command = bench.on(heap, &["sh".as_ref(), "-c".as_ref(), "ulimit -v 500000; exec \"$0\"".as_ref()]);
            if statistics {
                command.env("HEAPSMITH_STATS", bench.folder().join("statistics")).env("HEAPSMITH_SITES", "6");
            }
            let output = command.arg(&program).output().expect("the program runs");
            let (out, err) = (text(&output.stdout), text(&output.stderr));
            assert!(output.status.success() && out == "all hold\n" && err.is_empty(), "{heap}: {out}{err}");
        }
    }
}
