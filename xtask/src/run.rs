//! Running other programs from the workspace's root.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What every verb gives: nothing, or what went wrong.
pub type Outcome = Result<(), String>;

/// The workspace's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

/// Runs a program and fails if it does.
pub fn run(program: &str, arguments: &[&str]) -> Outcome {
    eprintln!("xtask: {program} {}", arguments.join(" "));
    let status = Command::new(program)
        .args(arguments)
        .current_dir(root())
        .status()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{program} {} failed: {status}", arguments.join(" "))) }
}

/// Runs cargo.
pub fn cargo(arguments: &[&str]) -> Outcome {
    run(env!("CARGO"), arguments)
}

/// Whether a program can be run.
pub fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}
