//! The house rules that a machine can check: which crate may know which, and
//! where unsafe code may be.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What each crate may use directly, from the bottom up. An arrow that is not here is a mistake.
const ARROWS: &[(&str, &[&str])] = &[
    ("heapsmith", &[]),
    ("heapsmith-output", &[]),
    ("heapsmith-spec", &["heapsmith"]),
    ("heapsmith-checked", &["heapsmith", "heapsmith-spec"]),
    ("heapsmith-dispatch", &["heapsmith", "heapsmith-checked", "heapsmith-spec"]),
    ("heapsmith-trial", &["heapsmith", "heapsmith-dispatch", "heapsmith-spec"]),
    ("heapsmith-trace", &["heapsmith-output"]),
    ("heapsmith-emit", &["heapsmith", "heapsmith-output", "heapsmith-sharing", "heapsmith-spec", "heapsmith-trace"]),
    ("heapsmith-import", &["heapsmith-output", "heapsmith-trace"]),
    ("heapsmith-workload", &["heapsmith-import", "heapsmith-trace"]),
    ("heapsmith-peers", &["heapsmith"]),
    (
        "heapsmith-replay",
        &[
            "heapsmith",
            "heapsmith-dispatch",
            "heapsmith-peers",
            "heapsmith-sharing",
            "heapsmith-spec",
            "heapsmith-trace",
        ],
    ),
    (
        "heapsmith-explore",
        &[
            "heapsmith-limits",
            "heapsmith-output",
            "heapsmith-peers",
            "heapsmith-replay",
            "heapsmith-spec",
            "heapsmith-trace",
        ],
    ),
    ("heapsmith-limits", &["heapsmith", "heapsmith-replay", "heapsmith-spec", "heapsmith-trace"]),
    ("heapsmith-check", &["heapsmith-limits", "heapsmith-replay", "heapsmith-spec", "heapsmith-trace"]),
    (
        "heapsmith-report",
        &[
            "heapsmith-explore",
            "heapsmith-limits",
            "heapsmith-peers",
            "heapsmith-race",
            "heapsmith-replay",
            "heapsmith-spec",
            "heapsmith-trace",
        ],
    ),
    (
        "heapsmith-papers",
        &[
            "heapsmith-emit",
            "heapsmith-explore",
            "heapsmith-output",
            "heapsmith-peers",
            "heapsmith-replay",
            "heapsmith-report",
            "heapsmith-spec",
            "heapsmith-trace",
            "heapsmith-workload",
        ],
    ),
    (
        "heapsmith-cli",
        &[
            "heapsmith-check",
            "heapsmith-emit",
            "heapsmith-explore",
            "heapsmith-import",
            "heapsmith-output",
            "heapsmith-papers",
            "heapsmith-peers",
            "heapsmith-launch",
            "heapsmith-limits",
            "heapsmith-player",
            "heapsmith-race",
            "heapsmith-recording",
            "heapsmith-replay",
            "heapsmith-report",
            "heapsmith-spec",
            "heapsmith-trace",
            "heapsmith-workload",
        ],
    ),
    (
        "heapsmith-fuzz",
        &[
            "heapsmith-check",
            "heapsmith-explore",
            "heapsmith-import",
            "heapsmith-race",
            "heapsmith-recording",
            "heapsmith-spec",
            "heapsmith-trace",
            "heapsmith-workload",
        ],
    ),
    ("heapsmith-capture", &[]),
    ("heapsmith-agent", &["heapsmith-capture"]),
    ("heapsmith-recorder", &["heapsmith-capture"]),
    ("heapsmith-launch", &["heapsmith-capture", "heapsmith-output"]),
    ("heapsmith-sharing", &["heapsmith", "heapsmith-spec"]),
    ("heapsmith-preload", &["heapsmith", "heapsmith-capture", "heapsmith-sharing", "heapsmith-spec"]),
    ("heapsmith-recording", &["heapsmith-capture", "heapsmith-launch", "heapsmith-output", "heapsmith-trace"]),
    ("heapsmith-race", &["heapsmith-launch", "heapsmith-trace"]),
    ("heapsmith-player", &["heapsmith-peers", "heapsmith-trace"]),
    (
        "heapsmith-python",
        &[
            "heapsmith",
            "heapsmith-emit",
            "heapsmith-explore",
            "heapsmith-limits",
            "heapsmith-output",
            "heapsmith-replay",
            "heapsmith-report",
            "heapsmith-spec",
            "heapsmith-trace",
            "heapsmith-workload",
        ],
    ),
    ("xtask", &[]),
];

