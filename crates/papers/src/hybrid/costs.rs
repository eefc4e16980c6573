//! Instructions of the page heap from what is counted in a replay.
//!
//! ```text
//!   instructions = a·operations + b·requests served by never-used memory + c·accesses + d·visits (unit: its instructions)
//! ```
//!
//! The factors of each search are those of least squares of relative errors over programs whose instructions were
//! counted (`hardware/results/instructions.csv`, which a test of the crate `heapsmith` counts again). So costs are
//! known where no tool counts, the same on every machine; [`Costs::error`] says how well the programs are met.

use heapsmith_replay::{Measures, Region, ReplayOptions, replay, unit_instructions};
use heapsmith_spec::resolve;
use heapsmith_trace::PackedTrace;

use crate::error::ExperimentError;

/// What was counted.
const COUNTED: &str = include_str!("../../../../hardware/results/instructions.csv");

/// Factors of a search.
const FACTORS: usize = 4;

/// A search, and the heap that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SearchCost {
    /// Its name in a spec.
    pub name: &'static str,
    /// Its name in tables.
    pub shown: &'static str,
}

/// The paper's software.
pub(super) const BY_BIT: SearchCost = SearchCost { name: "linear", shown: "bit by bit" };
/// Zeros counted by an instruction.
pub(super) const BY_WORD: SearchCost = SearchCost { name: "word", shown: "by word" };
/// Zeros counted in a tree of words.
pub(super) const BY_TREE: SearchCost = SearchCost { name: "tree", shown: "by tree" };
/// The paper's hardware.
pub(super) const BY_UNIT: SearchCost = SearchCost { name: "hardware", shown: "unit" };
/// All of them.
pub(super) const SEARCHES: [SearchCost; 4] = [BY_BIT, BY_WORD, BY_TREE, BY_UNIT];

/// The factors of every search.
#[derive(Debug)]
pub(super) struct Costs {
    factors: [[f64; FACTORS]; SEARCHES.len()],
    /// The largest relative error over the counted programs.
    pub error: f64,
}

/// What allocating and freeing costs over a trace.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Allocating {
    /// Instructions of the software.
    pub software: f64,
    /// Those of them that the bits and words cost which are looked at.
    pub search: f64,
    /// Cycles of the unit.
    pub unit: f64,
}

impl Allocating {
    /// Cycles, at an instruction a cycle.
    pub fn cycles(&self) -> f64 {
        self.software + self.unit
    }

    /// The same where everything that is looked at costs this many times as much.
    pub fn cycles_at(&self, charge: f64) -> f64 {
        self.cycles() + (charge - 1.0) * self.search
    }
}

/// The columns of a line of the file after its names, as numbers.
fn numbers(line: &str) -> Vec<f64> {
    line.split(',').skip(2).filter_map(|number| number.parse().ok()).collect()
}

/// What the factors multiply; the unit's instructions replace visits, of which there are hardly any with it.
fn counts(numbers: &[f64], search: SearchCost) -> [f64; FACTORS] {
    let [operations, grown, accesses, visits, unit] = [0, 1, 2, 3, 4].map(|at| numbers[at]);
    [operations, grown, accesses, if search == BY_UNIT { unit } else { visits }]
}

impl Costs {
    /// From the file.
    pub fn read() -> Costs {
        let of_search = |search: SearchCost| -> Vec<([f64; FACTORS], f64)> {
            let own = COUNTED.lines().filter(move |line| line.split(',').next() == Some(search.name)).map(numbers);
            own.map(|numbers| (counts(&numbers, search), numbers[5])).collect()
        };
        let factors = SEARCHES.map(|search| least_squares(&of_search(search)));
        let mut error: f64 = 0.0;
        for (search, factors) in SEARCHES.iter().zip(&factors) {
            for (counts, instructions) in of_search(*search) {
                error = error.max((product(factors, &counts) / instructions - 1.0).abs());
            }
        }
        Costs { factors, error }
    }

    /// What a program's requests cost with a search.
    pub fn of(
        &self,
        search: SearchCost,
        trace: &PackedTrace,
        region: &mut Region,
    ) -> Result<Allocating, ExperimentError> {
        let spec = resolve(&format!("pages(page=4096, min=16, search={})", search.name))?;
        let measures = replay(&spec, trace, region, ReplayOptions::MEASURE)?;
        let unit = unit_instructions(&spec, trace, region)? as f64;
        let Measures { operations, by_growing, accesses, visits, .. } = measures;
        let numbers = [operations, by_growing, accesses.total, visits.total].map(|count| count as f64);
        let counts = counts(&[&numbers[..], &[unit]].concat(), search);
        let place = SEARCHES.iter().position(|known| *known == search).unwrap_or_default();
        let looked_at = if search == BY_UNIT { 0.0 } else { counts[3] };
        Ok(Allocating {
            software: product(&self.factors[place], &counts),
            search: self.factors[place][3] * looked_at,
            unit,
        })
    }
}

impl Costs {
    /// What a program's requests cost with a unit that holds the bitmap of every page: the heap by word without the words
    /// that its search looks at, and a cycle a request and a free.
    pub fn ideal(&self, trace: &PackedTrace, region: &mut Region) -> Result<Allocating, ExperimentError> {
        let spec = resolve(super::BY_WORD)?;
        let Measures { operations, by_growing, accesses, visits, .. } =
            replay(&spec, trace, region, ReplayOptions::MEASURE)?;
        // Each word that is looked at is read once.
        let left = accesses.total.saturating_sub(visits.total);
        let counts = [operations as f64, by_growing as f64, left as f64, 0.0];
        Ok(Allocating { software: product(&self.factors[super::WORD], &counts), search: 0.0, unit: operations as f64 })
    }
}

fn product(factors: &[f64; FACTORS], counts: &[f64; FACTORS]) -> f64 {
    factors.iter().zip(counts).map(|(factor, count)| factor * count).sum()
}

/// The factors with the least squares of relative errors: the normal equations, by elimination.
fn least_squares(rows: &[([f64; FACTORS], f64)]) -> [f64; FACTORS] {
    let mut system = [[0.0; FACTORS + 1]; FACTORS];
    for (counts, value) in rows {
        for row in 0..FACTORS {
            for column in 0..FACTORS {
                system[row][column] += counts[row] * counts[column] / (value * value);
            }
            system[row][FACTORS] += counts[row] / value;
        }
    }
    for place in 0..FACTORS {
        let pivot = (place..FACTORS).max_by(|&a, &b| system[a][place].abs().total_cmp(&system[b][place].abs()));
        system.swap(place, pivot.unwrap_or(place));
        let own = system[place];
        for (_, line) in system.iter_mut().enumerate().filter(|(row, _)| *row != place) {
            let factor = line[place] / own[place];
            line.iter_mut().zip(own).for_each(|(value, own)| *value -= factor * own);
        }
    }
    core::array::from_fn(|place| system[place][FACTORS] / system[place][place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_found_again() {
        let wanted = [80.0, 150.0, 3.0, 5.0];
        let rows: Vec<([f64; FACTORS], f64)> = (1..9)
            .map(|number| {
                let number = f64::from(number);
                let counts = [100.0 * number, number * number, 700.0 + 90.0 * number, 50.0 * (number % 4.0)];
                (counts, product(&wanted, &counts))
            })
            .collect();
        for (found, wanted) in least_squares(&rows).iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-6, "{found} for {wanted}");
        }
    }

    #[test]
    fn the_counted_programs_are_met_within_some_percent() {
        let costs = Costs::read();
        assert!(costs.error < 0.05, "{}", costs.error);
    }
}
