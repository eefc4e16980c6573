//! From counted results to an answer: what no replay of the sweep counted is measured of few designs.
//!
//! ```text
//!   counted ─▶ finalists: smallest region, code ─▶ times, where they decide ─▶ pick ─▶ its region, the baseline
//! ```
//!
//! Exploring and asking again go this way both, so they answer alike. What was measured before is in the store, and the
//! traces are read when something is missing there.

use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_replay::{PagesError, ReplayError};
use heapsmith_spec::Spec;

use super::RunError;
use super::observer::{Observer, Stage};
use super::plan::TimingPlan;
use crate::error::SweepError;
use crate::exploration::Exploration;
use crate::finalists::{cost_per_operation, region_to_reserve, smallest_region};
use crate::measure::MeasureError;
use crate::objective::Objective;
use crate::progress::Work;
use crate::regions::Regions;
use crate::store::Store;
use crate::traces::Traces;
use crate::workers::Threads;

/// How an answer is found.
pub(super) struct Answering<'c> {
    pub traces: &'c Traces<'c>,
    /// Threads to replay on.
    pub jobs: usize,
    /// Set to stop.
    pub stop: &'c AtomicBool,
    pub timing: &'c TimingPlan,
    pub observer: &'c mut dyn Observer,
}

impl Answering<'_> {
    /// Measures what decides the answer to the question of an exploration.
    pub fn decide(&mut self, exploration: &mut Exploration, store: &mut Store) -> Result<(), RunError> {
        self.finalists(exploration, store)?;
        self.robust(exploration, store)?;
        if exploration.question.goal.asks_for(Objective::Time) {
            // The pick depends on times, so all that may be picked is timed, and in one go: only such times compare.
            let also: Vec<usize> = exploration.recommended().chain(exploration.finalists()).collect();
            if !also.iter().chain(&exploration.front_2d).all(|&index| exploration.timing(index).is_some()) {
                self.measure(exploration, store, &also)?;
            }
        }
        self.region(exploration, store)?;
        self.baseline(exploration, store)
    }

    /// Replays the candidates for the pick on changed copies of the traces.
    fn robust(&mut self, exploration: &mut Exploration, store: &mut Store) -> Result<(), RunError> {
        if exploration.learn_robust(store)? {
            return Ok(());
        }
        let threads = Threads { jobs: self.jobs, stop: self.stop };
        let (traces, observer) = (self.traces.get()?, &mut *self.observer);
        let watch = &mut |change, changes| observer.stage(Stage::Robust(change, changes));
        let outcome = exploration.measure_robust(store, traces, &threads, watch);
        self.observer.stage(Stage::Idle);
        Ok(outcome?)
    }

    /// Finds the region to reserve for the pick and what it does there, and the smallest that serves.
    fn region(&mut self, exploration: &mut Exploration, store: &mut Store) -> Result<(), RunError> {
        let Some(pick) = exploration.picked() else { return Ok(()) };
        if exploration.min_region(pick).is_none() {
            self.min_region(exploration, store, pick)?;
        }
        let spec = exploration.rows[pick].design.spec.clone();
        self.reserve(exploration, store, &spec)?;
        // What forms of it take of which more is proven.
        let forms = exploration.forms_with_region(pick);
        forms.iter().try_for_each(|(_, spec, _)| self.reserve(exploration, store, spec))
    }

    /// Finds the region to reserve for a heap, and replays it there.
    fn reserve(&mut self, exploration: &mut Exploration, store: &mut Store, spec: &Spec) -> Result<(), RunError> {
        if exploration.reserve_of(spec).is_none() {
            let traces = self.traces.get()?;
            self.observer.stage(Stage::Region);
            let bytes = region_to_reserve(spec, traces).map_err(SweepError::from);
            self.observer.stage(Stage::Idle);
            let Some(bytes) = bytes? else { return Ok(()) };
            store.add_reserve(&spec.to_string(), bytes)?;
            exploration.reserves.insert(spec.to_string(), bytes);
        }
        match exploration.reserve_of(spec) {
            Some(bytes) if exploration.promised(spec).is_none() => {
                self.confine(exploration, store, std::slice::from_ref(spec), bytes.0)
            }
            _ => Ok(()),
        }
    }

    fn min_region(&mut self, exploration: &mut Exploration, store: &mut Store, pick: usize) -> Result<(), RunError> {
        let (design, traces) = (&exploration.rows[pick].design, self.traces.get()?);
        self.observer.stage(Stage::Region);
        let bytes = smallest_region(&design.spec, traces).map_err(SweepError::from);
        self.observer.stage(Stage::Idle);
        if let Some(bytes) = bytes? {
            store.add_finalist(design.number, Objective::MinRegion, bytes)?;
            exploration.regions.insert(design.number, bytes);
        }
        Ok(())
    }

    /// Measures of the baseline, where it is a spec, what it is compared by: its replay, its cost where work is ranked by
    /// it, and what it needs and does there where memory is reserved.
    fn baseline(&mut self, exploration: &mut Exploration, store: &mut Store) -> Result<(), RunError> {
        let baseline = exploration.baseline();
        let Some(spec) = baseline.spec() else { return Ok(()) };
        if exploration.baseline_objectives().is_none() {
            let traces = self.traces.get()?;
            self.observer.stage(Stage::Baseline);
            let measures = Regions::default().replay_until(spec, traces, self.stop).map_err(SweepError::from);
            self.observer.stage(Stage::Idle);
            store.add_baseline(baseline.name(), &spec.to_string(), &measures?.ok_or(SweepError::Interrupted)?)?;
            exploration.baselines = store.baselines()?;
        }
        let Some(known) = exploration.baseline_objectives() else { return Ok(()) };
        let (serves, is_costed) = (known.failed == 0, known.get(Objective::Cost).is_finite());
        if serves && !is_costed && exploration.work() == Objective::Cost {
            let traces = self.traces.get()?;
            self.observer.stage(Stage::Baseline);
            let cost = cost_per_operation(spec, traces).map_err(SweepError::from);
            self.observer.stage(Stage::Idle);
            store.add_cost(&spec.to_string(), cost?)?;
            (exploration.baselines, exploration.catalogue) = (store.baselines()?, store.catalogue()?);
        }
        if serves && exploration.memory_is_reserved() { self.reserve(exploration, store, spec) } else { Ok(()) }
    }

    /// Measures the smallest regions and code sizes of the finalists, where the goal asks for them.
    fn finalists(&mut self, exploration: &mut Exploration, store: &mut Store) -> Result<(), RunError> {
        let unmeasured = exploration.unmeasured(&store.finalists()?);
        if !unmeasured.is_empty() {
            let traces = self.traces.get()?;
            self.observer.stage(Stage::Finalists);
            let threads = Threads { jobs: self.jobs, stop: self.stop };
            let observer = &mut *self.observer;
            let outcome = exploration.measure_finalists(&unmeasured, store, traces, &threads, &mut |what, spec| {
                observer.compiled(what, spec, traces).map_err(RunError::CodeSize)
            });
            self.observer.stage(Stage::Idle);
            outcome?;
        }
        exploration.learn(&store.finalists()?);
        let unconfined = exploration.unconfined();
        if let Some(region) = exploration.asked_region().filter(|_| !unconfined.is_empty()) {
            let specs: Vec<Spec> =
                unconfined.iter().map(|&index| exploration.rows[index].design.spec.clone()).collect();
            self.confine(exploration, store, &specs, region)?;
        }
        exploration.take_confined();
        exploration.settle();
        Ok(())
    }

    /// Counts instructions of the finalists, for who reads the table. Where that cannot be done it is left out.
    pub fn instructions(&mut self, exploration: &mut Exploration, store: &mut Store) -> Result<(), RunError> {
        let (known, finalists, traces) = (store.finalists()?, exploration.finalists(), self.traces.get()?);
        self.observer.stage(Stage::Instructions);
        let outcome = finalists.iter().enumerate().try_for_each(|(done, &index)| {
            let design = &exploration.rows[index].design;
            let number = design.number.to_string();
            self.observer.work(Work { name: &number, done, total: finalists.len() });
            for what in [Objective::Instructions, Objective::MaxInstructions] {
                if self.stop.load(Ordering::Relaxed) {
                    return Err(SweepError::Interrupted.into());
                }
                if !known.contains_key(&(design.number, what))
                    && let Some(value) =
                        self.observer.compiled(what, &design.spec, traces).map_err(RunError::CodeSize)?
                {
                    store.add_compiled(design.number, what, value)?;
                }
            }
            Ok(())
        });
        self.observer.stage(Stage::Idle);
        match outcome {
            Err(RunError::CodeSize(error)) => {
                self.observer.without_instructions(&*error);
                Ok(())
            }
            outcome => {
                outcome?;
                exploration.learn(&store.finalists()?);
                Ok(())
            }
        }
    }

    /// Replays heaps in a region of fixed size.
    fn confine(
        &mut self,
        exploration: &mut Exploration,
        store: &mut Store,
        specs: &[Spec],
        region: u64,
    ) -> Result<(), RunError> {
        self.observer.stage(Stage::Confined(region));
        let threads = Threads { jobs: self.jobs, stop: self.stop };
        let outcome = self
            .traces
            .get()
            .map_err(RunError::from)
            .and_then(|traces| Ok(exploration.confine(specs, region, store, traces, &threads)?));
        self.observer.stage(Stage::Idle);
        outcome
    }

    /// Times the front and what is compared with it, and measures its memory by pages.
    pub fn measure(
        &mut self,
        exploration: &mut Exploration,
        store: &mut Store,
        also: &[usize],
    ) -> Result<(), RunError> {
        let (timing, traces) = (self.timing, self.traces.get()?);
        let mut named = exploration.named(also, &timing.peers);
        self.observer.stage(Stage::Shipping(named.len() - timing.peers.len()));
        let shipped = self.observer.shipped(named.iter().map(|named| named.subject.clone()).collect(), self.stop);
        named.iter_mut().zip(shipped).for_each(|(named, subject)| named.subject = subject);
        self.observer.stage(Stage::Times);
        let (observer, stop) = (&mut *self.observer, self.stop);
        let mut watch = |at: Work<'_>| {
            observer.work(at);
            !stop.load(Ordering::Relaxed)
        };
        let outcome =
            exploration.retime(store, traces, &mut named, timing.rounds, timing.command.as_deref(), &mut watch);
        self.observer.stage(Stage::Idle);
        outcome.map_err(stopped)?;
        let Some(command) = timing.command.as_deref().filter(|_| !timing.peers.is_empty()) else { return Ok(()) };
        self.observer.stage(Stage::Pages);
        let observer = &mut *self.observer;
        let mut watch = |at: Work<'_>| {
            observer.work(at);
            !stop.load(Ordering::Relaxed)
        };
        let outcome = exploration.measure_pages(store, traces, &named, command, self.jobs, &mut watch);
        self.observer.stage(Stage::Idle);
        match outcome {
            Err(MeasureError::Pages(error @ (PagesError::System { .. } | PagesError::Memory { .. }))) => {
                self.observer.without_pages(&error);
                Ok(())
            }
            outcome => outcome.map_err(stopped),
        }
    }
}

/// What was asked to stop is an interrupted exploration: the same plan resumes from it.
fn stopped(error: MeasureError) -> RunError {
    match error {
        MeasureError::Replay(ReplayError::Stopped) => SweepError::Interrupted.into(),
        error => error.into(),
    }
}
