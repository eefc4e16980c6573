//! Changed copies of a trace: programs that it could have been recorded of as well.
//!
//! | change | a program in which |
//! |---|---|
//! | sizes of 8 bytes more | every structure has one more field, or a pointer has another width |
//! | sizes of 8 bytes less | the same, the other way; no size shrinks below its half |
//! | each size within 10% | structures change, each by itself |
//! | each request within 10% | texts and buffers have other lengths |
//! | lifetimes of 20% of the blocks | some blocks are freed at other times |
//! | another order of 10 parts | phases come in another order |
//! | a half alone | the other half went otherwise: each is held out in turn |
//! | a tenth of another program | more is asked for, in sizes that were not recorded |
//! | a quarter alone | three quarters went otherwise |
//! | an attack | as many bytes are live, in the order that is worst for first fit (Robson 1977) |
//!
//! The last two count in the mean of a design, and do not decide whether it is overfitted: a quarter is often one phase, whose
//! front is another than that of the program, and nobody runs the attack.
//!
//! Of a long trace the copies are made of its begin and of a window around its peak, so that a copy costs the same
//! however long the trace is. Where candidates search long, these are shorter: [`Copies`].

use heapsmith_limits::ProgramClass;
use heapsmith_limits::attack::attack_by_gaps;
use heapsmith_spec::Spec;
use heapsmith_trace::{Cuts, Jitter, Operation, PackedTrace, Perturbation, Share, Stretch, perturb, with_another};

use crate::search::windows;

/// No copy is made of more events, of all traces together.
const MAX_EVENTS: usize = 400_000;

/// The most blocks that an attack holds at once, and the most operations that it has: a replay takes milliseconds.
const ATTACKERS: u64 = 1_024;
const ATTACKS: usize = 5_000;

/// Accesses of all candidates on all copies: some seconds on two processors.
const WORK: f64 = 2.5e9;

/// A candidate that takes this many accesses on a copy, and a hundred an operation, is stopped there: some ten times its share of
/// [`WORK`], where a list that is short on the trace is long on the copy.
const STOPPED: f64 = WORK / 100.0;
const MIN_STOPPED: f64 = 100.0;

/// No copy is halved more often.
const MAX_HALVINGS: u32 = 5;

/// Numbers under which copies of one length are kept: more than there are changes.
const KEYS: usize = 1_000;
const _: () = assert!(CHANGES.len() < KEYS, "no two are kept under one number");

/// The seed of what is drawn. Another one gives another copy, of the same kind.
const SEED: u64 = 1;

/// A change, and how it is said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    /// `sizes of 8 bytes more`: what is read after "on a copy with".
    pub name: &'static str,
    /// Whether a design that is far from the front there is overfitted; else the copy counts in the mean alone.
    pub is_binding: bool,
    of: fn(&PackedTrace) -> PackedTrace,
}

impl Change {
    const fn binding(name: &'static str, of: fn(&PackedTrace) -> PackedTrace) -> Change {
        Change { name, is_binding: true, of }
    }

    const fn counting(name: &'static str, of: fn(&PackedTrace) -> PackedTrace) -> Change {
        Change { name, is_binding: false, of }
    }
}

/// The changes, in the order of reports. Stores know them by their place.
pub(crate) const CHANGES: [Change; 14] = [
    Change::binding("sizes of 8 bytes more", |trace| sizes(trace, Jitter::Bytes(8))),
    Change::binding("sizes of 8 bytes less", |trace| sizes(trace, Jitter::Bytes(-8))),
    Change::binding("each size within 10%", |trace| sizes(trace, Jitter::Sizes(Share::percent(10)))),
    Change::binding("each request within 10%", |trace| sizes(trace, Jitter::Requests(Share::percent(10)))),
    Change::binding("other lifetimes of 20% of the blocks", |trace| {
        let stretch = Some(Stretch(Share::percent(20)));
        perturb(trace, Perturbation { stretch, ..Perturbation::default() }, SEED)
    }),
    Change::binding("another order of 10 parts", |trace| {
        let shuffle = Some(Cuts::Parts(10));
        perturb(trace, Perturbation { shuffle, ..Perturbation::default() }, SEED)
    }),
    Change::binding("the second half alone", |trace| part(trace, 1, 2)),
    Change::binding("the first half alone", |trace| part(trace, 0, 2)),
    Change::counting("the first quarter alone", |trace| part(trace, 0, 4)),
    Change::counting("the second quarter alone", |trace| part(trace, 1, 4)),
    Change::counting("the third quarter alone", |trace| part(trace, 2, 4)),
    Change::counting("the last quarter alone", |trace| part(trace, 3, 4)),
    Change::binding("a tenth of another program", |trace| with_another(trace, SEED)),
    Change::counting("an attack", attacked),
];

/// The copies of a whole trace that a design should hold on, one after another, each with the name of its change
/// ([`Robust::changes`](super::Robust::changes)). Cost: passes over the events for each.
pub fn changed_copies(trace: &PackedTrace) -> impl Iterator<Item = (&'static str, PackedTrace)> {
    CHANGES.iter().filter(|change| change.is_binding).map(|change| (change.name, (change.of)(trace)))
}

