//! The course of an exploration, for every caller: the command, Python, the driver of a cluster, a test.
//!
//! ```text
//!   Plan ─▶ folder, lock ─▶ designs ─▶ sweep ─▶ finalists ─▶ pick, region, baseline ─▶ answer kept ─▶ tables
//!                              │                                                          └▶ catalogue ─▶ times, pages ─▶ hold-out
//!                              └────── Observer: what is done now, and how far it is ──────┘
//! ```
//!
//! What is wanted is held here and never read back, and nobody else writes to the folder; so what is found is a function of
//! the plan.

mod answering;
mod ask;
mod observer;
mod plan;

use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use heapsmith_trace::{PackedTrace, TraceError};

use crate::agreement::Agreement;
use crate::catalogue::measure_catalogue_on;
use crate::coverage::Coverage;
use crate::error::SweepError;
use crate::evaluated::Evaluated;
use crate::exploration::Exploration;
use crate::export::write_tables;
use crate::folder::Folder;
use crate::holdout::HoldOut;
use crate::measure::MeasureError;
use crate::objective::Objective;
use crate::regret::evaluate;
use crate::search::Strategy;
use crate::space::{Space, SpaceError};
use crate::store::{Store, StoreError};
use crate::sweep::{Done, Sweep, sweep_on};
use crate::traces::Traces;
use crate::workers::{Threads, Workers};

use answering::Answering;

pub use ask::{Ask, ask, asked};
pub use observer::{Observer, Stage, Swept};
pub use plan::{Plan, TimingPlan};

/// The results of a plan.
#[derive(Debug)]
pub struct Found {
    /// The results.
    pub exploration: Exploration,
    /// The index of the preferred design; none if no design serves and keeps the constraints.
    pub pick: Option<usize>,
    /// What the search had found of the whole, where it was compared.
    pub agreement: Option<(Agreement, usize)>,
    /// Seconds that the sweep took, where no design was done before.
    pub seconds: Option<f64>,
    /// Whether the folder answers this question now. It goes on to answer the one before where nothing was found.
    pub kept: bool,
}

