//! What is measured of few designs, as it costs many replays, slow ones, or a compiler: counted cost, smallest region, time,
//! code size.
//!
//! ```text
//!   all designs ─ counted constraints ─▶ nearest to the fronts, at most 64 ─▶ measured ─▶ front over everything chosen
//! ```
//!
//! The front over an objective that no replay counts is a front of the finalists. Of designs with the very same values
//! one is a finalist. Who is one is decided by what replays count alone, whatever was measured of designs before; so the
//! same command finds the same finalists again.
//!
//! The counted cost is what work is ranked by where the target has caches ([`Exploration::work`]); then it is measured of
//! every design that may be picked.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use heapsmith_replay::{Region, ReplayError, cost, full_region, min_region};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::candidates::candidates;
use crate::error::SweepError;
use crate::exploration::{Exploration, fits};
use crate::objective::{Objective, Objectives};
use crate::pick::Preference;
use crate::search::{distances, windows};
use crate::store::{Store, StoreError};
use crate::workers::{Threads, Worker};

/// The most designs that are measured for being near a front.
pub const FINALISTS: usize = 64;

/// The most that are measured for their proof.
const PROVEN: usize = 16;

/// The cost is counted on no more events, of all traces together: of a long trace on its begin and on a window around its
/// peak.
const COSTED: usize = 200_000;

/// What the cost and instructions are kept in: parts of one of an operation.
const PARTS: u64 = 100;

impl Store {
    /// Keeps what was measured of a heap that was compiled.
    pub(crate) fn add_compiled(&mut self, design: u32, what: Objective, value: f64) -> Result<(), StoreError> {
        let unit = if what.is_kept_in_parts() { PARTS as f64 } else { 1.0 };
        self.add_finalist(design, what, (value * unit).round() as u64)
    }
}

impl Exploration {
    /// The designs that are measured: of those that serve and keep the constraints that replays count, the nearest to
    /// the front over the chosen objectives that replays count, and to the one over fragmentation and accesses; and the
    /// picks of a usual space that is a part of a wider one; and where a proof is preferred, those with the best.
    pub fn finalists(&self) -> Vec<usize> {
        let mut points: Vec<Objectives> = self.rows.iter().map(|row| Objectives::of(&row.measures)).collect();
        for (point, row) in points.iter_mut().zip(&self.rows) {
            point.excluded = !(fits(self.target, row) && self.question.goal.admits(point, true));
        }
        let mut seen: Vec<&Objectives> = Vec::new();
        let usual = [Objective::Fragmentation, Objective::Accesses];
        let fronts = [self.question.goal.counted().collect(), usual.to_vec()];
        let far: Vec<Vec<f64>> = fronts.iter().map(|over: &Vec<Objective>| distances(&points, over)).collect();
        let nearest = |index: usize| far.iter().map(|each| each[index]).fold(f64::INFINITY, f64::min);
        let mut ranked: Vec<(f64, usize)> = (0..points.len())
            .filter(|&index| points[index].is_compared())
            .map(|index| (nearest(index), index))
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut finalists: Vec<usize> = Vec::new();
        for (_, index) in ranked {
            if finalists.len() == FINALISTS {
                break;
            }
            if !seen.contains(&&points[index]) {
                seen.push(&points[index]);
                finalists.push(index);
            }
        }
        // What wider spaces are compared with has to be known of the usual picks.
        let drawn = self.question.goal.balanced();
        let drawn = if drawn.iter().all(|objective| objective.is_counted()) { drawn } else { usual };
        finalists.extend(Preference::ALL.iter().filter_map(|&each| self.usual_pick_of(points.clone(), each, drawn)));
        if self.question.preference == Preference::Bounded {
            finalists.extend(self.preferred_by_proof(&points, PROVEN));
        }
        finalists.sort_unstable();
        finalists.dedup();
        finalists
    }

    /// What the goal asks for and is measured of finalists, but for times; and the cost, where work is ranked by it. Each
    /// with the designs that it is measured of.
    fn open_objectives(&self) -> Vec<(Objective, Vec<usize>)> {
        let goal = &self.question.goal;
        let mut asked = Vec::new();
        if self.asks_for_cost() {
            asked.push((Objective::Cost, if self.question.robust { candidates(self) } else { self.finalists() }));
        }
        let measured = [Objective::MinRegion].into_iter().chain(Objective::COMPILED);
        asked.extend(measured.filter(|&one| goal.asks_for(one)).map(|one| (one, self.finalists())));
        asked
    }

    /// Takes over what was measured of the finalists, by design and objective.
    pub(crate) fn learn(&mut self, known: &HashMap<(u32, Objective), f64>) {
        let regions = known.iter().filter(|((_, objective), _)| *objective == Objective::MinRegion);
        self.regions = regions.map(|((number, _), bytes)| (*number, *bytes as u64)).collect();
        let mut measured = self.open_objectives();
        // Instructions are shown of all that they were ever counted of.
        let all = || (0..self.rows.len()).collect();
        measured.extend([Objective::Instructions, Objective::MaxInstructions].map(|objective| (objective, all())));
        for (objective, designs) in measured {
            let unit = if objective.is_kept_in_parts() { PARTS as f64 } else { 1.0 };
            for index in designs {
                if let Some(&value) = known.get(&(self.rows[index].design.number, objective)) {
                    self.points[index].set(objective, value / unit);
                }
            }
        }
    }

