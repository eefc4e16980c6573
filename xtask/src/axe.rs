//! axe-core, which finds what keeps people from using a page: fetched for the tests, into the folder of builds.

use std::process::Command;

use crate::run::{Outcome, target};

/// The package at the version that pages were last looked over by.
const PACKAGE: &str = "axe-core@4.10.3";

/// Fetches it unless it is there.
///
/// # Errors
///
/// Why it cannot be had.
pub fn fetch() -> Outcome {
    let folder = target().join("tools/axe");
    if folder.join("node_modules/axe-core/axe.min.js").exists() {
        return Ok(());
    }
    eprintln!("xtask: npm install {PACKAGE}");
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let prefix = folder.display().to_string();
    let fetched =
        Command::new("npm").args(["install", "--no-audit", "--no-fund", "--prefix", &prefix, PACKAGE]).output();
    match fetched.map_err(|error| format!("cannot run npm: {error}"))? {
        output if output.status.success() => Ok(()),
        output => Err(format!("npm install {PACKAGE} failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}
