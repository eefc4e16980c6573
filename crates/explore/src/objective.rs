//! What designs are compared by. Less is better, everywhere.

use std::fmt;
use std::str::FromStr;

use heapsmith_replay::Measures;

/// A dimension in which designs are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    MaxOp,
    /// Bytes of the footprint after each operation, averaged over all operations.
    FootprintMean,
    /// Bytes that the footprint has beyond those requested and live, averaged over all operations.
    Retained,
    /// Bytes of the footprint, averaged over time.
    FootprintOverTime,
    /// Bytes that the footprint has beyond those requested and live, averaged over time.
    RetainedOverTime,
    /// Model cycles of an operation, counted with the lines of a model cache. Known of finalists alone, as it takes a replay
    /// of its own.
    Cost,
    /// Bytes of the smallest region that serves every trace. Known of finalists alone.
    MinRegion,
    /// Nanoseconds an operation, measured. Known of finalists alone.
    Time,
    /// Bytes of code and data of the emitted C. Known of finalists that can be emitted.
    CodeSize,
    /// Instructions an operation of the emitted C on an emulated Cortex-M3. Known of finalists that can be emitted.
    Instructions,
    /// Instructions of the operation that takes most there.
    MaxInstructions,
}

impl Objective {
    /// The objectives of the front where nothing else is asked for.
    pub const FRONT: [Objective; 4] = [Objective::Fragmentation, Objective::Accesses, Objective::P99, Objective::MaxOp];

    /// The objectives that every replay counts, in the order of reports.
    pub const COUNTED: [Objective; 10] = [
        Objective::Fragmentation,
        Objective::Internal,
        Objective::External,
        Objective::Accesses,
        Objective::P99,
        Objective::MaxOp,
        Objective::FootprintMean,
        Objective::Retained,
        Objective::FootprintOverTime,
        Objective::RetainedOverTime,
    ];

    /// All objectives, in the order of reports.
    pub const ALL: [Objective; 16] = [
        Objective::Fragmentation,
        Objective::Internal,
        Objective::External,
        Objective::Accesses,
        Objective::P99,
        Objective::MaxOp,
        Objective::FootprintMean,
        Objective::Retained,
        Objective::FootprintOverTime,
        Objective::RetainedOverTime,
        Objective::Cost,
        Objective::MinRegion,
        Objective::Time,
        Objective::CodeSize,
        Objective::Instructions,
        Objective::MaxInstructions,
    ];

