//! What an exploration found, read back from its folder.

use std::path::PathBuf;

use heapsmith_explore::{Exploration, Objective, Preference, Row, effects, pareto_of, trace_file};
use heapsmith_limits::{Lines, PlacementEffort};
use heapsmith_replay::Measures;
use heapsmith_report::{PageInput, page};
use heapsmith_trace::{PackedTrace, Trace};
use pyo3::prelude::*;

use crate::errors::{Outcome, Raised};
use crate::heap::Heap;
use crate::tables::{Columns, Table};
use crate::wait::unlocked;

/// A finished exploration.
#[pyclass(frozen, module = "heapsmith._native")]
pub struct Explored {
    dir: PathBuf,
    exploration: Exploration,
}

#[pymethods]
impl Explored {
    /// Reads a folder that `explore` wrote.
    #[new]
    fn open(py: Python<'_>, dir: PathBuf) -> Outcome<Explored> {
        let exploration = unlocked(py, |_| Exploration::open(&dir))??;
        Ok(Explored { dir, exploration })
    }

    /// Names of the traces.
    #[getter]
    fn traces(&self) -> Vec<String> {
        self.exploration.traces.clone()
    }

    /// The name of the space.
    #[getter]
    fn space(&self) -> &str {
        &self.exploration.space
    }

    /// Designs that were cut short.
    #[getter]
    fn pruned(&self) -> usize {
        self.exploration.pruned
    }

    /// Every design, a row each: over all traces.
    fn designs(&self) -> Table {
        let exploration = &self.exploration;
        let mut columns =
            Columns::default().integers("number", exploration.rows.iter().map(|row| row.design.number.into()));
        for name in exploration.families.factors() {
            let levels = || exploration.rows.iter().map(|row: &Row| exploration.families.level(&row.design, name));
            // A family may have no such factor.
            let numbers: Result<Vec<Option<u64>>, _> =
                levels().map(|level| level.map(str::parse).transpose()).collect();
            columns = match numbers {
                Ok(numbers) => columns.known(name.to_owned(), numbers),
                Err(_) => columns.texts(name.to_owned(), levels().map(Option::unwrap_or_default)),
            };
        }
        for objective in Objective::COUNTED {
            columns = columns.numbers(objective.name(), exploration.points.iter().map(|point| point.get(objective)));
        }
        columns
            .integers("failed", exploration.points.iter().map(|point| point.failed))
            .flags("on_front", (0..exploration.rows.len()).map(|index| exploration.front.binary_search(&index).is_ok()))
            .flags("on_front_2d", (0..exploration.rows.len()).map(|index| exploration.front_2d.contains(&index)))
            .texts("heap", exploration.rows.iter().map(|row| row.design.spec.to_string()))
            .table()
    }

    /// Every design on every trace, with all that was counted.
    fn measures(&self) -> Table {
        let exploration = &self.exploration;
        let lines: Vec<_> = exploration
            .rows
            .iter()
            .flat_map(|row| row.measures.iter().zip(&exploration.traces).map(move |(m, trace)| (row, m, trace)))
            .collect();
        let columns = Columns::default()
            .integers("number", lines.iter().map(|(row, ..)| row.design.number.into()))
            .texts("trace", lines.iter().map(|(.., trace)| trace));
        counted(columns, lines.iter().map(|(_, measures, _)| *measures))
            .texts("heap", lines.iter().map(|(row, ..)| row.design.spec.to_string()))
            .table()
    }

    /// The allocators of the catalogue, a row each: over all traces.
    fn catalogue(&self) -> Table {
        let entries = &self.exploration.catalogue;
        let mut columns = Columns::default().texts("name", entries.iter().map(|entry| &entry.name));
        for objective in Objective::COUNTED {
            columns = columns.numbers(objective.name(), entries.iter().map(|entry| entry.objectives.get(objective)));
        }
        columns
            .integers("failed", entries.iter().map(|entry| entry.objectives.failed))
            .texts("heap", entries.iter().map(|entry| &entry.spec))
            .table()
    }

