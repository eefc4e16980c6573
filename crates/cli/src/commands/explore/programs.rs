//! How the program of a recording is to run on the pick: how its threads share it, and when memory goes back.

use heapsmith_explore::Exploration;
use heapsmith_spec::Target;
use heapsmith_trace::{ThreadSteps, Trace};

use super::{purge, threads};
use crate::args::{Explore, Format};
use crate::console::{note, say};
use crate::failure::Failure;

/// Events of a recording that are counted at most: of longer ones the begin, which is said.
const EVENTS: usize = 10_000_000;

/// Says by which way the threads of the recording with most events share the pick best, and when its memory goes back; nothing where the
/// pick is for a machine that runs one thread at a time.
pub fn run(
    arguments: &Explore,
    exploration: &Exploration,
    pick: usize,
    target: &Target,
    traces: &[Trace],
) -> Result<(), Failure> {
    if target.name != Target::host().name {
        return Ok(());
    }
    let Some(trace) = traces.iter().max_by_key(|trace| trace.events.len()) else { return Ok(()) };
    let Ok(for_malloc) = exploration.rows[pick].design.spec.for_malloc() else { return Ok(()) };
    let steps = ThreadSteps::of(trace, EVENTS);
    let (mut said, shared) = threads::shared(&for_malloc, &steps)?;
    said.extend(purge::said(&shared, &steps)?);
    let is_cut = trace.events.len() > EVENTS && !said.is_empty();
    said.extend(is_cut.then(|| format!("           counted on the first {EVENTS} events")));
    for line in said {
        if arguments.showing.format == Format::Table { say!("{line}") } else { note!("{line}") }
    }
    Ok(())
}
