//! `bound` and `attack`: what they print, what they refuse, and that an attack's trace replays to what was said.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn heapsmith(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_heapsmith"))
        .args(arguments)
        .current_dir(dir)
        .env("COLUMNS", "110")
        .output()
        .expect("the command runs")
}

fn prints(arguments: &[&str]) -> String {
    let output = heapsmith(Path::new("."), arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

fn rows(dir: &Path, arguments: &[&str]) -> Vec<Value> {
    let output = heapsmith(dir, &[arguments, &["--format", "json"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("an array of objects")
}

fn refuses(arguments: &[&str]) -> String {
    let output = heapsmith(Path::new("."), arguments);
    assert_eq!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).expect("text")
}

const SMALL: [&str; 6] = ["--max-live", "20K", "--max-size", "512", "--min-size", "16"];

#[test]
fn a_bound_comes_with_its_formula_its_numbers_and_its_source() {
    for name in ["first-fit", "best-fit", "tlsf", "knuth-buddy", "phk", "enea-ose", "pool-64", "stack"] {
        let text = prints(&[&["bound", name], &SMALL[..]].concat());
        insta::assert_snapshot!(format!("bound_of_{}", name.replace('-', "_")), text);
    }
}

#[test]
fn where_no_bound_is_known_the_reason_stands() {
    for name in ["windows-xp", "lea-2.7.2", "linear"] {
        let text = prints(&[&["bound", name], &SMALL[..]].concat());
        insta::assert_snapshot!(format!("no_bound_of_{}", name.replace(['-', '.'], "_")), text);
    }
}

#[test]
fn bounds_are_data_too() {
    let rows = rows(Path::new("."), &[&["bound", "tlsf", "linear"], &SMALL[..]].concat());
    assert!(rows[0]["bound"].as_u64().is_some_and(|bound| bound > 20_480));
    assert_eq!(rows[0]["worst_case_allocate"], 45);
    assert!(rows[1]["bound"].is_null() && !rows[1]["why_none"].as_str().unwrap_or("").is_empty());
}

#[test]
fn numbers_that_make_no_program_are_refused_with_what_to_do() {
    let cases: [(&str, &[&str]); 5] = [
        ("max_above_live", &["bound", "tlsf", "--max-live", "100", "--max-size", "200"]),
        ("min_above_max", &["attack", "tlsf", "--max-live", "100", "--max-size", "20", "--min-size", "30"]),
        ("zero", &["bound", "tlsf", "--max-live", "0", "--max-size", "0"]),
        ("no_such_heap", &["attack", "tlfs", "--max-live", "100", "--max-size", "20"]),
        ("two_heaps_one_file", &["attack", "tlsf", "phk", "--max-live", "100", "--max-size", "20", "-o", "a.parquet"]),
    ];
    let errors: Vec<String> = cases.iter().map(|(name, arguments)| format!("{name}: {}", refuses(arguments))).collect();
    insta::assert_snapshot!("numbers_that_make_no_program", errors.join("\n"));
}

#[test]
fn a_heap_that_refuses_every_such_request_is_told() {
    let error = refuses(&["attack", "pool-64", "--max-live", "1000", "--max-size", "200", "--min-size", "100"]);
    assert!(error.contains("refuses every request of 100 bytes or more"), "{error}");
}

#[test]
fn an_attack_is_a_trace_that_replays_to_the_same_footprint() {
    let dir = tempfile::tempdir().expect("a folder");
    for heap in ["first-fit", "best-fit", "guard(quarantine=4) tlsf"] {
        let attack = [&["attack", heap, "--rounds", "5", "-o", "worst.parquet"], &SMALL[..]].concat();
        let attacked = rows(dir.path(), &attack);
        let replayed = rows(dir.path(), &["replay", "worst.parquet", "--heap", heap, "--verify"]);
        assert_eq!(attacked[0]["footprint_peak"], replayed[0]["footprint_peak"], "{heap}");
        let bound = attacked[0]["bound"].as_u64().expect("a bound");
        assert!(attacked[0]["footprint_peak"].as_u64().expect("a footprint") <= bound);
    }
}

#[test]
fn an_attack_on_accesses_finds_the_long_search() {
    let attack = |goal| {
        let options = ["attack", "best-fit", "--rounds", "0", "--goal", goal];
        rows(Path::new("."), &[&options, &SMALL[..]].concat()).remove(0)
    };
    let (accesses, footprint) = (attack("accesses"), attack("footprint"));
    let worst = |row: &Value| row["max"].as_u64().expect("a number");
    assert!(worst(&accesses) >= worst(&footprint) && worst(&accesses) > worst(&accesses).min(1000));
    assert!(worst(&accesses) <= accesses["max_bound"].as_u64().expect("a bound"));
}

#[test]
fn an_attack_prints_a_table_for_people() {
    let text = prints(&[&["attack", "pool-64", "stack", "--rounds", "0"], &SMALL[..]].concat());
    insta::assert_snapshot!("attack_table", text);
}
