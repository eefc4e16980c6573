//! Cutting short what can reach no front.
//!
//! ```text
//!   replay of a design  ──────▶ ─ ─ ─ ─    after every part of the trace: what is certain by now,
//!                            │             for it costs no less in the end
//!   front of earlier waves ──┴─ beats it? ──▶ cut short
//! ```
//!
//! A design is cut short when a finished one has no more of any objective of the front than is certain of
//! it by then, and less fragmentation or fewer accesses. So the finished one beats it on both fronts, the
//! one over all objectives and the one over fragmentation and accesses, and every preference picks the
//! finished one before it: the fronts and the picks are those of the whole space.
//!
//! Which other designs are cut short is a function of traces and space too. Designs go in waves, in a fixed order, and a
//! wave is compared with what the waves up to the last but one left; so no thread waits while a wave comes to its end:
//!
//! ```text
//!   wave        0        1        2            3
//!   against     –        –        front of 0   front of 0 and 1
//! ```
//!
//! What an earlier run left in the store saves replays and changes nothing: a design that it measured is kept or left out
//! by its measures; one that it cut short stays so where what beat it, or better, is in the front by then.
//!
//! The designs that the paper recommends are never cut short: the exploration reports where they lie.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use heapsmith_replay::{Measures, ReplayError, replay_while};
use heapsmith_trace::PackedTrace;

use crate::error::SweepError;
use crate::objective::{Objective, Objectives};
use crate::regions::Regions;
use crate::space::{Design, Space};
use crate::workers::{Threads, Worker};

/// Designs of a wave: enough for the threads of any machine, and few compared with those of a space.
const WAVE: usize = 64;

/// What became of a design.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Verdict {
    /// It is kept; its measures unless the store has them.
    Kept(Option<Vec<Measures>>),
    /// It was cut short, or left out: the design that beats it, none if it refuses a request.
    Cut {
        /// The design that beats it.
        by: Option<u32>,
        /// Whether it was replayed now.
        replayed: bool,
    },
    /// It was stopped, as it takes more accesses than a search has time for.
    Stopped {
        /// Whether it was replayed now.
        replayed: bool,
    },
}

/// What is known to beat others.
pub(crate) struct Pruning {
    /// Of all waves so far.
    front: Arc<Front>,
    /// Numbers of designs that are never cut short.
    spared: HashSet<u32>,
    /// What earlier runs measured.
    known: HashMap<u32, Objectives>,
    /// What earlier runs cut short, and by whom it is beaten.
    pruned: HashMap<u32, Option<u32>>,
    /// What earlier runs stopped, and the accesses an operation that it exceeds.
    stopped: HashMap<u32, u64>,
}

impl Pruning {
    /// Nothing is done yet but what earlier runs left.
    pub fn new(
        space: &Space,
        known: HashMap<u32, Objectives>,
        pruned: HashMap<u32, Option<u32>>,
        stopped: HashMap<u32, u64>,
    ) -> Pruning {
        let recommended = space.designs.iter().filter(|design| space.families.is_recommended(design));
        let spared = recommended.map(|design| design.same_as).collect();
        Pruning { front: Arc::default(), spared, known, pruned, stopped }
    }

