//! A row of the table: the cases of one kind, tried on every core.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::{Case, Kind, Place};

/// Failures of one kind that are printed; all are counted.
const PRINTED: usize = 10;

/// The outcome of all cases of a kind.
pub struct Row {
    name: &'static str,
    tried: usize,
    /// Cases that failed.
    pub failures: usize,
    took: Duration,
}

impl Row {
    /// Tries this many cases of a kind.
    pub fn fill(place: &Place, kind: &Kind, cases: usize) -> Row {
        let began = Instant::now();
        let next = AtomicUsize::new(0);
        let row = Mutex::new(Row { name: kind.name, tried: 0, failures: 0, took: Duration::ZERO });
        let work = || {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= cases {
                    break;
                }
                let outcome = Case::begin(place, kind.name, number).and_then(|mut case| (kind.attempt)(&mut case));
                row.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).count(place, number, outcome);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
                scope.spawn(work);
            }
        });
        let row = row.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        let row = Row { took: began.elapsed(), ..row };
        eprintln!("xtask: {}", row.line());
        row
    }

    fn count(&mut self, place: &Place, number: usize, outcome: Result<usize, String>) {
        match outcome {
            Ok(tried) => self.tried += tried,
            Err(why) => {
                self.tried += 1;
                self.failures += 1;
                if self.failures <= PRINTED {
                    eprintln!(
                        "FAILED: {why}\n    cargo xtask hostile {} --seed {} --case {number}",
                        self.name, place.seed
                    );
                }
            }
        }
    }

    fn line(&self) -> String {
        format!("{:<22} {:>7} {:>7} {:>7.0}", self.name, self.tried, self.failures, self.took.as_secs_f64())
    }
}

/// The whole table, with its sums.
pub fn print(rows: &[Row], seed: u64) {
    let sum = Row {
        name: "all",
        tried: rows.iter().map(|row| row.tried).sum(),
        failures: rows.iter().map(|row| row.failures).sum(),
        took: rows.iter().map(|row| row.took).sum(),
    };
    println!("{:<22} {:>7} {:>7} {:>7}", format!("seed {seed}"), "tried", "failed", "seconds");
    for row in rows.iter().chain([&sum]) {
        println!("{}", row.line());
    }
}
