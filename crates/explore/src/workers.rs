//! Who replays designs: the threads of this process, or workers elsewhere.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use heapsmith_replay::{Measures, ReplayError};
use heapsmith_trace::PackedTrace;

use crate::error::SweepError;
use crate::regions::{Regions, replay_within};
use crate::space::Design;

/// A unique design's number, and its measures on every trace; none of a design that was stopped.
pub type Measured = (u32, Vec<Measures>);

/// Takes what was replayed, some designs at a time; without any where some time passed. An error ends the replays.
pub type Take<'t> = dyn FnMut(Vec<Measured>) -> Result<(), SweepError> + 't;

/// Replays designs somewhere.
pub trait Workers {
    /// Replays every design on every trace and hands the measures on as they come, in any order. A design that takes more
    /// accesses an operation than `max` is stopped, and has no measures: [`replay_within`].
    ///
    /// # Errors
    ///
    /// What `take` returned; a design that cannot be replayed; [`SweepError::Interrupted`]; what went wrong elsewhere.
    fn replay(
        &mut self,
        designs: &[&Design],
        traces: &[PackedTrace],
        max: f64,
        take: &mut Take<'_>,
    ) -> Result<(), SweepError>;
}

/// Threads of this process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Threads<'a> {
    /// How many.
    pub jobs: usize,
    /// Set to stop.
    pub stop: &'a AtomicBool,
}

/// How often results are handed on.
const BATCH: Duration = Duration::from_millis(500);

/// What a thread knows besides its work.
pub(crate) struct Worker<'w> {
    /// Its memory.
    pub regions: Regions,
    stop: &'w AtomicBool,
    failed: &'w AtomicBool,
}

impl<'w> Worker<'w> {
    /// Asks whether it is time to stop, while the worker's memory is lent.
    pub fn over(&self) -> impl Fn() -> bool + use<'w> {
        let (stop, failed) = (self.stop, self.failed);
        move || stop.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed)
    }

    /// Whether it is time to stop: somebody asked for it, or another thread failed.
    pub fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }
}

/// What a thread does for a place; it returns nothing when it is asked to stop.
type Work<'w, T> = dyn Fn(usize, &mut Worker<'_>) -> Result<Option<T>, ReplayError> + Sync + 'w;

impl Threads<'_> {
    /// Does `work` for every place from 0 to `count`, in this order, on all threads; `take` gets what came of it in batches,
    /// on the caller's thread. Interrupted work has no result.
    pub fn each<T: Send>(
        &self,
        count: usize,
        work: &Work<'_, T>,
        take: &mut dyn FnMut(Vec<T>) -> Result<(), SweepError>,
    ) -> Result<(), SweepError> {
        let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        let run = |sender: mpsc::Sender<Result<T, ReplayError>>| {
            let mut worker = Worker { regions: Regions::default(), stop: self.stop, failed: &failed };
            while !worker.is_over() {
                let place = next.fetch_add(1, Ordering::Relaxed);
                if place >= count {
                    return;
                }
                let Some(done) = work(place, &mut worker).transpose() else { return };
                if sender.send(done).is_err() {
                    return;
                }
            }
        };
        let run = &run;
        std::thread::scope(|scope| {
            let mut started = 0;
            for _ in 0..self.jobs.clamp(1, count.max(1)) {
                let sender = sender.clone();
                match std::thread::Builder::new().spawn_scoped(scope, move || run(sender)) {
                    Ok(_) => started += 1,
                    Err(error) if started == 0 => return Err(SweepError::Threads(error)),
                    // Fewer threads come to the same results.
                    Err(_) => break,
                }
            }
            drop(sender);
            let outcome = collect(&receiver, take);
            failed.store(true, Ordering::Relaxed);
            outcome
        })?;
        if self.stop.load(Ordering::Relaxed) { Err(SweepError::Interrupted) } else { Ok(()) }
    }
}

impl Workers for Threads<'_> {
    fn replay(
        &mut self,
        designs: &[&Design],
        traces: &[PackedTrace],
        max: f64,
        take: &mut Take<'_>,
    ) -> Result<(), SweepError> {
        let one = |place: usize, worker: &mut Worker<'_>| {
            let design = designs[place];
            Ok(Some((design.number, replay_within(&design.spec, traces, worker.regions.of(traces)?, max)?)))
        };
        self.each(designs.len(), &one, take)
    }
}

/// Hands results on as they come, in batches.
fn collect<T>(
    results: &mpsc::Receiver<Result<T, ReplayError>>,
    take: &mut dyn FnMut(Vec<T>) -> Result<(), SweepError>,
) -> Result<(), SweepError> {
    let mut batch = Vec::new();
    let mut last = Instant::now();
    loop {
        let ended = match results.recv_timeout(BATCH) {
            Ok(outcome) => {
                batch.push(outcome?);
                false
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => true,
        };
        if ended || last.elapsed() >= BATCH {
            take(std::mem::take(&mut batch))?;
            last = Instant::now();
        }
        if ended {
            return Ok(());
        }
    }
}
