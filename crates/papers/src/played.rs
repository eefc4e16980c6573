//! Events played by an emitted heap on an emulated Cortex-M3, and the instructions that they take.
//!
//! ```text
//!   spec ──▶ c::emit ─┐
//!   player.c, which ──┼──▶ cortex_m3::run ──▶ lines of "operations ticks max", one for each kind ──▶ Cost
//!   includes cost.h,  │
//!   heap.h, board.h ──┘
//! ```

use heapsmith_emit::{Name, Request, c, cortex_m3};
use heapsmith_output::Scratch;
use heapsmith_spec::resolve;

use crate::error::ExperimentError;

/// What the functions and types of the heap begin with, with an underscore after it.
pub(crate) const NAME: &str = "played_heap";

/// Operations of one kind, with their instructions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cost {
    pub operations: f64,
    pub mean: f64,
    pub max: f64,
}

impl Cost {
    /// A line that the player printed; None if it is none.
    pub fn read(line: &str) -> Option<Cost> {
        let ticks = f64::from(cortex_m3::NANOSECONDS_PER_TICK) / f64::from(cortex_m3::NANOSECONDS_PER_INSTRUCTION);
        let numbers: Option<Vec<f64>> = line.split(' ').map(|number| number.parse().ok()).collect();
        let [operations, total, max] = numbers?[..] else { return None };
        Some(Cost { operations, mean: total * ticks / operations.max(1.0), max: max * ticks })
    }
}

/// Writes a program into a folder: the emitted heap, a player with `cost.h`, what the player needs to know in `heap.h`, and
/// the board. Returns its sources.
///
/// # Errors
///
/// If the heap cannot be emitted or a file cannot be written.
pub(crate) fn write(
    scratch: &Scratch,
    spec: &str,
    player: &str,
    defines: &str,
) -> Result<Vec<String>, ExperimentError> {
    let mut sources = vec!["player.c".to_owned()];
    for file in c::emit(&Request::new(resolve(spec)?, Name::new(NAME)?))? {
        scratch.write(&file.name, &file.text)?;
        sources.extend(file.name.ends_with(".c").then_some(file.name));
    }
    scratch.write(
        "heap.h",
        format!("#include \"{NAME}.h\"\n#define HEAP {NAME}\n#define INIT {NAME}_init\n{defines}\n"),
    )?;
    scratch.write("player.c", player)?;
    scratch.write("cost.h", include_str!("played/cost.h"))?;
    for (name, text) in cortex_m3::BOARD {
        scratch.write(name, text)?;
    }
    Ok(sources)
}
