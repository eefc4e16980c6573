//! How the program of a recording is to run on the pick: how its threads share it, and when memory goes back.

use heapsmith_explore::Exploration;
use heapsmith_player::Played;
use heapsmith_spec::{Spec, Target, Threads};
use heapsmith_trace::{Bytes, Nanoseconds, ThreadSteps, Trace, memory};

use super::{purge, threads};
use crate::args::{Explore, Format};
use crate::commands::plays;
use crate::console::{note, say};
use crate::failure::Failure;

/// Events of a recording that are counted at most: of longer ones the begin, which is said.
const EVENTS: usize = 10_000_000;

/// Plays of the pick and of the reference allocator.
const PLAYS: usize = 3;

/// What both take in threads; nothing where what there is today is no reference allocator that is installed. The answer is there: what
/// cannot be played is said, and fails nothing.
fn played(peer: &str, shared: &Spec, trace: &Trace) -> Option<String> {
    let plays = plays::next_to(shared, peer, trace, EVENTS, PLAYS);
    let plays = plays.inspect_err(|why| note!("threads were not played: {why}")).unwrap_or_default();
    let [own, other] = plays.as_slice() else { return None };
    let told = |played: &Played| format!("{}, {} of processors", Bytes(played.peak), Nanoseconds(played.processors));
    let way = if shared.threads == Threads::One { "one lock".to_owned() } else { shared.threads.to_string() };
    Some(format!("Played     {way}: {}; {peer}: {}", told(own), told(other)))
}

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
    // Who plays writes to the pages of every block.
    let has_memory = steps.requested_peak <= memory::budget();
    if steps.allocating > 1 && has_memory && !arguments.no_peers && arguments.rounds != Some(0) {
        said.extend(played(exploration.baseline().name(), &shared, trace));
    }
    said.extend(purge::said(&shared, &steps)?);
    let is_cut = trace.events.len() > EVENTS && !said.is_empty();
    said.extend(is_cut.then(|| format!("           counted on the first {EVENTS} events")));
    for line in said {
        if arguments.showing.format == Format::Table { say!("{line}") } else { note!("{line}") }
    }
    Ok(())
}