    /// What a compiler for the target's processor is needed for.
    pub const COMPILED: [Objective; 3] = [Objective::CodeSize, Objective::Instructions, Objective::MaxInstructions];

    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Objective::Fragmentation => "fragmentation",
            Objective::Internal => "internal_fragmentation",
            Objective::External => "external_fragmentation",
            Objective::Accesses => "accesses_per_op",
            Objective::P99 => "accesses_p99",
            Objective::MaxOp => "accesses_max",
            Objective::FootprintMean => "footprint_mean",
            Objective::Retained => "retained",
            Objective::FootprintOverTime => "footprint_over_time",
            Objective::RetainedOverTime => "retained_over_time",
            Objective::Cost => "cost_per_op",
            Objective::MinRegion => "min_region",
            Objective::Time => "ns_per_op",
            Objective::CodeSize => "code_size",
            Objective::Instructions => "instructions_per_op",
            Objective::MaxInstructions => "instructions_max",
        }
    }

    /// Its name in a sentence.
    pub fn words(self) -> &'static str {
        match self {
            Objective::Fragmentation => "fragmentation",
            Objective::Internal => "internal fragmentation",
            Objective::External => "external fragmentation",
            Objective::Accesses => "accesses",
            Objective::P99 => "p99 accesses",
            Objective::MaxOp => "max accesses",
            Objective::FootprintMean => "mean footprint",
            Objective::Retained => "retained memory",
            Objective::FootprintOverTime => "mean footprint over time",
            Objective::RetainedOverTime => "retained memory over time",
            Objective::Cost => "counted cost",
            Objective::MinRegion => "smallest region",
            Objective::Time => "time",
            Objective::CodeSize => "code size",
            Objective::Instructions => "instructions",
            Objective::MaxInstructions => "max instructions",
        }
    }

    /// Whether its values are shares, read as percent.
    pub fn is_share(self) -> bool {
        matches!(self, Objective::Fragmentation | Objective::Internal | Objective::External)
    }

    /// Whether every replay counts it; the others are measured of finalists.
    pub fn is_counted(self) -> bool {
        Objective::COUNTED.contains(&self)
    }

    /// Whether a store keeps it in parts, as it is a mean over operations.
    pub(crate) fn is_kept_in_parts(self) -> bool {
        matches!(self, Objective::Cost | Objective::Instructions)
    }

    /// Whether values of different designs differ by factors, so that they are compared by their logarithm.
    pub(crate) fn is_scale(self) -> bool {
        !self.is_share()
    }

    /// A value as people read it.
    pub fn shown(self, value: f64) -> String {
        match self {
            _ if !value.is_finite() => "not known".to_owned(),
            _ if self.is_share() => format!("{:.1}%", value * 100.0),
            Objective::Accesses => format!("{value:.2}"),
            Objective::Cost => format!("{value:.1} model cycles"),
            Objective::Time => format!("{value:.1} ns"),
            Objective::Instructions => format!("{value:.1} instructions"),
            Objective::MaxInstructions => format!("{value:.0} instructions"),
            Objective::FootprintMean
            | Objective::Retained
            | Objective::FootprintOverTime
            | Objective::RetainedOverTime
            | Objective::MinRegion
            | Objective::CodeSize => format!("{value:.0} bytes"),
            _ => format!("{value:.0}"),
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Objective {
    type Err = String;

    fn from_str(name: &str) -> Result<Objective, String> {
        let short = |objective: Objective| match objective {
            Objective::Internal => "internal",
            Objective::External => "external",
            Objective::Accesses => "accesses",
            Objective::P99 => "p99",
            Objective::MaxOp => "max",
            Objective::Cost => "cost",
            Objective::Time => "ns",
            Objective::Instructions => "instructions",
            other => other.name(),
        };
        let found = Objective::ALL.into_iter().find(|&objective| name == objective.name() || name == short(objective));
        found.ok_or_else(|| {
            let names: Vec<&str> = Objective::ALL.into_iter().map(short).collect();
            format!("{name:?} is no objective: choose of {}", names.join(", "))
        })
    }
}

/// A design's values in every objective, over all traces of an exploration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Objectives {
    /// Requests refused, over all traces: a design that refuses any is not compared.
    pub failed: u64,
    /// Whether it is left out of comparisons although it serves, as it breaks a constraint.
    pub excluded: bool,
    values: [f64; Objective::ALL.len()],
}

impl Default for Objectives {
    fn default() -> Objectives {
        Objectives::of(&[])
    }
}

impl Objectives {
    /// Of the measures on each trace: shares are averaged over the traces,
    /// accesses and bytes over all operations; p99 and max are those of the worst trace.
    /// What is measured of finalists alone is not known yet.
    pub fn of(measures: &[Measures]) -> Objectives {
        let mean = |value: fn(&Measures) -> f64| measures.iter().map(value).sum::<f64>() / measures.len().max(1) as f64;
        let total = |value: fn(&Measures) -> u64| measures.iter().map(value).sum::<u64>();
        let max = |value: fn(&Measures) -> u64| measures.iter().map(value).max().unwrap_or(0) as f64;
        let operations = total(|m| m.operations).max(1) as f64;
        let over_all = |bytes: fn(&Measures) -> u64| {
            measures.iter().map(|m| bytes(m) as f64 * m.operations as f64).sum::<f64>() / operations
        };
        Objectives {
            failed: total(|m| m.failed),
            excluded: false,
            values: [
                mean(Measures::fragmentation),
                mean(Measures::internal_fragmentation),
                mean(Measures::external_fragmentation),
                total(|m| m.accesses.total) as f64 / operations,
                max(|m| m.accesses.p99),
                max(|m| m.accesses.max),
                over_all(|m| m.footprint_mean.0),
                over_all(|m| m.retained.0),
                over_all(|m| m.footprint_over_time.0),
                over_all(|m| m.retained_over_time.0),
                f64::INFINITY,
                f64::INFINITY,
                f64::INFINITY,
                f64::INFINITY,
                f64::INFINITY,
                f64::INFINITY,
            ],
        }
    }

    /// The value in one objective; infinite where it is not known.
    pub fn get(&self, objective: Objective) -> f64 {
        self.values[objective as usize]
    }

    /// Sets what was measured.
    pub fn set(&mut self, objective: Objective, value: f64) {
        self.values[objective as usize] = value;
    }

    /// Whether it serves every request and keeps every constraint.
    pub fn is_compared(&self) -> bool {
        self.failed == 0 && !self.excluded
    }
}

#[cfg(test)]
impl Objectives {
    /// A point by fragmentation and accesses alone.
    pub fn point(fragmentation: f64, accesses: f64) -> Objectives {
        let mut point = Objectives::default();
        point.set(Objective::Fragmentation, fragmentation);
        for objective in [Objective::Accesses, Objective::P99, Objective::MaxOp] {
            point.set(objective, accesses);
        }
        point
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_objective_is_read_by_its_name_in_files_and_by_its_short_name() {
        for objective in Objective::ALL {
            assert_eq!(objective.name().parse(), Ok(objective));
        }
        assert_eq!("max".parse(), Ok(Objective::MaxOp));
        let error = "speed".parse::<Objective>().expect_err("no objective");
        assert!(error.contains("accesses, p99, max, footprint_mean, retained, footprint_over_time, retained_over_time, cost, min_region"), "{error}");
    }
}
