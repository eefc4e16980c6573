//! Which library serves a program under `run`: a compiled one of its heap, or the built-in one. Programs cannot tell them apart.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The heaps: a pool of each kind, free lists, a layer, lists of each thread.
const HEAPS: [&str; 16] = [
    "tlsf",
    "bins(lea) word=8 purge=after(30)",
    "freelists(16..=512 step 16) bins(log) word=8",
    "tree(red-black) word=8",
    "pages(search=tree) word=8",
    "buddy(estranged) word=8",
    "half-fit word=8",
    "zero bitmap word=8 huge=from(1M)",
    "zero list(order=implicit, fit=best, tags=off) word=8",
    "freelists(16..=512 step 16) bins(log) word=4 align=16 threads=lists",
    "freelists(32..=256 step 32, 1000) buddy(knuth) word=8 align=16 threads=lists(4096)",
    "spans(16..=112 step 16,128..=14336 double(4), span=65536, free=bitmap, next=lowest, metadata=outside) tree word=8 align=16 threads=lists",
    "spans(16..=512 step 16, span=4096, empty=keep(1)) tlsf word=4 align=16 threads=lists(16384)",
    "spans(16..=512 step 16, span=4096, empty=keep(1)) bitmap word=4 align=16 threads=lists",
    "spans(16..=112 step 16,128..=8192 double(4), span=65536, empty=keep(1)) tree word=8 align=16 threads=owned",
    "spans(16..=512 step 16, span=4096, free=bitmap, next=fullest, metadata=outside) tlsf word=4 align=16 threads=owned purge=after(10)",
];

fn command(dir: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    for variable in ["HEAPSMITH_LIBRARY", "CC"] {
        command.env_remove(variable);
    }
    command.current_dir(dir).env("COLUMNS", "1000").env("XDG_CACHE_HOME", dir.join("cache")).args(arguments);
    command
}

fn run(dir: &Path, options: &[&str], program: &[&str]) -> Output {
    let arguments = [&["run"], options, &["--"], program].concat();
    command(dir, &arguments).output().expect("the command runs")
}

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, errors(output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Compiles a program in C into the folder: a file of these tests, or of those of the crate `launch`.
fn compile(dir: &Path, source: &Path, more: &[&str]) {
    let to = dir.join(source.file_stem().expect("a name"));
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-g", "-w", "-pthread", "-fno-builtin", "-o"]).arg(to).arg(source).args(more);
    assert!(cc.status().is_ok_and(|status| status.success()), "install build-essential");
}

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../launch/tests/programs")
}

/// The libraries of heapsmith's that a program has mapped under these options.
fn mapped(dir: &Path, options: &[&str]) -> BTreeSet<String> {
    let maps = told(&run(dir, options, &["cat", "/proc/self/maps"]));
    let names =
        maps.lines().filter_map(|line| line.rsplit('/').next()).filter(|name| name.starts_with("libheapsmith_"));
    names.map(|name| name.split(['-', '.']).next().expect("a name").to_owned()).collect()
}

fn only(name: &str) -> BTreeSet<String> {
    BTreeSet::from([name.to_owned()])
}

const COMPILED: &str = "libheapsmith_run";
const BUILT_IN: &str = "libheapsmith_preload";

#[test]
fn a_program_gets_the_same_addresses_and_says_the_same_with_both_libraries() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("addresses.c"), include_str!("serving/addresses.c")).expect("a file");
    compile(dir.path(), &dir.path().join("addresses.c"), &[]);
    for heap in HEAPS {
        let has_lists = heap.contains("threads=");
        let with = |library: &str| {
            let options = ["--heap", heap, "--library", library, "--map-from", "1M"];
            // The C library takes as much for a thread as its libraries have variables of threads: not the same with both.
            let program = if has_lists { &["./addresses", "turns"][..] } else { &["./addresses"] };
            told(&run(dir.path(), &options, program))
        };
        let (compiled, built_in) = (with("compiled"), with("built-in"));
        assert!(compiled.lines().count() > if has_lists { 13_000 } else { 4000 }, "{heap}: {compiled}");
        let differs = compiled.lines().zip(built_in.lines()).enumerate().find(|(_, (one, other))| one != other);
        assert_eq!(differs, None, "{heap}: compiled, built-in");
        assert_eq!(compiled, built_in, "{heap}");
    }
}