    /// Replays designs in waves; `take` gets the result of each. One that takes more than `max` accesses
    /// an operation is stopped.
    pub fn replay(
        &mut self,
        designs: &[&Design],
        traces: &[PackedTrace],
        max: f64,
        threads: &Threads<'_>,
        take: &mut dyn FnMut(Vec<(u32, Verdict)>) -> Result<(), SweepError>,
    ) -> Result<(), SweepError> {
        let mut designs = designs.to_vec();
        // By Fibonacci hashing, neighbours come far apart: so the first waves cover the space.
        designs.sort_by_key(|design| design.number.wrapping_mul(0x9E37_79B1));
        let waves = Waves::new(designs.len(), &self.front);
        let one = |place: usize, worker: &mut Worker<'_>| {
            let Some(front) = waves.front_of(place, &|| worker.is_over()) else { return Ok(None) };
            let design = designs[place];
            let (verdict, values) = self.verdict(design, &front, traces, max, &mut worker.regions)?;
            let is_kept = matches!(verdict, Verdict::Kept(_));
            waves.done(place, is_kept.then_some((design.number, values)));
            Ok(Some((design.number, verdict)))
        };
        threads.each(designs.len(), &one, take)?;
        self.front = waves.last();
        Ok(())
    }

    /// The outcome of a design compared with a front, and its values.
    fn verdict(
        &self,
        design: &Design,
        front: &Front,
        traces: &[PackedTrace],
        max: f64,
        regions: &mut Regions,
    ) -> Result<(Verdict, Objectives), ReplayError> {
        let spared = self.spared.contains(&design.number);
        let takes_more = |point: &Objectives| point.get(Objective::Accesses) > max && !spared;
        if let Some(&values) = self.known.get(&design.number) {
            let verdict = match front.judge(&values) {
                Some(by) if !spared => Verdict::Cut { by, replayed: false },
                None if takes_more(&values) => Verdict::Stopped { replayed: false },
                _ => Verdict::Kept(None),
            };
            return Ok((verdict, values));
        }
        if let Some(&by) = self.pruned.get(&design.number).filter(|_| !spared) {
            let still = |by: u32| self.known.get(&by).is_some_and(|values| front.covers(values));
            if by.is_none_or(still) {
                return Ok((Verdict::Cut { by, replayed: false }, Objectives::default()));
            }
        }
        if exceeds(&self.stopped, design.number, max) && !spared {
            return Ok((Verdict::Stopped { replayed: false }, Objectives::default()));
        }
        // What is certain of each trace before it is replayed: a heap takes what is requested.
        let mut measures: Vec<Measures> = traces.iter().map(nothing).collect();
        let (mut beaten, mut is_stopped) = (None, false);
        for (number, (trace, region)) in traces.iter().zip(regions.of(traces)?).enumerate() {
            let mut goes_on = |certain: &Measures| {
                measures[number] = certain.clone();
                let point = Objectives::of(&measures);
                beaten = front.judge(&point).filter(|_| !spared);
                is_stopped = takes_more(&point);
                beaten.is_none() && !is_stopped
            };
            let whole = replay_while(&design.spec, trace, region, &mut goes_on)?;
            measures[number] = whole.unwrap_or_default();
            let point = Objectives::of(&measures);
            beaten = beaten.or_else(|| front.judge(&point).filter(|_| !spared));
            is_stopped |= takes_more(&point);
            if beaten.is_some() || is_stopped {
                break;
            }
        }
        let values = Objectives::of(&measures);
        let verdict = match beaten {
            Some(by) => Verdict::Cut { by, replayed: true },
            None if is_stopped => Verdict::Stopped { replayed: true },
            None => Verdict::Kept(Some(measures)),
        };
        Ok((verdict, values))
    }
}

/// Whether a design is known to take more than `max` accesses an operation, as it was stopped.
pub(crate) fn exceeds(stopped: &HashMap<u32, u64>, design: u32, max: f64) -> bool {
    stopped.get(&design).is_some_and(|accesses| *accesses as f64 >= max.floor())
}

/// The measures of a trace that costs nothing beyond what it requests.
fn nothing(trace: &PackedTrace) -> Measures {
    let (operations, requested_peak) = (trace.events.len() as u64, trace.requested_peak);
    Measures { operations, requested_peak, footprint_peak: requested_peak, ..Measures::default() }
}

/// The designs done that none beats, by number.
#[derive(Debug, Clone, Default, PartialEq)]
struct Front(Vec<(u32, Objectives)>);

impl Front {
    /// Why a design with these values, or more, is not kept: the design that beats it, or none as it refuses a request.
    fn judge(&self, values: &Objectives) -> Option<Option<u32>> {
        if values.failed > 0 {
            return Some(None);
        }
        self.0.iter().find(|(_, done)| beats(done, values)).map(|(number, _)| Some(*number))
    }

    /// Whether one of it has no more of any objective than `values`: it beats whatever these beat.
    fn covers(&self, values: &Objectives) -> bool {
        self.0.iter().any(|(_, done)| has_no_more(done, values))
    }

    fn add(&mut self, number: u32, done: Objectives) {
        if self.judge(&done).is_none() {
            self.0.retain(|(_, other)| !beats(&done, other));
            self.0.push((number, done));
        }
    }
}

