//! Replays the unique designs of a space, as far as the search asks for it.
//!
//! Workers take the next design, each in memory of its own; the caller's thread alone writes the store and reports
//! progress. The order of results does not matter: each is kept under its design's number.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;

use heapsmith_trace::PackedTrace;

use crate::coverage::Coverage;
use crate::error::SweepError;
use crate::goal::Goal;
use crate::objective::{Objective, Objectives};
use crate::progress::{Progress, Tracker};
use crate::prune::{Pruning, Verdict, exceeds};
use crate::schedule::{MIN_WHOLE, Schedule};
use crate::search::{Strategy, neighbours, slices, spared, survivors};
use crate::space::{Design, Space};
use crate::store::Store;
use crate::workers::{Threads, Workers};

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
    /// What is wanted: decides which designs a search keeps.
    pub goal: Goal,
    /// Cut short what can reach no front.
    pub prune: bool,
}

impl<'a> Sweep<'a> {
    /// Every design on whole traces, for the usual goal.
    pub fn exhaustive(space: &'a Space, traces: &'a [PackedTrace], jobs: usize, stop: &'a AtomicBool) -> Sweep<'a> {
        Sweep { space, traces, jobs, stop, search: Strategy::Exhaustive, goal: Goal::default(), prune: false }
    }

    /// The threads of this process that it runs on.
    pub(crate) fn threads(&self) -> Threads<'a> {
        Threads { jobs: self.jobs, stop: self.stop }
    }
}

/// Replays the designs that the search asks for, but for those that `store` has the results of, and keeps the results
/// there, as the answer to a question with this goal. Returns how many heaps were replayed on whole traces.
///
/// # Errors
///
/// A design that cannot be replayed; a store that cannot be written; [`SweepError::Interrupted`].
pub fn sweep(sweep: &Sweep<'_>, store: &mut Store, progress: &mut dyn FnMut(Progress)) -> Result<usize, SweepError> {
    let done = sweep_on(sweep, &mut sweep.threads(), store, progress)?;
    let coverage = Coverage::of(sweep.search, sweep.prune, &sweep.goal);
    store.answer(&sweep.goal.clone().into(), &coverage, &done.chosen)?;
    Ok(done.replayed)
}

/// The result of a sweep.
#[derive(Debug)]
pub(crate) struct Done {
    /// Unique designs that were replayed whole, and not cut short, by this sweep or one before.
    pub chosen: Vec<u32>,
    /// Heaps that were replayed on whole traces now.
    pub replayed: usize,
}

/// As [`sweep`], with replays done by workers. What is cut short is replayed by the threads of this process.
pub(crate) fn sweep_on(
    sweep: &Sweep<'_>,
    workers: &mut dyn Workers,
    store: &mut Store,
    progress: &mut dyn FnMut(Progress),
) -> Result<Done, SweepError> {
    let pruning = match sweep.prune {
        true => Some(Pruning::new(sweep.space, store.objectives()?, store.pruned()?, store.stopped()?)),
        false => None,
    };
    let mut course = Course {
        sweep,
        workers,
        store,
        progress,
        pruning,
        tracker: Tracker::whole(sweep.space),
        chosen: Vec::new(),
        replayed: 0,
        max: f64::INFINITY,
        stopped: HashSet::new(),
    };
    match sweep.search {
        Strategy::Exhaustive => course.whole(&sweep.space.unique().collect::<Vec<_>>())?,
        Strategy::Halving => course.search()?,
    }
    let Course { chosen, replayed, .. } = course;
    Ok(Done { chosen, replayed })
}

/// A sweep under way.
struct Course<'c> {
    sweep: &'c Sweep<'c>,
    workers: &'c mut dyn Workers,
    store: &'c mut Store,
    progress: &'c mut dyn FnMut(Progress),
    pruning: Option<Pruning>,
    tracker: Tracker,
    /// Unique designs that were replayed whole, and not cut short, by this sweep or one before.
    chosen: Vec<u32>,
    /// Heaps that were replayed on whole traces now.
    replayed: usize,
    /// A design that takes more accesses an operation on a whole trace is stopped.
    max: f64,
    /// Unique designs that were stopped.
    stopped: HashSet<u32>,
}