#[test]
fn memory_goes_back_as_the_heap_says_with_both_libraries() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("holes.c"), include_str!("serving/holes.c")).expect("a file");
    compile(dir.path(), &dir.path().join("holes.c"), &[]);
    let resident = |heap: &str, library: &str| -> [u64; 4] {
        let text = told(&run(dir.path(), &["--heap", heap, "--library", library], &["./holes"]));
        let figures: Vec<u64> = text.split_whitespace().map(|word| word.parse().expect("kB")).collect();
        figures.try_into().expect("four figures")
    };
    let both = |heap: &str| {
        let [compiled, built_in] = ["compiled", "built-in"].map(|library| resident(heap, library));
        let close = compiled.iter().zip(&built_in).all(|(one, other)| one.abs_diff(*other) < 1500);
        assert!(close, "{heap}: {compiled:?} compiled, {built_in:?} built in");
        compiled
    };
    // Blocks of 8,000 bytes, of which one in 50 is kept: 64 MB, and 392 KB free behind each of those.
    for heap in [
        "tlsf word=8",
        "zero tree word=4 align=16",
        "freelists(16..=512 step 16) bins(lea) word=8 align=16 threads=lists",
        "buddy(knuth) word=8",
        "pages(page=4096, min=16, search=word) word=8",
        "spans(16..=1024 step 16, span=16384, metadata=outside, free=bitmap) tlsf word=8 threads=owned",
    ] {
        let [full, holes, empty, lazy] = both(&format!("{heap} purge=after(1000)"));
        let shown = format!("{heap} keeps little: {full} {holes} {empty} {lazy}");
        assert!(full > 60_000 && holes < 20_000 && empty < 4_000 && lazy == 0, "{shown}");
        // What comes from the region is alike in all of them, and each level is compiled: by day one heap has all.
        if heap != "tlsf word=8" && std::env::var_os("HEAPSMITH_WHOLE").is_none() {
            continue;
        }
        let [full, holes, empty, lazy] = both(&format!("{heap} purge=never"));
        assert_eq!(lazy, 0, "{heap}");
        assert!(full > 62_000 && holes >= full && empty >= full, "{heap} keeps all: {full} {holes} {empty}");
        let [full, holes, empty, lazy] = both(&format!("{heap} purge=after(10ms)"));
        let shown = format!("{heap} keeps little: {full} {holes} {empty} {lazy}");
        assert!(full > 60_000 && holes < 20_000 && empty < 4_000 && lazy == 0, "{shown}");
        // Nothing goes back before its time has come.
        let [full, holes, empty, _] = both(&format!("{heap} purge=after(3600000ms)"));
        assert!(
            full > 62_000 && holes >= full && empty >= full,
            "{heap} keeps all for an hour: {full} {holes} {empty}"
        );
        let [full, holes, _, lazy] = both(&format!("{heap} purge=lazy(1000)"));
        let shown = format!("{heap} leaves it to the system: {full} {holes} {lazy}");
        assert!(full > 62_000 && lazy <= holes && holes - lazy < 20_000, "{shown}");
    }
    let [full, holes, empty, _] = both("tlsf word=8");
    assert!(holes >= full && empty < 4_000, "what is above goes back, and no hole does: {full} {holes} {empty}");
    let ends = "chunks(header=tags, index=address, fit=first, ends>=4096) word=8";
    let [full, holes, empty, _] = both(ends);
    assert!(holes >= full && empty >= full, "a heap with two ends keeps all: {full} {holes} {empty}");
}

#[test]
fn huge_pages_are_asked_for_from_where_the_heap_says_with_both_libraries() {
    if !Path::new("/sys/kernel/mm/transparent_hugepage").exists() {
        eprintln!("NOT RUN: this system has no huge pages to ask for");
        return;
    }
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("huge.c"), include_str!("serving/huge.c")).expect("a file");
    compile(dir.path(), &dir.path().join("huge.c"), &[]);
    for heap in [
        "tlsf word=8",
        "spans(16..=16384 double(4), span=65536, metadata=outside, free=bitmap) tree word=8 align=16 threads=owned",
        "freelists(16..=512 step 16) bins(lea) word=8 align=16 threads=lists",
        "buddy(knuth) word=8 purge=after(1000)",
    ] {
        for library in ["compiled", "built-in"] {
            // 24 MB are asked for, of buddies 8 KB a block.
            let asked_for = |level: &str| -> u64 {
                let heap = format!("{heap} {level}");
                let text = told(&run(dir.path(), &["--heap", &heap, "--library", library], &["./huge"]));
                text.trim().parse().expect("kB")
            };
            assert_eq!([asked_for(""), asked_for("huge=from(1024M)")], [0, 0], "{heap} {library}");
            let [all, above] = ["huge=from(0)", "huge=from(8M)"].map(asked_for);
            assert!((23_000..30_000).contains(&all), "{heap} {library}: {all}");
            assert!((6_000..10_500).contains(&(all - above)), "{heap} {library}: {all} and {above}");
        }
    }
}

