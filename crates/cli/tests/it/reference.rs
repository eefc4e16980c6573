//! The reference of the book names what the command prints and writes today.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_peers::{Deployed, Knob};
use heapsmith_replay::Measures;
use serde_json::Value;

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(page(name)).expect("a page of the reference")
}

fn heapsmith(arguments: &[&str]) -> String {
    let ran =
        Command::new(env!("CARGO_BIN_EXE_heapsmith")).args(arguments).env("COLUMNS", "100").output().expect("it runs");
    assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).expect("text")
}

#[test]
fn every_column_of_results_is_described() {
    let page = text("results.md");
    let absent: Vec<&&str> = Measures::COLUMNS.iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(absent.is_empty(), "not in results.md: {absent:?}");
}

#[test]
fn every_field_of_an_answer_is_described() {
    let dir = tempfile::tempdir().expect("a folder");
    let out = dir.path().join("out");
    let out = out.to_str().expect("a path");
    let answer =
        heapsmith(&["explore", "workload:modem", "--set", "calls=2", "--rounds", "0", "--format", "json", "-o", out]);
    let rows: Vec<Value> = serde_json::from_str(&answer).expect("an array");
    let fields: BTreeSet<&String> = rows.iter().filter_map(Value::as_object).flat_map(|row| row.keys()).collect();
    let page = text("results.md");
    let absent: Vec<&&String> = fields.iter().filter(|name| !page.contains(&format!("`{name}`"))).collect();
    assert!(!fields.is_empty() && absent.is_empty(), "not in results.md: {absent:?}");
}

#[test]
fn every_knob_is_described() {
    let mut page = "# Knobs of reference allocators\n\nWhat `peer:NAME(knob=value, …)` takes, in `heapsmith race --peer`, \
                    `replay --heap` and `explore --space knobs`. A\nswitch is `on` or `off`; numbers of bytes take K, M and G. The sources are \
                    named in `crates/peers/src/knobs.rs`.\n"
        .to_owned();
    for deployed in Deployed::ALL {
        write!(
            page,
            "\n## {deployed}\n\n| knob | what it sets | values | default | becomes |\n|---|---|---|---|---|\n"
        )
        .expect("a text");
        for knob in deployed.knobs() {
            let Knob { name, about, values, default, spelled, .. } = knob;
            let spelled = spelled.join("`, `");
            writeln!(page, "| `{name}` | {about} | {} | {default} | `{spelled}` |", values.expected()).expect("a text");
        }
    }
    if std::env::var_os("HEAPSMITH_ACCEPT").is_some() {
        std::fs::write(self::page("knobs.md"), &page).expect("the page can be written");
    }
    assert!(
        text("knobs.md") == page,
        "the knobs have changed: HEAPSMITH_ACCEPT=1 cargo test -p heapsmith-cli every_knob_is"
    );
}

/// The verbs, in the order of the help.
fn verbs() -> Vec<String> {
    let help = heapsmith(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn commands_are_those_of_the_help() {
    let mut page = "# Commands\n\nWhat `heapsmith VERB --help` prints, for every verb.\n".to_owned();
    let verbs = verbs();
    assert!(verbs.len() > 10, "the verbs were found: {verbs:?}");
    for verb in verbs {
        let help = heapsmith(&[&verb, "--help"]);
        let lines: Vec<&str> = help.lines().map(str::trim_end).collect();
        write!(page, "\n## {verb}\n\n```text\n{}\n```\n", lines.join("\n")).expect("a text");
    }
    if std::env::var_os("HEAPSMITH_ACCEPT").is_some() {
        std::fs::write(self::page("commands.md"), &page).expect("the page can be written");
    }
    assert!(
        text("commands.md") == page,
        "the help has changed: HEAPSMITH_ACCEPT=1 cargo test -p heapsmith-cli commands_are"
    );
}
