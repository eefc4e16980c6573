//! Replays every unique design on every trace, on every core.
//!
//! Workers take the next design from a shared counter, each with a region of
//! its own; results go over a channel to the caller's thread, which alone
//! writes the store and reports progress. The order of results does not matter:
//! each is kept under its design's number.

use std::collections::HashSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use heapsmith_replay::{Measures, Region, ReplayError, ReplayOptions, replay};
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;

use crate::front::{dominates, pareto};
use crate::goal::Goal;
use crate::objective::{Objective, Objectives};
use crate::prune::{Pruning, on_all_unless};
use crate::search::{ROUNDS, Strategy, is_spared, neighbours, slices, survivors};
use crate::space::{Design, Space};
use crate::store::{Store, StoreError};

/// What is swept, and how.
#[derive(Debug)]
pub struct Sweep<'a> {
    /// The designs.
    pub space: &'a Space,
    /// The traces.
    pub traces: &'a [PackedTrace],
    /// Threads to replay on.
    pub jobs: usize,
    /// Set it to stop: what is done is kept.
    pub stop: &'a AtomicBool,
    /// Which designs are replayed whole.
    pub search: Strategy,
    /// What is wanted: decides which designs a search goes on with.
    pub goal: Goal,
    /// Cut short what can reach no front.
    pub prune: bool,
}

impl<'a> Sweep<'a> {
    /// Every design on whole traces, for the usual goal.
    pub fn exhaustive(space: &'a Space, traces: &'a [PackedTrace], jobs: usize, stop: &'a AtomicBool) -> Sweep<'a> {
        Sweep { space, traces, jobs, stop, search: Strategy::Exhaustive, goal: Goal::default(), prune: false }
    }
}

/// How far a sweep is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Designs done, counting those that are the same heap as one that was replayed; on slices, unique designs.
    pub designs: usize,
    /// Designs in all.
    pub total: usize,
    /// The round on slices of the traces, from 1; none where whole traces are replayed.
    pub round: Option<usize>,
    /// Places on the front over fragmentation and accesses so far.
    pub front: usize,
}

/// Why a sweep ended early.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A design could not be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The results could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// It was told to stop; what is done is kept.
    #[error("interrupted; what was done is kept, and the same command goes on from it")]
    Interrupted,
}

const BATCH: Duration = Duration::from_millis(500);

/// Replays every unique design that `store` has no results of, as far as the search asks for it, and keeps the
/// results there. Returns how many heaps were replayed on whole traces.
pub fn sweep(sweep: &Sweep<'_>, store: &mut Store, progress: &mut dyn FnMut(Progress)) -> Result<usize, SweepError> {
    store.set_goal(&sweep.goal)?;
    store.set_search(sweep.search)?;
    store.set_finished(false)?;
    let mut replayed = 0;
    match sweep.search {
        Strategy::Exhaustive => {
            let all: Vec<&Design> = sweep.space.unique().collect();
            replayed += whole(sweep, &all, store, progress)?;
        }
        Strategy::Halving => {
            let mut chosen = halving(sweep, store, progress)?;
            while !chosen.is_empty() {
                replayed += whole(sweep, &chosen, store, progress)?;
                let known = store.objectives()?;
                let own = |design: &&Design| Some((design.number, *known.get(&design.number)?));
                let own = chosen.iter().filter_map(own).collect();
                let tried: HashSet<u32> = chosen.iter().map(|design| design.number).collect();
                let mut found = neighbours(sweep.space, &sweep.goal, &own);
                // What was cut short has no measures, and was tried all the same.
                found.retain(|number| !tried.contains(number));
                if found.is_empty() {
                    break;
                }
                chosen.extend(found.into_iter().map(|number| &sweep.space.designs[number as usize]));
            }
        }
    }
    store.set_finished(true)?;
    Ok(replayed)
}

