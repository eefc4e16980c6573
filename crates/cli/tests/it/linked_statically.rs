//! `heapsmith record` of programs that are linked statically: nothing can be preloaded into them.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../recording/tests/programs/linked_statically.c");
/// What its threads allocate, and the first thread: five blocks of the pool, six of other functions, and one to print.
const BY_THREADS: u64 = 3000;
const BY_ITSELF: u64 = 12;
const WITH_A_FILTER: u64 = 200_000;

fn compiled(dir: &Path, name: &str, options: &[&str]) {
    let mut compiler = Command::new("cc");
    compiler.args(["-O2", "-g", "-o", name, SOURCE]).args(options).arg("-lpthread").current_dir(dir);
    assert!(compiler.status().is_ok_and(|status| status.success()), "install build-essential");
}

fn record(dir: &Path, options: &[&str], program: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).env("COLUMNS", "1000").env("XDG_CACHE_HOME", dir.join("cache"));
    command.args(["record", "--format", "json"]).args(options).arg("--").args(program);
    command.output().expect("the command runs")
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The processes, the one with the most events first.
fn rows(output: &Output) -> Vec<Value> {
    let shown = errors(output);
    let begins = shown.find("[\n").unwrap_or_else(|| panic!("a list: {shown}"));
    serde_json::from_str(&shown[begins..=shown.rfind(']').expect("its end")]).expect("JSON")
}

fn number(row: &Value, name: &str) -> u64 {
    row[name].as_u64().unwrap_or_else(|| panic!("{name} of {row}"))
}

#[test]
fn it_runs_as_always_and_each_block_is_recorded() {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, options) in [("fixed", &["-static"][..]), ("moved", &["-static-pie"])] {
        compiled(dir.path(), name, options);
        let alone = Command::new(dir.path().join(name)).current_dir(dir.path()).output().expect("it runs");
        assert_eq!(alone.status.code(), Some(7));
        let output = record(dir.path(), &["-o", &format!("{name}-traces")], &[&format!("./{name}")]);
        assert_eq!(output.status.code(), Some(7), "{}", errors(&output));
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("./{name} 1\n"));
        let rows = rows(&output);
        let [itself, child] = &rows[..] else { panic!("two processes: {rows:?}") };
        assert!(number(itself, "live_peak") < 20_000, "no size is taken from what is none: {itself}");
        // The C library asks for some blocks before `main`, and one for each thread.
        let allocations = number(itself, "allocations");
        assert!((BY_THREADS + BY_ITSELF..BY_THREADS + BY_ITSELF + 50).contains(&allocations), "{itself}");
        assert_eq!(number(itself, "threads"), 4, "{itself}");
        assert_eq!(["allocations", "events"].map(|name| number(child, name)), [100, 200], "{child}");
        let unclear = ["unknown_frees", "unknown_reallocations", "missed_frees", "failed_reallocations"];
        assert!(rows.iter().all(|row| unclear.iter().all(|name| number(row, name) == 0)), "{rows:?}");
    }
}

#[test]
fn its_call_sites_and_how_it_ends_are_known() {
    let dir = tempfile::tempdir().expect("a folder");
    compiled(dir.path(), "program", &["-static-pie"]);
    let output = record(dir.path(), &["--sites", "-o", "traces"], &["./program"]);
    assert_eq!(output.status.code(), Some(7), "{}", errors(&output));
    let traces = std::fs::read_dir(dir.path().join("traces")).expect("a folder").flatten().map(|entry| entry.path());
    let mut inspect = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    let shown = inspect.arg("inspect").args(traces).env("COLUMNS", "1000").output().expect("the command runs");
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned() + &errors(&shown);
    assert!(
        ["\n  asks-sizes=1\n", "\n  processor-ms=", "\n  ended-threads=1-3\n"].iter().all(|said| shown.contains(said)),
        "{shown}"
    );
    assert!(shown.contains("by work (linked_statically.c:") && shown.contains("< start_thread ("), "{shown}");
}

/// With either filter a system call of the recorder's would end it, and with the limit end the recording.
#[test]
fn it_may_restrict_itself() {
    let dir = tempfile::tempdir().expect("a folder");
    compiled(dir.path(), "program", &["-static"]);
    for way in ["prctl", "seccomp", "limit"] {
        let output = record(dir.path(), &["-o", way], &["./program", way]);
        assert_eq!(output.status.code(), Some(7), "{}", errors(&output));
        assert!(number(&rows(&output)[0], "allocations") >= BY_THREADS + WITH_A_FILTER, "{}", errors(&output));
    }
}

