//! Proofs: each part does what a plain description of it says, for every input and every state.

use std::path::{Path, PathBuf};

use super::mutants;
use super::source::{built, hardware, modules, text};
use crate::run::{Outcome, output};
use crate::tools;

/// The parts, and sizes that a solver manages in seconds.
const PARTS: [(&str, &[(&str, u32)]); 10] = [
    ("and_tree", &[("LEAVES", 2)]),
    ("and_tree", &[("LEAVES", 64)]),
    ("bit_flipper", &[("LEAVES", 2)]),
    ("bit_flipper", &[("LEAVES", 256)]),
    ("object_unit", &[("LEAVES", 2)]),
    ("object_unit", &[("LEAVES", 16)]),
    ("object_unit", &[("LEAVES", 64)]),
    ("chang_allocator", &[("LEAVES", 2)]),
    ("chang_allocator", &[("LEAVES", 16)]),
    ("chang_allocator", &[("LEAVES", 16), ("SHARED", 1)]),
];

/// Every proof; and that a proof fails where it should.
pub fn prove() -> Outcome {
    tools::install(&[tools::YOSYS])?;
    for (top, parameters) in PARTS {
        let script = fill("equivalent.ys", &hardware().join("rtl"), top, parameters, "")?;
        yosys(&script).map_err(|error| format!("{top} {parameters:?} is not what syn/plain/{top}.sv says: {error}"))?;
        eprintln!("xtask: proved: {top} {parameters:?}");
    }
    yosys(&hardware().join("syn/de_morgan.ys"))?;
    eprintln!("xtask: proved: the roots of both trees of 256 leaves say the same");
    let wrong = fill("equivalent.ys", &mutants::write_first()?, "object_unit", &[("LEAVES", 16)], "")?;
    match yosys(&wrong) {
        Ok(()) => Err("a unit with a wrong gate was proved right".to_owned()),
        Err(_) => Ok(()),
    }
}

/// A script of `hardware/syn` with its braces filled in, for the modules of a folder.
pub fn fill(script: &str, rtl: &Path, top: &str, parameters: &[(&str, u32)], out: &str) -> Result<PathBuf, String> {
    let path = hardware().join("syn").join(script);
    let source = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", text(&path)))?;
    let files = modules(rtl)?;
    let files: Vec<String> = files.iter().map(|file| text(file)).collect();
    let set: Vec<String> = parameters.iter().map(|(name, value)| format!("-chparam {name} {value}")).collect();
    let name: Vec<String> = parameters.iter().map(|(name, value)| format!("-{name}{value}")).collect();
    let filled = source
        .replace("{top}", top)
        .replace("{set}", &set.join(" "))
        .replace("{files}", &files.join(" "))
        .replace("{out}", out);
    let to = built().join(format!("{top}{}-{script}", name.concat()));
    std::fs::create_dir_all(built())
        .and_then(|()| std::fs::write(&to, filled))
        .map_err(|error| format!("cannot write {}: {error}", text(&to)))?;
    Ok(to)
}

/// Runs a script from the folder of the hardware.
pub fn yosys(script: &Path) -> Outcome {
    let command = format!("cd '{}' && yosys -q '{}'", text(&hardware()), text(script));
    output("sh", &["-c", &command]).map(|_| ())
}