#[test]
fn a_compiled_library_behaves_as_the_c_library() {
    let dir = tempfile::tempdir().expect("a folder");
    for program in ["functions.c", "forks.c", "forbids.c"] {
        compile(dir.path(), &programs().join(program), &[]);
    }
    compile(dir.path(), &programs().join("late.c"), &["-ldl"]);
    let plugin = programs().join("plugin.c");
    compile(dir.path(), &plugin, &["-shared", "-fPIC"]);
    for heap in HEAPS {
        let on = |program: &[&str]| told(&run(dir.path(), &["--heap", heap, "--library", "compiled"], program));
        for program in [&["./functions"][..], &["./forks"], &["./late", "./plugin"]] {
            assert_eq!(on(program), "all hold\n", "{heap}: {program:?}");
        }
    }
    // A program that forbids itself system calls continues with the region, which needs none.
    let forbids = run(dir.path(), &["--heap", "tlsf", "--library", "compiled"], &["./forbids", "100"]);
    assert_eq!((forbids.status.code(), errors(&forbids)), (Some(0), String::new()));
}

#[test]
fn the_usual_library_is_compiled_and_takes_less_than_150_kilobytes() {
    let dir = tempfile::tempdir().expect("a folder");
    let shown = ["cat", "/proc/self/smaps_rollup"];
    let private = |text: &str| -> u64 {
        let lines = text.lines().filter(|line| line.starts_with("Private_"));
        lines.map(|line| line.split_whitespace().nth(1).expect("kB").parse::<u64>().expect("a number")).sum()
    };
    let plain = Command::new(shown[0]).arg(shown[1]).output().expect("cat runs");
    let plain = private(&told(&plain));
    for heap in ["tlsf", "list", "bins(lea)", "freelists(16..=512 step 16) bins(log) word=8", "phk"] {
        assert_eq!(mapped(dir.path(), &["--heap", heap]), only(COMPILED), "{heap}");
        let taken = private(&told(&run(dir.path(), &["--heap", heap], &shown)));
        assert!(taken < plain + 150, "{heap}: {taken} kB, and {plain} without");
    }
}

#[test]
fn what_only_the_built_in_library_has_is_served_by_it_and_refused_with_the_other() {
    let dir = tempfile::tempdir().expect("a folder");
    // The first run of all may compile it, and says so.
    told(&run(dir.path(), &["--heap", "tlsf", "--library", "built-in"], &["true"]));
    let options: [&[&str]; 8] = [
        &["--heap", "tlsf", "--stats", "stats.json"],
        &["--heap", "tlsf", "--stats", "stats.json", "--signal", "USR2"],
        &["--heap", "tlsf", "--record", "recorded"],
        &["--heap", "tlsf", "--sites"],
        &["--heap", "tlsf", "--check"],
        &["--heap", "tlsf threads=each"],
        &["--heap", "guard tlsf word=8"],
        &["--heap", "tlsf check=header"],
    ];
    for options in options {
        assert_eq!(mapped(dir.path(), options), only(BUILT_IN), "{options:?}");
        let refused = run(dir.path(), &[options, &["--library", "compiled"]].concat(), &["echo", "ran"]);
        assert_eq!((refused.status.code(), &refused.stdout[..]), (Some(2), &b""[..]), "{options:?}");
        assert!(errors(&refused).contains("leave `--library compiled` out"), "{}", errors(&refused));
        assert_eq!(mapped(dir.path(), &[options, &["--library", "built-in"]].concat()), only(BUILT_IN), "{options:?}");
    }
    assert_eq!(mapped(dir.path(), &["--heap", "tlsf", "--map-from", "64K"]), only(COMPILED));
    let mut elsewhere = command(dir.path(), &["run", "--heap", "tlsf", "--", "cat", "/proc/self/maps"]);
    let elsewhere = elsewhere.env("HEAPSMITH_LIBRARY", dir.path().join("mine.so")).output().expect("it runs");
    assert!(told(&elsewhere).contains("/mine.so"), "{}", errors(&elsewhere));
    // Address space that is limited is not reserved.
    let limited = "ulimit -v 4000000; exec \"$0\" run --heap tlsf -- cat /proc/self/maps";
    let mut sh = Command::new("sh");
    sh.args(["-c", limited, env!("CARGO_BIN_EXE_heapsmith")]).env("XDG_CACHE_HOME", dir.path().join("cache"));
    let limited = told(&sh.env_remove("HEAPSMITH_LIBRARY").output().expect("sh runs"));
    assert!(limited.contains(BUILT_IN) && !limited.contains(COMPILED), "{limited}");
}

