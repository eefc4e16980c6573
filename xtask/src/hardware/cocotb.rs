//! Tests of the bus wrappers in Python, on Icarus Verilog: `hardware/tb/cocotb`.

use super::packages;
use super::source::{built, hardware, text};
use crate::run::{Outcome, output};
use crate::tools;

/// Every wrapper, as it is and pipelined.
pub fn cocotb() -> Outcome {
    tools::install(&[tools::ICARUS])?;
    let python = packages::programs()?.join("python");
    let script = hardware().join("tb/cocotb/run.py");
    output(&text(&python), &[&text(&script), &text(&built().join("cocotb"))])?;
    eprintln!("xtask: APB, AXI4-Lite, CV-X-IF and CFU do what the model does, with the registers of the table");
    Ok(())
}