/// Replays designs on whole traces, those of them that the store has no results of. Returns how many they were.
fn whole(
    sweep: &Sweep<'_>,
    chosen: &[&Design],
    store: &mut Store,
    progress: &mut dyn FnMut(Progress),
) -> Result<usize, SweepError> {
    let done = store.done(sweep.prune)?;
    let mut weights = vec![0_usize; sweep.space.designs.len()];
    sweep.space.designs.iter().for_each(|design| weights[design.same_as as usize] += 1);
    let weight =
        |designs: &mut dyn Iterator<Item = &Design>| designs.map(|design| weights[design.number as usize]).sum();
    let total = weight(&mut chosen.iter().copied());
    let before = weight(&mut chosen.iter().copied().filter(|design| done.contains(&design.number)));
    let mut open: Vec<&Design> = chosen.iter().copied().filter(|design| !done.contains(&design.number)).collect();
    if sweep.prune {
        open.sort_by_key(|design| Pruning::place(design));
    }
    let pruning = sweep.prune.then(|| Mutex::new(Pruning::new(sweep.space)));
    let mut tracker = Tracker { weights, done: before, total, round: None, front: Vec::new() };
    progress(tracker.progress());
    let job = Batch { sweep, designs: &open, traces: sweep.traces, pruning: pruning.as_ref() };
    job.run(&mut tracker, progress, &mut |batch, pruned| store.add(batch, pruned))?;
    Ok(open.len())
}

/// The unique designs that are left after rounds on slices of the traces.
fn halving<'s>(
    sweep: &Sweep<'s>,
    store: &mut Store,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<&'s Design>, SweepError> {
    let (spared, mut left): (Vec<&Design>, Vec<&Design>) =
        sweep.space.unique().partition(|design| is_spared(sweep.space, design));
    for round in 0..ROUNDS {
        let Some(slices) = slices(sweep.traces, round) else { break };
        let traces: Vec<PackedTrace> = slices.into_iter().flatten().collect();
        let mut known = store.sliced(round)?;
        known.retain(|number, _| left.binary_search_by_key(number, |design| design.number).is_ok());
        let open: Vec<&Design> = left.iter().copied().filter(|design| !known.contains_key(&design.number)).collect();
        let weights = vec![1; sweep.space.designs.len()];
        let round_shown = Some(round + 1);
        let mut tracker =
            Tracker { weights, done: known.len(), total: left.len(), round: round_shown, front: Vec::new() };
        progress(tracker.progress());
        let job = Batch { sweep, designs: &open, traces: &traces, pruning: None };
        job.run(&mut tracker, progress, &mut |batch, _| {
            store.add_sliced(round, batch)?;
            known.extend(batch.iter().cloned());
            Ok(())
        })?;
        let go_on = survivors(&sweep.goal, &known);
        left.retain(|design| go_on.binary_search(&design.number).is_ok());
    }
    left.extend(spared);
    left.sort_unstable_by_key(|design| design.number);
    Ok(left)
}

/// A design's number, and its measures on every trace; none where it was cut short.
type Replayed = Result<(u32, Option<Vec<Measures>>), ReplayError>;

/// What is kept of a batch: the designs done, and those cut short.
type Keep<'k> = dyn FnMut(&[(u32, Vec<Measures>)], &[u32]) -> Result<(), StoreError> + 'k;

/// Designs to replay on some traces.
struct Batch<'a> {
    sweep: &'a Sweep<'a>,
    designs: &'a [&'a Design],
    traces: &'a [PackedTrace],
    pruning: Option<&'a Mutex<Pruning>>,
}

