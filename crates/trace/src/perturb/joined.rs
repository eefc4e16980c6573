//! A trace with another program next to it.
//!
//! ```text
//!   trace   a  b  c  d  e  f  g  h  i     j  k …
//!   other                             A        …      an event of the other after every nine
//! ```
//!
//! The other program asks for what this one does not: a size of the trace, times a number between a half and two. Each block
//! that it frees is one of those that it holds, each as likely, and it holds about a ninth as many as the trace.

use crate::{Action, Bytes, Draws, Event, LARGEST_REQUEST, Operation, PackedTrace};

/// Events of the trace to one of the other program.
const TO_ONE: usize = 9;

/// The first id of the other program's blocks: slots are below.
const FIRST: u64 = 1 << 32;

/// The events of a trace, with those of another program among them.
pub(super) fn joined(trace: &PackedTrace, events: Vec<Event>, seed: u64) -> Vec<Event> {
    let requests = trace.events.iter().filter(|event| event.operation != Operation::Free);
    let sizes: Vec<u64> = requests.map(|event| event.size).collect();
    if sizes.is_empty() {
        return events;
    }
    let mut draws = Draws::new(seed);
    let (max, mut next) = (trace.slots / TO_ONE + 1, FIRST);
    let mut held: Vec<u64> = Vec::new();
    let mut all = Vec::with_capacity(events.len() + events.len() / TO_ONE);
    for (number, event) in events.into_iter().enumerate() {
        let time = event.time.0;
        all.push(event);
        if (number + 1) % TO_ONE == 0 {
            all.push(Event::at(time, step(&sizes, max, &mut held, &mut next, &mut draws)));
        }
    }
    all
}

/// Holds a block more, or one less.
fn step(sizes: &[u64], max: usize, held: &mut Vec<u64>, next: &mut u64, draws: &mut Draws) -> Action {
    let is_full = held.len() >= max;
    if held.is_empty() || !(is_full || draws.happens(0.5)) {
        let size = sizes[draws.below(sizes.len() as u64) as usize] as f64 * (draws.uniform() * 2.0 - 1.0).exp2();
        let id = *next;
        *next += 1;
        held.push(id);
        return Action::Allocate { id, size: Bytes((size as u64).clamp(1, LARGEST_REQUEST.0)), alignment: 0 };
    }
    Action::Free { id: held.swap_remove(draws.below(held.len() as u64) as usize) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Trace, with_another};

    #[test]
    fn every_event_stays_and_the_other_program_asks_for_sizes_around_those_of_the_trace() {
        let allocate = |id| Event::at(id, Action::Allocate { id, size: Bytes(1000), alignment: 0 });
        let events = (0..900).map(|step| if step % 2 == 0 { allocate(step) } else { free(step - 1) });
        let trace = PackedTrace::new(&Trace { events: events.collect(), ..Trace::default() }).expect("a sound trace");
        let joined = with_another(&trace, 7);
        assert_eq!(joined.events.len(), 1000);
        let sizes = joined.events.iter().filter(|event| event.operation == Operation::Allocate).map(|event| event.size);
        let (own, others): (Vec<u64>, Vec<u64>) = sizes.partition(|&size| size == 1000);
        assert!(own.len() >= 450 && others.len() > 40, "{} and {}", own.len(), others.len());
        assert!(others.iter().all(|size| (500..=2000).contains(size)), "{others:?}");
        assert!(joined.requested_peak.0 > 1000 && joined.requested_peak.0 <= 5000, "{:?}", joined.requested_peak);
        assert_eq!(with_another(&trace, 7), joined);
    }

    fn free(id: u64) -> Event {
        Event::at(id, Action::Free { id })
    }
}