    /// The index of the preferred design among the designs, and its heap.
    #[pyo3(signature = (prefer=None))]
    fn pick(&self, prefer: Option<&str>) -> Outcome<(usize, Heap)> {
        let dir = self.dir.display();
        let none = format!("{dir} has no pick: every design refuses requests");
        let index = self.exploration.pick(self.preferred(prefer)?);
        let index = index.ok_or_else(|| Raised(crate::errors::classes::HeapsmithError::new_err(none)))?;
        Ok((index, Heap::of(&self.exploration.rows[index].design.spec)))
    }

    /// The main effects: factor, objective, share of the variance, and the mean at each level.
    fn effects(&self) -> Table {
        let family = self.exploration.classic().unwrap_or(0);
        let factors = self.exploration.families.0.get(family).map_or(&[][..], |family| &family.factors);
        let effects = effects(&self.exploration, family);
        let rows: Vec<_> =
            effects.iter().flat_map(|effect| (0..effect.means.len()).map(move |level| (effect, level))).collect();
        let level = |factor: usize, level: usize| factors[factor].levels[level].parse().unwrap_or(level as u64);
        Columns::default()
            .texts("factor", rows.iter().map(|(effect, _)| &factors[effect.factor].name))
            .texts("objective", rows.iter().map(|(effect, _)| effect.objective.name()))
            .numbers("share", rows.iter().map(|(effect, _)| effect.share))
            .integers("level", rows.iter().map(|&(effect, at)| level(effect.factor, at)))
            .texts("unit", rows.iter().map(|(effect, _)| factors[effect.factor].unit()))
            .numbers("mean", rows.iter().map(|&(effect, level)| effect.means[level]))
            .table()
    }

    /// The page, as text; it reads the traces that lie next to the results.
    #[pyo3(signature = (prefer=None))]
    fn page(&self, py: Python<'_>, prefer: Option<&str>) -> Outcome<String> {
        let preference = self.preferred(prefer)?;
        unlocked(py, |_| {
            let files = (0..self.exploration.traces.len()).map(|number| Trace::read(trace_file(&self.dir, number)));
            let traces = files.collect::<Result<Vec<_>, _>>()?;
            let packed = traces.iter().map(PackedTrace::new).collect::<Result<Vec<_>, _>>()?;
            let lines: Vec<Lines> = packed.iter().map(|trace| Lines::of(trace, PlacementEffort::QUICK)).collect();
            let exploration = &self.exploration;
            let folder = &self.dir.to_string_lossy();
            let input = PageInput {
                exploration,
                traces: &traces,
                lines: &lines,
                folder,
                preference,
                elapsed: None,
                race: None,
            };
            page(&input).map_err(Raised::from)
        })?
    }
}

impl Explored {
    /// A preference by its name; without one, that of the question which the folder answers.
    fn preferred(&self, name: Option<&str>) -> Outcome<Preference> {
        name.map_or(Ok(self.exploration.question.preference), preference)
    }
}

/// Shares and every integer of measures.
fn counted<'m>(columns: Columns, measures: impl Iterator<Item = &'m Measures>) -> Columns {
    let measures: Vec<&Measures> = measures.collect();
    let mut columns = columns
        .numbers("fragmentation", measures.iter().map(|m| m.fragmentation()))
        .numbers("internal_fragmentation", measures.iter().map(|m| m.internal_fragmentation()))
        .numbers("external_fragmentation", measures.iter().map(|m| m.external_fragmentation()))
        .numbers("accesses_per_op", measures.iter().map(|m| m.accesses_per_operation()));
    let rows: Vec<Vec<u64>> = measures.iter().map(|m| m.to_row()).collect();
    for (column, name) in Measures::COLUMNS.iter().enumerate() {
        columns = columns.integers(*name, rows.iter().map(|row| row[column]));
    }
    columns
}

/// The preference of a name.
pub fn preference(text: &str) -> Outcome<Preference> {
    text.parse().map_err(|error: String| Raised::usage(error))
}

/// The indexes of the points that no other beats, ascending; a point is a value for each objective, less is better.
#[pyfunction]
pub fn undominated(points: Vec<Vec<f64>>) -> Outcome<Vec<usize>> {
    let width = points.first().map_or(0, Vec::len);
    if points.iter().any(|point| point.len() != width || point.iter().any(|value| value.is_nan())) {
        return Err(Raised::usage("every point needs a number for every objective"));
    }
    Ok(pareto_of((0..points.len()).collect(), width, |index, objective| points[index][objective]))
}
