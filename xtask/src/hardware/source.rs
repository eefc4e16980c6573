//! The files of the unit, and what simulators think of them.

use std::path::{Path, PathBuf};

use crate::run::{Outcome, output, root, target};
use crate::tools;

/// The folder of the hardware.
pub fn hardware() -> PathBuf {
    root().join("hardware")
}

/// Where what is built of it lies.
pub fn built() -> PathBuf {
    target().join("hardware")
}

/// A path as an argument.
pub fn text(path: &Path) -> String {
    path.display().to_string()
}

/// The modules in a folder, the package of their constants first.
pub fn modules(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "sv"))
        .collect();
    files.sort_by_key(|path| (!text(path).ends_with("_pkg.sv"), path.clone()));
    Ok(files)
}

/// The tops that are looked over, with the parameters that change their structure.
const TOPS: [(&str, &[&str]); 7] = [
    ("page_unit", &["P=4096", "S=16"]),
    ("page_unit", &["P=32", "S=16"]),
    ("page_unit", &["P=256", "S=16", "W=64"]),
    ("page_unit", &["P=8192", "S=8"]),
    ("chang_allocator", &["LEAVES=64"]),
    ("chang_allocator", &["LEAVES=2"]),
    ("chang_allocator", &["LEAVES=64", "SHARED=1"]),
];

/// Warnings are errors.
pub fn lint() -> Outcome {
    tools::install(&[tools::VERILATOR, tools::ICARUS])?;
    let files: Vec<String> = modules(&hardware().join("rtl"))?.iter().map(|file| text(file)).collect();
    for (top, parameters) in TOPS {
        let mut verilator: Vec<String> = ["--lint-only", "-Wall", "--top-module", top].map(String::from).into();
        let mut icarus: Vec<String> = ["-g2012", "-Wall", "-t", "null", "-s", top].map(String::from).into();
        for parameter in parameters {
            verilator.push(format!("-G{parameter}"));
            icarus.push(format!("-P{top}.{parameter}"));
        }
        for (program, mut arguments) in [("verilator", verilator), ("iverilog", icarus)] {
            arguments.extend(files.iter().cloned());
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            output(program, &arguments)?;
            eprintln!("xtask: {program} has nothing to say of {top} {parameters:?}");
        }
    }
    Ok(())
}
