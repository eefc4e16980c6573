//! The runs of a race, and how two allocators compare in them.

use std::path::Path;

use serde_json::Value;

use super::percent;

/// The runs of a race as its file has them.
pub struct Rounds {
    race: Value,
}

/// What is compared, by its key.
pub const FIGURES: [(&str, &str); 4] =
    [("peak", "peak_resident"), ("mean", "mean_resident"), ("cpu", "processor_time"), ("wall", "wall_time")];

/// Quantiles of Student's distribution for an interval of 95%, by degrees of freedom from 1; beyond, the last.
const STUDENT: [f64; 40] = [
    12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18, 2.16, 2.14, 2.13, 2.12, 2.11, 2.10, 2.09,
    2.09, 2.08, 2.07, 2.07, 2.06, 2.06, 2.06, 2.05, 2.05, 2.05, 2.04, 2.04, 2.04, 2.03, 2.03, 2.03, 2.03, 2.03, 2.02,
    2.02, 2.02,
];

impl Rounds {
    pub fn read(path: &Path) -> Result<Rounds, String> {
        let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let race = serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Rounds { race })
    }

    /// Rounds in which each ran once.
    pub fn count(&self) -> usize {
        let rounds = self.runs().filter_map(|run| run["round"].as_u64()).max();
        rounds.map_or(0, |last| last as usize + 1)
    }

    fn runs(&self) -> impl Iterator<Item = &Value> {
        self.race["runs"].as_array().into_iter().flatten()
    }

    /// A figure of an allocator in each round, by the round.
    fn figures(&self, allocator: &str, key: &str) -> Result<Vec<(u64, f64)>, String> {
        let entrants = self.race["entrants"].as_array().into_iter().flatten();
        let entrant = entrants.into_iter().position(|entrant| entrant["name"].as_str() == Some(allocator));
        let entrant = entrant.ok_or_else(|| format!("{allocator} did not race"))? as u64;
        let own = self.runs().filter(|run| run["entrant"].as_u64() == Some(entrant));
        Ok(own.filter_map(|run| Some((run["round"].as_u64()?, run[key].as_f64()?))).collect())
    }

    /// The geometric mean of the ratios of a figure in each round, with its interval: `-8.1% (-8.2 to -8.1)`.
    pub fn change(&self, allocator: &str, base: &str, key: &str) -> Result<String, String> {
        let (mean, half) = self.ratio(allocator, base, key)?;
        let end = |log: f64| format!("{:+.1}", (log.exp() - 1.0) * 100.0);
        Ok(format!("{} ({} to {})", percent(mean.exp()), end(mean - half), end(mean + half)))
    }

    /// Whether one takes less memory, or less time, by the whole interval, and at most a hundredth more of the other.
    pub fn is_better(&self, allocator: &str, base: &str) -> bool {
        let upper = |key: &str| self.ratio(allocator, base, key).map_or(f64::INFINITY, |(mean, half)| mean + half);
        let (memory, time) = (upper("peak_resident"), upper("wall_time"));
        memory.min(time) < 0.0 && memory.max(time) <= 0.01
    }

    /// The logarithm of that mean, and half of its interval.
    fn ratio(&self, allocator: &str, base: &str, key: &str) -> Result<(f64, f64), String> {
        let (own, others) = (self.figures(allocator, key)?, self.figures(base, key)?);
        let base_of = |round: u64| others.iter().find(|other| other.0 == round).map(|other| other.1);
        let logs: Vec<f64> = own.iter().filter_map(|(round, figure)| Some((figure / base_of(*round)?).ln())).collect();
        interval(&logs).ok_or_else(|| format!("{allocator} ran too few times"))
    }
}

/// The mean, and half of the interval that has the true one in 95 of 100 cases.
fn interval(values: &[f64]) -> Option<(f64, f64)> {
    let degrees = values.len().checked_sub(2)?;
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    Some((mean, STUDENT[degrees.min(STUDENT.len() - 1)] * (variance / count).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_each_round_says_is_compared_and_not_the_means() {
        let run =
            |round: u64, entrant: u64, time: f64| serde_json::json!({ "round": round, "entrant": entrant, "t": time });
        let entrants = serde_json::json!([{ "name": "peer:libc" }, { "name": "peer:libc(arena_max=1)" }]);
        // The machine is ten times as slow in the last round.
        let runs = [run(0, 0, 1.0), run(0, 1, 0.9), run(1, 1, 0.92), run(1, 0, 1.0), run(2, 0, 10.0), run(2, 1, 9.1)];
        let rounds = Rounds { race: serde_json::json!({ "entrants": entrants, "runs": runs }) };
        assert_eq!(rounds.count(), 3);
        let change = rounds.change("peer:libc(arena_max=1)", "peer:libc", "t").expect("it raced");
        assert_eq!(change, "-9.0% (-11.5 to -6.5)");
        assert!(!rounds.is_better("peer:libc(arena_max=1)", "peer:libc"), "its memory is not known");
        assert!(rounds.change("peer:tcmalloc", "peer:libc", "t").is_err());
    }
}
