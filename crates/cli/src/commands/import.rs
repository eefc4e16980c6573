//! `heapsmith import`: any input as a trace file.

use crate::args::Import;
use crate::failure::Failure;
use crate::input;

pub fn run(arguments: &Import) -> Result<(), Failure> {
    let trace = input::trace(&arguments.file, &arguments.reading)?;
    let packed = input::packed(&trace)?;
    trace.write(&arguments.out)?;
    eprintln!(
        "{}: {} events, at most {} in {} blocks live at once, written to {}",
        packed.name,
        packed.events.len(),
        packed.requested_peak,
        packed.slots,
        arguments.out.display()
    );
    Ok(())
}