impl<'c> Course<'c> {
    /// Replays what is left after rounds on slices, then the neighbours of the fronts until there are none.
    fn search(&mut self) -> Result<(), SweepError> {
        let schedule = Schedule::of(self.sweep.space.unique().count(), self.sweep.traces);
        let mut next = self.halving(&schedule)?;
        let mut tried: HashSet<u32> = HashSet::new();
        let max = next.len() + schedule.neighbours();
        let mut budget = schedule.budget_of_neighbours();
        let sliced = self.sliced()?;
        let mut is_begun = false;
        while !next.is_empty() {
            tried.extend(next.iter().map(|design| design.number));
            self.max = schedule.max_accesses();
            self.whole(&next)?;
            if self.chosen.is_empty() {
                // All take that long. Those that took the fewest accesses are replayed all the same.
                let accesses = |design: &Design| sliced.get(&design.number).copied().unwrap_or(f64::INFINITY);
                next.sort_by(|a, b| accesses(a).total_cmp(&accesses(b)));
                next.truncate(MIN_WHOLE);
                self.max = f64::INFINITY;
                self.stopped.clear();
                self.whole(&next)?;
            }
            let known = self.store.objectives()?;
            if is_begun {
                let taken = next.iter().filter_map(|design| match self.stopped.contains(&design.number) {
                    true => Some(self.max),
                    false => Some(known.get(&design.number)?.get(Objective::Accesses)),
                });
                budget.spend(taken.sum());
            }
            is_begun = true;
            let own = self.chosen.iter().filter_map(|number| Some((*number, *known.get(number)?))).collect();
            let found = neighbours(self.sweep.space, &self.sweep.goal, &own, &sliced);
            // What was cut short has no measures, and was tried all the same.
            let open = found.into_iter().filter(|(number, _)| !tried.contains(number)).take(max - tried.len());
            let mut batch = budget.batch();
            let open = open.filter(|&(_, accesses)| batch.affords(accesses));
            next = open.map(|(number, _)| &self.sweep.space.designs[number as usize]).collect();
        }
        Ok(())
    }

    /// The accesses an operation that designs took in the first round, which had all of them.
    fn sliced(&self) -> Result<HashMap<u32, f64>, SweepError> {
        let measured = self.store.sliced(0)?.into_iter();
        Ok(measured.map(|(number, each)| (number, Objectives::of(&each).get(Objective::Accesses))).collect())
    }

    /// Replays designs on whole traces, but for those that the store has the results of.
    fn whole(&mut self, designs: &[&Design]) -> Result<(), SweepError> {
        self.tracker.expect(designs.iter().copied());
        if self.pruning.is_some() { self.pruned(designs) } else { self.all(designs) }
    }

    fn all(&mut self, designs: &[&Design]) -> Result<(), SweepError> {
        let Course { workers, store, progress, tracker, chosen, max, stopped, .. } = self;
        let (done, points, before) = (store.done()?, store.objectives()?, store.stopped()?);
        let (long, designs): (Vec<&Design>, Vec<&Design>) =
            designs.iter().partition(|design| exceeds(&before, design.number, *max));
        for design in long {
            stopped.insert(design.number);
            tracker.done(design.number);
        }
        let (known, open): (Vec<&Design>, Vec<&Design>) =
            designs.iter().partition(|design| done.contains(&design.number));
        // What was replayed for another search may take more than this one has time for.
        let takes_more = |number: &u32| points.get(number).is_some_and(|point| point.get(Objective::Accesses) > *max);
        stopped.extend(known.iter().map(|design| design.number).filter(takes_more));
        known.iter().for_each(|design| tracker.done(design.number));
        progress(tracker.progress());
        let (mut came, mut replayed) = (0, 0);
        workers.replay(&open, self.sweep.traces, *max, &mut |mut batch| {
            came += batch.len();
            let long = batch.extract_if(.., |(_, measures)| measures.is_empty());
            let long: Vec<u32> = long.map(|(number, _)| number).collect();
            long.iter().for_each(|number| tracker.done(*number));
            store.add_stopped(&long, *max as u64)?;
            stopped.extend(long);
            store.add(&batch)?;
            replayed += batch.len();
            batch.iter().for_each(|(number, measures)| tracker.measured(*number, measures));
            progress(tracker.progress());
            Ok(())
        })?;
        if came < open.len() {
            return Err(SweepError::Workers(format!("{} designs never came back", open.len() - came).into()));
        }
        chosen.extend(designs.iter().map(|design| design.number).filter(|number| !stopped.contains(number)));
        self.replayed += replayed;
        Ok(())
    }

    fn pruned(&mut self, designs: &[&Design]) -> Result<(), SweepError> {
        let Course { sweep, store, progress, pruning, tracker, chosen, replayed: count, max, stopped, .. } = self;
        let Some(pruning) = pruning else { return Ok(()) };
        progress(tracker.progress());
        pruning.replay(designs, sweep.traces, *max, &sweep.threads(), &mut |batch| {
            let (mut measured, mut cut, mut long) = (Vec::new(), Vec::new(), Vec::new());
            for (number, verdict) in batch {
                match verdict {
                    Verdict::Kept(Some(measures)) => {
                        *count += 1;
                        chosen.push(number);
                        tracker.measured(number, &measures);
                        measured.push((number, measures));
                    }
                    Verdict::Kept(None) => {
                        chosen.push(number);
                        tracker.done(number);
                    }
                    Verdict::Cut { by, replayed } => {
                        *count += usize::from(replayed);
                        tracker.done(number);
                        cut.push((number, by));
                    }
                    Verdict::Stopped { replayed } => {
                        long.extend(replayed.then_some(number));
                        stopped.insert(number);
                        tracker.done(number);
                    }
                }
            }
            store.add_pruned(&measured, &cut)?;
            store.add_stopped(&long, *max as u64)?;
            progress(tracker.progress());
            Ok(())
        })
    }

