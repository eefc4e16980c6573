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

/// An exploration of the beginning of a sample, small enough for a test: its heaps are timed as they are built in, as nothing is
/// compiled.
fn explore(out: &Path) -> Command {
    let mut command = heapsmith(&["explore", "--as", "drr", "--limit", "2500", "--rounds", "1", "--jobs", "2"]);
    command.env("CC", "no-compiler").arg(sample("ftp.pcap.xz")).arg("--out").arg(out);
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

#[test]
fn a_folder_is_replayed_as_its_pick() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    succeeds(explore(&out));
    let rows = |heap: &str| {
        let mut replay = heapsmith(&["replay", "--as", "drr", "--limit", "2500", "--format", "csv", "--heap", heap]);
        replay.arg(sample("ftp.pcap.xz"));
        let output = succeeds(replay);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (String::from_utf8_lossy(&output.stdout).into_owned(), said)
    };
    let (of_folder, said) = rows(&out.display().to_string());
    let pick = said.lines().find_map(|line| line.split_once("the pick of ")?.1.split_once(": ")).expect("a pick").1;
    assert_eq!(of_folder, rows(pick).0);
}

#[test]
fn the_front_is_placed_in_the_memories_of_a_board() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let mut command = heapsmith(&["explore", "--limit", "3000", "--rounds", "0", "--target", "cortex-m"]);
    command.arg(sample("programs/espresso.parquet")).args(["--regions", "sram=64K,psram=1M@8"]).arg("--out").arg(&out);
    let text = String::from_utf8_lossy(&succeeds(command).stdout).into_owned();
    let before = line(&text, "Internal   first: ");
    let placed = line(&text, "Placed     the pick in ");
    assert!(before.ends_with(" cycles of the model for the pick"), "{text}");
    let placements = std::fs::read_to_string(out.join("placements.csv")).expect("placements.csv");
    let rows: Vec<Vec<&str>> = placements.lines().skip(1).map(|row| row.splitn(4, ',').collect()).collect();
    assert!(line(&text, "Placements ").starts_with(&format!("{} in ", rows.len())), "{text}");
    // The first row is the baseline, and no placement that is said to save costs more.
    let cycles = |row: &[&str]| row[0].parse::<u64>().expect("cycles");
    let digits: String = before.chars().filter(char::is_ascii_digit).collect();
    assert_eq!(digits, rows[0][0]);
    assert!(rows[0][3].contains("regions(sram(65536), psram(1048576, cost=8))"), "{}", rows[0][3]);
    let of_pick =
        rows.iter().take(16).filter(|row| row[1] == "0").map(|row| cycles(row)).min().expect("one serves all");
    let saved = 1.0 - of_pick as f64 / cycles(&rows[0]) as f64;
    assert!(placed.ends_with(&format!("saves {:.1}% of that", saved * 100.0)), "{saved} {text}");
    // What is emitted is a placement that was measured.
    let spec = line(&text, "Emit       ").trim_matches('\'');
    let measured = rows.iter().find(|row| row[3].trim_matches('"') == spec).expect("a placement");
    assert!(measured[1] == "0" && cycles(measured) <= of_pick, "{measured:?}");
}

#[test]
fn regions_that_no_heap_can_have_are_refused_before_anything_is_explored() {
    let dir = tempfile::tempdir().expect("a folder");
    for (regions, why) in [
        ("sram=8K,sram=64K", "`sram` is a region already"),
        ("a=1K,b=1K,c=1K,d=1K", "at most 3"),
        ("sram=8K@0,psram=64K", "an access costs 1 to 10000 cycles"),
        ("sram=8001,psram=64K", "multiple of 16 bytes, the alignment of the heap"),
        ("sram", "write a name, bytes, and the cycles of an access"),
    ] {
        let out = dir.path().join("out");
        let mut command = explore(&out);
        let output = command.args(["--target", "riscv32", "--regions", regions]).output().expect("the command runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && error.contains(why), "{regions}: {error}");
        assert!(!out.exists(), "{regions}");
    }
}

/// What follows `begin` in its line.
fn line<'t>(text: &'t str, begin: &str) -> &'t str {
    let found = text.lines().find_map(|line| line.strip_prefix(begin));
    found.unwrap_or_else(|| panic!("no line begins with {begin:?}: {text}"))
}
