//! How often what was predicted is so: pairs in their order, ranks, advice.

use super::super::ranks;
use super::Compared;
use super::deployed::{Deployed, Spread};
use super::heaps::Predicted;

/// What was advised of a pick.
pub struct Advised {
    /// The pick's spec.
    pub heap: String,
    /// The preference that it is the pick of.
    pub preference: &'static str,
    /// `keep`, `change` or `none`.
    pub advice: String,
}

/// A prediction, and the figure that it is of.
pub struct Claim {
    /// What is predicted.
    pub predicted: &'static str,
    /// What it is held against.
    pub deployed: &'static str,
    /// The prediction.
    pub of: fn(&Predicted) -> f64,
    /// The figure.
    pub against: fn(&Deployed) -> Spread,
}

/// All of them.
pub const CLAIMS: &[Claim] = &[
    Claim { predicted: "accesses", deployed: "time", of: |it| it.accesses, against: |it| it.time },
    Claim { predicted: "cost", deployed: "time", of: |it| it.cost, against: |it| it.time },
    Claim { predicted: "replay ns", deployed: "time", of: |it| it.nanoseconds, against: |it| it.time },
    Claim { predicted: "touched pages", deployed: "peak memory", of: |it| it.touched, against: |it| it.peak },
    Claim { predicted: "mean footprint", deployed: "mean memory", of: |it| it.footprint, against: |it| it.mean },
    Claim { predicted: "footprint over time", deployed: "mean memory", of: |it| it.over_time, against: |it| it.mean },
    Claim { predicted: "mean footprint", deployed: "mean pages", of: |it| it.footprint, against: |it| it.touched },
];

/// Pairs of heaps whose deployed intervals are apart, and those of them that are ordered as predicted. A prediction that makes no
/// difference is none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pairs {
    /// In the order that was predicted.
    pub right: usize,
    /// All.
    pub all: usize,
}

impl Pairs {
    /// Of one program.
    pub fn of(claim: &Claim, compared: &Compared) -> Pairs {
        let known: Vec<(f64, Spread)> = compared
            .rows
            .iter()
            .map(|(_, predicted, deployed)| ((claim.of)(predicted), (claim.against)(deployed)))
            .collect();
        Pairs::count(&known)
    }

    fn count(known: &[(f64, Spread)]) -> Pairs {
        let mut pairs = Pairs::default();
        for (predicted, deployed) in known {
            let above = known.iter().filter(|(_, elsewhere)| deployed.is_below(elsewhere));
            for (other, _) in above {
                pairs.all += 1;
                pairs.right += usize::from(predicted < other);
            }
        }
        pairs
    }

    /// Both together.
    pub fn and(self, other: Pairs) -> Pairs {
        Pairs { right: self.right + other.right, all: self.all + other.all }
    }

    /// The share; 1 of none.
    pub fn share(&self) -> f64 {
        if self.all == 0 { 1.0 } else { self.right as f64 / self.all as f64 }
    }
}

/// Spearman's correlation of ranks; equal values share theirs.
pub fn spearman(claim: &Claim, compared: &Compared) -> f64 {
    let predicted: Vec<f64> = compared.rows.iter().map(|(_, predicted, _)| (claim.of)(predicted)).collect();
    let deployed: Vec<f64> = compared.rows.iter().map(|(_, _, deployed)| (claim.against)(deployed).median).collect();
    ranks::spearman(&predicted, &deployed)
}

/// Whether advice was wrong: it said keep where the pick wins both time and peak, or change where it loses both.
pub fn is_wrong(advice: &str, pick: &Deployed, baseline: &Deployed) -> bool {
    match advice {
        "keep" => pick.time.is_below(&baseline.time) && pick.peak.is_below(&baseline.peak),
        "change" => baseline.time.is_below(&pick.time) && baseline.peak.is_below(&pick.peak),
        _ => false,
    }
}

/// The heaps that are better than the pick of a preference, beyond the intervals, in what it is about.
pub fn better_than_pick<'a>(compared: &'a Compared, preference: &str) -> Vec<&'a str> {
    let figure = |deployed: &Deployed| if preference == "memory" { deployed.peak } else { deployed.time };
    let Some(advised) = compared.advised.iter().find(|advised| advised.preference == preference) else {
        return Vec::new();
    };
    let Some((_, _, pick)) = compared.rows.iter().find(|(heap, _, _)| heap.spec == advised.heap) else {
        return Vec::new();
    };
    let better = compared.rows.iter().filter(|(_, _, other)| figure(other).is_below(&figure(pick)));
    better.map(|(heap, _, _)| heap.name.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(low: f64, high: f64) -> Spread {
        Spread { low, median: (low + high) / 2.0, high }
    }

    #[test]
    fn pairs_count_where_the_outcome_is_apart() {
        let known = [(1.0, spread(1.0, 2.0)), (2.0, spread(3.0, 4.0)), (0.5, spread(3.5, 5.0))];
        assert_eq!(Pairs::count(&known), Pairs { right: 1, all: 2 });
        assert_eq!(Pairs::count(&[(1.0, spread(1.0, 2.0)), (1.0, spread(3.0, 4.0))]), Pairs { right: 0, all: 1 });
    }
    #[test]
    fn advice_is_wrong_where_the_other_wins_both() {
        let better =
            Deployed { time: spread(1.0, 2.0), peak: spread(1.0, 2.0), mean: spread(1.0, 2.0), ..Deployed::default() };
        let worse =
            Deployed { time: spread(3.0, 4.0), peak: spread(3.0, 4.0), mean: spread(1.0, 2.0), ..Deployed::default() };
        let mixed = Deployed { peak: spread(1.0, 2.0), ..worse };
        assert!(is_wrong("keep", &better, &worse) && is_wrong("change", &worse, &better));
        assert!(!is_wrong("keep", &worse, &better) && !is_wrong("change", &mixed, &better));
        assert!(!is_wrong("none", &better, &worse));
    }
}
