//! Programs on a simulated core with caches, with the heap's search in software and by a unit: `hardware/results/programs.csv` and
//! `recorded.csv`, `bins.csv`.
//!
//! ```text
//!   heapsmith emit 'pages(search=…)' ──▶ C, Rust ─┬─▶ clang, lld ──▶ image ──▶ VexRiscv + unit (Verilator) ──▶ cycles
//!   hardware/core/programs ───────────────────────┤                  ▲             └─▶ every block ──▶ the Rust heap: same address
//!   samples/programs ──▶ first events ────────────┼──────────────────┘
//! ```
//!
//! The core is VexRiscv as LiteX packages it: a pipeline of five stages with caches and a custom function unit, in Verilog, which PyPI
//! has. PicoRV32 (`core`) has no caches and takes four cycles an instruction; CV32E40X, which has CV-X-IF, has no data cache.
//!
//! A program of `core/programs` runs twice: as it is, for the cycles of the whole, and marked, for those of the heap and of exchanging
//! bitmaps. Of a recorded program its requests and frees are played, marked.

mod heaps;
mod recorded;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::core::fetch;
use super::source::{built, hardware, modules, text};
use crate::run::{Outcome, output};
use crate::tools;
use heaps::{Heap, Mark};

/// The programs in `hardware/core/programs`.
const PROGRAMS: [&str; 3] = ["numbers", "queues", "trees"];

/// The heaps that are compared, and the unit of the system that each runs on. Those that ask none are on the system that is simulated
/// fastest.
const HEAPS: [Heap; 6] = [
    Heap { name: "bit", spec: "pages(page=4096, min=16, search=linear)", unit: Unit::Ideal },
    Heap { name: "word", spec: "pages(page=4096, min=16, search=word)", unit: Unit::Ideal },
    Heap { name: TREE, spec: "pages(page=4096, min=16, search=tree)", unit: Unit::Ideal },
    Heap { name: "unit", spec: INSTRUCTION, unit: Unit::Instruction },
    Heap { name: "ideal", spec: INSTRUCTION, unit: Unit::Ideal },
    Heap { name: heaps::RUST, spec: INSTRUCTION, unit: Unit::Instruction },
];
const TREE: &str = "tree";
const INSTRUCTION: &str = "pages(page=4096, min=16, search=hardware(custom0))";
/// The unit behind the bus of `core/system.sv`.
const BUS: Heap =
    Heap { name: "bus", spec: "pages(page=4096, min=16, search=hardware(mmio=0x90000000))", unit: Unit::Bus };
/// Lea's bins, searched in software and by a unit for them.
const BINS: [Heap; 2] = [
    Heap { name: "bins", spec: "bins(lea)", unit: Unit::Ideal },
    Heap { name: "bins-unit", spec: "bins(lea)", unit: Unit::Bins },
];

/// What `core/system.sv` has besides the core, as its parameter says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Instruction = 0,
    Bus = 1,
    Ideal = 2,
    Bins = 3,
}

/// A run of a program.
struct Run<'r> {
    program: &'r str,
    heap: Heap,
    mark: Mark,
    /// A trace in memory.
    trace: Option<&'r Path>,
    /// Bytes between the program's instructions and the heap's.
    pad: u32,
}

/// What a run says.
struct Counted {
    result: u64,
    cycles: u64,
    instructions: u64,
    operations: u64,
    managing: u64,
    of_them: u64,
    exchanges: u64,
    exchanging: u64,
}

/// What is built once: the systems, and the heaps for each.
struct Machine {
    folder: PathBuf,
    core: PathBuf,
}

/// Runs every program with every search, compares every block with the Rust heap's, and writes the tables.
pub fn programs() -> Outcome {
    tools::install(&tools::SIMULATION)?;
    tools::install(&[tools::CLANG, tools::OBJCOPY, tools::LLD, tools::PYTHON, tools::PIP])?;
    let folder = built().join("programs");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {}: {error}", text(&folder)))?;
    let core = fetch(&folder, "core/vexriscv.txt")?.join("pythondata_cpu_vexriscv/verilog/VexRiscv_FullCfu.v");
    let machine = Machine { folder, core };
    let command = text(&tools::command()?);
    for heap in HEAPS.into_iter().chain([BUS]).chain(BINS) {
        heap.write(&command, &machine.folder)?;
    }
    for unit in [Unit::Instruction, Unit::Bus, Unit::Ideal, Unit::Bins] {
        machine.build(unit)?;
    }
    let mut logs = Vec::new();
    let table = machine.own(&mut logs)?;
    let traces = recorded::traces(&machine, &command)?;
    let paged: Vec<Heap> = HEAPS.into_iter().filter(|heap| heap.name != heaps::RUST).collect();
    let recorded = recorded::table(&machine, &traces, &paged, &mut logs)?;
    // Their addresses are compared with each other alone.
    let bins = recorded::table(&machine, &traces, &BINS, &mut Vec::new())?;
    // The same unit behind a bus.
    machine.run(&Run { program: PROGRAMS[0], heap: BUS, mark: Mark::On, trace: None, pad: 0 }, Some(&mut logs))?;
    follow(&logs)?;
    write("programs.csv", &table)?;
    write("recorded.csv", &recorded)?;
    write("bins.csv", &bins)
}

