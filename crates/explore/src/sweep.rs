//! Replays every distinct design on every trace, on every core.
//!
//! Workers take the next design from a shared counter, each with a region of
//! its own; results go over a channel to the caller's thread, which alone
//! writes the store and reports progress. The order of results does not matter:
//! each is kept under its design's number.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use heapsmith_replay::{Measures, Options, Region, ReplayError, replay};
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;

use crate::front::{dominates, pareto};
use crate::objective::{Objective, Objectives};
use crate::prune::{Pruning, on_all_unless};
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
    /// Cut short what can reach no front.
    pub prune: bool,
}

/// How far a sweep is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Designs done, counting those that are the same heap as one that was replayed.
    pub designs: usize,
    /// Designs in all.
    pub total: usize,
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

/// Replays every distinct design that `store` has no results of, and keeps the
/// results there. Returns how many heaps were replayed.
pub fn sweep(sweep: &Sweep<'_>, store: &mut Store, progress: &mut dyn FnMut(Progress)) -> Result<usize, SweepError> {
    let done = store.done(sweep.prune)?;
    let mut weights = vec![0_usize; sweep.space.designs.len()];
    sweep.space.designs.iter().for_each(|design| weights[design.same_as as usize] += 1);
    let mut open: Vec<&Design> = sweep.space.distinct().filter(|design| !done.contains(&design.number)).collect();
    if sweep.prune {
        open.sort_by_key(|design| Pruning::place(design));
    }
    let pruning = sweep.prune.then(|| Mutex::new(Pruning::new(sweep.space)));
    let mut tracker = Tracker { weights, done: 0, front: Vec::new() };
    done.iter().for_each(|&number| tracker.done += tracker.weights[number as usize]);
    progress(tracker.progress(sweep.space));

    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..sweep.jobs.clamp(1, open.len().max(1)) {
            let (sender, open, pruning, next, failed) = (sender.clone(), &open, pruning.as_ref(), &next, &failed);
            scope.spawn(move || work(sweep, open, pruning, next, failed, &sender));
        }
        drop(sender);
        let outcome = collect(sweep, &receiver, store, &mut tracker, progress);
        failed.store(true, Ordering::Relaxed);
        outcome
    })?;
    if sweep.stop.load(Ordering::Relaxed) { Err(SweepError::Interrupted) } else { Ok(open.len()) }
}

/// A design's number, and its measures on every trace; none where it was cut short.
type Outcome = Result<(u32, Option<Vec<Measures>>), ReplayError>;

/// A worker: replays designs until there are none, or it is time to stop.
fn work(
    sweep: &Sweep<'_>,
    open: &[&Design],
    pruning: Option<&Mutex<Pruning>>,
    next: &AtomicUsize,
    failed: &AtomicBool,
    results: &mpsc::Sender<Outcome>,
) {
    let mut regions = None;
    while !sweep.stop.load(Ordering::Relaxed) && !failed.load(Ordering::Relaxed) {
        let Some(design) = open.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
        let measured = match pruning {
            Some(pruning) => on_all_unless(pruning, design, sweep.traces, &mut regions),
            None => on_all(&design.spec, sweep.traces, &mut regions).map(Some),
        };
        if results.send(measured.map(|measures| (design.number, measures))).is_err() {
            return;
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
    each.map(|(trace, region)| replay(spec, trace, region, Options::MEASURE)).collect()
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
    sweep: &Sweep<'_>,
    results: &mpsc::Receiver<Outcome>,
    store: &mut Store,
    tracker: &mut Tracker,
    progress: &mut dyn FnMut(Progress),
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
            store.add(&batch, &pruned)?;
            batch.clear();
            pruned.clear();
            last = Instant::now();
            progress(tracker.progress(sweep.space));
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

    fn progress(&self, space: &Space) -> Progress {
        Progress { designs: self.done, total: space.designs.len(), front: self.front.len() }
    }
}
