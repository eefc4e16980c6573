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
use heapsmith_trace::PackedTrace;

use super::RunError;
use super::observer::{Observer, Stage};
use super::plan::TimingPlan;
use crate::error::SweepError;
use crate::exploration::Exploration;
use crate::finalists::{cost_per_operation, smallest_region};
use crate::measure::MeasureError;
use crate::objective::{Objective, Objectives};
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

    /// Finds the smallest region of the pick: what has to be reserved for it, and what it does there.
    fn region(&mut self, exploration: &mut Exploration, store: &mut Store) -> Result<(), RunError> {
        let Some(pick) = exploration.picked() else { return Ok(()) };
        if exploration.min_region(pick).is_none() {
            self.min_region(exploration, store, pick)?;
        }
        match exploration.min_region(pick) {
            Some(bytes) if exploration.in_region(pick).is_none() => {
                let region = exploration.asked_region().unwrap_or(bytes.0);
                let spec = exploration.rows[pick].design.spec.clone();
                self.confine(exploration, store, &[spec], region)
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
    /// it, and what it needs and does in the smallest region where memory is reserved.
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
        if exploration.work() == Objective::Cost {
            self.value_of_baseline(exploration, store, Objective::Cost, |spec, traces| {
                cost_per_operation(spec, traces).map(Some)
            })?;
        }
        if !exploration.reserves() {
            return Ok(());
        }
        self.value_of_baseline(exploration, store, Objective::MinRegion, |spec, traces| {
            Ok(smallest_region(spec, traces)?.map(|bytes| bytes as f64))
        })?;
        let Some(bytes) = exploration.baseline_min_region().filter(|_| exploration.baseline_in_region().is_none())
        else {
            return Ok(());
        };
        match exploration.asked_region() {
            Some(asked) if asked < bytes.0 => Ok(()),
            asked => self.confine(exploration, store, std::slice::from_ref(spec), asked.unwrap_or(bytes.0)),
        }
    }

    /// Measures one value of the baseline, where it serves every request and that is not known.
    fn value_of_baseline(
        &mut self,
        exploration: &mut Exploration,
        store: &mut Store,
        objective: Objective,
        measure: impl FnOnce(&Spec, &[PackedTrace]) -> Result<Option<f64>, ReplayError>,
    ) -> Result<(), RunError> {
        let baseline = exploration.baseline();
        let is_open = |known: &Objectives| known.failed == 0 && !known.get(objective).is_finite();
        let Some(spec) = baseline.spec().filter(|_| exploration.baseline_objectives().is_some_and(is_open)) else {
            return Ok(());
        };
        let traces = self.traces.get()?;
        self.observer.stage(Stage::Baseline);
        let value = measure(spec, traces).map_err(SweepError::from);
        self.observer.stage(Stage::Idle);
        if let Some(value) = value? {
            store.add_value(&spec.to_string(), objective, value)?;
        }
        (exploration.baselines, exploration.catalogue) = (store.baselines()?, store.catalogue()?);
        Ok(())
    }

    /// Measures the smallest regions and code sizes of the finalists, where the goal asks for them.
    fn finalists(&mut self, exploration: &mut Exploration, store: &mut Store) -> Result<(), RunError> {
        let unmeasured = exploration.unmeasured(&store.finalists()?);
        if !unmeasured.is_empty() {
            let traces = self.traces.get()?;
            self.observer.stage(Stage::Finalists);
            let threads = Threads { jobs: self.jobs, stop: self.stop };
            let observer = &mut *self.observer;
            let outcome = exploration.measure_finalists(&unmeasured, store, traces, &threads, &mut |spec| {
                observer.code_size(spec).map_err(RunError::CodeSize)
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
        self.observer.stage(Stage::Times);
        let (observer, stop) = (&mut *self.observer, self.stop);
        let mut watch = |at: Work<'_>| {
            observer.work(at);
            !stop.load(Ordering::Relaxed)
        };
        let outcome = exploration.retime(store, traces, &mut named, timing.rounds, &mut watch);
        self.observer.stage(Stage::Idle);
        outcome.map_err(stopped)?;
        let Some(command) = timing.command.as_deref().filter(|_| !timing.peers.is_empty()) else { return Ok(()) };
        self.observer.stage(Stage::Pages);
        let observer = &mut *self.observer;
        let mut watch = |at: Work<'_>| {
            observer.work(at);
            !stop.load(Ordering::Relaxed)
        };
        let outcome = exploration.measure_pages(store, traces, &named, command, &mut watch);
        self.observer.stage(Stage::Idle);
        match outcome {
            Err(MeasureError::Pages(error @ PagesError::System { .. })) => {
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
