//! Whether a program has a heap of heapsmith that people would take.
//!
//! For each program: one heap with no more peak memory than glibc, and at most the time of the fastest of the allocators that people
//! use. For a test of allocators, whose threads meet in nothing else: no more peak than mimalloc, and at most its time.
//! Over all programs that are none: the geometric means of time and peak, to glibc's.

use super::compare::{Compared, Row};
use super::figures::Figures;
use super::launch::Run;
use crate::mean::Mean;

/// The other allocator for tests of allocators.
const OF_TESTS: &str = "mimalloc";

/// What a peak may be to another, to a hundredth: it differs from run to run.
const MORE_PEAK: f64 = 1.005;

/// The geometric mean of time that all programs together aim at, to glibc's; that of peaks is 1.
pub const TIME: f64 = 0.90;

/// The heap of a program that takes the least time of those with no more peak than glibc's, or the least peak if all have more; and
/// the fastest of the other allocators. For a test of allocators: than mimalloc's; and that.
pub struct Target {
    pub heap: &'static str,
    /// Its time to glibc's.
    pub time: f64,
    /// Its peak to glibc's.
    pub peak: f64,
    /// What its peak may be, to glibc's.
    max_peak: f64,
    /// By the clock, if its time is that of processors, and the other way round; to glibc's.
    pub other_time: f64,
    pub other: &'static str,
    /// The time of the heap to that of the other.
    pub to_other: Option<Mean>,
}

impl Target {
    /// Of a program; none if no heap of heapsmith got through it.
    pub fn of(compared: &Compared) -> Option<Target> {
        let glibc = compared.rows.first()?;
        let (time, other_time): (Time, Time) = match compared.program.benchmark {
            true => (clock, processors),
            false => (processors, clock),
        };
        let ran = |row: &&Row| Figures::of(row).is_some();
        let by_time = |a: &&Row, b: &&Row| mean(a, glibc, time).total_cmp(&mean(b, glibc, time));
        let by_peak = |a: &&Row, b: &&Row| peak(a, glibc).total_cmp(&peak(b, glibc));
        let (ours, others): (Vec<&Row>, Vec<&Row>) =
            compared.rows.iter().filter(ran).partition(|row| row.spec.is_some());
        let of_tests = others.iter().copied().find(|row| compared.program.benchmark && row.allocator == OF_TESTS);
        let max_peak = of_tests.map_or(1.0, |row| peak(row, glibc)) * MORE_PEAK;
        let small = ours.iter().copied().filter(|row| peak(row, glibc) < max_peak).min_by(by_time);
        let heap = small.or_else(|| ours.iter().copied().min_by(by_peak))?;
        let other = of_tests.or_else(|| others.into_iter().min_by(by_time))?;
        Some(Target {
            heap: heap.allocator,
            time: mean(heap, glibc, time),
            peak: peak(heap, glibc),
            max_peak,
            other_time: mean(heap, glibc, other_time),
            other: other.allocator,
            to_other: Mean::of(ratios(heap, other, time)),
        })
    }

    /// Whether it holds: the time is no longer as far as the rounds can tell, the peak no higher.
    pub fn holds(&self) -> bool {
        let is_as_fast = self.to_other.map_or(self.time <= 1.0, |ratio| ratio.low <= 1.0);
        is_as_fast && self.peak < self.max_peak
    }
}

/// The geometric means of time and peak over programs that are no tests of allocators; none without any.
pub fn means(all: &[Compared]) -> Option<(f64, f64)> {
    let targets: Vec<Target> = all.iter().filter(|it| !it.program.benchmark).filter_map(Target::of).collect();
    let mean =
        |of: fn(&Target) -> f64| (targets.iter().map(|it| of(it).ln()).sum::<f64>() / targets.len() as f64).exp();
    (!targets.is_empty()).then(|| (mean(|it| it.time), mean(|it| it.peak)))
}

/// A time of a run.
type Time = fn(&Run) -> f64;

