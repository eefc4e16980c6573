//! A finished exploration, read back from its store.

use heapsmith_replay::Measures;
use heapsmith_spec::{Pool, Spec, catalogue};
use heapsmith_trace::PackedTrace;

use crate::front::{pareto, staircase};
use crate::measured::{Paged, Retimed, load_pages, load_timings};
use crate::objective::{Objective, Objectives};
use crate::pick::{Preference, pick};
use crate::space::{Design, FACTORS};
use crate::store::{Store, StoreError};
use crate::sweep::{SweepError, on_all};

/// A design with its measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The design.
    pub design: Design,
    /// Its measures on each trace.
    pub measures: Vec<Measures>,
}

/// An allocator of the catalogue with its measures.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogued {
    /// Its name.
    pub name: String,
    /// Its spec.
    pub spec: String,
    /// Its measures on each trace.
    pub measures: Vec<Measures>,
    /// Its values in the objectives.
    pub objectives: Objectives,
}

/// All that an exploration found.
#[derive(Debug, Clone)]
pub struct Exploration {
    /// Name of the space.
    pub space: String,
    /// The command that made it.
    pub command: String,
    /// Names of the traces.
    pub traces: Vec<String>,
    /// Every design that was measured to its end, by number.
    pub rows: Vec<Row>,
    /// Designs that were cut short, as they can reach no front; asked for with `--prune`.
    pub pruned: usize,
    /// Every design's values in the objectives, by number.
    pub points: Vec<Objectives>,
    /// The allocators of the catalogue.
    pub catalogue: Vec<Catalogued>,
    /// Designs that none beats in fragmentation, accesses, p99 and worst accesses.
    pub front: Vec<usize>,
    /// The front over fragmentation and accesses, ascending in fragmentation, a design for each place.
    pub staircase: Vec<usize>,
    /// Times, where they were measured.
    pub timings: Vec<Retimed>,
    /// Memory by pages touched, where it was measured.
    pub pages: Vec<Paged>,
}

impl Exploration {
    /// Reads back the results of a finished sweep.
    pub fn load(store: &Store) -> Result<Exploration, StoreError> {
        let traces: Vec<String> = store.run(|db| {
            let mut statement = db.prepare("SELECT name FROM trace ORDER BY number")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })?;
        let rows = load_rows(store)?;
        let points: Vec<Objectives> = rows.iter().map(|row| Objectives::of(&row.measures)).collect();
        Ok(Exploration {
            space: store.meta("space")?.unwrap_or_default(),
            command: store.meta("command")?.unwrap_or_default(),
            traces,
            front: pareto(&points, &Objective::FRONT),
            staircase: staircase(&points),
            pruned: store.pruned()?,
            rows,
            points,
            catalogue: load_catalogue(store)?,
            timings: load_timings(store)?,
            pages: load_pages(store)?,
        })
    }

    /// The preferred design.
    pub fn pick(&self, preference: Preference) -> Option<usize> {
        pick(&self.points, preference)
    }

    /// How many designs have the very same measures as design `index`, itself included.
    pub fn alike(&self, index: usize) -> usize {
        self.rows.iter().filter(|row| row.measures == self.rows[index].measures).count()
    }

    /// The name of a design under which its times and pages are kept.
    pub fn name(&self, index: usize) -> String {
        self.rows[index].design.number.to_string()
    }

    /// The time of a design.
    pub fn timing(&self, index: usize) -> Option<&Retimed> {
        self.timing_of(&self.name(index))
    }

    /// The time of what has this name: a design's number, a name of the catalogue, a peer.
    pub fn timing_of(&self, name: &str) -> Option<&Retimed> {
        self.timings.iter().find(|timing| timing.name == name)
    }

    /// The memory by pages of what has this name.
    pub fn pages_of(&self, name: &str) -> Option<&Paged> {
        self.pages.iter().find(|pages| pages.name == name)
    }
}

/// Replays every general allocator of the catalogue that the store has no results of, and keeps the results.
pub fn measure_catalogue(store: &mut Store, traces: &[PackedTrace]) -> Result<(), SweepError> {
    let known = load_catalogue(store)?;
    let mut regions = None;
    for entry in catalogue() {
        let Ok(spec) = entry.spec.parse::<Spec>() else { continue };
        // What frees nothing, or only in order, or serves one size, is no allocator for a whole program.
        if matches!(spec.pool, Pool::Bump(_) | Pool::Stack | Pool::Fixed(_)) {
            continue;
        }
        let text = spec.to_string();
        if known.iter().any(|known| known.name == entry.name && known.spec == text) {
            continue;
        }
        let measures = on_all(&spec, traces, &mut regions)?;
        store.add_catalogued(entry.name, &text, &measures)?;
    }
    Ok(())
}

fn load_rows(store: &Store) -> Result<Vec<Row>, StoreError> {
    let factors = FACTORS.map(|factor| factor.name).join(", ");
    let columns = Measures::COLUMNS.join(", ");
    let sql = format!("SELECT number, same_as, spec, {factors}, {columns} FROM results ORDER BY number, trace");
    let mut rows: Vec<Row> = Vec::new();
    store.run(|db| {
        let mut statement = db.prepare(&sql)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let number: u32 = row.get(0)?;
            let measures = measures_from(row, 3 + FACTORS.len())?;
            match rows.last_mut().filter(|last| last.design.number == number) {
                Some(last) => last.measures.push(measures),
                None => rows.push(Row { design: design_from(row, number)?, measures: vec![measures] }),
            }
        }
        Ok(())
    })?;
    Ok(rows)
}

fn design_from(row: &rusqlite::Row<'_>, number: u32) -> rusqlite::Result<Design> {
    let spec: String = row.get(2)?;
    let mut levels = [0_u8; 4];
    for (factor, level) in levels.iter_mut().enumerate() {
        let value: u8 = row.get(3 + factor)?;
        *level = FACTORS[factor].levels.iter().position(|&known| known == value).unwrap_or(0) as u8;
    }
    let spec = spec.parse().map_err(|error: heapsmith_spec::SpecError| {
        rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(Design { number, levels, spec, same_as: row.get(1)? })
}

fn measures_from(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Measures> {
    let integers: Vec<u64> = (0..Measures::COLUMNS.len())
        .map(|column| row.get::<_, i64>(first + column).map(|value| value as u64))
        .collect::<Result<_, _>>()?;
    Ok(Measures::from_row(&integers).unwrap_or_default())
}

fn load_catalogue(store: &Store) -> Result<Vec<Catalogued>, StoreError> {
    let columns = Measures::COLUMNS.join(", ");
    let sql = format!("SELECT name, spec, {columns} FROM catalogue ORDER BY rowid");
    let mut entries: Vec<Catalogued> = Vec::new();
    store.run(|db| {
        let mut statement = db.prepare(&sql)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let name: String = row.get(0)?;
            let measures = measures_from(row, 2)?;
            match entries.iter_mut().find(|entry| entry.name == name) {
                Some(entry) => entry.measures.push(measures),
                None => {
                    let (spec, objectives) = (row.get(1)?, Objectives::default());
                    entries.push(Catalogued { name, spec, measures: vec![measures], objectives });
                }
            }
        }
        Ok(())
    })?;
    entries.iter_mut().for_each(|entry| entry.objectives = Objectives::of(&entry.measures));
    Ok(entries)
}
