//! What tools say of the emitted C: its size, and its deviations from MISRA C:2012.

use heapsmith_emit::size::{AVR, TARGETS, Target as Processor, size};
use heapsmith_emit::{File, MISRA_LEFT_OUT, MisraError, Name, misra};
use heapsmith_output::Scratch;
use heapsmith_report::thousands;
use heapsmith_spec::Target;

use super::lines::Lines;
use crate::failure::Failure;

/// Adds them, of the source NAME.c and its headers among the emitted files.
pub fn add(lines: &mut Lines, name: &Name, target: Option<&Target>, c: &[File]) -> Result<(), Failure> {
    let scratch = Scratch::new().map_err(|error| Failure::scratch(&error))?;
    let own = format!("{}.c", name.lower());
    for file in c.iter().filter(|file| file.name == own || file.name.ends_with(".h")) {
        scratch.write(&file.name, &file.text).map_err(|error| Failure::scratch(&error))?;
    }
    let source = scratch.path().join(own);
    let processor = processor(target);
    let bytes = match size(processor, &source, &scratch.path().join("heap.o")) {
        Ok(size) => format!(
            "{} bytes of text and {} of data on {}, compiled at -Os, all functions; a linker drops those that are not called",
            thousands(size.text),
            thousands(size.data),
            processor.name
        ),
        Err(error) => format!("not measured: {error}"),
    };
    lines.add("code", &bytes);
    let rules = match misra(&source) {
        Ok(found) => format!(
            "{} deviations from MISRA C:2012 that the source does not justify, {} places where it justifies one, by {}; rules {} \
             left out",
            found.unjustified.len(),
            found.justified,
            found.by,
            MISRA_LEFT_OUT.map(|rule| rule.trim_start_matches("misra-c2012-")).join(" and ")
        ),
        Err(error @ (MisraError::Missing(_) | MisraError::Failed(_))) => format!("not looked at: {error}"),
    };
    lines.add("MISRA", &rules);
    Ok(())
}

/// What is compiled for: an Arm microcontroller, where nothing else was said.
fn processor(target: Option<&Target>) -> &'static Processor {
    let wanted = match target.and_then(|target| target.name.split(' ').next()) {
        Some("avr") => return &AVR,
        Some("riscv32") => "RV32IMC",
        Some("host") => "host",
        _ => "Cortex-M3",
    };
    TARGETS.iter().find(|target| target.name == wanted).unwrap_or(&TARGETS[0])
}