/// Compares every block of the logs with the Rust heap's. A tree's directory is larger, which changes where a directory that grows moves to.
fn follow(logs: &[String]) -> Outcome {
    let of_tree = |log: &&str| Path::new(log).parent().is_some_and(|folder| folder.ends_with(TREE));
    let (trees, others): (Vec<&str>, Vec<&str>) = logs.iter().map(String::as_str).partition(of_tree);
    for (verb, logs) in [("follow", others), ("follow-tree", trees)] {
        let follow = ["run", "--quiet", "--package", "heapsmith", "--example", "search_unit", verb];
        eprint!("{}", output(env!("CARGO"), &[&follow[..], &logs].concat())?);
    }
    Ok(())
}

fn write(name: &str, table: &str) -> Outcome {
    let path = hardware().join("results").join(name);
    fs::write(&path, table).map_err(|error| format!("cannot write {}: {error}", text(&path)))
}

impl Machine {
    /// The table of our own programs.
    fn own(&self, logs: &mut Vec<String>) -> Result<String, String> {
        let mut table =
            "program,search,cycles,instructions,operations,managing,managing_instructions,exchanges,exchanging\n"
                .to_owned();
        for program in PROGRAMS {
            let mut wanted = None;
            for heap in HEAPS {
                let whole = self.run(&Run { program, heap, mark: Mark::Off, trace: None, pad: 0 }, None)?;
                let marked = self.run(&Run { program, heap, mark: Mark::On, trace: None, pad: 0 }, Some(logs))?;
                if *wanted.get_or_insert(whole.result) != whole.result || marked.result != whole.result {
                    return Err(format!("{program} has another result by {}", heap.name));
                }
                let Counted { cycles, instructions, .. } = whole;
                let Counted { operations, managing, of_them, exchanges, exchanging, .. } = marked;
                let line = format!(
                    "{program},{},{cycles},{instructions},{operations},{managing},{of_them},{exchanges},{exchanging}",
                    heap.name
                );
                eprintln!("xtask: {line}");
                writeln!(table, "{line}").expect("text");
            }
        }
        Ok(table)
    }

    /// The simulation of the system with a unit.
    fn system(&self, unit: Unit) -> PathBuf {
        self.folder.join(format!("system{}", unit as u32)).join("Vsystem")
    }

    /// Builds it.
    fn build(&self, unit: Unit) -> Outcome {
        let made = self.folder.join(format!("system{}", unit as u32));
        fs::create_dir_all(&made).map_err(|error| error.to_string())?;
        let mut arguments: Vec<String> =
            ["--cc", "--exe", "--build", "-j", "2", "-O3", "--x-assign", "fast", "--x-initial", "fast"]
                .map(String::from)
                .into();
        // The warnings of foreign source are not ours.
        arguments.extend(["-CFLAGS", "-O2", "-Wno-lint", "-Wno-style", "-Wno-TIMESCALEMOD"].map(String::from));
        arguments.extend(["--top-module".to_owned(), "system".to_owned(), format!("-GUNIT={}", unit as u32)]);
        arguments.extend(["--Mdir".to_owned(), text(&made)]);
        arguments.extend(modules(&hardware().join("rtl"))?.iter().map(|file| text(file)));
        let own = ["core/system.sv", "core/ideal_unit.sv", "tb/system.cpp"];
        arguments.extend(own.map(|file| text(&hardware().join(file))));
        arguments.push(text(&self.core));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        output("verilator", &arguments).map(drop)
    }

    /// Compiles and runs a program; with `logs`, writes down its blocks in a file, which is added to them.
    fn run(&self, run: &Run<'_>, logs: Option<&mut Vec<String>>) -> Result<Counted, String> {
        let image = run.heap.compile(&self.folder, run.program, run.mark, run.pad)?;
        let mut arguments = vec![text(&image)];
        if let Some(trace) = run.trace {
            arguments.extend(["--trace".to_owned(), text(trace)]);
        }
        if let Some(logs) = logs {
            let of = run.trace.unwrap_or(Path::new(run.program)).file_stem().unwrap_or_default();
            let log = self.folder.join(run.heap.name).join(of).with_extension("log");
            arguments.extend(["--log".to_owned(), text(&log)]);
            logs.push(text(&log));
        }
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        Counted::read(&output(&text(&self.system(run.heap.unit)), &arguments)?)
    }
}

impl Counted {
    fn read(told: &str) -> Result<Counted, String> {
        let count = |name: &str| -> Result<u64, String> {
            let found =
                told.lines().find_map(|line| line.strip_prefix(name)).and_then(|count| count.trim().parse().ok());
            found.ok_or(format!("the system does not say its {name}"))
        };
        Ok(Counted {
            result: count("result ")?,
            cycles: count("cycles ")?,
            instructions: count("instructions ")?,
            operations: count("operations ")?,
            managing: count("managing ")?,
            of_them: count("of them ")?,
            exchanges: count("exchanges ")?,
            exchanging: count("exchanging ")?,
        })
    }
}
