//! The evidence of emitted heaps ends green, and finds bugs that are planted.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::differential::heaps::is_whole;
use heapsmith_emit::{Extra, File, Name, Request, System, c, evidence, system};

/// Heaps of every frame in C, and whether a search of this many states ends in a region of theirs.
const HEAPS: &[(&str, bool)] = &[
    ("list(order=address, fit=first)", true),
    ("list(order=implicit) word=2", true),
    ("list(order=address, fit=first) check=header", true),
    ("freelists(16,24) list(order=address, fit=first) word=8 align=16", true),
    ("freelists(16..=48 step 16) buddy(knuth)", true),
    ("tlsf(second-level=1) word=2", true),
    ("tree(red-black, fit=best)", true),
    ("skiplist(seed=1)", true),
    ("classes(32..=4096 double)", true),
    ("fixed(64)", true),
    ("bump", true),
    ("stack", true),
    ("pages(page=4096, min=16, search=linear)", false),
    ("slab", false),
    ("spans(16..=64 step 16, span=256, free=bitmap, metadata=outside) list(order=address, fit=first)", true),
    ("zero list(order=address, fit=first)", true),
    ("reserve(high=20%) list(order=address, fit=first)", true),
    ("guard(quarantine=2, pages=off) list(order=address, fit=first)", true),
];
const STATES: &str = "1000";
const PROGRAMS: &str = "30";

/// Bugs: a heap, a part of its source, and what replaces it the first time.
const BUGS: &[(&str, &str, &str)] = &[
    (LISTS, "words = (((Index)size + (WORD - 1U)) / WORD) + 1U;", "words = ((Index)size / WORD) + 1U;"),
    (LISTS, "return (words < MIN_BLOCK) ? MIN_BLOCK : words;", "return words;"),
    (LISTS, "store(heap, next + PREVIOUS, back);", "(void)back;"),
    (LISTS, "store(heap, block + PREVIOUS, previous);", "store(heap, block + PREVIOUS, next);"),
    (LISTS, "(words_of(load(heap, block - 1U)) < need)", "(words_of(load(heap, block - 1U)) < (need - 1U))"),
    (LISTS, "(next != 0U) && (next < block)", "false && (next < block)"),
    (LISTS, "store(heap, (block + words) - 2U, words);", "store(heap, (block + words) - 2U, words - 1U);"),
    (LISTS, "used ? (head | PREVIOUS_USED)", "used ? (head & ~(Index)PREVIOUS_USED)"),
    (LISTS, "if ((words - need) >= MIN_BLOCK) {", "if ((words - need) >= 1U) {"),
    (LISTS, "tell_next(heap, block + words, true);", ""),
    (LISTS, "if ((flags & PREVIOUS_USED) == 0U) {", "if ((flags & PREVIOUS_USED) != 0U) {"),
    (LISTS, "merged_words += words_of(next_head);", "merged_words += words_of(next_head) - 1U;"),
    (
        LISTS,
        "if (previous != 0U) {\n            index_remove(heap, previous);",
        "if (false) {\n            index_remove(heap, previous);",
    ),
    (LISTS, "if ((top + need) <= heap->length) {", "if ((top + need) <= (heap->length + 1U)) {"),
    (LISTS, "if ((gap == 0U) || (gap >= MIN_BLOCK)) {", "if ((gap == 0U) || (gap >= 2U)) {"),
    (LISTS, "enough = need + step + MIN_BLOCK;", "enough = need;"),
    (LISTS, "((words + words_of(next_head)) < need)", "((words + words_of(next_head)) < (need - 2U))"),
    (
        LISTS,
        "pool_release(heap, block, load(heap, block - 1U));",
        "pool_release(heap, block, load(heap, block - 1U) & ~(Index)PREVIOUS_USED);",
    ),
    (BUDDY, "block = (buddy < block) ? buddy : block;", "block = (buddy > block) ? buddy : block;"),
    (CLASSES, "return (words < MIN_BLOCK) ? MIN_BLOCK : words;", "return words - 1U;"),
];
const LISTS: &str = "freelists(16,24) list(order=address, fit=first)";
const BUDDY: &str = "buddy(knuth)";
const CLASSES: &str = "classes(16..=64 step 16)";