/// The part of this number, of this many; of at least one event.
fn part(trace: &PackedTrace, number: usize, of: usize) -> PackedTrace {
    let cut = |number: usize| trace.events.len() * number / of;
    let (begin, end) = (cut(number), cut(number + 1));
    trace.window(begin..end.max(begin + 1).min(trace.events.len()))
}

/// An attack on first fit with as many live bytes as a trace, in requests between its smallest and its largest; the trace
/// where that is no program. In few blocks, so that small requests are left out where much is live.
fn attacked(trace: &PackedTrace) -> PackedTrace {
    let requests = trace.events.iter().filter(|event| event.operation != Operation::Free);
    let sizes = || requests.clone().map(|event| event.size.max(1));
    let (live, max) = (trace.requested_peak.0, sizes().max().unwrap_or(1));
    let min = sizes().min().unwrap_or(1).max(live / ATTACKERS).min(max);
    let first_fit: Spec = "list(order=address, fit=first)".parse().expect("a spec");
    let program = ProgramClass::new(live, max, min).ok();
    let attack = program.and_then(|program| attack_by_gaps(&first_fit, program, ATTACKS).ok());
    attack.and_then(|attack| attack.tape.packed(&trace.name).ok()).unwrap_or_else(|| trace.clone())
}

fn sizes(trace: &PackedTrace, jitter: Jitter) -> PackedTrace {
    perturb(trace, Perturbation { jitter: Some(jitter), ..Perturbation::default() }, SEED)
}

/// How long the copies are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Copies {
    /// How often their most events were halved.
    halvings: u32,
}

impl Copies {
    /// The longest on which candidates that take this many accesses an operation, all together, take no more than
    /// [`WORK`].
    pub fn affordable(events: u64, accesses: f64) -> Copies {
        let work = |copies: &Copies| events.min(copies.max_events() as u64) as f64 * accesses * CHANGES.len() as f64;
        let all = (0..=MAX_HALVINGS).map(|halvings| Copies { halvings });
        all.clone().find(|copies| work(copies) <= WORK).unwrap_or(Copies { halvings: MAX_HALVINGS })
    }

    /// The accesses an operation beyond which a candidate is stopped on copies.
    pub fn max_accesses(copies: &[PackedTrace]) -> f64 {
        let events: usize = copies.iter().map(|copy| copy.events.len()).sum();
        (STOPPED / events.max(1) as f64).max(MIN_STOPPED)
    }

    fn max_events(self) -> usize {
        MAX_EVENTS >> self.halvings
    }

    /// The number under which measures on copies with a change are kept.
    pub fn key(self, change: usize) -> usize {
        self.halvings as usize * KEYS + change
    }

    /// The copies of the traces with a change.
    pub fn of(self, traces: &[PackedTrace], change: usize) -> Vec<PackedTrace> {
        let share = self.max_events() / traces.len().max(1);
        let parts = traces.iter().flat_map(|trace| {
            if trace.events.len() <= share { vec![trace.clone()] } else { windows(trace, share).to_vec() }
        });
        parts.map(|part| (CHANGES[change].of)(&part)).collect()
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Trace};

    use super::*;

    fn trace(events: u64) -> PackedTrace {
        let allocate = |id| Event::at(id, Action::Allocate { id, size: Bytes(16 + id % 9 * 40), alignment: 0 });
        PackedTrace::new(&Trace { events: (0..events).map(allocate).collect(), ..Trace::default() }).expect("sound")
    }

    #[test]
    fn copies_are_the_shorter_the_longer_candidates_search() {
        assert_eq!(Copies::affordable(150_000, 64.0 * 10.0), Copies { halvings: 0 });
        assert_eq!(Copies::affordable(150_000, 64.0 * 100.0), Copies { halvings: 4 });
        assert_eq!(Copies::affordable(1_000_000_000, 64.0 * 10_000.0), Copies { halvings: MAX_HALVINGS });
    }

    #[test]
    fn every_copy_of_the_shortest_trace_has_events() {
        for (number, change) in CHANGES.iter().enumerate() {
            let copies = Copies::affordable(1, 1.0).of(&[trace(1)], number);
            assert!(copies.iter().all(|copy| !copy.events.is_empty()), "{}", change.name);
        }
    }

    #[test]
    fn an_attack_holds_no_more_than_its_trace_and_frees() {
        let trace = trace(500);
        let attack = attacked(&trace);
        assert!(attack.frees > 0 && attack.requested_peak <= trace.requested_peak, "{attack:?}");
        assert!(attack.events.len() <= ATTACKS);
    }

    #[test]
    fn the_quarters_of_a_trace_follow_each_other() {
        let names: Vec<String> = (0..4).map(|number| part(&trace(10), number, 4).name).collect();
        let ranges: Vec<&str> = names.iter().filter_map(|name| name.split('[').nth(1)).collect();
        assert_eq!(ranges, ["0..2]", "2..5]", "5..7]", "7..10]"]);
    }
}