fn clock(run: &Run) -> f64 {
    run.clock.as_secs_f64()
}

fn processors(run: &Run) -> f64 {
    run.processors.as_secs_f64()
}

/// The ratios of two rows, round by round: what slows the machine for a while slows both.
fn ratios(row: &Row, other: &Row, time: Time) -> impl Iterator<Item = f64> {
    row.runs.iter().zip(&other.runs).map(move |(run, other)| time(run) / time(other))
}

/// Their geometric mean.
fn mean(row: &Row, other: &Row, time: Time) -> f64 {
    let (count, logs) =
        ratios(row, other, time).fold((0.0, 0.0), |(count, logs), ratio| (count + 1.0, logs + ratio.ln()));
    (logs / count).exp()
}

fn peak(row: &Row, glibc: &Row) -> f64 {
    match (Figures::of(row), Figures::of(glibc)) {
        (Some(own), Some(glibc)) => own.by(glibc).peak,
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::{Target, means};
    use crate::real::figures::tests::{compared, row};

    #[test]
    fn the_heap_is_the_fastest_of_ours_that_is_no_larger_and_did_not_fail() {
        let mut compared = compared();
        compared.rows.push(row("slow", Some("tree"), &[(5000, 50), (5000, 50)]));
        let target = Target::of(&compared).expect("heaps ran");
        // The tree is faster and takes 120 MiB of glibc's 100.
        assert_eq!((target.heap, target.other), ("lists", "peer"));
        assert!((target.time - (0.55_f64 * 1.2).sqrt()).abs() < 1e-9 && (target.peak - 0.8).abs() < 1e-9);
        assert!(!target.holds(), "the other takes half the time in every round");
    }

    #[test]
    fn a_time_within_the_interval_holds() {
        let mut compared = compared();
        compared.rows[2] = row("lists", Some("freelists(16)"), &[(510, 90), (495, 80)]);
        let target = Target::of(&compared).expect("heaps ran");
        assert!(target.holds(), "{:?}", target.to_other);
        compared.rows[2] = row("lists", Some("freelists(16)"), &[(510, 120), (495, 120)]);
        assert!(!Target::of(&compared).expect("heaps ran").holds(), "it is larger");
    }

    #[test]
    fn where_all_are_larger_the_smallest_is_named() {
        let mut compared = compared();
        compared.rows[2] = row("lists", Some("freelists(16)"), &[(1100, 150), (1200, 150)]);
        let target = Target::of(&compared).expect("heaps ran");
        assert_eq!(target.heap, "tree");
        assert!(!target.holds());
    }

    #[test]
    fn tests_of_allocators_are_compared_with_mimalloc_by_the_clock_in_its_memory() {
        let mut compared = compared();
        compared.program = crate::real::programs::ALL.iter().find(|program| program.benchmark).expect("a test");
        compared.rows[1].allocator = "mimalloc";
        let target = |compared: &_| Target::of(compared).expect("heaps ran");
        assert_eq!(
            (target(&compared).heap, target(&compared).holds()),
            ("lists", false),
            "80 MiB, and mimalloc has 50"
        );
        compared.rows[1] = row("mimalloc", None, &[(1500, 130), (1500, 130)]);
        assert_eq!(
            (target(&compared).heap, target(&compared).holds()),
            ("tree", true),
            "120 MiB, and mimalloc has 130"
        );
    }

    #[test]
    fn means_leave_tests_of_allocators_out() {
        let (one, mut test) = (compared(), compared());
        test.program =
            crate::real::programs::ALL.iter().find(|program| program.benchmark).expect("a test of allocators");
        test.rows[2] = row("lists", Some("freelists(16)"), &[(9000, 90), (9000, 80)]);
        let expected = Target::of(&one).map(|target| (target.time, target.peak)).expect("heaps ran");
        let (time, peak) = means(&[one, test]).expect("a program");
        assert!((time - expected.0).abs() < 1e-9 && (peak - expected.1).abs() < 1e-9);
        assert!(means(&[]).is_none());
    }
}
