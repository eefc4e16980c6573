//! Programs that know nothing of it run on an emitted library.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use heapsmith_emit::{Compiler, Name, Request, preload};
use heapsmith_spec::resolve;

/// Heaps that programs run on: a tree, bins, constant time, and free lists before a list.
const HEAPS: &[&str] = &[
    "tree word=8",
    "lea-2.7.2",
    "tlsf word=8",
    "guard(quarantine=8, pages=off) tlsf word=8",
    "freelists(16..=256 step 16) list(order=lifo, coalesce=deferred) word=8",
];

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
    let library = library(dir.path(), "bins(lea, order=size) word=8");
    std::fs::write(dir.path().join("names.c"), include_str!("names.c")).expect("the file is written");
    let compile = ["-std=c11", "-O0", "-fno-builtin", "-Wall", "-Wextra", "-Werror", "-o", "names", "names.c"];
    let output = Command::new("cc").args(compile).current_dir(dir.path()).output().expect("cc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = run(&library, &mut Command::new(dir.path().join("names")));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "as the manual says");
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