    /// The unique designs that are left after rounds on slices of the traces.
    fn halving(&mut self, schedule: &Schedule) -> Result<Vec<&'c Design>, SweepError> {
        let Course { sweep, workers, store, progress, .. } = self;
        let (spared, mut left) = spared(sweep.space, schedule);
        for round in 0..schedule.rounds() {
            let traces: Vec<PackedTrace> = slices(schedule, sweep.traces, round).into_iter().flatten().collect();
            let mut known = store.sliced(round)?;
            known.retain(|number, _| left.binary_search_by_key(number, |design| design.number).is_ok());
            let open: Vec<&Design> =
                left.iter().copied().filter(|design| !known.contains_key(&design.number)).collect();
            let mut tracker = Tracker::sliced(sweep.space, round);
            tracker.expect(left.iter().copied());
            known.keys().for_each(|number| tracker.done(*number));
            progress(tracker.progress());
            workers.replay(&open, &traces, f64::INFINITY, &mut |batch| {
                store.add_sliced(round, &batch)?;
                batch.iter().for_each(|(number, measures)| tracker.measured(*number, measures));
                known.extend(batch);
                progress(tracker.progress());
                Ok(())
            })?;
            let go_on = survivors(&sweep.goal, &known, schedule, round);
            left.retain(|design| go_on.binary_search(&design.number).is_ok());
        }
        left.extend(spared);
        left.sort_unstable_by_key(|design| design.number);
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Origin, Trace};

    use super::*;

    /// The threads of this process, and how many designs they were asked for.
    struct Counted<'a>(Threads<'a>, usize);

    impl Workers for Counted<'_> {
        fn replay(
            &mut self,
            designs: &[&Design],
            traces: &[PackedTrace],
            max: f64,
            take: &mut crate::workers::Take<'_>,
        ) -> Result<(), SweepError> {
            self.1 += designs.len();
            self.0.replay(designs, traces, max, take)
        }
    }

    #[test]
    fn what_was_stopped_is_known_the_next_time() {
        const TWO: &str = "[[family]]\nname = \"two\"\nheap = [\"list(order=address, coalesce=never)\", \"tlsf\"]\n";
        let mut trace = Trace::new(Origin::new("test", ""));
        let allocations = (1..=1000).map(|id| Action::Allocate { id, size: Bytes(64), alignment: 0 });
        let frees = (1..=1000).map(|id| Action::Free { id });
        trace.events.extend(allocations.chain(frees).map(|action| Event::at(0, action)));
        let traces = [PackedTrace::new(&trace).expect("a sound trace")];
        let space = Space::of("two", TWO, &traces).expect("a space");
        let stop = AtomicBool::new(false);
        for prune in [false, true] {
            let dir = tempfile::tempdir().expect("a folder");
            let mut store = Store::begin(&dir.path().join(Store::FILE), &space, &traces, "a test").expect("a store");
            let sweep = Sweep { prune, ..Sweep::exhaustive(&space, &traces, 1, &stop) };
            let mut once = || {
                let known = (store.objectives(), store.pruned(), store.stopped());
                let (Ok(objectives), Ok(pruned), Ok(stopped)) = known else { panic!("the store is read") };
                let mut workers = Counted(sweep.threads(), 0);
                let mut course = Course {
                    sweep: &sweep,
                    workers: &mut workers,
                    pruning: prune.then(|| Pruning::new(&space, objectives, pruned, stopped)),
                    store: &mut store,
                    progress: &mut |_| {},
                    tracker: Tracker::whole(&space),
                    chosen: Vec::new(),
                    replayed: 0,
                    max: 100.0,
                    stopped: HashSet::new(),
                };
                course.whole(&space.unique().collect::<Vec<_>>()).expect("a sweep");
                let found = (course.chosen.clone(), course.stopped.len(), course.replayed);
                (found, workers.1)
            };
            let (first, second) = (once(), once());
            let all = if prune { 0 } else { 2 };
            assert_eq!((&first.0.0, first.0.1, first.1), (&vec![1], 1, all), "tlsf is not stopped");
            assert_eq!((second.0, second.1), ((first.0.0, 1, 0), 0), "nothing is replayed twice: {prune}");
        }
    }
}
