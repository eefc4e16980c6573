//! Packages of Python that tests of the hardware need, in an environment of their own: `hardware/requirements.txt`.

use std::fs;
use std::path::PathBuf;

use super::source::{built, hardware, text};
use crate::run::output;
use crate::tools;

/// Why a step does not run where they cannot be fetched.
pub const UNFETCHED: &str = "packages of hardware/requirements.txt cannot be fetched";

/// The environment's folder of programs, made where it is not there or has other packages.
pub fn programs() -> Result<PathBuf, String> {
    tools::install(&[tools::PYTHON, tools::VENV])?;
    let requirements = hardware().join("requirements.txt");
    let wanted = fs::read_to_string(&requirements).map_err(|error| format!("{}: {error}", text(&requirements)))?;
    let (folder, kept) = (built().join("venv"), built().join("venv/requirements.txt"));
    if fs::read_to_string(&kept).is_ok_and(|had| had == wanted) {
        return Ok(folder.join("bin"));
    }
    output("python3", &["-m", "venv", "--clear", &text(&folder)])?;
    let pip = text(&folder.join("bin/pip"));
    let install = ["install", "--quiet", "--disable-pip-version-check", "--requirement", &text(&requirements)];
    output(&pip, &install).map_err(|error| format!("{UNFETCHED}: {error}"))?;
    fs::write(&kept, wanted).map_err(|error| format!("cannot write {}: {error}", text(&kept)))?;
    Ok(folder.join("bin"))
}