/// Crates that may contain unsafe code anywhere; ARCHITECTURE.md says why.
const UNSAFE_CRATES: &[&str] = &["heapsmith", "peers", "player", "capture", "recorder", "agent", "preload", "sharing"];

/// Files of other crates that may.
const UNSAFE: &[&str] = &[
    "crates/emit/tests/it/checked/heap_errors.rs",
    "crates/emit/tests/it/differential/player.rs",
    "crates/emit/tests/it/differential/record.rs",
    "crates/emit/tests/it/handles.rs",
    "crates/fuzz/src/memory.rs",
    "crates/replay/src/live.rs",
    "crates/replay/src/movable.rs",
    "crates/replay/src/slots.rs",
    "crates/replay/src/threaded/arena.rs",
    "crates/replay/src/threaded/blocks.rs",
    "crates/spec/tests/it/constant_time.rs",
    "crates/spec/tests/it/heaps.rs",
    "crates/spec/tests/it/recovery.rs",
    "crates/spec/tests/it/regions.rs",
    "crates/spec/tests/it/layers.rs",
    "crates/trial/src/growth.rs",
    "crates/trial/src/oracle.rs",
    "crates/trial/src/recovery.rs",
    "crates/trial/src/region.rs",
    "crates/trial/src/states.rs",
    "python/src/block.rs",
    "python/src/capsule.rs",
    "python/src/packed.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

/// What a package depends on.
struct Dependency {
    name: String,
    /// Of the package itself, not of its tests or its build script.
    is_normal: bool,
    is_optional: bool,
}

/// The packages of the workspace, with what their manifests depend on.
fn packages() -> BTreeMap<String, Vec<Dependency>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--no-deps"]).current_dir(root());
    let metadata: Value = serde_json::from_slice(&cargo.output().expect("cargo runs").stdout).expect("JSON");
    let text = |of: &Value, key: &str| of[key].as_str().expect("a text").to_owned();
    let dependency = |of: &Value| Dependency {
        name: text(of, "name"),
        is_normal: of["kind"].is_null(),
        is_optional: of["optional"] == true,
    };
    let each = |of: &Value, key: &str| of[key].as_array().expect("a list").clone();
    let package = |of: &Value| (text(of, "name"), each(of, "dependencies").iter().map(dependency).collect());
    each(&metadata, "packages").iter().map(package).collect()
}

#[test]
fn arrows_go_down_only() {
    let (packages, allowed) = (packages(), ARROWS.iter().copied().collect::<BTreeMap<&str, &[&str]>>());
    for (name, dependencies) in &packages {
        let may = allowed.get(name.as_str());
        let may = may.unwrap_or_else(|| panic!("{name}: a new crate needs its place in ARROWS"));
        let normal = dependencies.iter().filter(|dependency| dependency.is_normal);
        for Dependency { name: other, .. } in normal.filter(|dependency| packages.contains_key(&dependency.name)) {
            assert!(may.contains(&other.as_str()), "{name} may not use {other}");
        }
    }
    assert!(allowed.keys().all(|name| packages.contains_key(*name)), "a crate of ARROWS is not there");
}

#[test]
fn the_heap_crate_depends_on_nothing_and_needs_no_std() {
    assert!(packages()["heapsmith"].iter().all(|dependency| !dependency.is_normal || dependency.is_optional));
    let lib = std::fs::read_to_string(root().join("crates/heapsmith/src/lib.rs")).expect("lib.rs");
    assert!(lib.contains("#![no_std]") && !lib.contains("extern crate alloc"));
}