fn files(heap: &str) -> Vec<File> {
    let spec = heapsmith_spec::resolve(heap).expect(heap);
    let request = Request::new(spec, Name::new("shown").expect("a name"));
    // As most systems have them.
    let extras = if heap.len().is_multiple_of(2) { vec![Extra::Counters] } else { Vec::new() };
    evidence::emit(&Request { extras, ..request }, None).expect(heap)
}

fn written(files: &[File], folder: &Path) {
    for file in files {
        fs::write(folder.join(&file.name), &file.text).expect("the file is written");
    }
}

/// Compiles a harness and the heap, without a warning, and runs it.
fn played(folder: &Path, harness: &str, arguments: &[&str]) -> Output {
    let status = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-DFUZZ_ALONE", "-DHANG_SECONDS=10", "-o", harness])
        .args([&format!("{harness}.c"), "shown.c"])
        .args(["-Wno-unused-function", "-Wno-unused-parameter", "-Wno-unused-variable"])
        .current_dir(folder)
        .status()
        .expect("a C compiler runs");
    assert!(status.success(), "{harness} compiles");
    Command::new(folder.join(harness)).args(arguments).output().expect("it runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Every other item, from this one on; all of them in `cargo xtask nightly whole`.
fn every_other<T>(items: &[T], first: usize) -> Vec<&T> {
    if is_whole() { items.iter().collect() } else { items.iter().skip(first).step_by(2).collect() }
}

/// Calls `job` for every item, two at a time.
fn for_all<T: Sync>(items: &[T], job: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            job(item);
        }
    };
    thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.map(|thread| thread.join()).into_iter().for_each(|outcome| {
            outcome.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        });
    });
}

#[test]
fn heaps_of_every_frame_have_no_violation() {
    for_all(&every_other(HEAPS, 0), |&&(heap, ends)| {
        let dir = tempfile::tempdir().expect("a folder");
        written(&files(heap), dir.path());
        let states = played(dir.path(), "states", &["0", STATES]);
        assert_eq!(states.status.code(), Some(if ends { 0 } else { 3 }), "{heap}\n{}", text(&states));
        let fuzz = played(dir.path(), "fuzz", &[PROGRAMS]);
        assert_eq!(fuzz.status.code(), Some(0), "{heap}\n{}", text(&fuzz));
    });
}

/// The core of the crate `heapsmith`, searched as the emitted C is, has as many states in each region, by as many operations.
#[test]
fn the_core_reaches_the_states_of_the_emitted_c() {
    // Urgent requests are tried in C alone.
    let same: Vec<_> = HEAPS.iter().filter(|(heap, ends)| *ends && !heap.starts_with("reserve")).collect();
    for_all(&every_other(&same, 1), |(heap, _)| {
        let spec = heapsmith_spec::resolve(heap).expect(heap);
        let dir = tempfile::tempdir().expect("a folder");
        written(&files(heap), dir.path());
        let output = text(&played(dir.path(), "states", &["0", CORE_STATES]));
        let longest = output.lines().filter_map(counted).rfind(|(bytes, ..)| bytes.is_multiple_of(8));
        let (bytes, states, operations) = longest.unwrap_or_else(|| panic!("{heap}: {output}"));
        let reached = heapsmith_trial::reached(&spec, bytes as usize, states as usize);
        let reached = reached.unwrap_or_else(|what| panic!("{heap} in {bytes} bytes: {what}"));
        let reached = reached.map(|reached| (reached.states as u64, reached.operations));
        assert_eq!(reached, Some((states, operations)), "{heap} in {bytes} bytes");
        assert!(states > 1, "{heap}: {output}");
    });
}

