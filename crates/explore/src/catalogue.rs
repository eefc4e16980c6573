//! The allocators of the catalogue, replayed on the same traces as the designs.
//!
//! ```text
//!   trace   ├──┤         the begin, a part four times as long, … and the whole
//!           ├───────┤
//!           ├──────────────────────────┤
//! ```
//!
//! Some are of another time: on a program of today they search thousands of free blocks for every request. Where a part of
//! the trace takes more than [`SLOW`] accesses and visits, that part is what is counted: a *stretch*. A list that grows
//! with the trace makes four times the events sixteen times the work; what takes more than that, as a longer part has what no
//! shorter one has, is stopped, and the shorter one counts. So no replay takes more than sixteen times as much.
//! Which stretch it is depends on the trace alone.
//!
//! Cost: a third more than replaying the whole, for what is fast.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use heapsmith_replay::{Measures, ReplayError, replay_while};
use heapsmith_spec::{Entry, Spec, catalogue};
use heapsmith_trace::PackedTrace;

use crate::error::SweepError;
use crate::progress::Work;
use crate::store::Store;
use crate::workers::{Threads, Worker};

/// What takes more accesses and visits on a part of a trace is not replayed on more of it: a tenth of a second or so.
const SLOW: u64 = 60_000_000;

/// A part that takes this many times [`SLOW`] is stopped.
const SLOWER: u64 = 16;

/// A part of a trace is this many times as long as the one before.
const LONGER: usize = 4;

/// The shortest part has no fewer events.
const SHORTEST: usize = 4_000;

/// Replays every general allocator of the catalogue that the store has no results of, on one thread, and keeps the results.
///
/// # Errors
///
/// An allocator that cannot be replayed; a store that cannot be written; [`SweepError::Interrupted`] where `stop` was set.
pub fn measure_catalogue(store: &mut Store, traces: &[PackedTrace], stop: &AtomicBool) -> Result<(), SweepError> {
    measure_catalogue_on(store, traces, &Threads { jobs: 1, stop }, &mut |_| ())
}

/// As [`measure_catalogue`], on some threads; `watch` gets how far it is.
pub(crate) fn measure_catalogue_on(
    store: &mut Store,
    traces: &[PackedTrace],
    threads: &Threads<'_>,
    watch: &mut dyn FnMut(Work<'_>),
) -> Result<(), SweepError> {
    let known = store.catalogue()?;
    let is_known = |entry: &Entry, spec: &Spec| {
        let spec = spec.to_string();
        known.iter().any(|known| known.name == entry.name && known.spec == spec)
    };
    let open: Vec<(&Entry, Spec)> = general().filter(|(entry, spec)| !is_known(entry, spec)).collect();
    let parts: Vec<Vec<PackedTrace>> = traces.iter().map(parts).collect();
    let (started, mut done) = (AtomicUsize::new(0), 0);
    let one = |place: usize, worker: &mut Worker<'_>| {
        started.fetch_max(place, Ordering::Relaxed);
        let counted = counted(&open[place].1, traces, &parts, SLOW, worker)?;
        Ok(counted.map(|measures| (place, measures)))
    };
    threads.each(open.len(), &one, &mut |batch: Vec<(usize, Vec<Measures>)>| {
        for (place, measures) in batch {
            let (entry, spec) = &open[place];
            store.add_catalogued(entry.name, &spec.to_string(), &measures)?;
            done += 1;
        }
        if let Some((entry, _)) = open.get(started.load(Ordering::Relaxed)) {
            watch(Work { name: entry.name, done, total: open.len() });
        }
        Ok(())
    })
}

/// The allocators of the catalogue that can serve a whole program: not those that free nothing, or only in order, or serve
/// one size.
fn general() -> impl Iterator<Item = (&'static Entry, Spec)> {
    let parsed = catalogue().iter().filter_map(|entry| Some((entry, entry.spec.parse::<Spec>().ok()?)));
    parsed.filter(|(_, spec)| spec.pool.is_general())
}

