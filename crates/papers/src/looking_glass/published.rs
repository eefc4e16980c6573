//! What running the authors' programs showed (`cargo xtask papers 001`), and what is worked out from it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::answer::Interval;
use crate::error::ExperimentError;
use crate::fit::slope;
use crate::shown::digits;

/// A program, as the files name it: its allocator, and the largest size that it asks for after the first request.
pub(super) type Program = (&'static str, u64);

/// The authors' four programs as they were published.
pub(super) const PUBLISHED: [Program; 4] = [("implicit", 1024), ("explicit", 1024), ("tree", 32), ("malloc", 1024)];
/// The same with the sizes that the paper names.
pub(super) const SAME_SIZES: [Program; 4] = [("implicit", 1024), ("explicit", 1024), ("tree", 1024), ("malloc", 1024)];

/// What one program of one size does with the seed 1.
#[derive(Debug, Deserialize)]
pub(super) struct Count {
    pub program: String,
    pub asks: u64,
    pub requests: u64,
    /// Inside the allocator's two functions.
    pub instructions: u64,
    /// Bytes in all.
    pub requested: u64,
    pub frees: u64,
    /// Bytes by which the heap grew, at its largest.
    pub grown_max: u64,
}

#[derive(Debug, Deserialize)]
struct Time {
    program: String,
    asks: u64,
    requests: u64,
    run: usize,
    microseconds: f64,
}

/// What ten allocations of a size took in one process.
#[derive(Debug, Deserialize)]
pub(super) struct FirstCalls {
    pub heap: String,
    pub run: usize,
    pub size: u64,
    pub nanoseconds: f64,
    pub system_calls: u64,
}

/// What the authors' own runs took: microseconds.
#[derive(Debug, Deserialize)]
pub(super) struct Kept {
    pub program: String,
    pub requests: u64,
    pub runs: u64,
    pub low: f64,
    pub median: f64,
    pub high: f64,
}

fn rows<R: DeserializeOwned>(text: &str) -> Result<Vec<R>, ExperimentError> {
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(text.as_bytes());
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

pub(super) fn first_calls() -> Result<Vec<FirstCalls>, ExperimentError> {
    rows(include_str!("../../originals/001-first-calls.csv"))
}

pub(super) fn kept() -> Result<Vec<Kept>, ExperimentError> {
    rows(include_str!("../../originals/001-kept.csv"))
}

/// Counts of every program.
pub(super) struct Counts(Vec<Count>);

impl Counts {
    pub fn read() -> Result<Counts, ExperimentError> {
        rows(include_str!("../../originals/001-counts.csv")).map(Counts)
    }

    pub fn all(&self) -> &[Count] {
        &self.0
    }

    /// Instructions over the number of requests.
    pub fn instructions(&self, program: Program) -> Vec<(f64, f64)> {
        self.of(program).map(|count| (count.requests as f64, count.instructions as f64)).collect()
    }

    /// The largest size of a program.
    pub fn largest(&self, program: Program) -> Option<&Count> {
        self.of(program).max_by_key(|count| count.requests)
    }

    fn of(&self, program: Program) -> impl Iterator<Item = &Count> {
        self.0.iter().filter(move |count| (count.program.as_str(), count.asks) == program)
    }
}

/// Times of every program: a process for each run of each size.
pub(super) struct Times(Vec<Time>);

impl Times {
    pub fn read() -> Result<Times, ExperimentError> {
        rows(include_str!("../../originals/001-times.csv")).map(Times)
    }

    /// The median time of a program, with its interval: microseconds by the number of requests.
    pub fn medians(&self, program: Program) -> BTreeMap<u64, Interval> {
        let mut by_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
        for time in self.of(program) {
            by_size.entry(time.requests).or_default().push(time.microseconds);
        }
        by_size.into_iter().filter_map(|(size, times)| Some((size, Interval::of_median(&times)?))).collect()
    }

    /// The times of each run, over the number of requests.
    pub fn runs(&self, program: Program) -> Vec<Vec<(f64, f64)>> {
        let mut runs: BTreeMap<usize, Vec<(f64, f64)>> = BTreeMap::new();
        for time in self.of(program) {
            runs.entry(time.run).or_default().push((time.requests as f64, time.microseconds));
        }
        runs.into_values().collect()
    }

    /// The exponent of a power from as many requests on: the median of the runs' own.
    pub fn exponent(&self, program: Program, min: f64) -> Interval {
        interval(self.runs(program).iter().map(|run| slope(run, min)))
    }

    /// What is worked out from two programs in each run: at every size, the first time and the second.
    pub fn of_pair(&self, pair: [Program; 2], of: impl Fn(&[(f64, f64, f64)]) -> f64) -> Interval {
        let [one, other] = pair.map(|program| self.runs(program));
        interval(one.iter().zip(&other).map(|(one, other)| {
            of(&one.iter().zip(other).map(|(one, other)| (one.0, one.1, other.1)).collect::<Vec<_>>())
        }))
    }

    fn of(&self, program: Program) -> impl Iterator<Item = &Time> {
        self.0.iter().filter(move |time| (time.program.as_str(), time.asks) == program)
    }
}

/// The interval of the median of what runs gave.
pub(super) fn interval(values: impl IntoIterator<Item = f64>) -> Interval {
    let none = Interval { low: f64::NAN, median: f64::NAN, high: f64::NAN };
    Interval::of_median(&values.into_iter().collect::<Vec<_>>()).unwrap_or(none)
}

/// A median with its interval.
pub(super) fn words(interval: &Interval) -> String {
    format!("{} ({} to {})", digits(interval.median), digits(interval.low), digits(interval.high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_program_ran_with_every_size_and_eleven_times() {
        let (counts, times) = (Counts::read().expect("counts"), Times::read().expect("times"));
        for program in PUBLISHED.into_iter().chain(SAME_SIZES) {
            assert_eq!((counts.of(program).count(), times.runs(program).len()), (12, 11), "{program:?}");
            assert!(times.runs(program).iter().all(|run| run.len() == 12), "{program:?}");
            assert_eq!(times.medians(program).len(), 12, "{program:?}");
        }
        assert_eq!(first_calls().expect("first calls").iter().filter(|row| row.heap == "stack").count(), 6 * 31);
        assert!(kept().expect("kept").iter().all(|kept| kept.runs == 100 && kept.low <= kept.high));
    }

    #[test]
    fn an_exponent_is_the_median_of_the_runs() {
        let time =
            |run, requests: u64, microseconds| Time { program: "tree".into(), asks: 32, requests, run, microseconds };
        let power =
            |run: usize| [100, 1000].map(|requests| time(run, requests, (requests as f64).powi(1 + (run % 2) as i32)));
        let times = Times((0..7).flat_map(power).collect());
        let found = times.exponent(("tree", 32), 0.0);
        assert!((found.median - 1.0).abs() < 1e-9 && (found.high - 2.0).abs() < 1e-9, "{found:?}");
        assert!(times.exponent(("malloc", 32), 0.0).median.is_nan());
    }
}
