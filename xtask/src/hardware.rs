//! `cargo xtask hardware`: the search unit in `hardware/`.
//!
//! | step | does | needs |
//! |---|---|---|
//! | lint | both simulators' warnings, as errors | verilator, iverilog |
//! | simulate | test benches, the heap's own requests, a heap driven by the simulated unit | verilator |
//! | mutants | a wrong gate or address at a time: the tests must fail | verilator |
//! | prove | each part against a plain description, by satisfiability | yosys |
//! | gates | gates and longest paths by size, and fits of their growth: `hardware/results` | yosys |
//! | compare | small sizes counted again: they are those of `hardware/results` | yosys |
//! | core | the unit as an instruction of a RISC-V core: answers and cycles | verilator, clang, lld, pip |
//!
//! `cargo xtask test` runs the first, `cargo xtask nightly hardware` all.

mod core;
mod fit;
mod gates;
mod mutants;
mod prove;
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
    /// A wrong gate or address at a time: the tests must fail
    Mutants,
    /// Each part against a plain description, by satisfiability
    Prove,
    /// Gates and longest paths by size: writes hardware/results (minutes)
    Gates,
    /// Small sizes counted again, against hardware/results
    Compare,
    /// The unit as an instruction of a RISC-V core
    Core,
}

/// One step, or all.
pub fn hardware(step: Option<Step>) -> Outcome {
    let all = step.is_none();
    let steps = match step {
        Some(step) => vec![step],
        None => vec![Step::Lint, Step::Simulate, Step::Mutants, Step::Prove, Step::Core, Step::Compare, Step::Gates],
    };
    for step in steps {
        match step {
            Step::Lint => source::lint()?,
            Step::Simulate => simulate::simulate()?,
            Step::Mutants => mutants::mutants()?,
            Step::Prove => prove::prove()?,
            Step::Gates => gates::gates()?,
            Step::Compare => gates::compare()?,
            // All that is left without a network is said and done.
            Step::Core => match core::core() {
                Err(why) if all && why.starts_with(core::UNFETCHED) => {
                    eprintln!("xtask: NOT RUN: the unit in a core: {why}");
                }
                outcome => outcome?,
            },
        }
    }
    Ok(())
}
