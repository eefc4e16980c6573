//! `cargo xtask hardware`: the search unit in `hardware/`.
//!
//! | step | does | needs |
//! |---|---|---|
//! | lint | both simulators' warnings, as errors | verilator, iverilog |
//! | simulate | test benches, the heap's own requests, a heap driven by the simulated unit | verilator |
//! | registers | the C header and the page of the bus's registers, from their table | |
//! | cocotb | the bus wrappers, in Python | iverilog, pip |
//! | integrate | the guide's steps of integrating the unit, from an empty folder | verilator, pip |
//! | mutants | a wrong gate or address at a time: the tests must fail | verilator |
//! | prove | the units keep their properties at full size, reset included; each part against a plain description | yosys |
//! | mutate | mutations of single gates: each breaks a property, or changes nothing | yosys |
//! | gates | gates and longest paths by size, and fits of their growth: `hardware/results` | yosys |
//! | programs | whole programs on a core with caches; every block is at the Rust heap's address | verilator, clang, lld, pip |
//! | place | cells and frequency on an iCE40 and an ECP5, by size: `hardware/results/fpga.csv` | yosys, pip |
//! | compare | small sizes counted again: they are those of `hardware/results` | yosys |
//! | core | the unit as an instruction of a RISC-V core: answers and cycles | verilator, clang, lld, pip |
//!
//! `cargo xtask test` runs the first, `cargo xtask nightly hardware` all.

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

use crate::run::Outcome;

/// A step, as the command line names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Step {
    /// Both simulators' warnings, as errors
    Lint,
    /// Test benches, the heap's own requests, a heap driven by the simulated unit
    Simulate,
    /// Write the C header and the page of the bus's registers from their table
    Registers,
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
    /// Small sizes counted again, against hardware/results
    Compare,
    /// The unit as an instruction of a RISC-V core
    Core,
}

/// All steps but those that write what is kept, in their order: what fails soon comes first.
const ALL: [Step; 12] = [
    Step::Lint,
    Step::Simulate,
    Step::Cocotb,
    Step::Integrate,
    Step::Mutants,
    Step::Prove,
    Step::Mutate,
    Step::Core,
    Step::Programs,
    Step::Place,
    Step::Compare,
    Step::Gates,
];

/// One step, or all.
pub fn hardware(step: Option<Step>) -> Outcome {
    let all = step.is_none();
    let steps = match step {
        Some(step) => vec![step],
        None => ALL.to_vec(),
    };
    for step in steps {
        match step.run() {
            // All that is left without a network is said and done.
            Err(why) if all && (why.starts_with(core::UNFETCHED) || why.starts_with(packages::UNFETCHED)) => {
                eprintln!("xtask: NOT RUN: {step:?}: {why}");
            }
            outcome => outcome?,
        }
    }
    Ok(())
}

impl Step {
    fn run(self) -> Outcome {
        match self {
            Step::Lint => source::lint(),
            Step::Simulate => simulate::simulate(),
            Step::Registers => registers::registers(),
            Step::Cocotb => cocotb::cocotb(),
            Step::Integrate => integrate::integrate(),
            Step::Mutants => mutants::mutants(),
            Step::Prove => prove::prove(),
            Step::Mutate => mutate::mutate(),
            Step::Gates => gates::gates(),
            Step::Compare => gates::compare(),
            Step::Core => core::core(),
            Step::Programs => programs::programs(),
            Step::Place => place::place(),
        }
    }
}