/// The parts of a trace that are shorter than the whole, the shortest first.
fn parts(trace: &PackedTrace) -> Vec<PackedTrace> {
    let all = trace.events.len();
    let shorter = std::iter::successors(Some(all / LONGER), |events| Some(events / LONGER));
    let mut lengths: Vec<usize> = shorter.take_while(|&events| events >= SHORTEST).collect();
    lengths.reverse();
    lengths.into_iter().map(|events| trace.window(0..events)).collect()
}

/// What is counted of a heap on each trace: on the whole, or on the first part that takes more than `slow` accesses and
/// visits. None if the worker was stopped.
fn counted(
    spec: &Spec,
    traces: &[PackedTrace],
    parts: &[Vec<PackedTrace>],
    slow: u64,
    worker: &mut Worker<'_>,
) -> Result<Option<Vec<Measures>>, ReplayError> {
    let mut all = Vec::with_capacity(traces.len());
    for (number, (trace, parts)) in traces.iter().zip(parts).enumerate() {
        let mut last = None;
        for part in parts.iter().chain([trace]) {
            let over = worker.over();
            let region = &mut worker.regions.of(traces)?[number];
            let is_within =
                |certain: &Measures| certain.accesses.total + certain.visits.total <= slow.saturating_mul(SLOWER);
            let mut goes_on = |certain: &Measures| (last.is_none() || is_within(certain)) && !over();
            let Some(measures) = replay_while(spec, part, region, &mut goes_on)? else {
                if over() {
                    return Ok(None);
                }
                break;
            };
            let is_slow = measures.accesses.total + measures.visits.total > slow;
            last = Some(measures);
            if is_slow {
                break;
            }
        }
        all.extend(last);
    }
    Ok(Some(all))
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Origin, Trace};

    use super::*;

    /// Many free blocks that serve no request: whatever searches them all does so for every request.
    fn full_of_holes(requests: u64) -> PackedTrace {
        let allocate = |id, size| Action::Allocate { id, size: Bytes(size), alignment: 0 };
        let holes = (0..4_000).map(|id| allocate(id, 16)).chain((0..2_000).map(|id| Action::Free { id: 2 * id }));
        let requests = (0..requests).flat_map(|id| [allocate(10_000 + id, 64), Action::Free { id: 10_000 + id }]);
        let mut trace = Trace::new(Origin::new("test", ""));
        trace.events.extend(holes.chain(requests).map(|action| Event::at(0, action)));
        PackedTrace::new(&trace).expect("a sound trace")
    }

    const SEARCHES: &str = "list(fit=first, order=fifo, coalesce=immediate)";
    const MANY: u64 = 5_000_000;

    fn counted_on(trace: &PackedTrace, spec: &str) -> Measures {
        let traces = std::slice::from_ref(trace);
        let spec: Spec = spec.parse().expect("a spec");
        let (stop, parts) = (AtomicBool::new(false), [parts(trace)]);
        let mut found = Vec::new();
        let threads = Threads { jobs: 1, stop: &stop };
        let one = |_: usize, worker: &mut Worker<'_>| counted(&spec, traces, &parts, MANY, worker);
        threads
            .each(1, &one, &mut |batch| {
                found.extend(batch.into_iter().flatten());
                Ok(())
            })
            .expect("a replay");
        found.pop().expect("one trace")
    }

    #[test]
    fn what_searches_everything_is_counted_on_a_stretch_and_what_is_fast_on_the_whole() {
        let trace = full_of_holes(20_000);
        let all = trace.events.len() as u64;
        let slow = counted_on(&trace, SEARCHES);
        assert!(slow.operations < all && slow.accesses.total + slow.visits.total > MANY, "{slow:?}");
        assert!(slow.fragmentation() >= 0.0, "its peak is that of the stretch");
        assert_eq!(counted_on(&trace, "freelists(16, 64) list").operations, all);
    }

    #[test]
    fn a_short_trace_is_counted_whole_by_everybody() {
        let trace = full_of_holes(1_000);
        assert_eq!(counted_on(&trace, SEARCHES).operations, trace.events.len() as u64);
    }

    #[test]
    fn the_parts_of_a_trace_grow_by_four_and_none_is_the_whole() {
        let lengths: Vec<usize> = parts(&full_of_holes(32_000)).iter().map(|part| part.events.len()).collect();
        assert_eq!(lengths, [4_375, 17_500]);
    }
}
