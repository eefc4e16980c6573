//! The workflows and the action of `.github`, looked over by actionlint.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::run::{Outcome, is_there, root, run, target};

/// The module of actionlint, at the version that the workflows were last looked over by.
const MODULE: &str = "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12";

/// Where actionlint is, built from its Go module unless it was before.
///
/// # Errors
///
/// Why it cannot be had.
pub fn actionlint() -> Result<PathBuf, String> {
    let folder = target().join("tools");
    let program = folder.join("actionlint");
    if is_there(&format!("{} -version", program.display())) {
        return Ok(program);
    }
    if Command::new("go").arg("version").output().is_err() {
        return Err("there is no Go to build actionlint with; install it".to_owned());
    }
    eprintln!("xtask: go install {MODULE}");
    let folder = std::path::absolute(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let built = Command::new("go").args(["install", MODULE]).env("GOBIN", &folder).output();
    match built.map_err(|error| format!("cannot run go: {error}"))? {
        output if output.status.success() => Ok(program),
        output => Err(format!("go install {MODULE} failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Looks over every workflow, with the inputs of the action that they give.
pub fn lint(actionlint: &Path) -> Outcome {
    let folder = root().join(".github/workflows");
    let files = std::fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files: Vec<String> = files.flatten().map(|file| file.path().display().to_string()).collect();
    let arguments: Vec<&str> = files.iter().map(String::as_str).collect();
    if arguments.is_empty() {
        return Err(format!("{} has no workflow", folder.display()));
    }
    run(&actionlint.display().to_string(), &arguments)
}
