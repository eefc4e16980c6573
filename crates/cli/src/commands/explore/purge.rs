//! When the memory of the pick goes back to the system: each level is counted on the recording, so that what it saves and what it costs
//! are known before the program runs on it.

use heapsmith_spec::{Delay, Purge, Spec};
use heapsmith_trace::ThreadSteps;

use super::counted::Counted;
use crate::failure::Failure;
use crate::progress;

/// The levels, that of a heap of which nothing is said first.
const LEVELS: [Purge; 6] = [
    Purge::Top,
    Purge::Never,
    Purge::After(Delay::Frees(1 << 18)),
    Purge::After(Delay::Frees(1 << 14)),
    Purge::After(Delay::Frees(1 << 10)),
    Purge::After(Delay::Milliseconds(100)),
];

/// What is worth a line, on average: this part of the resident memory, and this many bytes.
const WORTH: f64 = 0.05;
const BYTES: f64 = (1 << 20) as f64;

/// What a second level has to save, of what the first leaves.
const MORE: f64 = 0.2;

/// Says which levels save memory of the heap on the steps, and what they cost.
pub fn said(spec: &Spec, steps: &ThreadSteps) -> Result<Vec<String>, Failure> {
    let spinner = progress::spinner("counting what goes back to the system");
    let levels = counted(spec, steps);
    spinner.finish_and_clear();
    Ok(lines(&levels?))
}

/// What was counted of each level; of the first alone where no level could save anything that is worth it.
fn counted(spec: &Spec, steps: &ThreadSteps) -> Result<Vec<Counted>, Failure> {
    let live = live_mean(steps);
    let mut levels: Vec<Counted> = Vec::new();
    for purge in LEVELS {
        levels.push(Counted::of(Spec { purge, ..spec.clone() }, steps)?);
        if worth(&levels[0]) <= live {
            break;
        }
    }
    Ok(levels)
}

/// Bytes of its memory that are resident, on average.
fn resident(level: &Counted) -> f64 {
    level.counts.resident_in_time.0 as f64
}

/// Bytes up to which another level saves something that is worth a line.
fn worth(level: &Counted) -> f64 {
    (resident(level) * (1.0 - WORTH)).min(resident(level) - BYTES)
}

/// Bytes that are live over time, on average, or over operations where no time passes: no heap has fewer.
fn live_mean(steps: &ThreadSteps) -> f64 {
    let (mut sizes, mut live, mut sum, mut in_time) = (vec![0_u64; steps.blocks], 0_u64, 0.0, 0.0);
    let mut now = 0;
    for step in &steps.steps {
        in_time += live as f64 * step.time.saturating_sub(now) as f64;
        now = now.max(step.time);
        // A free has no bytes.
        let before = std::mem::replace(&mut sizes[step.block as usize], step.size);
        live = live + step.size - before;
        sum += live as f64;
    }
    if now > 0 { in_time / now as f64 } else { sum / steps.steps.len().max(1) as f64 }
}

/// What is said: the level that saves memory in the least time, then the one that leaves the least, each next to the heap as it is.
fn lines(levels: &[Counted]) -> Vec<String> {
    let Some((base, others)) = levels.split_first() else { return Vec::new() };
    let saves = |level: &&Counted| resident(level) <= worth(base);
    let by_time = |a: &&Counted, b: &&Counted| a.nanoseconds().total_cmp(&b.nanoseconds());
    let Some(first) = others.iter().filter(saves).min_by(by_time) else { return Vec::new() };
    let second = others.iter().min_by(|a, b| resident(a).total_cmp(&resident(b)));
    let second = second.filter(|second| resident(second) < resident(first) * (1.0 - MORE));
    let told = |level: &Counted| {
        let times = level.nanoseconds() / base.nanoseconds().max(f64::MIN_POSITIVE);
        format!(
            "           {} with {}, {times:.1} times the heap's time",
            level.counts.resident_in_time, level.spec.purge
        )
    };
    let mut lines =
        vec![format!("Purge      {} resident on average, as it is", base.counts.resident_in_time), told(first)];
    lines.extend(second.map(told));
    lines.push(format!("           '{}'", first.spec));
    lines
}

#[cfg(test)]
mod tests {
    use heapsmith_replay::ThreadCounts;
    use heapsmith_trace::{Bytes, Ending, Operation, ThreadStep};

    use super::*;

    fn level(purge: &str, resident: u64, purges: u64) -> Counted {
        let spec = format!("tlsf word=8 align=16 purge={purge}").parse().expect("a spec");
        let resident_in_time = Bytes(resident << 20);
        Counted {
            spec,
            counts: ThreadCounts { operations: 10, accesses: 100, purges, resident_in_time, ..Default::default() },
        }
    }

    #[test]
    fn the_cheapest_level_that_saves_is_named_and_the_one_with_the_lowest_memory() {
        let all = [level("top", 40, 0), level("never", 60, 0), level("after(1000)", 30, 1), level("after(10)", 10, 4)];
        let text = lines(&all).join("\n");
        assert_eq!(
            text,
            "Purge      40.0 MB resident on average, as it is\n           \
             30.0 MB with purge=after(1000), 6.0 times the heap's time\n           \
             10.0 MB with purge=after(10), 21.0 times the heap's time\n           \
             'tlsf(second-level=5) word=8 align=16 purge=after(1000)'"
        );
        let all = [level("top", 40, 0), level("after(1000)", 30, 1), level("after(10)", 29, 4)];
        assert_eq!(lines(&all).len(), 3, "29 is hardly less than 30");
    }

    #[test]
    fn other_levels_are_counted_where_they_may_save_something() {
        const BLOCKS: u32 = 40;
        let spec: Spec = "tlsf word=8 align=16".parse().expect("a spec");
        let step = |(block, size): (u32, u64)| {
            let (operation, order) = if size == 0 { (Operation::Free, 1) } else { (Operation::Allocate, 0) };
            ThreadStep { size, time: 0, block, order, thread: 0, alignment_log2: 0, operation }
        };
        let all = (0..BLOCKS).map(|block| (block, 250_000));
        let of = |steps: Vec<ThreadStep>| ThreadSteps {
            steps,
            blocks: BLOCKS as usize,
            threads: 1,
            ends: vec![Ending::Never],
            requested_peak: Bytes(10_000_000),
            ..ThreadSteps::default()
        };
        let full = of(all.clone().map(step).collect());
        assert!((live_mean(&full) - 250_000.0 * 20.5).abs() < 1e-6);
        assert_eq!(counted(&spec, &full).expect("counts").len(), 1, "all that it has is live");
        // All but the last go, below which nothing goes back by itself.
        let holes = of(all.chain((0..BLOCKS - 1).map(|block| (block, 0))).map(step).collect());
        assert_eq!(counted(&spec, &holes).expect("counts").len(), LEVELS.len());
    }

    #[test]
    fn nothing_is_said_where_nothing_is_saved() {
        assert!(lines(&[level("top", 40, 0), level("never", 40, 0), level("after(10)", 39, 4)]).is_empty());
    }
}
