//! How the threads of a recorded program share the pick: each way is counted on the recording.

use heapsmith_spec::{Spec, Threads};
use heapsmith_trace::{Bytes, ThreadSteps};

use super::counted::Counted;
use crate::failure::Failure;
use crate::progress;

/// What more a way may take than one heap behind a lock, of memory.
const MORE: f64 = 1.05;

/// The ways to share, the plainest first.
const WAYS: [Threads; 5] =
    [Threads::One, Threads::ListsWithin(16 << 10), Threads::Lists, Threads::Owned, Threads::Each];

/// What is said of threads, and the heap as they share it best; nothing, and the heap as it is, where one allocates.
pub fn shared(for_malloc: &Spec, steps: &ThreadSteps) -> Result<(Vec<String>, Spec), Failure> {
    if steps.allocating < 2 || for_malloc.threads != Threads::One {
        return Ok((Vec::new(), for_malloc.clone()));
    }
    let spinner = progress::spinner("counting how threads share the pick");
    let ways = WAYS.into_iter().map(|threads| Spec { threads, ..for_malloc.clone() });
    let ways = ways.filter(|spec| spec.validate().is_ok()).map(|spec| Counted::of(spec, steps));
    let ways = ways.collect::<Result<Vec<_>, Failure>>();
    spinner.finish_and_clear();
    let ways = ways?;
    let best = best(&ways).or(ways.first()).map_or_else(|| for_malloc.clone(), |way| way.spec.clone());
    Ok((lines(&ways, steps.allocating), best))
}

/// The fastest way that takes no more memory to speak of, if it is faster than one lock.
fn best(ways: &[Counted]) -> Option<&Counted> {
    let (one, others) = ways.split_first()?;
    let footprint = |way: &Counted| way.counts.footprint_peak.0 as f64;
    let fits = |way: &&Counted| footprint(way) <= footprint(one) * MORE;
    let best = others.iter().filter(fits).min_by(|a, b| a.nanoseconds().total_cmp(&b.nanoseconds()))?;
    (best.nanoseconds() < one.nanoseconds()).then_some(best)
}

/// What is said: the best way, and what one lock takes.
fn lines(ways: &[Counted], threads: usize) -> Vec<String> {
    let Some(one) = ways.first() else { return Vec::new() };
    let Some(best) = best(ways) else {
        return vec![format!("Threads    {threads} allocate: one heap behind a lock, {}", told(one))];
    };
    vec![
        format!("Threads    {threads} allocate: {}, {}; one lock {}", best.spec.threads, told(best), told(one)),
        format!("           '{}'", best.spec),
    ]
}

fn told(way: &Counted) -> String {
    format!("{:.0} ns/op and {}", way.nanoseconds(), Bytes(way.counts.footprint_peak.0))
}

#[cfg(test)]
mod tests {
    use heapsmith_replay::ThreadCounts;

    use super::*;

    fn way(threads: &str, locks: u64, footprint: u64) -> Counted {
        let spec = format!("freelists(16..=64 step 16) list(order=lifo) word=8 align=16 threads={threads}");
        let footprint_peak = Bytes(footprint);
        let counts = ThreadCounts { operations: 10, acquisitions: locks, footprint_peak, ..ThreadCounts::default() };
        Counted { spec: spec.parse().expect("a spec"), counts }
    }

    #[test]
    fn the_fastest_way_that_takes_as_little_memory_is_named() {
        let said = |ways: &[Counted]| lines(ways, 3).join("\n");
        let ways = [way("one", 50, 1000), way("lists(16K)", 30, 1010), way("lists", 20, 1050), way("each", 5, 1051)];
        let text = said(&ways);
        assert!(text.starts_with("Threads    3 allocate: threads=lists, 20 ns/op"), "{text}");
        assert!(text.contains("; one lock 50 ns/op") && text.ends_with("threads=lists'"), "{text}");
        let text = said(&[way("one", 5, 1000), way("lists", 6, 1000), way("each", 1, 2000)]);
        assert_eq!(text, "Threads    3 allocate: one heap behind a lock, 5 ns/op and 1000 B");
    }
}
