//! The guide's steps of integrating the unit, followed from an empty folder: every block of `sh` in `docs/guides/hardware.md`.

use std::fs;
use std::process::Command;

use super::packages;
use super::source::{built, text};
use crate::run::{Outcome, root};
use crate::tools;

/// What the first allocations answer, as the guide says.
const PRINTED: &str = "4 5 4";

/// Follows them.
pub fn integrate() -> Outcome {
    tools::install(&tools::SIMULATION)?;
    let programs = packages::programs()?;
    let guide = fs::read_to_string(root().join("docs/guides/hardware.md")).map_err(|error| error.to_string())?;
    let steps = guide.split("```sh\n").skip(1).filter_map(|after| after.split("```").next());
    let script = format!("set -eu\n{}", steps.collect::<String>());
    let folder = built().join("integrate");
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(|error| format!("cannot empty {}: {error}", text(&folder)))?;
    }
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
    let path = format!("{}:{}", text(&programs), std::env::var("PATH").unwrap_or_default());
    let told = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&folder)
        .envs([("PATH", &*path), ("HEAPSMITH", &*text(&root())), ("XDG_CONFIG_HOME", &*text(&folder))])
        .output()
        .map_err(|error| format!("cannot run sh: {error}"))?;
    let printed = String::from_utf8_lossy(&told.stdout);
    if !told.status.success() || !printed.lines().any(|line| line == PRINTED) {
        let said = String::from_utf8_lossy(&told.stderr);
        return Err(format!("the steps of docs/guides/hardware.md do not print {PRINTED}:\n{printed}\n{said}"));
    }
    eprintln!("xtask: the guide's steps lead from an empty folder to {PRINTED}");
    Ok(())
}
