//! Cutting short what can reach no front.
//!
//! ```text
//!   replay of a design  ──────▶ ─ ─ ─ ─    after every part of the trace: what is certain by now,
//!                            │             for it costs no less in the end
//!   designs that are done ───┴─ beats it? ──▶ cut short
//! ```
//!
//! A design is cut short when a finished one has no more of any objective of the front than is certain of
//! it by then, and less fragmentation or fewer accesses. So the finished one beats it on both fronts, the
//! one over all objectives and the one over fragmentation and accesses, and every preference picks the
//! finished one before it: the fronts and the picks are those of the whole space. Which other designs are
//! cut short depends on which were done first.
//!
//! The designs that the paper recommends are never cut short: the exploration reports where they lie.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use heapsmith_replay::{Measures, Region, ReplayError, replay_while};
use heapsmith_trace::PackedTrace;

use crate::objective::{Objective, Objectives};
use crate::space::{Design, Space};
use crate::sweep::reserved;

/// What is known to beat others.
pub(crate) struct Pruning {
    /// The designs done that none beats.
    front: Vec<Objectives>,
    /// Numbers of designs that are never cut short.
    spared: HashSet<u32>,
}

impl Pruning {
    /// Nothing is done yet.
    pub fn new(space: &Space) -> Pruning {
        let spared =
            space.designs.iter().filter(|design| space.families.is_recommended(design)).map(|design| design.same_as);
        Pruning { front: Vec::new(), spared: spared.collect() }
    }

    /// The place of a design in an order that soon covers the space: by Fibonacci hashing, neighbours come far apart.
    pub fn place(design: &Design) -> u32 {
        design.number.wrapping_mul(0x9E37_79B1)
    }

    fn beats(&self, lower_bound: &Objectives) -> bool {
        self.front.iter().any(|done| beats(done, lower_bound))
    }

    fn add(&mut self, done: Objectives) {
        if done.failed == 0 && !self.beats(&done) {
            self.front.retain(|other| !beats(&done, other));
            self.front.push(done);
        }
    }
}

/// Whether `done` has no more of any objective than `lower_bound`, and less of one that both fronts are over.
fn beats(done: &Objectives, lower_bound: &Objectives) -> bool {
    let no_more = |&objective: &Objective| done.get(objective) <= lower_bound.get(objective);
    let less = |&objective: &Objective| done.get(objective) < lower_bound.get(objective);
    Objective::FRONT.iter().all(no_more) && [Objective::Fragmentation, Objective::Accesses].iter().any(less)
}

/// Replays a design on all traces, unless it is beaten before it ends: then there are no measures.
pub(crate) fn on_all_unless(
    pruning: &Mutex<Pruning>,
    design: &Design,
    traces: &[PackedTrace],
    regions: &mut Option<Vec<Region>>,
) -> Result<Option<Vec<Measures>>, ReplayError> {
    let known = || pruning.lock().unwrap_or_else(PoisonError::into_inner);
    let spared = known().spared.contains(&design.same_as);
    // What is certain of each trace before it is replayed: a heap takes what is requested.
    let mut measures: Vec<Measures> = traces.iter().map(nothing).collect();
    for (number, (trace, region)) in traces.iter().zip(reserved(regions, traces)?).enumerate() {
        let mut goes_on = |lower_bound: &Measures| {
            measures[number] = lower_bound.clone();
            let lower_bound = Objectives::of(&measures);
            spared || (lower_bound.failed == 0 && !known().beats(&lower_bound))
        };
        match replay_while(&design.spec, trace, region, &mut goes_on)? {
            Some(whole) => measures[number] = whole,
            None => return Ok(None),
        }
    }
    known().add(Objectives::of(&measures));
    Ok(Some(measures))
}

/// The measures of a trace that costs nothing beyond what it requests.
fn nothing(trace: &PackedTrace) -> Measures {
    let (operations, requested_peak) = (trace.events.len() as u64, trace.requested_peak);
    Measures { operations, requested_peak, footprint_peak: requested_peak, ..Measures::default() }
}