    /// What the goal asks for of the finalists, no replay counts, and is not known yet, but for times: designs by their
    /// objective.
    pub(crate) fn unmeasured(&self, known: &HashMap<(u32, Objective), f64>) -> Vec<(Objective, Vec<usize>)> {
        let mut asked = self.open_objectives();
        for (objective, designs) in &mut asked {
            designs.retain(|&index| !known.contains_key(&(self.rows[index].design.number, *objective)));
        }
        asked.retain(|(_, open)| !open.is_empty());
        asked
    }

    /// Measures what is [`Exploration::unmeasured`], and keeps it. `compiled` measures a heap that has to be compiled,
    /// where it can be emitted.
    pub(crate) fn measure_finalists<E: From<SweepError>>(
        &self,
        unmeasured: &[(Objective, Vec<usize>)],
        store: &mut Store,
        traces: &[PackedTrace],
        threads: &Threads<'_>,
        compiled: &mut Compiles<'_, E>,
    ) -> Result<(), E> {
        for (objective, open) in unmeasured {
            let design = |place: usize| &self.rows[open[place]].design;
            let counted = match objective {
                Objective::MinRegion => Some(smallest_region as Counts),
                Objective::Cost => Some(counted_cost as Counts),
                _ => None,
            };
            if let Some(count) = counted {
                let one = |place: usize, _: &mut Worker<'_>| Ok(Some((place, count(&design(place).spec, traces)?)));
                let keep = &mut |batch: Vec<(usize, Option<u64>)>| {
                    for (place, bytes) in batch {
                        bytes.map_or(Ok(()), |bytes| store.add_finalist(design(place).number, *objective, bytes))?;
                    }
                    Ok(())
                };
                threads.each(open.len(), &one, keep)?;
                continue;
            }
            for place in 0..open.len() {
                if threads.stop.load(Ordering::Relaxed) {
                    return Err(SweepError::Interrupted.into());
                }
                if let Some(value) = compiled(*objective, &design(place).spec)? {
                    store.add_compiled(design(place).number, *objective, value).map_err(SweepError::from)?;
                }
            }
        }
        Ok(())
    }
}

/// Measures one of [`Objective::COMPILED`] of a heap; none if it cannot be emitted.
type Compiles<'c, E> = dyn FnMut(Objective, &Spec) -> Result<Option<f64>, E> + 'c;

/// Counts something of a design on traces; none where a trace is not served.
type Counts = fn(&Spec, &[PackedTrace]) -> Result<Option<u64>, ReplayError>;

/// The cost of an operation of a design, in [`PARTS`] of a model cycle.
fn counted_cost(spec: &Spec, traces: &[PackedTrace]) -> Result<Option<u64>, ReplayError> {
    let share = COSTED / traces.len().max(1);
    let (mut cycles, mut operations) = (0, 0);
    for trace in traces {
        let long = trace.events.len() > share;
        let parts = if long { windows(trace, share).to_vec() } else { Vec::new() };
        for part in if long { parts.iter() } else { std::slice::from_ref(trace).iter() } {
            let counted = cost(spec, part, &mut Region::for_trace(part)?)?;
            cycles += counted.cycles();
            operations += counted.operations;
        }
    }
    Ok(Some(cycles * PARTS / operations.max(1)))
}

/// The same in model cycles, as objectives have it.
pub(crate) fn cost_per_operation(spec: &Spec, traces: &[PackedTrace]) -> Result<f64, ReplayError> {
    Ok(counted_cost(spec, traces)?.map_or(f64::INFINITY, |parts| parts as f64 / PARTS as f64))
}

/// The smallest region of a design: the largest that any trace needs; none if a trace is not served.
pub(crate) fn smallest_region(spec: &Spec, traces: &[PackedTrace]) -> Result<Option<u64>, ReplayError> {
    largest(min_region, spec, traces)
}

/// The region to reserve for a heap: the largest for any trace; none if a trace is not served.
pub(crate) fn region_to_reserve(spec: &Spec, traces: &[PackedTrace]) -> Result<Option<u64>, ReplayError> {
    largest(full_region, spec, traces)
}

/// Finds a region for a trace.
type Finds = fn(&Spec, &PackedTrace, &mut Region) -> Result<Option<Bytes>, ReplayError>;

fn largest(find: Finds, spec: &Spec, traces: &[PackedTrace]) -> Result<Option<u64>, ReplayError> {
    let mut max = 0;
    for trace in traces {
        match find(spec, trace, &mut Region::for_trace(trace)?)? {
            Some(bytes) => max = max.max(bytes.0),
            None => return Ok(None),
        }
    }
    Ok(Some(max))
}
