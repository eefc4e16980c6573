//! Measures times and memory by pages, at the end of an exploration.
//!
//! ```text
//!   named: the front, the pick, the catalogue, peers
//!     ├─ retime ────────▶ in turns, in this process; what is far slower than the front, on a stretch of the trace
//!     └─ measure_pages ─▶ each in a child process, on whole traces: a peak may come late
//! ```

use std::path::Path;

use heapsmith_peers::Peer;
use heapsmith_replay::{
    PagesError, Region, ReplayError, Spread, Subject, TimingEffort, pages, pages_at_once, time_watched,
};
use heapsmith_trace::PackedTrace;

use crate::exploration::Exploration;
use crate::measured::{PageRow, Retimed};
use crate::progress::Work;
use crate::store::{Store, StoreError};

/// Why something could not be measured.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// It could not be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Its memory could not be measured.
    #[error(transparent)]
    Pages(#[from] PagesError),
    /// What was measured could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is measured at the end, under a name.
#[derive(Debug, Clone)]
pub struct Named {
    /// A design's number, a name of the catalogue, or a peer.
    pub name: String,
    /// What it is.
    pub subject: Subject,
    /// Whether it is a design: the others are compared with those.
    pub is_design: bool,
    /// Whether its pages are measured on whole traces, so that late peaks are in them; else on the events that it was timed
    /// on. Allocators of the catalogue that were too slow to be counted whole are not, nor peers that search linearly.
    is_whole: bool,
    /// Events that it was timed on, of each trace; empty before.
    pub events: Vec<usize>,
}

impl Named {
    fn new(name: String, subject: Subject, is_design: bool, is_whole: bool) -> Named {
        Named { name, subject, is_design, is_whole, events: Vec::new() }
    }

    /// Events of a trace on which its pages are measured.
    fn paged_events(&self, number: usize, trace: &PackedTrace) -> usize {
        let timed = self.events.get(number).copied().filter(|_| !self.is_whole);
        timed.unwrap_or(trace.events.len())
    }
}

/// Events that a round of a design or a peer has at most.
const TIMED_EVENTS: usize = 5_000_000;

/// Events that a round of an allocator of the catalogue has at most.
const CATALOGUE_EVENTS: usize = 1_000_000;

/// The effort of timing what an exploration found: a minute or so on any trace. Longer traces are timed on their begin.
fn effort(rounds: usize, named: &[Named]) -> TimingEffort {
    let pace = named.iter().take_while(|named| named.is_design).count();
    let repeated = TimingEffort::rounds(rounds.max(1)).repeated();
    TimingEffort { max_events: TIMED_EVENTS, other_events: CATALOGUE_EVENTS, pace, ..repeated }
}

impl Exploration {
    /// What is measured at the end: the designs of the front (one for each place), the `also` designs, the
    /// catalogue and `peers`, each with its name. The designs come first.
    pub fn named(&self, also: &[usize], peers: &[Peer]) -> Vec<Named> {
        let mut chosen: Vec<usize> = self.front_2d.iter().chain(also).copied().collect();
        chosen.sort_unstable();
        chosen.dedup();
        let design =
            |index: usize| Named::new(self.name(index), self.rows[index].design.spec.clone().into(), true, true);
        let designs = chosen.into_iter().map(design);
        let catalogued = self.catalogue.iter().filter_map(|entry| {
            let spec = entry.spec.parse().ok()?;
            Some(Named::new(entry.name.clone(), Subject::Heap(Box::new(spec)), false, entry.is_whole))
        });
        let peers = peers.iter().map(|&peer| {
            let subject = Subject::Peer(peer);
            let is_whole = !subject.is_linear();
            Named::new(peer.to_string(), subject, false, is_whole)
        });
        designs.chain(catalogued).chain(peers).collect()
    }

    /// Times what is `named` for this many rounds, one at a time and in turns, and for more where rounds disagree; keeps
    /// the times, and notes in `named` how many events each was timed on. Peers in a child process of `command`, where there is
    /// one. `watch` gets how far it is,
    /// and says whether to continue.
    ///
    /// # Errors
    ///
    /// [`ReplayError::Stopped`]; a subject that cannot be replayed; a store that cannot be written.
    pub fn retime(
        &mut self,
        store: &mut Store,
        traces: &[PackedTrace],
        named: &mut [Named],
        rounds: usize,
        command: Option<&Path>,
        watch: &mut dyn FnMut(Work<'_>) -> bool,
    ) -> Result<(), MeasureError> {
        self.timings = time_all(named, traces, effort(rounds, named), command, watch)?;
        store.set_timings(&self.timings)?;
        self.settle();
        Ok(())
    }

    /// Measures the memory of what is `named` by pages, each in a child process of `command`, on whole traces, but for
    /// what is slow and no candidate, `jobs` at once: pages do not depend on what else runs. Keeps it. `watch` gets how far
    /// it is, and says whether to continue.
    ///
    /// # Errors
    ///
    /// [`ReplayError::Stopped`]; a child that fails; a store that cannot be written.
    pub fn measure_pages(
        &mut self,
        store: &mut Store,
        traces: &[PackedTrace],
        named: &[Named],
        command: &Path,
        jobs: usize,
        watch: &mut dyn FnMut(Work<'_>) -> bool,
    ) -> Result<(), MeasureError> {
        store.clear_pages()?;
        let largest = traces.iter().max_by_key(|trace| trace.requested_peak);
        let jobs = largest.map_or(Ok(jobs), |trace| pages_at_once(jobs.max(1), trace))?;
        let each = |named| traces.iter().enumerate().map(move |(number, trace)| (named, number, trace));
        let all: Vec<(&Named, usize, &PackedTrace)> = named.iter().flat_map(each).collect();
        for (at, some) in all.chunks(jobs).enumerate() {
            if !watch(Work { name: &some[0].0.name, done: at * jobs, total: all.len() }) {
                return Err(ReplayError::Stopped.into());
            }
            for row in pages_of(command, some)? {
                store.add_pages(&row)?;
            }
        }
        self.pages = store.pages()?;
        Ok(())
    }
}

/// Memory by pages of some heaps and peers, each on the trace of that number, all at once.
fn pages_of(command: &Path, some: &[(&Named, usize, &PackedTrace)]) -> Result<Vec<PageRow>, PagesError> {
    let one = |&(named, number, trace): &(&Named, usize, &PackedTrace)| {
        let pages = pages(command, &named.subject, trace, named.paged_events(number, trace))?;
        Ok(PageRow {
            name: named.name.clone(),
            trace: number,
            touched: pages.touched,
            requested_peak: pages.requested_peak,
            failed: pages.failed,
            events: pages.events,
        })
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = some.iter().map(|what| scope.spawn(move || one(what))).collect();
        let ended =
            running.into_iter().map(|child| child.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        ended.collect()
    })
}

fn time_all(
    named: &mut [Named],
    traces: &[PackedTrace],
    effort: TimingEffort,
    command: Option<&Path>,
    watch: &mut dyn FnMut(Work<'_>) -> bool,
) -> Result<Vec<Retimed>, ReplayError> {
    let subjects: Vec<Subject> = named.iter().map(|named| named.subject.clone()).collect();
    let nothing = Spread { median: 0.0, low: 0.0, high: 0.0 };
    let blank = |named: &Named| Retimed {
        name: named.name.clone(),
        is_compiled: matches!(named.subject, Subject::Compiled(..)),
        ns: nothing,
        min: 0.0,
        max: 0.0,
        null_allocator: 0.0,
        rounds: 0,
        events: 0,
    };
    let mut timings: Vec<Retimed> = named.iter().map(blank).collect();
    let mut events = vec![Vec::new(); named.len()];
    let operations: f64 = traces.iter().map(|trace| trace.events.len() as f64).sum();
    for (number, trace) in traces.iter().enumerate() {
        let share = trace.events.len() as f64 / operations.max(1.0);
        let mut region = Region::for_timing(trace)?;
        let times = time_watched(&subjects, trace, &mut region, effort, command, &mut |turn| {
            let name = turn.subject.checked_sub(1).map_or("the null allocator", |subject| &named[subject].name);
            let total = turn.total * traces.len();
            watch(Work { name, done: turn.total * number + turn.done, total })
        })?;
        for ((timing, time), events) in timings.iter_mut().zip(times.subjects).zip(&mut events) {
            timing.ns.median += share * time.spread.median;
            // The sum of the intervals is no narrower than the interval of the sum.
            timing.ns.low += share * time.spread.low;
            timing.ns.high += share * time.spread.high;
            timing.min += share * time.min;
            timing.max += share * time.max;
            timing.null_allocator += share * times.null_allocator.spread.median;
            timing.rounds = timing.rounds.max(time.rounds.len() as u32);
            timing.events += time.events as u64;
            events.push(time.events);
        }
    }
    named.iter_mut().zip(events).for_each(|(named, events)| named.events = events);
    Ok(timings)
}
