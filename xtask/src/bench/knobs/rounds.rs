//! The runs of a race, and how two allocators compare in them.

use std::path::Path;

use serde_json::Value;

use super::percent;
use crate::mean::Mean;

/// The runs of a race as its file has them.
pub struct Rounds {
    race: Value,
}

/// What is compared, by its key.
pub const FIGURES: [(&str, &str); 4] =
    [("peak", "peak_resident"), ("mean", "mean_resident"), ("cpu", "processor_time"), ("wall", "wall_time")];

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
        let Mean { ratio, low, high } = self.ratio(allocator, base, key)?;
        let end = |ratio: f64| format!("{:+.1}", (ratio - 1.0) * 100.0);
        Ok(format!("{} ({} to {})", percent(ratio), end(low), end(high)))
    }

    /// Whether one takes less memory, or less time, by the whole interval, and at most a hundredth more of the other.
    pub fn is_better(&self, allocator: &str, base: &str) -> bool {
        let upper = |key: &str| self.ratio(allocator, base, key).map_or(f64::INFINITY, |mean| mean.high);
        let (memory, time) = (upper("peak_resident"), upper("wall_time"));
        memory.min(time) < 1.0 && memory.max(time) <= 1.01
    }

    fn ratio(&self, allocator: &str, base: &str, key: &str) -> Result<Mean, String> {
        let (own, others) = (self.figures(allocator, key)?, self.figures(base, key)?);
        let base_of = |round: u64| others.iter().find(|other| other.0 == round).map(|other| other.1);
        let ratios = own.iter().filter_map(|(round, figure)| Some(figure / base_of(*round)?));
        Mean::of(ratios).ok_or_else(|| format!("{allocator} ran too few times"))
    }
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
