//! What is measured of few designs, as it costs many replays or a compiler: smallest region, time, code size.
//!
//! ```text
//!   all designs ─ counted constraints ─▶ nearest to the fronts, at most 64 ─▶ measured ─▶ front over everything chosen
//! ```
//!
//! The front over an objective that no replay counts is a front of the finalists. Of designs with the very same measures
//! one is a finalist.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use heapsmith_replay::{Region, ReplayError, min_region};
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;
use rusqlite::params;

use crate::exploration::Exploration;
use crate::objective::{Objective, Objectives};
use crate::pick::Preference;
use crate::search::distances;
use crate::store::{Store, StoreError};
use crate::sweep::SweepError;

/// The most designs that are measured.
pub const FINALISTS: usize = 64;

impl Exploration {
    /// The designs that are measured: of those that serve and keep the constraints that replays count, the nearest to
    /// the front over the chosen objectives that replays count, and to the one over fragmentation and accesses; and the
    /// picks of a classic space that is a part of a wider one.
    pub fn finalists(&self) -> Vec<usize> {
        let mut points: Vec<Objectives> = self.points.clone();
        points.iter_mut().for_each(|point| point.excluded = !self.goal.admits(point, true));
        let mut seen: Vec<&Objectives> = Vec::new();
        let counted = self.goal.objectives.iter().copied().filter(|objective| objective.is_counted()).collect();
        let fronts = [counted, vec![Objective::Fragmentation, Objective::Accesses]];
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
        // What wider spaces are compared with has to be known of the classic picks.
        let preferences = [Preference::Balanced, Preference::Speed, Preference::Memory, Preference::Bounded];
        finalists.extend(preferences.into_iter().filter_map(|preference| self.classic_pick(preference)));
        finalists.sort_unstable();
        finalists.dedup();
        finalists
    }

    /// Measures what the goal asks for of the finalists and no replay counts, but for times, which [`Exploration::retime`]
    /// measures; keeps it, and finds the fronts anew. `code_size` tells the bytes of a heap's code, where it can be
    /// emitted.
    pub fn measure_finalists<E: From<SweepError>>(
        &mut self,
        store: &mut Store,
        traces: &[PackedTrace],
        jobs: usize,
        stop: &AtomicBool,
        code_size: &mut dyn FnMut(&Spec) -> Result<Option<u64>, E>,
    ) -> Result<(), E> {
        let finalists = self.finalists();
        if self.goal.asks_for(Objective::MinRegion) {
            let open: Vec<usize> =
                finalists.iter().copied().filter(|&index| !self.knows(index, Objective::MinRegion)).collect();
            let regions = self.smallest_regions(&open, traces, jobs, stop)?;
            for (index, bytes) in open.into_iter().zip(regions) {
                self.keep(store, index, Objective::MinRegion, bytes)?;
            }
        }
        if self.goal.asks_for(Objective::CodeSize) {
            for &index in &finalists {
                if stop.load(Ordering::Relaxed) {
                    return Err(SweepError::Interrupted.into());
                }
                if !self.knows(index, Objective::CodeSize) {
                    let bytes = code_size(&self.rows[index].design.spec)?;
                    self.keep(store, index, Objective::CodeSize, bytes)?;
                }
            }
        }
        self.settle();
        Ok(())
    }

    fn knows(&self, index: usize, objective: Objective) -> bool {
        self.points[index].get(objective).is_finite()
    }

    fn keep(
        &mut self,
        store: &Store,
        index: usize,
        objective: Objective,
        bytes: Option<u64>,
    ) -> Result<(), SweepError> {
        let Some(bytes) = bytes else { return Ok(()) };
        store.add_finalist(self.rows[index].design.number, objective, bytes)?;
        self.points[index].set(objective, bytes as f64);
        Ok(())
    }

    /// The smallest region of each design: the largest that any trace needs; none where a trace is not served.
    fn smallest_regions(
        &self,
        designs: &[usize],
        traces: &[PackedTrace],
        jobs: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Option<u64>>, SweepError> {
        let next = AtomicUsize::new(0);
        let found = Mutex::new(vec![Ok(None); designs.len()]);
        std::thread::scope(|scope| {
            for _ in 0..jobs.clamp(1, designs.len().max(1)) {
                scope.spawn(|| {
                    while !stop.load(Ordering::Relaxed) {
                        let place = next.fetch_add(1, Ordering::Relaxed);
                        let Some(&index) = designs.get(place) else { return };
                        let bytes = smallest_region(&self.rows[index].design.spec, traces);
                        found.lock().unwrap_or_else(PoisonError::into_inner)[place] = bytes;
                    }
                });
            }
        });
        if stop.load(Ordering::Relaxed) {
            return Err(SweepError::Interrupted);
        }
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        found.into_iter().map(|bytes| bytes.map_err(SweepError::from)).collect()
    }
}

fn smallest_region(spec: &Spec, traces: &[PackedTrace]) -> Result<Option<u64>, ReplayError> {
    let mut max = 0;
    for trace in traces {
        match min_region(spec, trace, &mut Region::for_trace(trace)?)? {
            Some(bytes) => max = max.max(bytes.0),
            None => return Ok(None),
        }
    }
    Ok(Some(max))
}

impl Store {
    fn add_finalist(&self, design: u32, objective: Objective, bytes: u64) -> Result<(), StoreError> {
        let row = params![design, objective.name(), bytes as i64];
        self.run(|db| db.execute("INSERT OR REPLACE INTO finalist VALUES (?, ?, ?)", row)).map(|_| ())
    }

    /// What was measured of finalists: design, objective, value.
    pub(crate) fn finalists(&self) -> Result<Vec<(u32, Objective, f64)>, StoreError> {
        let rows: Vec<(u32, String, i64)> = self.run(|db| {
            let mut statement = db.prepare("SELECT design, objective, value FROM finalist")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
        })?;
        let known = |(design, name, value): (u32, String, i64)| Some((design, name.parse().ok()?, value as f64));
        Ok(rows.into_iter().filter_map(known).collect())
    }
}
