//! Gates and longest paths of the units, as `cargo xtask hardware gates` wrote them (`hardware/results`).

/// A line for each unit, number of leaves and stage.
const GATES: &str = include_str!("../../../../hardware/results/gates.csv");
/// A line for each law that was fitted.
const GROWTH: &str = include_str!("../../../../hardware/results/growth.csv");

/// What was counted of a unit.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub(super) struct Gates {
    /// The unit.
    pub unit: String,
    /// Its leaves: P/S, or M/S.
    pub leaves: u64,
    /// As written, or as mapped to gates by a synthesiser.
    pub stage: String,
    /// AND gates of two inputs.
    pub and: u64,
    /// OR gates of two inputs.
    pub or: u64,
    /// Inverters.
    pub not: u64,
    /// XOR gates of two inputs.
    pub xor: u64,
    /// Multiplexers of two inputs.
    pub mux: u64,
    /// Flip-flops.
    pub flip_flops: u64,
    /// All but flip-flops.
    pub gates: u64,
    /// Gates on the longest path.
    pub path: u64,
}

/// A line of least squares through a law of growth.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fitted {
    pub unit: String,
    pub stage: String,
    pub of: String,
    pub law: String,
    pub slope: f64,
    pub constant: f64,
    pub r2: f64,
    /// For a memory of 2 GB in units of 16 bytes, where the unit manages a whole memory.
    pub at_2gb: Option<f64>,
}

/// The rows of a table after its comments and its head; a line that is none is left out, which a test would see.
fn rows(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    table.lines().filter(|line| !line.starts_with('#')).skip(1).map(|line| line.split(',').collect())
}

/// Every count.
pub(super) fn gates() -> Vec<Gates> {
    let read = |row: Vec<&str>| {
        let number = |at: usize| row.get(at)?.parse().ok();
        Some(Gates {
            unit: (*row.first()?).to_owned(),
            leaves: number(1)?,
            stage: (*row.get(2)?).to_owned(),
            and: number(3)?,
            or: number(4)?,
            not: number(5)?,
            xor: number(6)?,
            mux: number(7)?,
            flip_flops: number(8)?,
            gates: number(9)?,
            path: number(10)?,
        })
    };
    rows(GATES).filter_map(read).collect()
}

/// Every fit.
pub(super) fn growth() -> Vec<Fitted> {
    let read = |row: Vec<&str>| {
        let text = |at: usize| row.get(at).map(|text| (*text).to_owned());
        let number = |at: usize| row.get(at)?.parse().ok();
        Some(Fitted {
            unit: text(0)?,
            stage: text(1)?,
            of: text(2)?,
            law: text(3)?,
            slope: number(4)?,
            constant: number(5)?,
            r2: number(6)?,
            at_2gb: number(7),
        })
    };
    rows(GROWTH).filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read_and_adds_up() {
        let (all, fits) = (gates(), growth());
        assert_eq!(all.len(), rows(GATES).count());
        assert_eq!(fits.len(), rows(GROWTH).count());
        for row in &all {
            assert_eq!(row.and + row.or + row.not + row.xor + row.mux, row.gates, "{row:?}");
        }
    }
}