/// What a thread has of the recording is given back at its end, so that many take no more than one.
#[test]
fn threads_that_end_give_back_what_they_had() {
    const STACKS: u64 = 2000;
    let dir = tempfile::tempdir().expect("a folder");
    compiled(dir.path(), "program", &["-static"]);
    // As long as it runs, its recording is there; one of 64 MB would be of 250 windows.
    let limited = format!(
        "ulimit -f {}; exec {} record --format json -o traces -- ./program stacks",
        64 << 11,
        env!("CARGO_BIN_EXE_heapsmith")
    );
    let mut shell = Command::new("bash");
    let output = shell.args(["-c", &limited]).current_dir(dir.path()).output().expect("a shell");
    assert_eq!(output.status.code(), Some(7), "{}", errors(&output));
    assert!(!errors(&output).contains("ended before"), "{}", errors(&output));
    let row = &rows(&output)[0];
    assert_eq!(number(row, "threads"), 1 + 3 + STACKS, "{row}");
    assert!(number(row, "allocations") >= BY_THREADS + STACKS, "{row}");
}

#[test]
fn children_lose_nothing_of_what_they_inherit() {
    let dir = tempfile::tempdir().expect("a folder");
    compiled(dir.path(), "program", &["-static"]);
    for round in 0..3 {
        let output = record(dir.path(), &["-o", &format!("fork-{round}")], &["./program", "fork"]);
        assert_eq!(output.status.code(), Some(7), "{}", errors(&output));
        let rows = rows(&output);
        // Another child allocates 100 blocks, as always.
        let children = rows.iter().filter(|row| number(row, "allocations") == BY_THREADS).count();
        assert_eq!((rows.len(), children), (7, 5), "{rows:?}");
    }
    let output = record(dir.path(), &["-o", "title"], &["./program", "title"]);
    assert_eq!(output.status.code(), Some(7), "{}", errors(&output));
    assert_eq!(rows(&output).iter().map(|row| number(row, "allocations")).min(), Some(100), "{}", errors(&output));
}

#[test]
fn options_of_recordings_are_for_it_too() {
    let dir = tempfile::tempdir().expect("a folder");
    compiled(dir.path(), "program", &["-static"]);
    let own = record(dir.path(), &["--symbols", "pool_*", "-o", "own"], &["./program"]);
    assert_eq!(own.status.code(), Some(7), "{}", errors(&own));
    assert_eq!(number(&rows(&own)[0], "allocations"), 5, "{}", errors(&own));
    let short = record(dir.path(), &["--symbols", "pool_malloc,none_free", "-o", "short"], &["./program"]);
    assert_eq!(short.status.code(), Some(7), "{}", errors(&short));
    assert_eq!(number(&rows(&short)[0], "allocations"), 5, "{}", errors(&short));
    let throws = record(dir.path(), &["--symbols", "malloc=_Znwm,pool_free"], &["./program"]);
    assert_eq!(throws.status.code(), Some(3), "{}", errors(&throws));
    assert!(errors(&throws).contains("_Znwm cannot be recorded: it may throw"), "{}", errors(&throws));
    let sampled = record(dir.path(), &["--sample", "4", "-o", "sampled"], &["./program", "prctl"]);
    assert_eq!(sampled.status.code(), Some(7), "{}", errors(&sampled));
    let parts = record(dir.path(), &["--rotate", "1M", "-o", "parts"], &["./program", "seccomp"]);
    assert_eq!(parts.status.code(), Some(7), "{}", errors(&parts));
    let of_parts: u64 = rows(&parts).iter().map(|row| number(row, "allocations")).sum();
    assert!(of_parts >= BY_THREADS + WITH_A_FILTER, "{}", errors(&parts));
    let peer = record(dir.path(), &["--peer", "jemalloc"], &["./program"]);
    assert_eq!(peer.status.code(), Some(2), "{}", errors(&peer));
    assert!(errors(&peer).contains("leave out --peer"), "{}", errors(&peer));
}

#[test]
fn what_cannot_be_recorded_is_not_started() {
    let dir = tempfile::tempdir().expect("a folder");
    compiled(dir.path(), "stripped", &["-static", "-s"]);
    let output = record(dir.path(), &[], &["./stripped"]);
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    assert!(output.stdout.is_empty() && errors(&output).contains("has no symbol of malloc"), "{}", errors(&output));
    std::fs::write(dir.path().join("data"), "\x7fELF").expect("a file");
    let output = record(dir.path(), &[], &["./data"]);
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let left = std::fs::read_dir(dir.path()).expect("a folder").flatten();
    let left: Vec<_> =
        left.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().contains("record")).collect();
    assert!(left.is_empty(), "no folder for nothing: {left:?}");
}
