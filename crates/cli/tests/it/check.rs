//! `check`: exit codes, sentences, bases, and files that are written; and its action as a script.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

mod action;

/// A folder with a trace `a.csv`, and a check file `heap.toml` of these assertions about it.
fn folder(assertions: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), "a.csv", &trace(300));
    let head = "[trace.day]\nfile = \"a.csv\"\n[heap.now]\nspec = \"first-fit\"\n";
    write(dir.path(), "heap.toml", &format!("{head}{assertions}"));
    dir
}

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("a file");
}

/// A hundred blocks, of which the last has this size, and half are freed.
fn trace(last: u64) -> String {
    let mut text = "op,id,size\n".to_owned();
    for id in 0..100 {
        let size = if id == 99 { last } else { 100 };
        text.push_str(&format!("alloc,{id},{size}\n"));
    }
    (0..50).for_each(|id| text.push_str(&format!("free,{id},\n")));
    text
}

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(arguments).current_dir(dir).env("COLUMNS", "1000").output().expect("the command runs")
}

/// What a command that ends with this code says on standard error.
fn ends(dir: &Path, code: i32, arguments: &[&str]) -> String {
    let output = heapsmith(dir, arguments);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(code), "{}{error}", String::from_utf8_lossy(&output.stdout));
    error
}

#[test]
fn at_80_columns_no_column_is_left_out() {
    let dir = tempfile::tempdir().expect("a folder");
    let example = heapsmith(dir.path(), &["check", "--print-example"]);
    write(dir.path(), "heap.toml", &String::from_utf8(example.stdout).expect("text"));
    let mut narrow = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    let output = narrow.args(["check", "heap.toml"]).current_dir(dir.path()).env("COLUMNS", "80").output();
    let table = String::from_utf8_lossy(&output.expect("the command runs").stdout).into_owned();
    assert!(table.contains("measured") && !table.contains("too narrow"), "{table}");
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
}

const PEAK: &str = "[heap.other]\nspec = \"tlsf\"\n[[assert]]\nmeasure = \"footprint_peak\"\n";

#[test]
fn the_example_passes_as_it_is_printed() {
    let dir = tempfile::tempdir().expect("a folder");
    let example = heapsmith(dir.path(), &["check", "--print-example"]);
    write(dir.path(), "heap.toml", &String::from_utf8(example.stdout).expect("text"));
    let output = heapsmith(dir.path(), &["check", "heap.toml"]);
    let table = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && table.contains("12 of 12 assertions hold"), "{table}");
}

#[test]
fn the_check_of_the_examples_folder_holds() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/check");
    ends(&examples, 0, &["check", "heap.toml"]);
}

#[test]
fn a_failed_assertion_ends_with_1_and_its_sentence() {
    let dir = folder(&format!("{PEAK}max = 5000\n"));
    let error = ends(dir.path(), 1, &["check", "heap.toml"]);
    assert!(error.contains("2 of 2 assertions failed"), "{error}");
    let sentence = "heap.toml:8: footprint_peak of now on day is ";
    assert!(error.contains(sentence) && error.contains("at most 5000 bytes (4.9 KB) is allowed"), "{error}");
}

#[test]
fn what_cannot_be_evaluated_ends_with_2_and_what_to_do() {
    let lines = "[[assert]]\nmeasure = \"footprint_peak\"\nmax_growth = \"5%\"\n";
    let error = ends(folder(lines).path(), 2, &["check", "heap.toml"]);
    assert!(error.contains("1 of 1 assertions could not be evaluated") && error.contains("pass --base"), "{error}");
}

#[test]
fn wrong_files_are_refused_with_their_place() {
    let dir = folder("[[assert]]\nmeasure = \"bound\"\nmax = 1\nmaxx = 2\n");
    let cases: [(i32, &str, &[&str]); 7] = [
        (2, "heap.toml:8:1: unknown field `maxx`", &["check", "heap.toml"]),
        (3, "cannot be read as a check file", &["check", "none.toml"]),
        (3, "no.csv", &["check", "trace.toml"]),
        (
            2,
            "option.toml:3: trace \"day\": \"speed\" is no option of reading a trace: write one of as, set",
            &["check", "option.toml"],
        ),
        (2, "heap.toml:4: heap \"x\"", &["check", "spec/heap.toml"]),
        (3, "is no folder of an exploration", &["check", "dir.toml"]),
        (2, "required", &["check"]),
    ];
    let asserts = "[[assert]]\nmeasure = \"bound\"\nmax = 1\n";
    write(dir.path(), "trace.toml", &format!("[heap.x]\nspec = \"tlsf\"\n[trace.day]\nfile = \"no.csv\"\n{asserts}"));
    let option = format!("[trace.day]\nread = {{ speed = 3 }}\nfile = \"a.csv\"\n[heap.x]\nspec = \"tlsf\"\n{asserts}");
    write(dir.path(), "option.toml", &option);
    write(
        dir.path(),
        "spec/heap.toml",
        &format!("[trace.day]\nfile = \"../a.csv\"\n\n[heap.x]\nspec = \"tlfs\"\n{asserts}"),
    );
    let missing = format!("[trace.day]\nfile = \"a.csv\"\n[heap.x]\nexploration = \"none\"\n{asserts}");
    write(dir.path(), "dir.toml", &missing);
    for (code, wanted, arguments) in cases {
        let error = ends(dir.path(), code, arguments);
        assert!(error.contains(wanted), "{arguments:?}: {error}");
    }
}

