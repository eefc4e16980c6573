//! Traces played on reference allocators with knobs: `replay`, and `explore --space knobs`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use heapsmith_trace::{Action, Bytes, Event, Nanoseconds, Origin, Trace};
use serde_json::Value;

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir).env("COLUMNS", "80").args(arguments).output().expect("the command runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn told(output: &Output) -> String {
    assert!(output.status.success(), "{}: {}", output.status, text(&output.stderr));
    text(&output.stdout)
}

/// A trace of two threads, in which each frees the blocks of the other: 8 MB are live at the peak, and 7 MB
/// for 5 ms around it, four times: a look at the memory now and then sees one of them.
fn trace(dir: &Path) {
    let mut text = "time_ns,thread,action,id,size\n".to_owned();
    for round in 0..4_u64 {
        for block in 0..2000_u64 {
            let thread = block % 2;
            text +=
                &format!("{},{thread},allocate,{},4096\n", round * 40_000_000 + block * 10_000, round * 2000 + block);
        }
        for block in 0..2000_u64 {
            let (thread, time) = (1 - block % 2, round * 40_000_000 + 20_000_000 + block * 10_000);
            text += &format!("{time},{thread},free,{},\n", round * 2000 + block);
        }
    }
    std::fs::write(dir.join("t.csv"), text).expect("a file");
}

#[test]
fn a_trace_is_played_by_threads_on_an_allocator_with_knobs() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let heaps = ["--heap", "peer:libc()", "--heap", "peer:libc(arena_max=1, mmap_threshold=4K)"];
    let rows = told(&heapsmith(dir.path(), &[&["replay", "t.csv"], &heaps[..], &["--format", "json"]].concat()));
    let rows: Vec<Value> = serde_json::from_str(&rows).expect("an array");
    let of = |row: usize, name: &str| rows[row][name].as_f64().expect("a number");
    for (row, text) in rows.iter().enumerate() {
        assert_eq!((of(row, "threads"), of(row, "operations"), of(row, "refused")), (2.0, 16_000.0, 0.0));
        assert!(of(row, "wall_time") >= 0.159, "at the times of the trace: {text}");
        let peak = of(row, "peak");
        assert!((7e6..20e6).contains(&peak) && of(row, "mean") <= peak, "{text}");
    }
    assert_eq!(rows.len(), 2);
    // A mapping for each block costs a page more, and a fault for every page of every block.
    assert!(of(1, "peak") > of(0, "peak") * 1.5, "{rows:?}");
    assert!(of(1, "faults") > 12_000.0, "{rows:?}");
    assert_eq!(rows[1]["environment"], "GLIBC_TUNABLES=glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=4096");
}

/// Threads one after another, each with a megabyte that it frees, within one part of a play.
#[test]
fn a_thread_begins_when_those_that_had_ended_are_gone() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut trace = Trace::new(Origin::new("made", "here"));
    let event = |time, thread, action| Event { time: Nanoseconds(time), thread, site: None, action };
    for thread in 0..40_u32 {
        let begin = u64::from(thread) * 100_000;
        let blocks = (0..25).map(|number| (begin + number, begin + number * 1_000));
        let allocates = |(id, time)| event(time, thread, Action::Allocate { id, size: Bytes(40_000), alignment: 0 });
        trace.events.extend(blocks.clone().map(allocates));
        trace.events.extend(blocks.map(|(id, time)| event(time + 50_000, thread, Action::Free { id })));
    }
    trace.write(dir.path().join("early.parquet")).expect("a file");
    // Each lives until the one after the next has begun.
    let ended: BTreeMap<_, _> = (1..40).map(|thread| (thread, (thread < 38).then_some(thread + 2))).collect();
    trace.origin.set_ended_threads(&ended);
    trace.write(dir.path().join("late.parquet")).expect("a file");
    // Arenas keep what they were given.
    let keeping = ["--heap", "peer:libc(trim_threshold=1G)", "--format", "json", "--pace", "0"];
    let faults = ["early.parquet", "late.parquet"].map(|trace| {
        let played = heapsmith(dir.path(), &[&["replay", trace], &keeping[..]].concat());
        let rows: Vec<Value> = serde_json::from_str(&told(&played)).expect("an array");
        rows[0]["faults"].as_f64().expect("a number")
    });
    // The first thread and those after it have an arena of 250 pages each, and two arenas more where three threads are there at
    // once. Side by side each thread would have one.
    assert!((300.0..1000.0).contains(&faults[0]), "{faults:?}");
    assert!((faults[0] + 400.0..faults[0] + 700.0).contains(&faults[1]), "{faults:?}");
}

#[test]
fn what_is_played_is_asked_for_apart() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let both = heapsmith(dir.path(), &["replay", "t.csv", "--heap", "tlsf", "--heap", "peer:libc(arena_max=1)"]);
    assert_eq!(both.status.code(), Some(2), "{}", text(&both.stderr));
    let other = heapsmith(dir.path(), &["explore", "t.csv", "--peer", "libc"]);
    assert_eq!(other.status.code(), Some(2), "{}", text(&other.stderr));
    let knobs = ["explore", "t.csv", "--space", "knobs", "--holdout", "each"];
    assert_eq!(heapsmith(dir.path(), &knobs).status.code(), Some(2));
}

