//! How the threads of a recorded program share the pick: each way is counted on the recording.

use heapsmith_explore::Exploration;
use heapsmith_replay::{ThreadCost, ThreadCounts, ThreadedOptions, as_recorded};
use heapsmith_spec::{Spec, Target, Threads};
use heapsmith_trace::{Bytes, ThreadSteps, Trace};

use super::purge;
use crate::args::{Explore, Format};
use crate::console::{note, say};
use crate::failure::Failure;
use crate::progress;

/// Events of a recording that are counted at most: of longer ones the begin, which is said.
const EVENTS: usize = 10_000_000;

/// A thread with less than this share of the operations is none that allocates.
const WORKS: f64 = 0.01;

/// What more a way may take than one heap behind a lock, of memory.
const MORE: f64 = 1.05;

/// The ways to share, the plainest first.
const WAYS: [Threads; 5] =
    [Threads::One, Threads::ListsWithin(16 << 10), Threads::Lists, Threads::Owned, Threads::Each];

/// What was counted of a way.
struct Way {
    spec: Spec,
    counts: ThreadCounts,
}

impl Way {
    fn nanoseconds(&self) -> f64 {
        ThreadCost::MODEL.of(&self.counts)
    }
}

/// Says by which way the threads of the recording with most events share the pick best, and when its memory goes back; nothing where the
/// pick is for a machine that runs one thread at a time.
pub fn run(
    arguments: &Explore,
    exploration: &Exploration,
    pick: usize,
    target: &Target,
    traces: &[Trace],
) -> Result<(), Failure> {
    if target.name != Target::host().name {
        return Ok(());
    }
    let Some(trace) = traces.iter().max_by_key(|trace| trace.events.len()) else { return Ok(()) };
    let Ok(for_malloc) = exploration.rows[pick].design.spec.for_malloc() else { return Ok(()) };
    let steps = ThreadSteps::of(trace, EVENTS);
    let (mut said, shared) = shared(&for_malloc, &steps)?;
    said.extend(purge::run(&shared, &steps)?);
    let is_cut = trace.events.len() > EVENTS && !said.is_empty();
    said.extend(is_cut.then(|| format!("           counted on the first {EVENTS} events")));
    for line in said {
        if arguments.showing.format == Format::Table { say!("{line}") } else { note!("{line}") }
    }
    Ok(())
}

/// What is said of threads, and the heap as they share it best; nothing, and the heap as it is, where one allocates.
fn shared(for_malloc: &Spec, steps: &ThreadSteps) -> Result<(Vec<String>, Spec), Failure> {
    let working = working(steps);
    if working < 2 || for_malloc.threads != Threads::One {
        return Ok((Vec::new(), for_malloc.clone()));
    }
    let spinner = progress::spinner("counting how threads share the pick");
    let options = ThreadedOptions { orders: 0, ..ThreadedOptions::default() };
    let ways = WAYS.into_iter().map(|threads| Spec { threads, ..for_malloc.clone() });
    let ways = ways.filter(|spec| spec.validate().is_ok()).map(|spec| {
        let counts = as_recorded(&spec, steps, options)?;
        Ok(Way { spec, counts })
    });
    let ways = ways.collect::<Result<Vec<_>, Failure>>();
    spinner.finish_and_clear();
    let ways = ways?;
    let best = best(&ways).or(ways.first()).map_or_else(|| for_malloc.clone(), |way| way.spec.clone());
    Ok((lines(&ways, working), best))
}

/// Threads that allocate.
fn working(steps: &ThreadSteps) -> usize {
    let mut made = vec![0_usize; steps.threads];
    steps.steps.iter().for_each(|step| made[step.thread as usize] += 1);
    made.into_iter().filter(|made| *made as f64 >= WORKS * steps.steps.len() as f64).count()
}

/// The fastest way that takes no more memory to speak of, if it is faster than one lock.
fn best(ways: &[Way]) -> Option<&Way> {
    let (one, others) = ways.split_first()?;
    let footprint = |way: &Way| way.counts.footprint_peak.0 as f64;
    let fits = |way: &&Way| footprint(way) <= footprint(one) * MORE;
    let best = others.iter().filter(fits).min_by(|a, b| a.nanoseconds().total_cmp(&b.nanoseconds()))?;
    (best.nanoseconds() < one.nanoseconds()).then_some(best)
}

/// What is said: the best way, and what one lock takes.
fn lines(ways: &[Way], threads: usize) -> Vec<String> {
    let Some(one) = ways.first() else { return Vec::new() };
    let Some(best) = best(ways) else {
        return vec![format!("Threads    {threads} allocate: one heap behind a lock, {}", told(one))];
    };
    vec![
        format!("Threads    {threads} allocate: {}, {}; one lock {}", best.spec.threads, told(best), told(one)),
        format!("           '{}'", best.spec),
    ]
}

fn told(way: &Way) -> String {
    format!("{:.0} ns/op and {}", way.nanoseconds(), Bytes(way.counts.footprint_peak.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn way(threads: &str, locks: u64, footprint: u64) -> Way {
        let spec = format!("freelists(16..=64 step 16) list(order=lifo) word=8 align=16 threads={threads}");
        let footprint_peak = Bytes(footprint);
        let counts = ThreadCounts { operations: 10, acquisitions: locks, footprint_peak, ..ThreadCounts::default() };
        Way { spec: spec.parse().expect("a spec"), counts }
    }

    #[test]
    fn the_fastest_way_that_takes_as_little_memory_is_named() {
        let said = |ways: &[Way]| lines(ways, 3).join("\n");
        let ways = [way("one", 50, 1000), way("lists(16K)", 30, 1010), way("lists", 20, 1050), way("each", 5, 1051)];
        let text = said(&ways);
        assert!(text.starts_with("Threads    3 allocate: threads=lists, 20 ns/op"), "{text}");
        assert!(text.contains("; one lock 50 ns/op") && text.ends_with("threads=lists'"), "{text}");
        let text = said(&[way("one", 5, 1000), way("lists", 6, 1000), way("each", 1, 2000)]);
        assert_eq!(text, "Threads    3 allocate: one heap behind a lock, 5 ns/op and 1000 B");
    }
}
