//! Figures of a row: the best of its rounds, and ratios to glibc's.

use super::compare::Row;

/// The best of a row's rounds, each figure for itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Seconds by the clock.
    pub clock: f64,
    /// Seconds of processors.
    pub processors: f64,
    /// Most bytes resident in one process.
    pub peak: f64,
}

impl Figures {
    /// Of a row, if it has a run and none failed.
    pub fn of(row: &Row) -> Option<Figures> {
        if row.failure.is_some() || row.runs.is_empty() {
            return None;
        }
        let min = |of: fn(&super::launch::Run) -> f64| row.runs.iter().map(of).fold(f64::INFINITY, f64::min);
        Some(Figures {
            clock: min(|run| run.clock.as_secs_f64()),
            processors: min(|run| run.processors.as_secs_f64()),
            peak: min(|run| run.peak as f64),
        })
    }

    /// Each figure by that of another.
    pub fn by(self, other: Figures) -> Figures {
        Figures {
            clock: self.clock / other.clock,
            processors: self.processors / other.processors,
            peak: self.peak / other.peak,
        }
    }
}

#[cfg(test)]
pub mod tests {
    use std::time::Duration;

    use super::Figures;
    use crate::real::compare::{Compared, Row};
    use crate::real::launch::Run;
    use crate::real::programs;

    /// Runs of this many milliseconds by the clock, half of them processor time, and this many MiB.
    pub fn row(allocator: &'static str, spec: Option<&'static str>, runs: &[(u64, u64)]) -> Row {
        let run = |&(clock, peak): &(u64, u64)| Run {
            clock: Duration::from_millis(clock),
            processors: Duration::from_millis(clock / 2),
            peak: peak << 20,
            output: String::new(),
            witnesses: Vec::new(),
        };
        Row { allocator, spec, runs: runs.iter().map(run).collect(), failure: None }
    }

    /// A program on glibc, a peer, and three heaps, the last of which fails.
    pub fn compared() -> Compared {
        let mut broken = row("buddy", Some("buddy(estranged)"), &[(10, 1)]);
        broken.failure = Some("killed by signal 11".to_owned());
        Compared {
            program: programs::ALL[0],
            calls: 1_234_567,
            rows: vec![
                row("glibc", None, &[(2000, 100), (1000, 110)]),
                row("peer", None, &[(500, 50), (500, 50)]),
                row("lists", Some("freelists(16)"), &[(1100, 90), (1200, 80)]),
                row("tree", Some("tree"), &[(900, 120), (900, 120)]),
                broken,
            ],
        }
    }

    #[test]
    fn the_best_of_each_figure_counts() {
        let figures = Figures::of(&compared().rows[0]).expect("glibc ran");
        assert_eq!(figures, Figures { clock: 1.0, processors: 0.5, peak: f64::from(100 << 20) });
    }
}
