//! The files of the unit, and what simulators think of them.

use std::path::{Path, PathBuf};

use super::{registers, waveform};
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
const TOPS: [(&str, &[&str]); 18] = [
    ("page_unit", &["P=4096", "S=16"]),
    ("page_unit", &["P=32", "S=16"]),
    ("page_unit", &["P=256", "S=16", "W=64"]),
    ("page_unit", &["P=1024", "S=8"]),
    ("chang_allocator", &["LEAVES=64"]),
    ("chang_allocator", &["LEAVES=2"]),
    ("chang_allocator", &["LEAVES=64", "SHARED=1"]),
    ("page_unit_pcpi", &["P=256", "S=16"]),
    ("page_unit_pcpi", &["P=32", "S=16"]),
    ("page_unit_cfu", &["P=256", "S=16", "PIPELINED=1"]),
    ("page_unit_xif", &["P=256", "S=16", "PIPELINED=1"]),
    ("page_unit_apb", &["P=1024", "S=16", "PIPELINED=1"]),
    ("page_unit_apb", &["P=32", "S=16"]),
    ("page_unit_axi_lite", &["P=1024", "S=16"]),
    ("shared_unit", &["LEAVES=64", "CLASSES=8"]),
    ("shared_unit", &["LEAVES=32", "CLASSES=2"]),
    ("bin_unit", &["BINS=128"]),
    ("bin_unit", &["BINS=2"]),
];

/// Parameters that a unit does not exist for.
const REFUSED: [(&str, &str); 6] = [
    ("page_unit", "P=3072"),
    ("page_unit", "S=4096"),
    ("page_unit", "W=24"),
    ("chang_allocator", "LEAVES=12"),
    ("shared_unit", "CLASSES=6"),
    ("bin_unit", "BINS=96"),
];

/// Every module that is ours.
fn sources() -> Result<Vec<String>, String> {
    let mut files = modules(&hardware().join("rtl"))?;
    files.extend(modules(&hardware().join("formal"))?);
    Ok(files.iter().map(|file| text(file)).collect())
}

/// Warnings are errors, with the assertions and without; parameters that make no sense are refused.
pub fn lint() -> Outcome {
    registers::compare()?;
    tools::install(&[tools::VERILATOR, tools::ICARUS])?;
    waveform::compare()?;
    let files = sources()?;
    for (top, parameters) in TOPS {
        look_over(top, parameters, "", &files)?;
        eprintln!("xtask: verilator and iverilog have nothing to say of {top} {parameters:?}");
    }
    for parameters in [["P=32", "S=16", "W=32"], ["P=256", "S=16", "W=8"]] {
        look_over("page_unit", &parameters, "-DASSERTIONS", &files)?;
    }
    for (top, parameter) in REFUSED {
        if look_over(top, &[parameter], "", &files).is_ok() {
            return Err(format!("{top} with {parameter} is not refused: see must_hold in hardware/rtl/{top}.sv"));
        }
    }
    Ok(())
}

fn look_over(top: &str, parameters: &[&str], define: &str, files: &[String]) -> Outcome {
    let mut verilator: Vec<String> = ["--lint-only", "-Wall", "--assert", "--top-module", top].map(String::from).into();
    let mut icarus: Vec<String> = ["-g2012", "-Wall", "-t", "null", "-s", top].map(String::from).into();
    for parameter in parameters {
        verilator.push(format!("-G{parameter}"));
        icarus.push(format!("-P{top}.{parameter}"));
    }
    for (program, mut arguments) in [("verilator", verilator), ("iverilog", icarus)] {
        arguments.extend((!define.is_empty()).then(|| define.to_owned()));
        arguments.extend(files.iter().cloned());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        output(program, &arguments)?;
    }
    Ok(())
}