/// They replace `malloc` in programs, and are called before a program's first instruction.
#[test]
fn what_records_depends_on_nothing_and_needs_no_std() {
    let packages = packages();
    for name in ["capture", "recorder", "agent"] {
        let dependencies = &packages[&format!("heapsmith-{name}")];
        assert!(dependencies.iter().all(|dependency| dependency.name == "heapsmith-capture"));
        let lib = root().join("crates").join(name).join("src/lib.rs");
        let lib = std::fs::read_to_string(lib).expect("lib.rs");
        assert!(lib.contains("#![no_std]") && !lib.contains("extern crate alloc"));
    }
}

/// A file that two crates compile is a dependency that no manifest shows.
#[test]
fn no_crate_compiles_the_files_of_another() {
    let mut files = Vec::new();
    for room in ["crates", "python/src", "xtask"] {
        sources(&root().join(room), &mut files);
    }
    let crates = files.iter().filter(|file| file.starts_with(root().join("crates")));
    let mut looked_at = 0;
    for file in crates {
        let own = file.strip_prefix(root().join("crates")).ok().and_then(|rest| rest.components().next());
        let own = root().join("crates").join(own.expect("a crate's folder"));
        let text = std::fs::read_to_string(file).expect("a source file");
        for path in text.lines().filter_map(|line| line.trim().strip_prefix("#[path = \"")) {
            let path = path.split('"').next().expect("a path");
            let meant = file.parent().expect("a folder").join(path).canonicalize();
            let meant = meant.unwrap_or_else(|error| panic!("{}: {path}: {error}", file.display()));
            assert!(meant.starts_with(&own), "{} takes {path} from another crate", file.display());
            looked_at += 1;
        }
    }
    assert!(looked_at > 0, "tests take examples of their own crate");
}

/// A module is `x.rs`, its children are in `x/`.
#[test]
fn a_module_is_a_file_of_its_name() {
    let mut files = Vec::new();
    for room in ["crates", "python/src", "xtask", "examples"] {
        sources(&root().join(room), &mut files);
    }
    assert!(!files.is_empty());
    let old: Vec<_> = files.iter().filter(|file| file.ends_with("mod.rs")).collect();
    assert!(old.is_empty(), "x/mod.rs is called x.rs here: {old:#?}");
}

#[test]
fn architecture_names_every_crate_with_unsafe_code() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let list = text.split("**Unsafe code is in few places**").nth(1).and_then(|rest| rest.split("\n- ").next());
    let list = list.expect("the list of crates with unsafe code");
    for name in UNSAFE_CRATES {
        assert!(list.contains(&format!("`{name}`")), "ARCHITECTURE.md does not say that {name} has unsafe code");
    }
}

/// What is counted is what a reader has to look at: blocks, and functions, traits and implementations.
#[test]
fn architecture_counts_unsafe_code() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let mut rooms = vec![("python".to_owned(), root().join("python/src"))];
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates").flatten() {
        rooms.push((entry.file_name().into_string().expect("a name"), entry.path().join("src")));
    }
    rooms.sort();
    let rows: Vec<String> = rooms.iter().filter_map(|(name, room)| unsafe_row(name, room)).collect();
    assert!(rows.len() >= UNSAFE_CRATES.len(), "the sources were found");
    let table = text.lines().skip_while(|line| *line != UNSAFE_HEAD).skip(2).take_while(|line| line.starts_with('|'));
    let table: Vec<&str> = table.collect();
    assert_eq!(
        table,
        rows,
        "ARCHITECTURE.md has to have this table:\n{UNSAFE_HEAD}\n|---|--:|--:|\n{}",
        rows.join("\n")
    );
}

const UNSAFE_HEAD: &str = "| crate | unsafe blocks | unsafe functions, traits, implementations |";

/// The line of a crate; none if it has no unsafe code.
fn unsafe_row(name: &str, room: &Path) -> Option<String> {
    let mut files = Vec::new();
    sources(room, &mut files);
    let (mut blocks, mut items) = (0, 0);
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a source file");
        let code = text.lines().map(str::trim).filter(|line| !line.starts_with("//") && uses_unsafe(line));
        for line in code {
            let in_line = line.matches("unsafe {").count();
            blocks += in_line;
            items += usize::from(in_line == 0);
        }
    }
    (blocks + items > 0).then(|| format!("| `{name}` | {blocks} | {items} |"))
}