#[test]
fn growth_is_held_against_saved_figures_and_another_folder() {
    let dir =
        folder(&format!("{PEAK}max_growth = \"5%\"\n[[assert]]\nmeasure = \"requested_peak\"\nmax_growth = \"0%\"\n"));
    write(dir.path(), "old/a.csv", &trace(300));
    // There is nothing to compare with yet, and the figures are saved all the same.
    ends(dir.path(), 2, &["check", "heap.toml", "--save", "base.json"]);
    for base in ["base.json", "old"] {
        ends(dir.path(), 0, &["check", "heap.toml", "--base", base]);
    }
    write(dir.path(), "a.csv", &trace(3000));
    for base in ["base.json", "old"] {
        let error = ends(dir.path(), 1, &["check", "heap.toml", "--base", base]);
        let growth = "26.5% more than the base's 10200 bytes (10.0 KB), at most 0% more than the base is allowed";
        assert!(error.contains("3 of 3 assertions failed") && error.contains(growth), "{error}");
    }
}

/// The file names a base that its first check is to make, and later ones renew.
#[test]
fn a_base_is_made_and_renewed_by_saving_over_it() {
    let dir = folder("[[assert]]\nmeasure = \"footprint_peak\"\nmax_growth = \"5%\"\n");
    let text = std::fs::read_to_string(dir.path().join("heap.toml")).expect("the check file");
    write(dir.path(), "heap.toml", &format!("base = \"base.json\"\n{text}"));
    assert!(ends(dir.path(), 3, &["check", "heap.toml"]).contains("cannot compare with base.json"));
    let save = ["check", "heap.toml", "--save", "base.json"];
    assert!(ends(dir.path(), 2, &save).contains("there is no base.json yet"));
    ends(dir.path(), 0, &save);
    write(dir.path(), "a.csv", &trace(3000));
    ends(dir.path(), 1, &save);
    ends(dir.path(), 0, &save);
}

#[test]
fn a_base_that_is_none_is_refused() {
    let dir = folder("[[assert]]\nmeasure = \"footprint_peak\"\nmax_growth = \"5%\"\n");
    write(dir.path(), "empty/x", "");
    assert!(ends(dir.path(), 3, &["check", "heap.toml", "--base", "a.csv"]).contains("it holds no saved figures"));
    assert!(ends(dir.path(), 3, &["check", "heap.toml", "--base", "no.json"]).contains("cannot compare with no.json"));
    assert!(ends(dir.path(), 3, &["check", "heap.toml", "--base", "empty"]).contains("a.csv"));
    let alone = folder("[[assert]]\nmeasure = \"footprint_peak\"\nmax = \"1M\"\n");
    assert!(
        ends(alone.path(), 2, &["check", "heap.toml", "--base", "."]).contains("no assertion of heap.toml compares")
    );
}

#[test]
fn reports_go_to_their_file_and_the_table_to_standard_output() {
    let dir = folder(&format!("{PEAK}max = 5000\n"));
    for (format, begins) in [("junit", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), ("sarif", "{\n  \"$schema\"")] {
        let output = heapsmith(dir.path(), &["check", "heap.toml", "--format", format, "-o", "report"]);
        assert_eq!(output.status.code(), Some(1));
        let table = String::from_utf8(output.stdout).expect("text");
        assert!(table.contains("0 of 2 assertions hold, 2 failed"), "{table}");
        let report = std::fs::read_to_string(dir.path().join("report")).expect("the report");
        assert!(report.starts_with(begins), "{report}");
        let printed = heapsmith(dir.path(), &["check", "heap.toml", "--format", format]);
        assert_eq!(String::from_utf8(printed.stdout).expect("text"), report, "the same bytes");
    }
    assert!(ends(dir.path(), 2, &["check", "heap.toml", "-o", "a.csv"]).contains("a.csv"));
    assert!(ends(dir.path(), 2, &["check", "heap.toml", "--save", "heap.toml"]).contains("heap.toml"));
}

#[test]
fn a_heap_is_what_an_exploration_picked() {
    let dir = folder("");
    let space = "[[family]]\nname = \"classic\"\nheap = \"list(order=address)\"\n[family.levels]\nfreelists = [0, 2]\nfit = [0, 100]\n";
    write(dir.path(), "space.toml", space);
    let explore = ["explore", "a.csv", "--space", "space.toml", "--rounds", "0", "--no-peers", "--out", "found"];
    ends(dir.path(), 0, &explore);
    let text = "[trace.day]\nfile = \"a.csv\"\n[heap.picked]\nexploration = \"found\"\nprefer = \"memory\"\n[[assert]]\nmeasure = \
                \"min_region\"\nmax = \"1M\"\n";
    write(dir.path(), "heap.toml", text);
    ends(dir.path(), 0, &["check", "heap.toml"]);
    write(dir.path(), "heap.toml", &text.replace("memory", "beauty"));
    assert!(
        ends(dir.path(), 2, &["check", "heap.toml"])
            .contains("\"beauty\" is no preference: write one of balanced, speed")
    );
}

fn action() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.github/actions/heapsmith-check/check.sh")
}

/// The results of a SARIF report.
fn results(path: &Path) -> Vec<Value> {
    let report: Value = serde_json::from_str(&std::fs::read_to_string(path).expect("a report")).expect("JSON");
    report["runs"][0]["results"].as_array().expect("results").clone()
}