#[test]
fn without_a_compiler_the_built_in_library_serves_and_that_is_said() {
    let dir = tempfile::tempdir().expect("a folder");
    told(&run(dir.path(), &["--heap", "tlsf", "--library", "built-in"], &["true"]));
    let on = |more: &[&str], variable: (&str, &str)| {
        let arguments = [&["run", "--heap", "tlsf"], more, &["--", "/bin/cat", "/proc/self/maps"]].concat();
        command(dir.path(), &arguments).env(variable.0, variable.1).output().expect("the command runs")
    };
    for (variable, why) in [
        (("PATH", "/nowhere"), "neither cc nor gcc nor clang is in a folder of PATH"),
        (("CC", "no-such-compiler -O1"), "\"no-such-compiler -O1\", which CC names"),
        (("CC", "false"), "false failed"),
        (("CC", "true"), "true failed: it made no file"),
    ] {
        let output = on(&[], variable);
        let maps = told(&output);
        assert!(maps.contains(BUILT_IN) && !maps.contains(COMPILED), "{variable:?}: {maps}");
        let said = errors(&output);
        assert!(said.contains("the built-in library serves malloc") && said.contains(why), "{variable:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        let refused = on(&["--library", "compiled"], variable);
        assert_eq!((refused.status.code(), &refused.stdout[..]), (Some(4), &b""[..]), "{variable:?}");
        assert!(errors(&refused).contains(why), "{}", errors(&refused));
        assert_eq!(errors(&on(&["--library", "built-in"], variable)), "", "what was asked for is not explained");
    }
}

/// A compiler that counts how often it is called.
fn counting(dir: &Path) -> (String, impl Fn() -> usize) {
    let (compiler, calls) = (dir.join("counting"), dir.join("calls"));
    let script = format!("#!/bin/sh\necho one >> {}\nexec cc \"$@\"\n", calls.display());
    std::fs::write(&compiler, script).expect("a file");
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).expect("permissions");
    let count = move || std::fs::read_to_string(&calls).map_or(0, |calls| calls.lines().count());
    (compiler.display().to_string(), count)
}

fn kept(dir: &Path) -> Vec<String> {
    let files = std::fs::read_dir(dir.join("cache/heapsmith")).expect("a folder").flatten();
    files.map(|file| file.file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_library_is_compiled_once_for_a_heap_an_option_and_a_compiler() {
    let dir = tempfile::tempdir().expect("a folder");
    let (compiler, calls) = counting(dir.path());
    let run = |options: &[&str], compiler: &str| {
        let arguments = [&["run", "--library", "compiled"], options, &["--", "true"]].concat();
        told(&command(dir.path(), &arguments).env("CC", compiler).output().expect("the command runs"));
        (calls(), kept(dir.path()).len())
    };
    assert_eq!(run(&["--heap", "tlsf"], &compiler), (1, 1));
    assert_eq!(run(&["--heap", "tlsf"], &compiler), (1, 1), "it is kept");
    assert_eq!(run(&["--heap", "tlsf(second-level=5) align=16"], &compiler), (1, 1), "by the heap, not by its name");
    assert_eq!(run(&["--heap", "tlsf word=8"], &compiler), (2, 2), "another heap");
    assert_eq!(run(&["--heap", "tlsf", "--map-from", "64K"], &compiler), (3, 3), "another option");
    assert_eq!(run(&["--heap", "tlsf"], &format!("{compiler} -O1")), (4, 4), "other arguments of the compiler");
    std::fs::write(&compiler, format!("{}# changed\n", std::fs::read_to_string(&compiler).expect("a script")))
        .expect("a file");
    assert_eq!(run(&["--heap", "tlsf"], &compiler), (5, 5), "another compiler at the same place");
}

#[test]
fn runs_at_once_each_find_a_whole_library() {
    let dir = tempfile::tempdir().expect("a folder");
    let (compiler, calls) = counting(dir.path());
    let start = |_| {
        let mut command = command(dir.path(), &["run", "--library", "compiled", "--heap", "list", "--", "echo", "ran"]);
        command.env("CC", &compiler).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let running: Vec<_> = (0..4).map(start).collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert_eq!((told(&output).as_str(), errors(&output)), ("ran\n", String::new()));
    }
    assert!((1..=4).contains(&calls()), "{} compilers", calls());
    assert_eq!(kept(dir.path()).len(), 1, "no part of a file is left: {:?}", kept(dir.path()));
}