/// The lint of clippy.toml forbids other ways to create files; only tests, examples and build scripts may be exempt.
#[test]
fn files_are_created_in_one_place() {
    let lint = std::fs::read_to_string(root().join("clippy.toml")).expect("clippy.toml");
    for method in ["fs::write", "fs::rename", "fs::File::create", "fs::OpenOptions::new", "env::temp_dir"] {
        assert!(lint.contains(&format!("std::{method}\"")), "clippy.toml does not forbid {method}");
    }
    let mut files = Vec::new();
    for room in ["crates", "python/src"] {
        sources(&root().join(room), &mut files);
    }
    for file in files {
        let name = file.strip_prefix(root()).expect("inside the workspace").display().to_string();
        let text = std::fs::read_to_string(&file).expect("a source file");
        let exempt =
            text.contains("allow(clippy::disallowed_methods") || text.contains("expect(clippy::disallowed_methods");
        let may = name.starts_with("crates/output/src/")
            // A file without content, which is locked.
            || name == "crates/explore/src/store/lock.rs"
            || name == "crates/recording/src/process_memory.rs"
            // A word of the recording that a process made.
            || name == "crates/recording/src/attach.rs"
            // Words of such a recording, and holes in it.
            || name == "crates/recording/src/rotation.rs"
            // Inputs of attempts, in memory.
            || name == "crates/fuzz/src/given.rs" || !name.contains("/src/") || name.ends_with("/tests.rs");
        assert!(!exempt || may, "{name} creates files by itself: heapsmith_output does that");
    }
}

#[test]
fn unsafe_code_stands_only_where_it_may() {
    let mut files = Vec::new();
    for room in ["crates", "python/src", "xtask"] {
        sources(&root().join(room), &mut files);
    }
    assert!(files.len() > 50, "the sources were found");
    for file in files {
        let name = file.strip_prefix(root()).expect("inside the workspace").display().to_string();
        let text = std::fs::read_to_string(&file).expect("a source file");
        let uses = text.lines().map(str::trim).filter(|line| !line.starts_with("//")).any(uses_unsafe);
        let may = UNSAFE_CRATES.iter().any(|known| name.starts_with(&format!("crates/{known}/")))
            || UNSAFE.contains(&name.as_str());
        assert!(!uses || may, "{name} has unsafe code");
    }
}

/// Everything that the command prints goes through one file, which escapes what comes from files and knows what to do
/// about closed pipes and full disks.
#[test]
fn only_the_commands_console_prints() {
    const DOORS: [&str; 3] = ["println!", "print!", "dbg!"];
    const STREAMS: [&str; 3] = ["io::stdout", "io::stderr", "Stdout"];
    // Programs of their own: what developers run, what a program is linked with, and build scripts.
    const OTHERS: [&str; 5] = ["trial", "fuzz", "recorder", "agent", "preload"];
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root().join("crates")).expect("the crates").flatten() {
        if !OTHERS.iter().any(|other| entry.file_name() == *other) {
            sources(&entry.path().join("src"), &mut files);
        }
    }
    assert!(files.len() > 50, "the sources were found");
    // `-o -` writes a file to a stream: bytes, not text for people.
    let doors = ["crates/cli/src/console.rs", "crates/output/src/file.rs"];
    for file in files.iter().filter(|file| !doors.iter().any(|door| file.ends_with(door))) {
        let text = std::fs::read_to_string(file).expect("a source file");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let code = text.lines().map(str::trim).filter(|line| !line.starts_with("//"));
        for line in code {
            let prints = DOORS.iter().chain(&STREAMS).any(|word| line.contains(word));
            assert!(!prints || line.contains("is_terminal"), "{} prints by itself: {line}", file.display());
        }
    }
}

fn uses_unsafe(line: &str) -> bool {
    ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait"]
        .iter()
        .any(|word| line.contains(word) && !line.contains('"'))
}

fn sources(dir: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            sources(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push(path);
        }
    }
}