/// Bytes of a region, its states, and the operations on them, of a line of the search that ended.
fn counted(line: &str) -> Option<(u64, u64, u64)> {
    let mut words = line.split(' ').map(|word| word.parse::<u64>().ok());
    line.contains(" bytes: all ").then_some(())?;
    Some((words.next()??, words.nth(2)??, words.nth(1)??))
}

const CORE_STATES: &str = "4000";

#[test]
fn planted_bugs_are_found() {
    for_all(BUGS, |&(heap, right, wrong)| {
        let dir = tempfile::tempdir().expect("a folder");
        let mut files = files(heap);
        let source = files.iter_mut().find(|file| file.name == "shown.c").expect("the source");
        assert!(source.text.contains(right), "{heap} has no `{right}`");
        source.text = source.text.replacen(right, wrong, 1);
        written(&files, dir.path());
        let found = [("states", vec!["0", STATES]), ("fuzz", vec![PROGRAMS])]
            .iter()
            .any(|(harness, arguments)| !matches!(played(dir.path(), harness, arguments).status.code(), Some(0 | 3)));
        assert!(found, "{heap}: nobody minds `{wrong}` for `{right}`");
    });
}

#[test]
fn the_script_ends_green_and_red() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut files = files("list(order=address, fit=first)");
    written(&files, dir.path());
    let run = || {
        let mut script = Command::new("sh");
        // Others' tools have tests of their own, and take minutes.
        script
            .args(["run.sh", "2000", "20"])
            .env("CLANG", "none-such")
            .env("CBMC", "none-such")
            .env("CPPCHECK", "none-such");
        script.current_dir(dir.path()).output().expect("a shell runs")
    };
    let green = run();
    let results = fs::read_to_string(dir.path().join("results.txt")).expect("results");
    assert_eq!(green.status.code(), Some(0), "{}", text(&green));
    for part in [
        "GREEN     compiler",
        "GREEN     states",
        "GREEN     fuzz",
        "NOT RUN   libfuzzer",
        "NOT RUN   cbmc",
        "NOT RUN   misra",
    ] {
        assert!(results.contains(part), "{part}\n{results}");
    }
    let source = files.iter_mut().find(|file| file.name == "shown.c").expect("the source");
    source.text = source.text.replacen("< need)", "< (need - 1U))", 1);
    written(&files, dir.path());
    let red = run();
    assert_eq!(red.status.code(), Some(1), "{}", text(&red));
    let results = fs::read_to_string(dir.path().join("results.txt")).expect("results");
    assert!(
        results.contains("RED       states") && results.contains("The shortest program that shows it"),
        "{results}"
    );
    assert!(fs::read_to_string(dir.path().join("results.html")).expect("a page").contains("class=\"RED\""));
}

#[test]
fn the_heap_is_that_which_is_emitted() {
    let spec = heapsmith_spec::resolve("tlsf").expect("a heap");
    let request = Request { extras: vec![Extra::Owns], ..Request::new(spec, Name::new("shown").expect("a name")) };
    let plain = (c::emit(&request).expect("source"), evidence::emit(&request, None).expect("evidence"));
    let of = |system| {
        (system::emit(&request, system).expect("source"), evidence::emit(&request, Some(system)).expect("evidence"))
    };
    for (emitted, shown) in std::iter::once(plain).chain(System::ALL.map(of)) {
        for name in ["shown.c", "shown.h"] {
            let of = |files: &[File]| files.iter().find(|file| file.name == name).cloned().expect(name);
            assert_eq!(of(&emitted), of(&shown));
        }
    }
}

#[test]
fn materials_have_the_sums_of_the_files() {
    let files = files("tlsf");
    let of = |name: &str| files.iter().find(|file| file.name == name).expect(name);
    let dir = tempfile::tempdir().expect("a folder");
    written(&files, dir.path());
    let sums =
        Command::new("sha256sum").args(["shown.h", "shown.c"]).current_dir(dir.path()).output().expect("sha256sum");
    for line in String::from_utf8_lossy(&sums.stdout).lines() {
        let (sum, name) = line.split_once("  ").expect("a sum and a name");
        assert!(of("materials.json").text.contains(sum), "{name}");
    }
}
