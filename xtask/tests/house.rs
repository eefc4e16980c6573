//! The house rules that a machine can check: which crate may know which, and
//! where unsafe code may stand.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, MetadataCommand};

/// What each crate may use directly, from the bottom up. An arrow that is not here is a mistake.
const ARROWS: &[(&str, &[&str])] = &[
    ("heapsmith", &[]),
    ("heapsmith-spec", &["heapsmith"]),
    ("heapsmith-trial", &["heapsmith", "heapsmith-spec"]),
    ("heapsmith-emit", &["heapsmith", "heapsmith-spec"]),
    ("heapsmith-trace", &[]),
    ("heapsmith-import", &["heapsmith-trace"]),
    ("heapsmith-workload", &["heapsmith-import", "heapsmith-trace"]),
    ("heapsmith-peers", &["heapsmith"]),
    ("heapsmith-replay", &["heapsmith", "heapsmith-peers", "heapsmith-spec", "heapsmith-trace"]),
    ("heapsmith-explore", &["heapsmith-peers", "heapsmith-replay", "heapsmith-spec", "heapsmith-trace"]),
    ("heapsmith-limits", &["heapsmith", "heapsmith-replay", "heapsmith-spec", "heapsmith-trace"]),
    (
        "heapsmith-report",
        &[
            "heapsmith-explore",
            "heapsmith-limits",
            "heapsmith-peers",
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
            "heapsmith-emit",
            "heapsmith-explore",
            "heapsmith-import",
            "heapsmith-papers",
            "heapsmith-peers",
            "heapsmith-launch",
            "heapsmith-limits",
            "heapsmith-recording",
            "heapsmith-replay",
            "heapsmith-report",
            "heapsmith-spec",
            "heapsmith-trace",
            "heapsmith-workload",
        ],
    ),
    ("heapsmith-agent", &[]),
    ("heapsmith-recorder", &[]),
    ("heapsmith-launch", &[]),
    ("heapsmith-preload", &["heapsmith", "heapsmith-spec"]),
    ("heapsmith-recording", &["heapsmith-launch", "heapsmith-trace"]),
    (
        "heapsmith-python",
        &[
            "heapsmith",
            "heapsmith-emit",
            "heapsmith-explore",
            "heapsmith-limits",
            "heapsmith-replay",
            "heapsmith-report",
            "heapsmith-spec",
            "heapsmith-trace",
            "heapsmith-workload",
        ],
    ),
    ("xtask", &[]),
];

/// Files that may contain unsafe code, beside the whole of `crates/heapsmith`, `crates/peers`,
/// `crates/recorder`, `crates/agent` and `crates/preload`.
const UNSAFE: &[&str] = &[
    "crates/emit/tests/it/differential/player.rs",
    "crates/emit/tests/it/differential/record.rs",
    "crates/replay/src/live.rs",
    "crates/replay/src/movable.rs",
    "crates/replay/src/slots.rs",
    "crates/spec/tests/it/constant_time.rs",
    "crates/spec/tests/it/heaps.rs",
    "crates/spec/tests/it/layers.rs",
    "crates/trial/src/growth.rs",
    "crates/trial/src/oracle.rs",
    "python/src/block.rs",
    "python/src/capsule.rs",
    "python/src/packed.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_owned()
}

#[test]
fn arrows_go_down_only() {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).exec().expect("cargo metadata");
    let ours: BTreeSet<String> = metadata.workspace_packages().iter().map(|package| package.name.to_string()).collect();
    let allowed: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    for package in metadata.workspace_packages() {
        let may = allowed.get(package.name.as_str());
        let may = may.unwrap_or_else(|| panic!("{}: a new crate needs its place in ARROWS", package.name));
        let normal = package.dependencies.iter().filter(|dependency| dependency.kind == DependencyKind::Normal);
        for dependency in normal.filter(|dependency| ours.contains(&dependency.name)) {
            assert!(may.contains(&dependency.name.as_str()), "{} may not use {}", package.name, dependency.name);
        }
    }
}

#[test]
fn the_heap_crate_depends_on_nothing_and_needs_no_std() {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).exec().expect("cargo metadata");
    let heap = metadata.packages.iter().find(|package| package.name == "heapsmith").expect("the heap crate");
    assert!(
        heap.dependencies.iter().all(|dependency| dependency.kind != DependencyKind::Normal || dependency.optional)
    );
    let lib = std::fs::read_to_string(root().join("crates/heapsmith/src/lib.rs")).expect("lib.rs");
    assert!(lib.contains("#![no_std]") && !lib.contains("extern crate alloc"));
}

/// The build script of `heapsmith-launch` hands them to the compiler alone.
#[test]
fn what_records_depends_on_nothing_and_needs_no_std() {
    let metadata = MetadataCommand::new().manifest_path(root().join("Cargo.toml")).exec().expect("cargo metadata");
    for name in ["recorder", "agent"] {
        let package = format!("heapsmith-{name}");
        let package = metadata.packages.iter().find(|known| known.name == package).expect("a package of the workspace");
        assert!(package.dependencies.is_empty());
        let lib = root().join("crates").join(name).join("src/lib.rs");
        let lib = std::fs::read_to_string(lib).expect("lib.rs");
        assert!(lib.contains("#![no_std]") && !lib.contains("extern crate alloc"));
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
        let may = name.starts_with("crates/heapsmith/")
            || name.starts_with("crates/peers/")
            || name.starts_with("crates/recorder/src/")
            || name.starts_with("crates/preload/")
            || name.starts_with("crates/agent/src/")
            || UNSAFE.contains(&name.as_str());
        assert!(!uses || may, "{name} has unsafe code");
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
