//! `heapsmith reproduce`: names, folders, errors, and what stays.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples")
}

fn reproduce(dir: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.arg("reproduce").args(arguments).current_dir(dir).env("COLUMNS", "100");
    command.output().expect("the command runs")
}

fn error(output: &Output) -> (i32, String) {
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn the_list_names_every_experiment_and_does_none() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = reproduce(dir.path(), &["--list", "--format", "csv"]);
    assert!(output.status.success());
    let list = String::from_utf8(output.stdout).expect("text");
    for name in ["000-table-3", "001-figures-19-24", "002-figure-8"] {
        assert!(list.lines().any(|line| line.starts_with(&format!("{name},"))), "{list}");
    }
    assert_eq!(std::fs::read_dir(dir.path()).expect("the folder").count(), 0);
}

#[test]
fn the_claims_of_a_paper_or_of_an_experiment_are_listed_with_their_verdicts() {
    let dir = tempfile::tempdir().expect("a folder");
    let listed = |name: &str| -> Vec<serde_json::Value> {
        let output = reproduce(dir.path(), &["--claims", name, "--format", "json"]);
        assert!(output.status.success(), "{:?}", error(&output));
        serde_json::from_slice(&output.stdout).expect("an array")
    };
    let (paper, experiment) = (listed("002"), listed("002-figure-8"));
    assert!(paper.len() > experiment.len() && !experiment.is_empty());
    assert!(paper.iter().all(|row| row["claim"].as_str().is_some_and(|claim| claim.starts_with("002:"))));
    assert!(experiment.iter().all(|row| row["test"] == "002-figure-8"), "{experiment:?}");
    let verdict = |claim: &str| experiment.iter().find(|row| row["claim"] == claim).map(|row| row["verdict"].clone());
    assert_eq!(verdict("002:buddy-is-bounded"), Some("holds".into()), "{experiment:?}");
    assert_eq!(verdict("002:factor-is-unbounded"), Some("some-readings".into()), "{experiment:?}");
    assert_eq!(std::fs::read_dir(dir.path()).expect("the folder").count(), 0);
}

#[test]
fn one_experiment_writes_its_data_its_figures_and_the_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    let output = reproduce(dir.path(), &["001-figure-18", "-o", "out", "--format", "json"]);
    assert!(output.status.success(), "{:?}", error(&output));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an array");
    assert_eq!(json[0]["name"], "001-figure-18");
    for file in ["papers.md", "papers.html", "papers/001-figure-18.csv", "papers/001-figure-18.svg"] {
        assert!(dir.path().join("out").join(file).metadata().is_ok_and(|file| file.len() > 100), "{file}");
    }
    let left: Vec<_> = std::fs::read_dir(dir.path().join("out/papers")).expect("the folder").flatten().collect();
    assert!(left.iter().all(|file| !file.file_name().to_string_lossy().starts_with('.')), "{left:?}");
}

#[test]
fn a_name_that_is_none_lists_the_names() {
    let dir = tempfile::tempdir().expect("a folder");
    let (code, told) = error(&reproduce(dir.path(), &["000-table-9"]));
    assert_eq!(code, 2);
    assert!(told.contains("000-table-9") && told.contains("000-table-3"), "{told}");
}

#[test]
fn samples_that_are_not_there_are_told_before_anything_is_done() {
    let dir = tempfile::tempdir().expect("a folder");
    let (code, told) = error(&reproduce(dir.path(), &["001-figure-18", "000-figure-4"]));
    assert_eq!(code, 3);
    assert!(told.contains("--samples"), "{told}");
    assert!(!dir.path().join("docs").exists());
}

#[test]
fn a_folder_of_inputs_that_is_not_there_is_told_before_anything_is_done() {
    let dir = tempfile::tempdir().expect("a folder");
    let samples = samples();
    let output = reproduce(dir.path(), &["002-figure-11", "--inputs", "none", "--samples", &samples.to_string_lossy()]);
    let (code, message) = error(&output);
    assert_eq!(code, 2, "{message}");
    assert!(
        message.contains("none is no folder: --inputs names one of public captures or of whole recordings"),
        "{message}"
    );
    assert!(!dir.path().join("docs").exists());
}

#[test]
fn a_folder_that_cannot_be_written_is_told_before_anything_is_done() {
    let dir = tempfile::tempdir().expect("a folder");
    std::fs::write(dir.path().join("file"), "").expect("a file");
    let (code, told) = error(&reproduce(dir.path(), &["001-figure-18", "-o", "file"]));
    assert_eq!(code, 4);
    assert!(told.contains("-o"), "{told}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_was_finished_and_says_so() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(["reproduce", "001", "-o", "out", "--samples"]).arg(samples()).current_dir(dir.path());
    let mut child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().expect("it runs");
    // The first experiment is done within the first second or so; all of them take much longer.
    let first = dir.path().join("out/papers/001-figure-18.json");
    while !first.exists() && child.try_wait().expect("a state").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success(), "it ended before it could be interrupted");
    let output = child.wait_with_output().expect("it ends");
    let (code, told) = error(&output);
    assert_eq!(code, 130, "{told}");
    assert!(told.contains("kept"), "{told}");
    let page = std::fs::read_to_string(dir.path().join("out/papers.md")).expect("the page");
    assert!(page.contains("001-figure-18.svg"));
    assert!(String::from_utf8_lossy(&output.stdout).contains("001-figure-18"));
}
