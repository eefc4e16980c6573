//! A finished exploration, read back from its store.

use heapsmith_replay::{Measures, Region, ReplayError, time};
use heapsmith_spec::{Pool, Spec, catalogue};
use heapsmith_trace::PackedTrace;

use crate::front::{pareto, staircase};
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

/// The time of a design, or of an allocator of the catalogue, measured alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Retimed {
    /// The design's number, or the catalogue's name.
    pub name: String,
    /// Nanoseconds an operation: the median round, over all traces.
    pub ns_per_op: f64,
    /// The fastest round.
    pub least: f64,
    /// The slowest round.
    pub most: f64,
    /// The same loop on a heap that does nothing.
    pub floor: f64,
    /// Rounds.
    pub rounds: u32,
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
    /// Every design, by number.
    pub rows: Vec<Row>,
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
            rows,
            points,
            catalogue: load_catalogue(store)?,
            timings: load_timings(store)?,
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

    /// The time of a design.
    pub fn timing(&self, index: usize) -> Option<&Retimed> {
        let name = self.rows[index].design.number.to_string();
        self.timings.iter().find(|timing| timing.name == name)
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

impl Exploration {
    /// Times the designs of the front (one for each place), the `also` designs
    /// and the catalogue, one at a time and in turns; keeps the times.
    pub fn retime(
        &mut self,
        store: &mut Store,
        traces: &[PackedTrace],
        also: &[usize],
        rounds: usize,
    ) -> Result<(), SweepError> {
        let mut chosen: Vec<usize> = self.staircase.iter().chain(also).copied().collect();
        chosen.sort_unstable();
        chosen.dedup();
        let named = chosen.iter().map(|&index| {
            let design = &self.rows[index].design;
            (design.number.to_string(), design.spec.clone())
        });
        let catalogued = self.catalogue.iter().filter_map(|entry| Some((entry.name.clone(), entry.spec.parse().ok()?)));
        let heaps: Vec<(String, Spec)> = named.chain(catalogued).collect();
        self.timings = time_all(&heaps, traces, rounds)?;
        store.set_timings(&self.timings)?;
        Ok(())
    }
}

fn time_all(heaps: &[(String, Spec)], traces: &[PackedTrace], rounds: usize) -> Result<Vec<Retimed>, ReplayError> {
    let specs: Vec<&Spec> = heaps.iter().map(|(_, spec)| spec).collect();
    let blank = |(name, _): &(String, Spec)| Retimed {
        name: name.clone(),
        ns_per_op: 0.0,
        least: 0.0,
        most: 0.0,
        floor: 0.0,
        rounds: rounds as u32,
    };
    let mut timings: Vec<Retimed> = heaps.iter().map(blank).collect();
    let operations: f64 = traces.iter().map(|trace| trace.events.len() as f64).sum();
    for trace in traces {
        let share = trace.events.len() as f64 / operations.max(1.0);
        let mut region = Region::for_trace(trace)?;
        let (times, floor) = time(&specs, trace, &mut region, rounds)?;
        for (timing, time) in timings.iter_mut().zip(times) {
            timing.ns_per_op += share * time.median;
            timing.least += share * time.least;
            timing.most += share * time.most;
            timing.floor += share * floor.median;
        }
    }
    Ok(timings)
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

fn load_timings(store: &Store) -> Result<Vec<Retimed>, StoreError> {
    store.run(|db| {
        let mut statement =
            db.prepare("SELECT name, ns_per_op, least, most, floor_ns_per_op, rounds FROM timing ORDER BY rowid")?;
        let timings = statement.query_map([], |row| {
            Ok(Retimed {
                name: row.get(0)?,
                ns_per_op: row.get(1)?,
                least: row.get(2)?,
                most: row.get(3)?,
                floor: row.get(4)?,
                rounds: row.get(5)?,
            })
        })?;
        timings.collect()
    })
}