/// Why a plan came to nothing.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// What was asked for makes no sense.
    #[error("{0}")]
    WrongUse(String),
    /// The space makes no designs.
    #[error("{name}: {source}")]
    Space {
        /// Its name.
        name: String,
        /// What is wrong with it.
        source: SpaceError,
    },
    /// The traces could not be kept.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The results do not answer.
    #[error("this cannot be answered from what was explored: {0}")]
    Unknown(String),
    /// The designs could not be replayed.
    #[error(transparent)]
    Sweep(#[from] SweepError),
    /// Times or memory could not be measured.
    #[error(transparent)]
    Measure(#[from] MeasureError),
    /// The code of a heap could not be measured.
    #[error(transparent)]
    CodeSize(Box<dyn Error + Send + Sync>),
    /// A file or folder could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl From<StoreError> for RunError {
    fn from(error: StoreError) -> RunError {
        RunError::Sweep(error.into())
    }
}

/// Writes the trace of a number, counted from 0, to a file, which must appear whole or not at all.
pub type WriteTrace<'w> = dyn FnMut(usize, &Path) -> Result<(), TraceError> + 'w;

/// Explores on the threads of this process.
///
/// # Errors
///
/// [`RunError`] says what stopped it. The results so far are kept, and the same plan resumes from them.
pub fn run(plan: &Plan<'_>, write: &mut WriteTrace<'_>, observer: &mut dyn Observer) -> Result<Found, RunError> {
    run_on(plan, &mut Threads { jobs: plan.jobs, stop: plan.stop }, write, observer)
}

/// As [`run`], with replays done by workers elsewhere. What is cut short (`prune`) is replayed here.
///
/// # Errors
///
/// Those of [`run`].
pub fn run_on(
    plan: &Plan<'_>,
    workers: &mut dyn Workers,
    write: &mut WriteTrace<'_>,
    observer: &mut dyn Observer,
) -> Result<Found, RunError> {
    verify(plan)?;
    let space = make_space(plan, plan.traces, observer)?;
    let mut store = begin(plan, &space, write, observer)?;
    Course { plan, workers, observer }.explore(&space, &mut store)
}

/// Whether the parts of a plan go together.
fn verify(plan: &Plan<'_>) -> Result<(), RunError> {
    let wrong = |text: String| Err(RunError::WrongUse(text));
    if plan.traces.is_empty() {
        return wrong("there is no trace to explore".to_owned());
    }
    if plan.holdout.each && plan.traces.len() < 2 {
        return wrong("--holdout each holds out every trace in turn: name two traces or more".to_owned());
    }
    if let Some(objective) = plan.question.goal.unsound_to_prune().filter(|_| plan.prune) {
        let (cut, wanted) = ("by fragmentation, accesses, p99 and max", objective.words());
        return wrong(format!("--prune cuts designs short {cut}, not by {wanted}: leave out --prune, or {wanted}"));
    }
    if plan.holdout.perturbed > HoldOut::MAX_PERTURBED {
        return wrong(format!(
            "{} perturbed copies are too many: at most {}",
            plan.holdout.perturbed,
            HoldOut::MAX_PERTURBED
        ));
    }
    Ok(())
}

fn make_space(plan: &Plan<'_>, traces: &[PackedTrace], observer: &mut dyn Observer) -> Result<Space, RunError> {
    observer.stage(Stage::Designs);
    let (name, text) = plan.space;
    let space = Space::for_target(name, text, plan.target, traces);
    observer.stage(Stage::Idle);
    space.map_err(|source| RunError::Space { name: name.to_owned(), source })
}

/// Takes the folder, and opens the store there, with the traces next to it.
fn begin(
    plan: &Plan<'_>,
    space: &Space,
    write: &mut WriteTrace<'_>,
    observer: &mut dyn Observer,
) -> Result<Store, RunError> {
    make_dir(plan.dir)?;
    let folder = match Folder::take(plan.dir) {
        Err(StoreError::Busy { .. }) if plan.wait => {
            observer.stage(Stage::Waiting);
            let folder = Folder::wait(plan.dir, plan.stop)?.ok_or(SweepError::Interrupted)?;
            observer.stage(Stage::Idle);
            folder
        }
        folder => folder?,
    };
    folder.begin(space, plan.traces, plan.command, &mut |number, path| Ok::<(), RunError>(write(number, path)?))
}

fn make_dir(dir: &Path) -> Result<(), RunError> {
    fs::create_dir_all(dir).map_err(|source| RunError::Write { path: dir.to_owned(), source })
}

/// What a sweep gave, or two that are compared.
struct Covered {
    exploration: Exploration,
    coverage: Coverage,
    chosen: Vec<u32>,
    agreement: Option<(Agreement, usize)>,
    seconds: Option<f64>,
}

/// A plan that is carried out.
struct Course<'c, 'a> {
    plan: &'c Plan<'a>,
    workers: &'c mut dyn Workers,
    observer: &'c mut dyn Observer,
}

impl Course<'_, '_> {
    /// Answers the question, keeps the answer, and measures what follows it.
    fn explore(&mut self, space: &Space, store: &mut Store) -> Result<Found, RunError> {
        let plan = self.plan;
        let by_time = plan.question.goal.asks_for(Objective::Time);
        if by_time {
            // Only times that were taken in one go compare, so what is timed has to be known before.
            self.catalogue(store)?;
        }
        let Covered { mut exploration, coverage, chosen, agreement, seconds } = self.cover(space, store)?;
        if !by_time {
            (exploration.timings, exploration.pages) = (store.timings()?, store.pages()?);
        }
        let traces = Traces::Given(plan.traces);
        self.answering(&traces).decide(&mut exploration, store)?;
        let pick = exploration.picked();
        // Where nothing meets what is asked, a question that was answered before stays.
        let kept = pick.is_some() || store.question()?.is_none();
        if kept {
            store.answer(&plan.question, &coverage, &chosen)?;
            write_tables(&exploration, plan.dir).map_err(|(path, source)| RunError::Write { path, source })?;
        }
        if pick.is_some() {
            self.observer.answered(&exploration);
            self.follow(&mut exploration, store, &traces)?;
        }
        Ok(Found { exploration, pick, agreement, seconds, kept })
    }

    fn answering<'t>(&'t mut self, traces: &'t Traces<'t>) -> Answering<'t> {
        let Plan { jobs, stop, ref timing, .. } = *self.plan;
        Answering { traces, jobs, stop, timing, observer: &mut *self.observer }
    }

    /// What follows an answer: it changes nothing of it, and an interrupt loses it alone.
    fn follow(
        &mut self,
        exploration: &mut Exploration,
        store: &mut Store,
        traces: &Traces<'_>,
    ) -> Result<(), RunError> {
        self.catalogue(store)?;
        exploration.catalogue = store.catalogue()?;
        let is_timed = exploration.question.goal.asks_for(Objective::Time);
        if !is_timed && self.plan.timing.rounds > 0 {
            let also: Vec<usize> = exploration.recommended().chain(exploration.picked()).collect();
            self.answering(traces).measure(exploration, store, &also)?;
        }
        if exploration.target.emulated && self.plan.timing.instructions {
            self.answering(traces).instructions(exploration, store)?;
        }
        exploration.evaluated = self.hold_out(exploration)?;
        store.set_evaluated(&exploration.evaluated)?;
        Ok(())
    }

    /// Replays the allocators of the catalogue.
    fn catalogue(&mut self, store: &mut Store) -> Result<(), RunError> {
        self.observer.stage(Stage::Catalogue);
        let threads = Threads { jobs: self.plan.jobs, stop: self.plan.stop };
        let observer = &mut *self.observer;
        let measured = measure_catalogue_on(store, self.plan.traces, &threads, &mut |at| observer.work(at));
        self.observer.stage(Stage::Idle);
        Ok(measured?)
    }

    /// The search that is asked for, or fits.
    fn strategy(&self, space: &Space, traces: &[PackedTrace]) -> Result<Strategy, RunError> {
        let fitting = || Strategy::fitting(space, traces).map_err(SweepError::from);
        Ok(self.plan.search.map_or_else(fitting, Ok)?)
    }

    /// Replays the designs that are asked for.
    fn cover(&mut self, space: &Space, store: &mut Store) -> Result<Covered, RunError> {
        let plan = self.plan;
        let search = self.strategy(space, plan.traces)?;
        let (chosen, seconds) = self.sweep(space, store, search, plan.prune)?;
        let goal = &plan.question.goal;
        let coverage = Coverage::of(search, plan.prune, goal);
        let exploration = Exploration::counted(store, plan.question.clone(), &coverage, &chosen, Some(space))?;
        if !plan.compare_search {
            return Ok(Covered { exploration, coverage, chosen, agreement: None, seconds });
        }
        let (chosen, _) = self.sweep(space, store, Strategy::Exhaustive, false)?;
        let coverage = Coverage::of(Strategy::Exhaustive, false, goal);
        let whole = Exploration::counted(store, plan.question.clone(), &coverage, &chosen, Some(space))?;
        let agreement = Some((Agreement::of(&exploration, &whole), exploration.rows.len()));
        Ok(Covered { exploration: whole, coverage, chosen, agreement, seconds })
    }

    /// Replays the designs of the whole; gives those that were covered, and the seconds that they took, if none was done
    /// before.
    fn sweep(
        &mut self,
        space: &Space,
        store: &mut Store,
        search: Strategy,
        prune: bool,
    ) -> Result<(Vec<u32>, Option<f64>), RunError> {
        let start = Instant::now();
        let Done { chosen, replayed } = self.sweep_in(space, self.plan.traces, store, search, prune)?;
        let (seconds, unique) = (start.elapsed().as_secs_f64(), space.unique().count());
        self.observer.swept(&Swept { designs: space.designs.len(), unique, replayed, search, seconds });
        Ok((chosen, (search == Strategy::Halving || replayed == unique).then_some(seconds)))
    }

    fn sweep_in(
        &mut self,
        space: &Space,
        traces: &[PackedTrace],
        store: &mut Store,
        search: Strategy,
        prune: bool,
    ) -> Result<Done, RunError> {
        let Plan { jobs, stop, .. } = *self.plan;
        let job = Sweep { space, traces, jobs, stop, search, goal: self.plan.question.goal.clone(), prune };
        self.observer.stage(Stage::Sweep(space.designs.len()));
        let observer = &mut *self.observer;
        let done = sweep_on(&job, self.workers, store, &mut |at| observer.progress(at));
        self.observer.stage(Stage::Idle);
        Ok(done?)
    }

    /// Evaluates the choice on the traces of the hold-out.
    fn hold_out(&mut self, exploration: &Exploration) -> Result<Vec<Evaluated>, RunError> {
        let plan = self.plan;
        let trials = plan.holdout.trials(plan.traces);
        let mut evaluated = Vec::new();
        for (number, trial) in trials.iter().enumerate() {
            self.observer.stage(Stage::HoldOut(&trial.evaluated_on.name, number + 1, trials.len()));
            let dir = plan.dir.join(&trial.folder);
            let one = std::slice::from_ref(&trial.evaluated_on);
            let oracle = self.explored(one, &dir.join("oracle"))?;
            let own;
            let (choice, chosen_on) = match trial.chosen_on.as_slice() {
                [] => (exploration, plan.traces),
                chosen_on => {
                    own = self.explored(chosen_on, &dir)?;
                    (&own, chosen_on)
                }
            };
            let heaps = choice.evaluated_heaps(plan.question.preference, &plan.holdout.also);
            evaluated.extend(evaluate(&oracle, &trial.evaluated_on, chosen_on, &heaps, plan.question.preference)?);
        }
        Ok(evaluated)
    }

    /// Explores some traces in a folder of their own; designs that can reach no front are cut short.
    fn explored(&mut self, traces: &[PackedTrace], dir: &Path) -> Result<Exploration, RunError> {
        make_dir(dir)?;
        let space = make_space(self.plan, traces, self.observer)?;
        let mut store = Store::begin(&dir.join(Store::FILE), &space, traces, self.plan.command)?;
        let search = self.strategy(&space, traces)?;
        let prune = search == Strategy::Exhaustive && self.plan.question.goal.unsound_to_prune().is_none();
        let Done { chosen, .. } = self.sweep_in(&space, traces, &mut store, search, prune)?;
        let (question, coverage) = (&self.plan.question, Coverage::of(search, prune, &self.plan.question.goal));
        let exploration = Exploration::counted(&store, question.clone(), &coverage, &chosen, Some(&space))?;
        store.answer(question, &coverage, &chosen)?;
        Ok(exploration)
    }
}
