//! `compare`: what changed between two explorations.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::browser::{Browser, Screen};

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(arguments).current_dir(dir).env("COLUMNS", "120").output().expect("the command runs")
}

fn succeeds(dir: &Path, arguments: &[&str]) -> Output {
    let output = heapsmith(dir, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

const SPACE: &str = "[[family]]\nname = \"classic\"\nheap = \"list(order=address)\"\n[family.levels]\nfreelists = [0, 1, 2, 4]\n\
                     fit = [0, 50, 100]\nsplit = [0, 100]\n";

/// Explores the program that another seed makes, into a folder.
fn explore(dir: &Path, seed: &str, space: &str, out: &str) {
    std::fs::write(dir.join("space.toml"), space).expect("a file");
    let (seed, trace) = (format!("seed={seed}"), format!("{out}.parquet"));
    let import = ["import", "workload:random-half", "--set", "requests=400", "--set", &seed, "--out", &trace];
    succeeds(dir, &import);
    succeeds(dir, &["explore", &trace, "--space", "space.toml", "--rounds", "0", "--no-peers", "--out", out]);
}

fn rows(dir: &Path, old: &str, new: &str) -> Vec<Value> {
    let output = succeeds(dir, &["compare", old, new, "--format", "json"]);
    serde_json::from_slice(&output.stdout).expect("an array of objects")
}

fn picks(rows: &[Value]) -> Vec<&Value> {
    rows.iter().filter(|row| row["kind"] == "pick" && row["figure"] == "fragmentation").collect()
}

#[test]
fn an_exploration_compared_with_itself_has_no_change() {
    let dir = tempfile::tempdir().expect("a folder");
    explore(dir.path(), "1", SPACE, "one");
    let rows = rows(dir.path(), "one", "one");
    assert_eq!(picks(&rows).len(), 4, "a pick for each preference");
    for row in rows.iter().filter(|row| row["kind"] == "trace" || row["kind"] == "front") {
        assert_eq!(row["old"], row["new"], "{row}");
    }
    for pick in picks(&rows) {
        assert_eq!(pick["verdict"], "same");
        assert!(
            pick["old"] == pick["new"] && pick["old"] == pick["old_on_new"] && pick["old_heap"] == pick["new_heap"]
        );
    }
    assert!(rows.iter().all(|row| row["kind"] != "difference" && row["kind"] != "incomparable"));
}

/// The popular sizes of another program give other free lists, so most of its heaps are no designs of the first.
#[test]
fn an_old_pick_is_measured_on_the_new_traces() {
    let dir = tempfile::tempdir().expect("a folder");
    explore(dir.path(), "1", SPACE, "one");
    explore(dir.path(), "2", SPACE, "two");
    let rows = rows(dir.path(), "one", "two");
    for pick in picks(&rows) {
        let heap = pick["old_heap"].as_str().expect("a heap");
        let replayed = succeeds(dir.path(), &["replay", "two.parquet", "--heap", heap, "--format", "json"]);
        let replayed: Value = serde_json::from_slice(&replayed.stdout).expect("JSON");
        assert_eq!(replayed[0]["fragmentation"], pick["old_on_new"], "{pick}");
    }
    let text = String::from_utf8(succeeds(dir.path(), &["compare", "one", "two"]).stdout).expect("text");
    for words in ["peak live ", "front ", "old, now", "balanced: the old pick "] {
        assert!(text.contains(words), "{words} in {text}");
    }
}

#[test]
fn heaps_of_other_alignments_are_said_to_be_incomparable() {
    let dir = tempfile::tempdir().expect("a folder");
    explore(dir.path(), "1", SPACE, "one");
    let wide = format!("{SPACE}word = [8]\nalign = [16]\n");
    explore(dir.path(), "1", &wide, "two");
    let output = succeeds(dir.path(), &["compare", "one", "two"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("not comparable") && error.contains("word=8 align=16"), "{error}");
    let rows = rows(dir.path(), "one", "two");
    assert!(rows.iter().any(|row| row["kind"] == "incomparable"));
}

#[test]
fn heaps_of_other_targets_are_said_to_be_incomparable() {
    let dir = tempfile::tempdir().expect("a folder");
    explore(dir.path(), "1", SPACE, "one");
    let host = ["explore", "one.parquet", "--target", "host", "--space", "space.toml", "--rounds", "0", "--no-peers"];
    succeeds(dir.path(), &[&host[..], &["--out", "host"]].concat());
    let output = succeeds(dir.path(), &["compare", "one", "host"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("not comparable") && error.contains("the new ones for host"), "{error}");
}

#[test]
fn a_folder_without_an_exploration_is_refused() {
    let dir = tempfile::tempdir().expect("a folder");
    explore(dir.path(), "1", SPACE, "one");
    let output = heapsmith(dir.path(), &["compare", "one", "none"]);
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn the_page_of_a_comparison_says_what_the_terminal_says() {
    let dir = tempfile::tempdir().expect("a folder");
    explore(dir.path(), "1", SPACE, "one");
    explore(dir.path(), "2", SPACE, "two");
    let plain = rows(dir.path(), "one", "two");
    let told = succeeds(dir.path(), &["compare", "one", "two", "--html", "page.html"]);
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    let page = std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
    assert!(!page.contains("http://") && !page.contains("https://"), "it loads nothing");
    let verdicts: Vec<&str> =
        told.lines().filter_map(|line| line.split_once(": the old pick ")).map(|two| two.1).collect();
    assert_eq!(verdicts.len(), 4, "{told}");
    for verdict in verdicts {
        assert!(page.contains(verdict), "{verdict}");
    }
    for pick in picks(&plain) {
        let shown = format!("{:.1}%", pick["new"].as_f64().expect("a share") * 100.0);
        assert!(page.contains(&shown), "{shown}");
    }
    for own in ["one/results.sqlite", "two/report.html", "-"] {
        let refused = heapsmith(dir.path(), &["compare", "one", "two", "--html", own]);
        assert_eq!(refused.status.code(), Some(2), "{own}: {}", String::from_utf8_lossy(&refused.stderr));
    }
}

#[test]
fn the_page_of_a_comparison_draws_itself_in_every_window() {
    let dir = tempfile::tempdir().expect("a folder");
    explore(dir.path(), "1", SPACE, "one");
    explore(dir.path(), "2", SPACE, "two");
    succeeds(dir.path(), &["compare", "one", "two", "--html", "page.html"]);
    let mut browser = Browser::start();
    for (width, dark) in [(1400, false), (1400, true), (400, false), (400, true)] {
        browser.open(&dir.path().join("page.html"), Screen { width, height: 900, dark });
        assert_eq!(browser.evaluate("document.documentElement.scrollWidth > innerWidth"), false, "it scrolls sideways");
        assert_eq!(
            browser.evaluate("[...document.querySelectorAll('.plot')].map((plot) => plot.id)"),
            serde_json::json!(["plot-picks"])
        );
    }
    assert!(browser.errors.is_empty(), "{:?}", browser.errors);
}
