//! Programs that know nothing of it run on an emitted library.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use heapsmith_emit::{Compiler, Name, Request, preload};
use heapsmith_spec::resolve;

/// Heaps that programs run on: a tree, bins, constant time, free lists before a list, no headers.
const HEAPS: &[&str] = &[
    "tree word=8",
    "lea-2.7.2",
    "tlsf word=8",
    "guard(quarantine=8, pages=off) tlsf word=8",
    "freelists(16..=256 step 16) list(order=lifo, coalesce=deferred) word=8",
    "freelists(16..=512 step 16) bins(log) word=4 threads=lists",
    "bitmap word=8 align=16",
    SPANS,
    OWNED,
];

const SPANS: &str =
    "spans(16..=112 step 16,128..=8192 double(4), span=65536, empty=keep(1)) tree word=8 align=16 threads=lists";

const OWNED: &str =
    "spans(16..=112 step 16,128..=8192 double(4), span=65536, empty=keep(1)) tree word=8 align=16 threads=owned";

fn library(dir: &Path, heap: &str) -> PathBuf {
    let spec = preload::suited(&resolve(heap).expect("a heap")).expect("malloc can be made of it");
    let request = Request::new(spec, Name::new("my_heap").expect("a name"));
    let files = preload::emit(&request).expect("source");
    let compiler = Compiler::find().expect("a compiler: install build-essential");
    let linked = preload::link(&compiler, &request, &files).unwrap_or_else(|error| panic!("{heap}: {error}"));
    for file in files {
        std::fs::write(dir.join(file.name), file.text).expect("the file is written");
    }
    std::fs::write(dir.join(&linked.name), linked.bytes).expect("the file is written");
    dir.join(linked.name)
}

fn run(library: &Path, command: &mut Command) -> Output {
    let output = command.env("LD_PRELOAD", library).output().expect("it runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {stderr}", output.status);
    assert!(!stderr.contains("LD_PRELOAD"), "{stderr}");
    output
}

#[test]
fn programs_run_on_an_emitted_library() {
    for heap in HEAPS {
        println!("{heap}");
        let dir = tempfile::tempdir().expect("a folder");
        let library = library(dir.path(), heap);
        let listing = run(&library, Command::new("ls").arg("-la").arg(dir.path()));
        assert!(String::from_utf8_lossy(&listing.stdout).contains("my_heap_malloc.c"));
        let count = run(&library, Command::new("python3").args(["-c", THREADS]));
        assert_eq!(String::from_utf8_lossy(&count.stdout).trim(), "40000 0");
        run(&library, Command::new("gcc").args(["-O2", "-c", "my_heap.c"]).current_dir(dir.path()));
        assert!(dir.path().join("my_heap.o").exists());
    }
}

/// Four threads allocate, and a child of fork runs a program, while they may hold the lock.
const THREADS: &str = "
import subprocess, threading
words = {}
def fill(number):
    for index in range(10000):
        words[(number, index)] = str(index) * 3
threads = [threading.Thread(target=fill, args=(number,)) for number in range(4)]
[thread.start() for thread in threads]
child = subprocess.run(['true'])
[thread.join() for thread in threads]
print(len(words), child.returncode)
";

#[test]
fn a_library_asks_whether_the_process_has_one_thread_before_it_locks() {
    let dir = tempfile::tempdir().expect("a folder");
    let library = library(dir.path(), "tlsf word=8");
    let asked =
        |name: &str| Command::new("grep").args(["-q", name]).arg(&library).status().expect("grep runs").success();
    let is_known = Path::new("/usr/include/x86_64-linux-gnu/sys/single_threaded.h").exists();
    assert_eq!(asked("__libc_single_threaded"), is_known);
    assert!(asked("syscall"));
}

#[test]
fn every_name_of_malloc_behaves_as_its_manual_says() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("names.c"), include_str!("names.c")).expect("the file is written");
    compile(dir.path(), &["-std=c11", "-O0", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-o", "names", "names.c"]);
    for heap in ["bins(lea, order=size) word=8", SPANS, OWNED] {
        let library = library(dir.path(), heap);
        let output = run(&library, &mut Command::new(dir.path().join("names")));
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "as the manual says", "{heap}");
    }
}

fn compile(dir: &Path, arguments: &[&str]) {
    let output = Command::new("cc").args(arguments).current_dir(dir).output().expect("cc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn threads_with_lists_lose_no_block_and_race_for_none() {
    for heap in [
        "freelists(16..=512 step 16) bins(log) word=4 threads=lists",
        "freelists(32..=512 step 32) buddy(knuth) word=8 threads=lists(4096) purge=after(50)",
        "spans(16..=112 step 16,128..=14336 double(4), span=65536, free=bitmap, metadata=outside) tree word=8 align=16 threads=lists(8192)",
        "spans(16..=112 step 16,128..=8192 double(4), span=65536) tree word=8 align=16 threads=lists",
        "spans(16..=112 step 16,128..=8192 double(4), span=65536, free=bitmap, metadata=outside) tree word=8 align=16 threads=owned",
        "spans(16..=112 step 16,128..=8192 double(4), span=65536) tree word=8 align=16 threads=owned",
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        let _ = library(dir.path(), heap);
        std::fs::write(dir.path().join("threads.c"), include_str!("threads.c")).expect("the file is written");
        // Thread sanitizer finds no place for its memory where the system places programs at random over a wide range.
        compile(dir.path(), &["-O1", "-g", "-pthread", "-w", "-fsanitize=thread", "-o", "threads", "threads.c"]);
        let mut program = Command::new("setarch");
        let output = program.args(["-R", "./threads"]).current_dir(dir.path()).output().expect("setarch runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && stderr.is_empty(), "{heap}: {}: {stderr}", output.status);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "no block is lost\n", "{heap}");
    }
}

#[test]
fn heaps_that_malloc_cannot_be_made_of_are_refused() {
    for (heap, why) in [
        ("stack", "last in"),
        ("fixed(64)", "one size"),
        ("list word=2", "32 KiB"),
        ("reserve(high=10%) list", "prior"),
    ] {
        let error = preload::suited(&resolve(heap).expect("a heap")).expect_err(heap);
        assert!(error.to_string().contains(why), "{error}");
    }
}
