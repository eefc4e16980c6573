//! Proofs: the units keep their properties (`hardware/formal`), and each part does what a plain description of it says.

use std::path::{Path, PathBuf};

use super::mutants;
use super::source::{built, hardware, modules, text};
use crate::run::{Outcome, output};
use crate::tools;

/// Parameters of a module.
pub type Parameters = &'static [(&'static str, u32)];

/// The units whose properties are proved by induction, at full size: for every state and input, reset included.
const UNITS: [(&str, Parameters); 8] = [
    ("object_unit", &[("LEAVES", 2)]),
    ("object_unit", &[("LEAVES", 256)]),
    ("page_unit", &[("P", 4096), ("S", 16)]),
    ("page_unit", &[("P", 4096), ("S", 16), ("W", 64)]),
    ("page_unit", &[("P", 4096), ("S", 16), ("PIPELINED", 1)]),
    ("page_unit", &[("P", 32), ("S", 16)]),
    ("page_unit", &[("P", 128), ("S", 16), ("W", 4), ("PIPELINED", 1)]),
    ("page_unit", &[("P", 128), ("S", 16), ("W", 4)]),
];

/// The parts that are compared with a plain description, and sizes that a solver manages in seconds.
const PARTS: [(&str, Parameters); 14] = [
    ("and_tree", &[("LEAVES", 2)]),
    ("and_tree", &[("LEAVES", 256)]),
    ("bit_flipper", &[("LEAVES", 2)]),
    ("bit_flipper", &[("LEAVES", 256)]),
    ("object_unit", &[("LEAVES", 2)]),
    ("object_unit", &[("LEAVES", 16)]),
    ("object_unit", &[("LEAVES", 256)]),
    ("chang_allocator", &[("LEAVES", 2)]),
    ("chang_allocator", &[("LEAVES", 16)]),
    ("chang_allocator", &[("LEAVES", 16), ("SHARED", 1)]),
    ("shared_unit", &[("LEAVES", 4), ("CLASSES", 2), ("W", 4)]),
    ("shared_unit", &[("LEAVES", 64), ("CLASSES", 8)]),
    ("bin_unit", &[("BINS", 2)]),
    ("bin_unit", &[("BINS", 128)]),
];

/// Every proof; and that a proof fails where it should.
pub fn prove() -> Outcome {
    tools::install(&[tools::YOSYS])?;
    for (top, parameters) in UNITS {
        yosys(&fill("properties.ys", &hardware().join("rtl"), top, parameters, &[])?)
            .map_err(|error| format!("{top} {parameters:?} breaks a property of hardware/formal: {error}"))?;
        eprintln!("xtask: proved with reset: {top} {parameters:?} keeps its properties");
    }
    for (top, parameters) in PARTS {
        let script = fill("equivalent.ys", &hardware().join("rtl"), top, parameters, &[])?;
        yosys(&script).map_err(|error| format!("{top} {parameters:?} is not what syn/plain/{top}.sv says: {error}"))?;
        eprintln!("xtask: proved: {top} {parameters:?}");
    }
    yosys(&hardware().join("syn/de_morgan.ys"))?;
    eprintln!("xtask: proved: the roots of both trees of 256 leaves say the same");
    let wrong = mutants::write_first()?;
    for script in ["equivalent.ys", "properties.ys"] {
        if yosys(&fill(script, &wrong, "object_unit", &[("LEAVES", 16)], &[])?).is_ok() {
            return Err(format!("a unit with a wrong gate was proved right by syn/{script}"));
        }
    }
    Ok(())
}

/// A script of `hardware/syn` with its braces filled in, for the modules of a folder; `more` are further braces.
pub fn fill(
    script: &str,
    rtl: &Path,
    top: &str,
    parameters: &[(&str, u32)],
    more: &[(&str, &str)],
) -> Result<PathBuf, String> {
    let path = hardware().join("syn").join(script);
    let source = std::fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", text(&path)))?;
    let mut files = modules(rtl)?;
    if source.contains("-DASSERTIONS") {
        files.extend(modules(&hardware().join("formal"))?);
    }
    let files: Vec<String> = files.iter().map(|file| text(file)).collect();
    let set: Vec<String> = parameters.iter().map(|(name, value)| format!("-chparam {name} {value}")).collect();
    let name: Vec<String> = parameters.iter().map(|(name, value)| format!("-{name}{value}")).collect();
    let filled = source.replace("{top}", top).replace("{set}", &set.join(" ")).replace("{files}", &files.join(" "));
    let filled = more.iter().fold(filled, |filled, (brace, value)| filled.replace(&format!("{{{brace}}}"), value));
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
