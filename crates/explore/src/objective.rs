//! What designs are compared by. Less is better, everywhere.

use heapsmith_replay::Measures;

/// A dimension in which designs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// Footprint over request, less one, averaged over the traces.
    Fragmentation,
    /// Internal fragmentation at the peak.
    Internal,
    /// External fragmentation: what the largest footprint has beyond the blocks used at the peak.
    External,
    /// Mean accesses an operation.
    Accesses,
    /// Accesses that 99% of the operations do not exceed.
    P99,
    /// Accesses of the worst operation.
    Worst,
}

impl Objective {
    /// The objectives of the Pareto front.
    pub const FRONT: [Objective; 4] = [Objective::Fragmentation, Objective::Accesses, Objective::P99, Objective::Worst];

    /// All objectives, in the order of reports.
    pub const ALL: [Objective; 6] = [
        Objective::Fragmentation,
        Objective::Internal,
        Objective::External,
        Objective::Accesses,
        Objective::P99,
        Objective::Worst,
    ];

    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Fragmentation => "fragmentation",
            Objective::Internal => "internal_fragmentation",
            Objective::External => "external_fragmentation",
            Objective::Accesses => "accesses_per_op",
            Objective::P99 => "accesses_p99",
            Objective::Worst => "accesses_max",
        }
    }

    /// Whether its values are shares, read as percent.
    pub fn is_share(self) -> bool {
        matches!(self, Objective::Fragmentation | Objective::Internal | Objective::External)
    }
}

/// A design's values in every objective, over all traces of an exploration.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Objectives {
    /// Requests refused, over all traces: a design that refuses any is not compared.
    pub failed: u64,
    values: [f64; Objective::ALL.len()],
}

impl Objectives {
    /// Of the measures on each trace: shares are averaged over the traces,
    /// accesses over all operations; p99 and worst are those of the worst trace.
    pub fn of(measures: &[Measures]) -> Objectives {
        let mean = |value: fn(&Measures) -> f64| measures.iter().map(value).sum::<f64>() / measures.len().max(1) as f64;
        let total = |value: fn(&Measures) -> u64| measures.iter().map(value).sum::<u64>();
        let most = |value: fn(&Measures) -> u64| measures.iter().map(value).max().unwrap_or(0) as f64;
        Objectives {
            failed: total(|m| m.failed),
            values: [
                mean(Measures::fragmentation),
                mean(Measures::internal_fragmentation),
                mean(Measures::external_fragmentation),
                total(|m| m.accesses.total) as f64 / total(|m| m.operations).max(1) as f64,
                most(|m| m.accesses.p99),
                most(|m| m.accesses.max),
            ],
        }
    }

    /// The value in one objective.
    pub fn get(&self, objective: Objective) -> f64 {
        self.values[objective as usize]
    }
}

#[cfg(test)]
impl Objectives {
    /// A point by fragmentation and accesses alone.
    pub fn point(fragmentation: f64, accesses: f64) -> Objectives {
        Objectives { failed: 0, values: [fragmentation, 0.0, 0.0, accesses, accesses, accesses] }
    }
}