#[test]
fn knobs_are_not_searched_in_the_folder_of_another_exploration() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let knobs = ["explore", "t.csv", "--space", "knobs", "--peer", "libc", "--pace", "0", "-o", "out"];
    std::fs::create_dir(dir.path().join("out")).expect("a folder");
    for name in ["results.lock", "results.sqlite"] {
        std::fs::write(dir.path().join("out").join(name), "").expect("a file");
    }
    let refused = heapsmith(dir.path(), &knobs);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
    assert!(!dir.path().join("out/plays-libc.csv").exists());
}

#[test]
fn knobs_are_searched_and_answered_with_a_line_of_environment() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let arguments = ["explore", "t.csv", "--space", "knobs", "--peer", "libc", "--pace", "0", "-o", "out"];
    let answer = told(&heapsmith(dir.path(), &arguments));
    // What is copied into a shell is in one line, however long.
    let fits = |line: &str| line.chars().count() <= 80 || line.trim_start().starts_with("GLIBC_TUNABLES=");
    assert!(answer.lines().count() <= 12 && answer.lines().all(fits), "{answer}");
    assert!(answer.starts_with("libc") && answer.contains("GreenMalloc's tunables"), "{answer}");
    let table = std::fs::read_to_string(dir.path().join("out/knobs.csv")).expect("a table");
    let rows: Vec<&str> = table.lines().collect();
    assert!(rows[0].starts_with("allocator,peak,") && rows[1].starts_with("peer:libc,"), "{table}");
    assert!(rows.len() >= 6 && table.contains(",greenmalloc,"), "{table}");
    let answers = rows.iter().filter(|row| row.ends_with(",yes")).count();
    assert_eq!(answers, usize::from(!answer.contains("keep its defaults")), "{answer}{table}");
}

#[test]
fn a_search_of_knobs_that_was_interrupted_resumes() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let arguments = ["explore", "t.csv", "--space", "knobs", "--peer", "libc", "--pace", "0.05", "-o", "out"];
    let kept = dir.path().join("out/plays-libc.csv");
    let plays = || std::fs::read_to_string(&kept).map_or(0, |text| text.lines().count().saturating_sub(1));
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir.path()).args(arguments).stdout(Stdio::null()).stderr(Stdio::piped());
    let child = command.spawn().expect("the command runs");
    while plays() < 5 {
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("out keeps the plays so far"), "{}", text(&output.stderr));
    let race = heapsmith(dir.path(), &["race", "--heap", "out", "--", "true"]);
    assert_eq!(race.status.code(), Some(2));
    assert!(text(&race.stderr).contains("a search of knobs that was interrupted"), "{}", text(&race.stderr));
    let before = plays();
    let begun = std::fs::read_to_string(&kept).expect("plays");
    let resumed = heapsmith(dir.path(), &arguments);
    let answer = told(&resumed);
    assert!(text(&resumed.stderr).contains(&format!("out has {before} plays of libc already")), "{resumed:?}");
    let all = std::fs::read_to_string(&kept).expect("plays");
    assert!(all.starts_with(&begun) && plays() > before, "no play was made again: {begun}{all}");
    let table = std::fs::read_to_string(dir.path().join("out/knobs.csv")).expect("a table");
    let again = told(&heapsmith(dir.path(), &arguments));
    assert_eq!(again, answer);
    assert_eq!(std::fs::read_to_string(&kept).expect("plays"), all, "all were kept");
    assert_eq!(std::fs::read_to_string(dir.path().join("out/knobs.csv")).expect("a table"), table);
    // What cannot be read is not taken for nothing, and what cannot be kept is known before the first play.
    let cut = &all[..all.len() - 10];
    std::fs::write(&kept, cut).expect("a file");
    let damaged = heapsmith(dir.path(), &arguments);
    assert_eq!(damaged.status.code(), Some(3), "{}", text(&damaged.stderr));
    let lines = all.lines().count();
    assert!(text(&damaged.stderr).contains(&format!("line {lines} is no play; remove it to play anew")), "{damaged:?}");
    assert_eq!(std::fs::read_to_string(&kept).expect("plays"), cut);
    std::fs::remove_file(&kept).expect("it is there");
    assert!(Command::new("mkfifo").arg(&kept).status().expect("mkfifo runs").success());
    let refused = heapsmith(dir.path(), &arguments);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
}

/// glibc gives each thread an arena; the variable that the user has set for other programs is not what is played.
#[test]
fn what_the_user_has_set_for_an_allocator_is_not_in_a_play() {
    let dir = tempfile::tempdir().expect("a folder");
    trace(dir.path());
    let arguments = ["replay", "t.csv", "--heap", "peer:libc()", "--format", "json"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.current_dir(dir.path()).args(arguments).env("GLIBC_TUNABLES", "glibc.malloc.mmap_threshold=4096");
    let rows: Vec<Value> = serde_json::from_str(&told(&command.output().expect("it runs"))).expect("an array");
    let faults = rows[0]["faults"].as_f64().expect("a number");
    assert!(faults < 12_000.0, "a mapping for each block has a fault for every page of every block: {rows:?}");
}
