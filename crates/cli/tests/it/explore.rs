//! The main job through the command: results and interrupts.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples").join(name)
}

fn heapsmith(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heapsmith"));
    command.args(arguments);
    command
}

/// An exploration of the beginning of a sample, small enough for a test.
fn explore(out: &Path) -> Command {
    let mut command = heapsmith(&["explore", "--as", "drr", "--limit", "2500", "--rounds", "1", "--jobs", "2"]);
    command.arg(sample("ftp.pcap.xz")).arg("--out").arg(out);
    command
}

fn succeeds(mut command: Command) -> Output {
    let output = command.output().expect("the command runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output
}

fn csv(out: &Path) -> String {
    std::fs::read_to_string(out.join("results.csv")).expect("results.csv")
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn killed_at_any_moment_it_resumes_to_the_same_answer() {
    let dir = tempfile::tempdir().expect("a folder");
    let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
    let start = Instant::now();
    succeeds(explore(&whole));
    let took = start.elapsed();
    // Moments spread over the run, by a generator seeded with the clock; the seed is printed.
    let mut seed = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.subsec_nanos());
    println!("seed {seed}");
    for _ in 0..4 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let after = took.mul_f64(f64::from(seed) / f64::from(u32::MAX) * 0.9);
        let mut child: Child = explore(&killed).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
        std::thread::sleep(after);
        let _ = child.kill();
        child.wait().expect("it ended");
    }
    succeeds(explore(&killed));
    assert_eq!(csv(&whole), csv(&killed));
}

#[test]
fn ctrl_c_keeps_what_was_done_and_says_so() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let mut command = heapsmith(&["explore", "--as", "drr", "--rounds", "0"]);
    let child = command.arg(sample("ftp.pcap.xz")).arg("--out").arg(&out).stderr(Stdio::piped()).stdout(Stdio::null());
    let child = child.spawn().expect("it starts");
    let store = out.join("results.sqlite");
    let deadline = Instant::now() + Duration::from_secs(120);
    while done(&store) == 0 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(status.success());
    let output = child.wait_with_output().expect("it ends");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{error}");
    assert!(error.contains("the same command resumes from it"), "{error}");
    assert!(done(&store) > 0);
}

/// Unique designs in a store, or 0 while there is none.
fn done(store: &Path) -> i64 {
    if !store.exists() {
        return 0;
    }
    let count = || {
        let db = rusqlite::Connection::open(store)?;
        db.query_row("SELECT count(*) FROM result", [], |row| row.get(0))
    };
    count().unwrap_or(0)
}

#[test]
fn programs_get_the_front_as_json_with_the_keys_of_the_design() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut command = explore(&dir.path().join("out"));
    command.args(["--format", "json"]);
    let output = succeeds(command);
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON and nothing else");
    let rows = rows.as_array().expect("an array");
    assert!(rows.len() > 16, "a front and the catalogue");
    for key in ["heap", "fragmentation", "accesses_per_op", "max", "ns_per_op", "null_ns_per_op"] {
        assert!(rows[0].get(key).is_some(), "{key} in {}", rows[0]);
    }
    let picks = rows.iter().filter(|row| row["note"] == "pick").count();
    assert_eq!(picks, 1, "one pick");
}

#[test]
fn replay_gives_every_measure_and_the_smallest_region() {
    let mut command = heapsmith(&["replay", "--as", "easyport", "--limit", "3000", "--format", "json", "--verify"]);
    command.args(["--min-region", "--time", "--heap", "windows-xp", "--heap", "list(fit=best)"]);
    command.arg(sample("mixed.pcapng.xz"));
    let output = succeeds(command);
    let rows: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for row in rows.as_array().expect("an array") {
        let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{key} in {row}"));
        assert!(number("footprint_peak") > number("requested_peak"));
        assert!(number("min_region") >= number("requested_peak"));
        let computed = number("footprint_peak") / number("requested_peak") - 1.0;
        assert!((number("fragmentation") - computed).abs() < 1e-5);
        assert!(number("ns_per_op") > 0.0 && number("accesses_max") >= number("accesses_p99"));
    }
}

#[test]
fn the_page_can_be_written_again_from_the_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    succeeds(explore(&out));
    let before = std::fs::read(out.join("report.html")).expect("the page");
    let folder = out.to_str().expect("a plain path");
    succeeds(heapsmith(&["report", folder, "-o", dir.path().join("again.html").to_str().expect("a path")]));
    let again = std::fs::read(dir.path().join("again.html")).expect("the page again");
    assert!(again.len().abs_diff(before.len()) < before.len() / 100);
}
