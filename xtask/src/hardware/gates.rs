//! Gates and longest paths, by size: `hardware/results/gates.csv`, and how they grow: `growth.csv`; of the paper's future work: `future.csv`.
//!
//! Every unit is counted twice: *written*, each operator as its gates and nothing minimised, and *mapped*, as a
//! synthesiser leaves it when it may use AND, OR and MUX of two inputs and NOT. A path's length is in such gates.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::fit::{self, Point};
use super::prove::{fill, yosys};
use super::source::{built, hardware, text};
use crate::run::{Outcome, output};
use crate::tools;

/// What is counted: a name in the tables, a module, how leaves become its parameters, and the largest number of leaves.
#[derive(Clone, Copy)]
struct Counted {
    name: &'static str,
    top: &'static str,
    parameters: fn(u32) -> Vec<(&'static str, u32)>,
    max: u32,
}

fn leaves(leaves: u32) -> Vec<(&'static str, u32)> {
    vec![("LEAVES", leaves)]
}

const COUNTED: [Counted; 8] = [
    Counted { name: "or_tree", top: "or_tree", parameters: leaves, max: 256 },
    Counted { name: "and_tree", top: "and_tree", parameters: leaves, max: 256 },
    Counted { name: "bit_flipper", top: "bit_flipper", parameters: leaves, max: 256 },
    Counted { name: "object_unit", top: "object_unit", parameters: leaves, max: 256 },
    Counted { name: "page_unit", top: "page_unit", parameters: |leaves| vec![("P", 16 * leaves), ("S", 16)], max: 256 },
    Counted { name: "chang_interconnection", top: "chang_interconnection", parameters: leaves, max: 4096 },
    Counted { name: "chang_allocator", top: "chang_allocator", parameters: leaves, max: 4096 },
    Counted {
        name: "chang_allocator_shared",
        top: "chang_allocator",
        parameters: |leaves| vec![("LEAVES", leaves), ("SHARED", 1)],
        max: 4096,
    },
];

/// The paper's future work, in a table of its own.
const FUTURE: [Counted; 2] = [
    // Eight sizes, as `page_unit` of 256 leaves has, with as many objects each.
    Counted {
        name: "shared_unit",
        top: "shared_unit",
        parameters: |leaves| vec![("LEAVES", leaves), ("CLASSES", 8), ("W", leaves.min(32))],
        max: 256,
    },
    Counted { name: "bin_unit", top: "bin_unit", parameters: |bins| vec![("BINS", bins)], max: 128 },
];

/// Gates by kind, and the longest path.
const COLUMNS: [&str; 6] = ["and", "or", "not", "xor", "mux", "flip_flops"];
const HEAD: &str = "unit,leaves,stage,and,or,not,xor,mux,flip_flops,gates,path";

/// A line of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Count {
    unit: &'static str,
    leaves: u32,
    stage: &'static str,
    cells: [u64; COLUMNS.len()],
    path: u64,
}

impl Count {
    /// All but flip-flops.
    fn gates(&self) -> u64 {
        self.cells[..COLUMNS.len() - 1].iter().sum()
    }

    fn line(&self) -> String {
        let cells: Vec<String> = self.cells.iter().map(u64::to_string).collect();
        let Count { unit, leaves, stage, path, .. } = self;
        format!("{unit},{leaves},{stage},{},{},{path}", cells.join(","), self.gates())
    }
}

/// Counts everything and writes the tables.
pub fn gates() -> Outcome {
    tools::install(&[tools::YOSYS])?;
    let counts = counts(&COUNTED)?;
    write("gates.csv", &table(&counts)?)?;
    write("growth.csv", &growth(&counts))?;
    write("future.csv", &table(&self::counts(&FUTURE)?)?)
}

/// Every size of some units.
fn counts(units: &[Counted]) -> Result<Vec<Count>, String> {
    let mut counts = Vec::new();
    for counted in units {
        for power in 1..=counted.max.ilog2() {
            counts.extend(count(*counted, 1 << power)?);
        }
    }
    Ok(counts)
}

/// Counts as a file.
fn table(counts: &[Count]) -> Result<String, String> {
    let lines: String = counts.iter().map(|count| format!("{}\n", count.line())).collect();
    Ok(format!("# {}\n{HEAD}\n{lines}", version()?))
}

/// Units, the powers of two up to which they are counted again, and their table: seconds, not minutes.
const AGAIN: [(&str, u32, &str); 6] = [
    ("and_tree", 3, "gates.csv"),
    ("page_unit", 3, "gates.csv"),
    ("chang_allocator", 3, "gates.csv"),
    ("chang_allocator_shared", 3, "gates.csv"),
    ("shared_unit", 3, "future.csv"),
    ("bin_unit", 3, "future.csv"),
];

