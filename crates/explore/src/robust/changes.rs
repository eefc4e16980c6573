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
//! | the second half alone | the first half went otherwise |
//!
//! Of a long trace the copies are made of its begin and of a window around its peak, so that a copy costs the same
//! however long the trace is.

use heapsmith_trace::{Cuts, Jitter, PackedTrace, Perturbation, Share, Stretch, perturb};

use crate::search::windows;

/// No copy is made of more events, of all traces together.
const MAX_EVENTS: usize = 400_000;

/// The seed of what is drawn. Another one gives another copy, of the same kind.
const SEED: u64 = 1;

/// A change, and how it is said.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    /// `sizes of 8 bytes more`: what is read after "on a copy with".
    pub name: &'static str,
    of: fn(&PackedTrace) -> PackedTrace,
}

/// The changes, in the order of reports.
pub(crate) const CHANGES: [Change; 7] = [
    Change { name: "sizes of 8 bytes more", of: |trace| sizes(trace, Jitter::Bytes(8)) },
    Change { name: "sizes of 8 bytes less", of: |trace| sizes(trace, Jitter::Bytes(-8)) },
    Change { name: "each size within 10%", of: |trace| sizes(trace, Jitter::Sizes(Share::percent(10))) },
    Change { name: "each request within 10%", of: |trace| sizes(trace, Jitter::Requests(Share::percent(10))) },
    Change {
        name: "other lifetimes of 20% of the blocks",
        of: |trace| {
            let stretch = Some(Stretch(Share::percent(20)));
            perturb(trace, Perturbation { stretch, ..Perturbation::default() }, SEED)
        },
    },
    Change {
        name: "another order of 10 parts",
        of: |trace| {
            let shuffle = Some(Cuts::Parts(10));
            perturb(trace, Perturbation { shuffle, ..Perturbation::default() }, SEED)
        },
    },
    Change { name: "the second half alone", of: |trace| trace.window(trace.events.len() / 2..trace.events.len()) },
];

fn sizes(trace: &PackedTrace, jitter: Jitter) -> PackedTrace {
    perturb(trace, Perturbation { jitter: Some(jitter), ..Perturbation::default() }, SEED)
}

/// The copies of the traces with a change.
pub(crate) fn changed(traces: &[PackedTrace], change: usize) -> Vec<PackedTrace> {
    let share = MAX_EVENTS / traces.len().max(1);
    let parts = traces.iter().flat_map(|trace| {
        if trace.events.len() <= share { vec![trace.clone()] } else { windows(trace, share).to_vec() }
    });
    parts.map(|part| (CHANGES[change].of)(&part)).collect()
}