impl Batch<'_> {
    /// Replays them on every core; `keep` gets the results in batches.
    fn run(
        &self,
        tracker: &mut Tracker,
        progress: &mut dyn FnMut(Progress),
        keep: &mut Keep<'_>,
    ) -> Result<(), SweepError> {
        let next = AtomicUsize::new(0);
        let failed = AtomicBool::new(false);
        let (sender, receiver) = mpsc::channel();
        std::thread::scope(|scope| {
            for _ in 0..self.sweep.jobs.clamp(1, self.designs.len().max(1)) {
                let (sender, next, failed) = (sender.clone(), &next, &failed);
                scope.spawn(move || self.work(next, failed, &sender));
            }
            drop(sender);
            let outcome = collect(&receiver, tracker, progress, keep);
            failed.store(true, Ordering::Relaxed);
            outcome
        })?;
        if self.sweep.stop.load(Ordering::Relaxed) { Err(SweepError::Interrupted) } else { Ok(()) }
    }

    /// A worker: replays designs until there are none, or it is time to stop.
    fn work(&self, next: &AtomicUsize, failed: &AtomicBool, results: &mpsc::Sender<Replayed>) {
        let mut regions = None;
        while !self.sweep.stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
            let Some(design) = self.designs.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            let measured = match self.pruning {
                Some(pruning) => on_all_unless(pruning, design, self.traces, &mut regions),
                None => on_all(&design.spec, self.traces, &mut regions).map(Some),
            };
            if results.send(measured.map(|measures| (design.number, measures))).is_err() {
                return;
            }
        }
    }
}

/// Replays a spec on all traces. The regions are reserved at the first call.
pub(crate) fn on_all(
    spec: &Spec,
    traces: &[PackedTrace],
    regions: &mut Option<Vec<Region>>,
) -> Result<Vec<Measures>, ReplayError> {
    let each = traces.iter().zip(reserved(regions, traces)?);
    each.map(|(trace, region)| replay(spec, trace, region, ReplayOptions::MEASURE)).collect()
}

/// A region for each trace, reserved at the first call.
pub(crate) fn reserved<'r>(
    regions: &'r mut Option<Vec<Region>>,
    traces: &[PackedTrace],
) -> Result<&'r mut [Region], ReplayError> {
    match regions {
        Some(regions) => Ok(regions),
        None => Ok(regions.insert(traces.iter().map(Region::for_trace).collect::<Result<_, _>>()?)),
    }
}

/// Keeps results as they come, in batches.
fn collect(
    results: &mpsc::Receiver<Replayed>,
    tracker: &mut Tracker,
    progress: &mut dyn FnMut(Progress),
    keep: &mut Keep<'_>,
) -> Result<(), SweepError> {
    let (mut batch, mut pruned) = (Vec::new(), Vec::new());
    let mut last = Instant::now();
    loop {
        let ended = match results.recv_timeout(BATCH) {
            Ok(outcome) => {
                let (number, measures) = outcome?;
                tracker.done += tracker.weights[number as usize];
                match measures {
                    Some(measures) => {
                        tracker.add(&measures);
                        batch.push((number, measures));
                    }
                    None => pruned.push(number),
                }
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        if ended || last.elapsed() >= BATCH {
            keep(&batch, &pruned)?;
            batch.clear();
            pruned.clear();
            last = Instant::now();
            progress(tracker.progress());
        }
        if ended {
            return Ok(());
        }
    }
}

/// Counts what is done and keeps the front so far.
struct Tracker {
    /// How many designs of the space each distinct one stands for.
    weights: Vec<usize>,
    done: usize,
    total: usize,
    round: Option<usize>,
    front: Vec<Objectives>,
}

impl Tracker {
    fn add(&mut self, measures: &[Measures]) {
        const OVER: [Objective; 2] = [Objective::Fragmentation, Objective::Accesses];
        let point = Objectives::of(measures);
        let known = |other: &Objectives| {
            dominates(other, &point, &OVER)
                || OVER.iter().all(|&objective| other.get(objective) == point.get(objective))
        };
        if point.failed == 0 && !self.front.iter().any(known) {
            self.front.push(point);
            let kept = pareto(&self.front, &OVER);
            self.front = kept.into_iter().map(|index| self.front[index]).collect();
        }
    }

    fn progress(&self) -> Progress {
        Progress { designs: self.done, total: self.total, round: self.round, front: self.front.len() }
    }
}
