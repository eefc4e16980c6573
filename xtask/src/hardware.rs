//! `cargo xtask hardware`: the search unit in `hardware/`.
//!
//! | step | does | needs |
//! |---|---|---|
//! | lint | both simulators' warnings, as errors | verilator, iverilog |
//! | simulate | test benches, the heap's own requests, a heap driven by the simulated unit | verilator |
//! | registers | the C header and the page of the bus's registers, from their table | |
//! | waveform | the picture of an allocation and a free on a bus, `hardware/doc/malloc-free.svg` | iverilog |
//! | cocotb | the bus wrappers, in Python | iverilog, pip |
//! | integrate | the guide's steps of integrating the unit, from an empty folder | verilator, pip |
//! | mutants | a wrong gate or address at a time: the tests must fail | verilator |
//! | prove | the units keep their properties at full size, reset included; each part against a plain description | yosys |
//! | mutate | mutations of single gates: each breaks a property, or changes nothing | yosys |
//! | gates | gates and longest paths by size, and fits of their growth: `hardware/results` | yosys |
//! | programs | whole programs on a core with caches; every block is at the Rust heap's address | verilator, clang, lld, pip |
//! | place | cells and frequency on an iCE40 and an ECP5, by size: `hardware/results/fpga.csv` | yosys, pip |
//! | area | standard cells of SKY130: `hardware/results/sky130.csv` | yosys, pip |
//! | compare | small sizes counted again: they are those of `hardware/results` | yosys |
//! | core | the unit as an instruction of a RISC-V core: answers and cycles | verilator, clang, lld, pip |
//!
//! `cargo xtask test` runs the first, `cargo xtask nightly hardware` all.

mod area;
mod cocotb;
mod core;
mod fit;
mod gates;
mod integrate;
mod mutants;
mod mutate;
mod packages;
mod place;
mod programs;
mod prove;
mod registers;
mod simulate;
mod source;
mod waveform;

use std::time::Instant;

use crate::run::{Outcome, processor_time};
use crate::tools;

/// A step, as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Step {
    /// Both simulators' warnings, as errors
    Lint,
    /// Test benches, the heap's own requests, a heap driven by the simulated unit
    Simulate,
    /// Write the C header and the page of the bus's registers from their table
    Registers,
    /// Draw an allocation and a free on a bus: writes hardware/doc/malloc-free.svg
    Waveform,
    /// The bus wrappers, by cocotb
    Cocotb,
    /// The guide's steps of integrating the unit, from an empty folder
    Integrate,
    /// A wrong gate or address at a time: the tests must fail
    Mutants,
    /// The units keep their properties, reset included; each part against a plain description
    Prove,
    /// Mutations of single gates: each breaks a property, or is proved to change nothing
    Mutate,
    /// Gates and longest paths by size: writes hardware/results (minutes)
    Gates,
    /// Whole programs on a core with caches, by every search and by the unit: writes hardware/results/programs.csv
    Programs,
    /// Cells and frequency on an iCE40 and an ECP5, by size: writes hardware/results/fpga.csv
    Place,
    /// Area in standard cells of SKY130: writes hardware/results/sky130.csv
    Area,
    /// Small sizes counted again, against hardware/results
    Compare,
    /// The unit as an instruction of a RISC-V core
    Core,
}

/// All steps but the one that writes what lint compares, in two lanes that run side by side: what needs simulators, and what needs the
/// synthesiser. In each, what fails soon comes first.
const LANES: [&[Step]; 2] = [
    &[Step::Lint, Step::Simulate, Step::Core, Step::Cocotb, Step::Integrate, Step::Mutants, Step::Programs],
    &[Step::Prove, Step::Mutate, Step::Area, Step::Place, Step::Compare, Step::Gates],
];

/// One step, or all.
pub fn hardware(step: Option<Step>) -> Outcome {
    match step {
        Some(step) => step.run(),
        None => whole(),
    }
}

/// Every step; says how long each took, and what failed, if something did, when both lanes have ended.
fn whole() -> Outcome {
    let begun = Instant::now();
    // Both lanes need these, and one package manager runs at a time.
    tools::install(&tools::SIMULATION)?;
    tools::install(&[tools::YOSYS, tools::CLANG, tools::OBJCOPY, tools::LLD, tools::PYTHON, tools::PIP])?;
    if let Err(why) = packages::programs() {
        eprintln!("xtask: {why}");
    }
    let lanes = std::thread::scope(|scope| {
        LANES.map(|lane| scope.spawn(move || walk(lane))).map(|lane| lane.join().unwrap_or_default())
    });
    let (took, failed): (Vec<String>, Vec<String>) = lanes.into_iter().flatten().partition(|told| !told.contains(':'));
    let processors = processor_time().map_or_else(String::new, |time| format!(", {} s of processors", time.as_secs()));
    eprintln!("xtask: hardware took {} s{processors}: {}", begun.elapsed().as_secs(), took.join(", "));
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// The steps of a lane up to one that fails: of each how long it took, or `step: why`.
fn walk(lane: &[Step]) -> Vec<String> {
    let mut told = Vec::new();
    for step in lane {
        let begun = Instant::now();
        match step.run() {
            Ok(()) => told.push(format!("{step:?} {}", begun.elapsed().as_secs())),
            // All that is left without a network is said and done.
            Err(why) if why.starts_with(core::UNFETCHED) || why.starts_with(packages::UNFETCHED) => {
                eprintln!("xtask: NOT RUN: {step:?}: {why}");
                told.push(format!("{step:?} NOT RUN"));
            }
            Err(why) => {
                eprintln!("xtask: {step:?} failed");
                told.push(format!("{step:?}: {why}"));
                break;
            }
        }
    }
    told
}

impl Step {
    fn run(self) -> Outcome {
        match self {
            Step::Lint => source::lint(),
            Step::Simulate => simulate::simulate(),
            Step::Registers => registers::registers(),
            Step::Waveform => waveform::waveform(),
            Step::Cocotb => cocotb::cocotb(),
            Step::Integrate => integrate::integrate(),
            Step::Mutants => mutants::mutants(),
            Step::Prove => prove::prove(),
            Step::Mutate => mutate::mutate(),
            Step::Gates => gates::gates(),
            Step::Compare => gates::compare(),
            Step::Core => core::core(),
            Step::Programs => programs::programs(),
            Step::Area => area::area(),
            Step::Place => place::place(),
        }
    }
}