/// Counts small units again and compares them with the table.
pub fn compare() -> Outcome {
    tools::install(&[tools::YOSYS])?;
    for (name, max, file) in AGAIN {
        let path = results(file);
        let table = fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", text(&path)))?;
        let same_version = table.starts_with(&format!("# {}\n", version()?));
        let counted = COUNTED.into_iter().chain(FUTURE).find(|counted| counted.name == name).ok_or("no such unit")?;
        for power in 1..=max {
            // Another version of the synthesiser may minimise otherwise.
            for count in count(counted, 1 << power)?.iter().filter(|count| same_version || count.stage == "written") {
                if !table.lines().any(|line| line == count.line()) {
                    return Err(format!(
                        "hardware/results/{file} has not the line\n{}\ncargo xtask hardware gates writes it anew",
                        count.line()
                    ));
                }
            }
        }
    }
    eprintln!("xtask: hardware/results/gates.csv and future.csv are what yosys counts, for the sizes counted again");
    Ok(())
}

fn version() -> Result<String, String> {
    let told = output("yosys", &["-V"])?;
    Ok(told.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}

fn results(name: &str) -> PathBuf {
    hardware().join("results").join(name)
}

fn write(name: &str, text_of: &str) -> Outcome {
    let path = results(name);
    fs::write(&path, text_of).map_err(|error| format!("cannot write {}: {error}", text(&path)))?;
    eprintln!("xtask: {}", text(&path));
    Ok(())
}

/// A unit of this many leaves, as written and as mapped.
fn count(counted: Counted, leaves: u32) -> Result<[Count; 2], String> {
    let folder = built().join(format!("{}-{leaves}", counted.name));
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
    let rtl = hardware().join("rtl");
    let script = fill("gates.ys", &rtl, counted.top, &(counted.parameters)(leaves), &[("out", &text(&folder))])?;
    eprintln!("xtask: yosys {} of {leaves} leaves", counted.name);
    yosys(&script)?;
    let stage = |stage: &'static str| -> Result<Count, String> {
        let read =
            |end: &str| fs::read_to_string(folder.join(format!("{stage}.{end}"))).map_err(|error| error.to_string());
        let told: Value = serde_json::from_str(&read("json")?).map_err(|error| error.to_string())?;
        let cells = told["design"]["num_cells_by_type"].as_object().ok_or("yosys counts no cells")?;
        let mut count = Count { unit: counted.name, leaves, stage, cells: [0; COLUMNS.len()], path: 0 };
        for (kind, number) in cells {
            let column = match kind.as_str() {
                "$_AND_" => 0,
                "$_OR_" => 1,
                "$_NOT_" => 2,
                "$_XOR_" | "$_XNOR_" => 3,
                "$_MUX_" => 4,
                kind if kind.contains("DFF") => 5,
                other => return Err(format!("a gate of a kind that is not counted: {other}")),
            };
            count.cells[column] += number.as_u64().unwrap_or_default();
        }
        let path = read("path")?;
        let length = path.split_once("(length=").and_then(|(_, rest)| rest.split(')').next());
        count.path = length.and_then(|length| length.parse().ok()).ok_or("yosys reports no path")?;
        Ok(count)
    };
    Ok([stage("written")?, stage("mapped")?])
}

/// Leaves of the example of Li, Mohanty and Kavi: 2 GB of memory in units of 16 bytes.
const EXAMPLE: f64 = (1_u64 << 31) as f64 / 16.0;

/// How gates and paths grow: the line of least squares through each law, and what it gives for the example.
fn growth(counts: &[Count]) -> String {
    let mut table = "unit,stage,of,law,slope,constant,r2,at_2gb\n".to_owned();
    for counted in COUNTED {
        for stage in ["written", "mapped"] {
            let of_unit = || counts.iter().filter(|count| count.unit == counted.name && count.stage == stage);
            let gates: Vec<Point> =
                of_unit().map(|count| Point { leaves: count.leaves.into(), value: count.gates() as f64 }).collect();
            let paths: Vec<Point> =
                of_unit().map(|count| Point { leaves: count.leaves.into(), value: count.path as f64 }).collect();
            for (of, points, laws) in
                [("gates", &gates, &[fit::LINEAR, fit::LINEARITHMIC][..]), ("path", &paths, &[fit::LOGARITHMIC][..])]
            {
                for law in laws {
                    let line = fit::least_squares(points, *law);
                    // A unit for pages is the same for every memory.
                    let whole_memory = counted.name.starts_with("chang");
                    let at = if whole_memory { format!("{:.0}", line.at(EXAMPLE, *law)) } else { String::new() };
                    let fit::Line { slope, constant, r2 } = line;
                    let (unit, law) = (counted.name, law.name);
                    writeln!(table, "{unit},{stage},{of},{law},{slope:.4},{constant:.2},{r2:.6},{at}").expect("text");
                }
            }
        }
    }
    table
}