/// Whether `done` has no more of any objective than `values`, and less of one that both fronts are over.
fn beats(done: &Objectives, values: &Objectives) -> bool {
    let less = |&objective: &Objective| done.get(objective) < values.get(objective);
    has_no_more(done, values) && [Objective::Fragmentation, Objective::Accesses].iter().any(less)
}

fn has_no_more(done: &Objectives, values: &Objectives) -> bool {
    Objective::FRONT.iter().all(|&objective| done.get(objective) <= values.get(objective))
}

/// The waves of some designs, in the order in which threads take them.
struct Waves {
    state: Mutex<State>,
    merged: Condvar,
}

struct State {
    /// What each wave is compared with; the last, what all that are merged left.
    fronts: Vec<Arc<Front>>,
    /// How many designs of each wave are not done.
    open: Vec<usize>,
    /// The designs of each wave that are kept, by place.
    kept: Vec<BTreeMap<usize, (u32, Objectives)>>,
}

impl Waves {
    fn new(designs: usize, front: &Arc<Front>) -> Waves {
        let open: Vec<usize> = (0..designs).step_by(WAVE).map(|first| WAVE.min(designs - first)).collect();
        let kept = vec![BTreeMap::new(); open.len()];
        let fronts = vec![Arc::clone(front); 2];
        Waves { state: Mutex::new(State { fronts, open, kept }), merged: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the design at a place is compared with, as soon as it is known; none when it is over before.
    fn front_of(&self, place: usize, is_over: &dyn Fn() -> bool) -> Option<Arc<Front>> {
        let mut state = self.state();
        loop {
            if let Some(front) = state.fronts.get(place / WAVE) {
                return Some(Arc::clone(front));
            }
            if is_over() {
                return None;
            }
            let waited = self.merged.wait_timeout(state, Duration::from_millis(20));
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The design at a place is done.
    fn done(&self, place: usize, kept: Option<(u32, Objectives)>) {
        let mut state = self.state();
        let wave = place / WAVE;
        state.open[wave] -= 1;
        if let Some(kept) = kept {
            state.kept[wave].insert(place, kept);
        }
        // Waves are merged in their order, whichever is done first.
        while let Some(0) = state.open.get(state.fronts.len() - 2) {
            let wave = state.fronts.len() - 2;
            let mut front = Front::clone(&state.fronts[wave + 1]);
            for (number, values) in std::mem::take(&mut state.kept[wave]).into_values() {
                front.add(number, values);
            }
            state.fronts.push(Arc::new(front));
            self.merged.notify_all();
        }
    }

    /// What all of them left.
    fn last(&self) -> Arc<Front> {
        self.state().fronts.last().map(Arc::clone).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wave_is_compared_with_the_waves_up_to_the_last_but_one_whichever_is_done_first() {
        let waves = Waves::new(2 * WAVE + 1, &Arc::default());
        let never = || false;
        let point = |fragmentation| Objectives::point(fragmentation, 1.0);
        assert_eq!(*waves.front_of(2 * WAVE - 1, &never).expect("the first two wait for nobody"), Front::default());
        (WAVE..2 * WAVE).for_each(|place| waves.done(place, Some((place as u32, point(0.5)))));
        assert_eq!(waves.front_of(2 * WAVE, &|| true), None, "the first wave is not done");
        for place in (0..WAVE).rev() {
            waves.done(place, (place > 0).then_some((place as u32, point(1.0))));
        }
        let front = waves.front_of(2 * WAVE, &never).expect("the first wave is done");
        assert_eq!(front.0[0], (1, point(1.0)), "the first of equals by its place, and nothing of the second wave");
        waves.done(2 * WAVE, None);
        assert_eq!(waves.last().0[0], (WAVE as u32, point(0.5)));
    }

    #[test]
    fn what_has_no_more_than_the_one_that_beat_a_design_beats_it_too() {
        let mut front = Front::default();
        front.add(7, Objectives::point(0.2, 5.0));
        assert_eq!(front.judge(&Objectives::point(0.3, 5.0)), Some(Some(7)));
        assert_eq!(front.judge(&Objectives::point(0.2, 5.0)), None, "an equal is kept");
        assert!(front.covers(&Objectives::point(0.2, 5.0)) && !front.covers(&Objectives::point(0.1, 9.0)));
        let mut refusing = Objectives::point(0.0, 0.0);
        refusing.failed = 1;
        assert_eq!(front.judge(&refusing), Some(None));
    }
}
