//! Code of others: every crate is on a list with its version and licence, so that a new one is seen in a change's review, and
//! every licence is one of `deny.toml`.
//!
//! `HEAPSMITH_ACCEPT=1` writes the list anew.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use spdx::{Expression, LicenseReq, ParseMode};

/// The processor and system that the column `command` is of.
const TARGET: &str = "x86_64-unknown-linux-gnu";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

fn cargo(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("a text")
}

/// The crates of others, in `Cargo.lock`'s order.
fn foreign() -> Vec<Value> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--locked", "--all-features", "--format-version", "1"]))
            .expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages").iter();
    packages.filter(|package| !package["source"].is_null()).cloned().collect()
}

fn text<'v>(of: &'v Value, key: &str) -> &'v str {
    of[key].as_str().unwrap_or_else(|| panic!("{} has no {key}", of["name"]))
}

/// What of a crate runs while others are compiled.
fn runs_when_building(package: &Value) -> &'static str {
    let kinds = package["targets"].as_array().expect("targets").iter().flat_map(|target| target["kind"].as_array());
    let kinds: Vec<&str> = kinds.flatten().filter_map(Value::as_str).collect();
    match (kinds.contains(&"custom-build"), kinds.contains(&"proc-macro")) {
        (_, true) => "macro",
        (true, _) => "build script",
        _ => "",
    }
}

fn list(packages: &[Value]) -> String {
    let tree = ["tree", "--locked", "--package", "heapsmith-cli", "--edges", "normal,build", "--target", TARGET];
    let command = cargo(&[&tree[..], &["--prefix", "none", "--format", "{p}"]].concat());
    let command: BTreeSet<&str> = command.lines().filter_map(|line| line.split(" (").next()).collect();
    let mut text = "crate,version,licence,in the command,runs when building\n".to_owned();
    for package in packages {
        let (name, version) = (self::text(package, "name"), self::text(package, "version"));
        let ships = if command.contains(format!("{name} v{version}").as_str()) { "yes" } else { "" };
        let licence = self::text(package, "license");
        let _ = writeln!(text, "{name},{version},{licence},{ships},{}", runs_when_building(package));
    }
    text
}

#[test]
fn every_crate_is_on_the_list() {
    let path = root().join("xtask/supply.csv");
    let list = list(&foreign());
    if std::env::var_os("HEAPSMITH_ACCEPT").is_some() {
        std::fs::write(&path, &list).expect("the list is written");
    }
    let known = std::fs::read_to_string(&path).expect("xtask/supply.csv");
    let (known, now): (BTreeSet<&str>, BTreeSet<&str>) = (known.lines().collect(), list.lines().collect());
    assert!(now.len() > 100, "the crates were found");
    let new: Vec<_> = now.difference(&known).collect();
    let gone: Vec<_> = known.difference(&now).collect();
    let how = "HEAPSMITH_ACCEPT=1 cargo test -p xtask --test supply writes the list anew: look at what changes";
    assert!(new.is_empty() && gone.is_empty(), "xtask/supply.csv has not {new:#?} and has {gone:#?}: {how}");
}

#[test]
fn every_licence_is_allowed() {
    let rules = std::fs::read_to_string(root().join("deny.toml")).expect("deny.toml");
    let allowed = rules.split("allow = [").nth(1).and_then(|rest| rest.split(']').next()).expect("allowed licences");
    let allowed: Vec<LicenseReq> = allowed.split('"').skip(1).step_by(2).map(requirement).collect();
    assert!(allowed.len() > 3, "the licences were read");
    for package in foreign() {
        let licence = text(&package, "license");
        let parsed = Expression::parse_mode(licence, ParseMode::LAX);
        let parsed = parsed.unwrap_or_else(|error| panic!("{}: {licence}: {error}", package["name"]));
        assert!(parsed.evaluate(|one| allowed.contains(one)), "{}: {licence} is not in deny.toml", package["name"]);
    }
}

fn requirement(name: &str) -> LicenseReq {
    let expression = Expression::parse(name).unwrap_or_else(|error| panic!("deny.toml: {name}: {error}"));
    expression.requirements().next().expect("a licence").req.clone()
}
