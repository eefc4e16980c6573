//! The crate as it would be published: what is in it, that it builds alone, its docs, and how large its interface is.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs cargo for this package, in a folder of its own; what it prints.
fn cargo(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).args(["--package", "heapsmith", "--target-dir"]).arg(root().join("target/package-test"));
    let output = command.current_dir(root()).env("RUSTDOCFLAGS", "-Dwarnings").output().expect("cargo runs");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{stderr}");
    // What stays in the repository is named in Cargo.toml.
    let warned = stderr.lines().any(|line| line.starts_with("warning") && !line.starts_with("warning: ignoring "));
    assert!(!warned, "{command:?}\n{stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn the_package_holds_the_source_and_its_licences_and_builds_alone() {
    let files = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--package", "heapsmith"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    let files = String::from_utf8_lossy(&files.stdout).into_owned();
    for needed in ["Cargo.toml", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "src/lib.rs", "examples/global.rs"] {
        assert!(files.lines().any(|file| file == needed), "{needed} is missing:\n{files}");
    }
    assert!(!files.contains("tests/"), "tests need the repository:\n{files}");
    cargo(&["package", "--allow-dirty"]);
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn the_docs_have_no_broken_link() {
    cargo(&["doc", "--no-deps", "--features", "allocator-api2,critical-section,lock_api"]);
}

#[test]
#[ignore = "takes seconds: `cargo xtask nightly whole`"]
fn the_interface_is_what_a_user_needs() {
    let source = include_str!("../../src/lib.rs");
    let names = source.lines().skip_while(|line| !line.starts_with("pub use")).collect::<Vec<_>>().join(" ");
    let names = names
        .split(|sign: char| !sign.is_alphanumeric() && sign != '_')
        .filter(|word| word.starts_with(|first: char| first.is_ascii_uppercase()));
    let count = names.count();
    assert!((30..=50).contains(&count), "{count} names at the root: new ones belong into a module, or nowhere");
}
