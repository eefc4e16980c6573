//! A finished exploration, read back from its store.

use heapsmith_replay::Measures;
use heapsmith_spec::{Pool, Spec, catalogue};
use heapsmith_trace::PackedTrace;

use crate::front::{front_2d, pareto};
use crate::goal::Goal;
use crate::measured::{Paged, Retimed, load_pages, load_timings};
use crate::objective::{Objective, Objectives};
use crate::pick::{Preference, pick};
use crate::regret::{Evaluated, load_evaluated};
use crate::search::Strategy;
use crate::space::{Design, Families, Family};
use crate::store::{Store, StoreError, measures_from, quoted};
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
    /// The space's families.
    pub families: Families,
    /// Designs of the space.
    pub designs: usize,
    /// How designs were chosen for replays of whole traces.
    pub search: Strategy,
    /// The command that made it.
    pub command: String,
    /// Names of the traces.
    pub traces: Vec<String>,
    /// Every design that was measured to its end, by number.
    pub rows: Vec<Row>,
    /// Designs that were cut short or left out by the search.
    pub pruned: usize,
    /// Every design's values in the objectives, by number.
    pub points: Vec<Objectives>,
    /// The allocators of the catalogue.
    pub catalogue: Vec<Catalogued>,
    /// What was chosen, on traces that it was not chosen for.
    pub evaluated: Vec<Evaluated>,
    /// What is wanted.
    pub goal: Goal,
    /// Designs that keep the constraints and that none beats in the objectives of the goal.
    pub front: Vec<usize>,
    /// The front over fragmentation and accesses of the designs that keep the constraints, ascending in fragmentation, a
    /// design for each place.
    pub front_2d: Vec<usize>,
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
        let families = families(store)?;
        let rows = load_rows(store, &families)?;
        let designs: i64 = store.run(|db| db.query_row("SELECT count(*) FROM design", [], |row| row.get(0)))?;
        let goal = match store.meta("goal")? {
            Some(goal) => goal.parse().map_err(|error| store.damaged(error))?,
            None => Goal::default(),
        };
        let mut points: Vec<Objectives> = rows.iter().map(|row| Objectives::of(&row.measures)).collect();
        let kept = store.finalists()?;
        for (design, objective, value) in kept.into_iter().filter(|kept| goal.asks_for(kept.1)) {
            if let Ok(index) = rows.binary_search_by_key(&design, |row| row.design.number) {
                points[index].set(objective, value);
            }
        }
        let mut exploration = Exploration {
            space: store.meta("space")?.unwrap_or_default(),
            command: store.meta("command")?.unwrap_or_default(),
            traces,
            front: Vec::new(),
            front_2d: Vec::new(),
            goal,
            pruned: designs as usize - rows.len(),
            designs: designs as usize,
            search: store.search()?,
            families,
            rows,
            points,
            catalogue: load_catalogue(store)?,
            timings: load_timings(store)?,
            pages: load_pages(store)?,
            evaluated: load_evaluated(store)?,
        };
        exploration.settle();
        Ok(exploration)
    }

    /// Finds the fronts anew, of what is known by now.
    pub(crate) fn settle(&mut self) {
        let asked = if self.goal.asks_for(Objective::Time) { self.timings.as_slice() } else { &[] };
        for timing in asked {
            let number = timing.name.parse().unwrap_or(u32::MAX);
            if let Ok(index) = self.rows.binary_search_by_key(&number, |row| row.design.number) {
                self.points[index].set(Objective::Time, timing.ns_per_op);
            }
        }
        for point in &mut self.points {
            point.excluded = !self.goal.admits(point, false);
        }
        self.front = pareto(&self.points, &self.goal.objectives);
        self.front_2d = front_2d(&self.points, [Objective::Fragmentation, Objective::Accesses]);
    }

    /// The preferred design: in a space that holds the classic one, the preferred of those that are nowhere worse than
    /// the classic pick in what is chosen. So a wider space never trades what the classic one already gives.
    pub fn pick(&self, preference: Preference) -> Option<usize> {
        let drawn = self.goal.balanced();
        let Some(classic) = self.classic_pick(preference) else { return pick(&self.points, preference, drawn) };
        let known = &self.points[classic];
        let no_worse = |point: &Objectives| {
            self.goal.objectives.iter().all(|&objective| point.get(objective) <= known.get(objective))
        };
        let mut points = self.points.clone();
        points.iter_mut().for_each(|point| point.excluded |= !no_worse(point));
        pick(&points, preference, drawn)
    }

    /// The preferred design of the classic space, where it is a part of a wider one.
    pub fn classic_pick(&self, preference: Preference) -> Option<usize> {
        let family = self.classic()?;
        if self.families.0.len() == 1 {
            return None;
        }
        let mut points = self.points.clone();
        for (point, row) in points.iter_mut().zip(&self.rows) {
            point.excluded |= usize::from(row.design.family) != family;
        }
        pick(&points, preference, self.goal.balanced())
    }

    /// The preferred design without regard to the classic pick, where that is another one: it trades.
    pub fn trading_pick(&self, preference: Preference) -> Option<usize> {
        let trading = pick(&self.points, preference, self.goal.balanced())?;
        let same = |other: usize| self.rows[other].measures == self.rows[trading].measures;
        self.pick(preference).is_some_and(|pick| !same(pick)).then_some(trading)
    }

    /// Index of the family that is the classic space.
    pub fn classic(&self) -> Option<usize> {
        self.families.0.iter().position(|family| family.name == "classic")
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

/// The families of the space, read from its text.
fn families(store: &Store) -> Result<Families, StoreError> {
    let text = store.meta("space_text")?.unwrap_or_default();
    Families::of(&text).map_err(|error| store.damaged(error.to_string()))
}

fn load_rows(store: &Store, families: &Families) -> Result<Vec<Row>, StoreError> {
    let columns = Measures::COLUMNS.join(", ");
    let names = families.factors();
    let factors: String = names.iter().map(|name| format!(", {}", quoted(name))).collect();
    let sql = format!("SELECT number, same_as, spec, {columns}, family{factors} FROM results ORDER BY number, trace");
    let first_level = 3 + Measures::COLUMNS.len() + 1;
    let mut rows: Vec<Row> = Vec::new();
    store.run(|db| {
        let mut statement = db.prepare(&sql)?;
        let mut found = statement.query([])?;
        while let Some(row) = found.next()? {
            let number: u32 = row.get(0)?;
            let measures = measures_from(row, 3)?;
            match rows.last_mut().filter(|last| last.design.number == number) {
                Some(last) => last.measures.push(measures),
                None => {
                    let family: String = row.get(first_level - 1)?;
                    let family = families.0.iter().position(|known| known.name == family).unwrap_or(0);
                    let levels = levels_from(row, first_level, &families.0[family], &names)?;
                    let design = Design { number, family: family as u16, levels, ..design_from(row)? };
                    rows.push(Row { design, measures: vec![measures] });
                }
            }
        }
        Ok(())
    })?;
    Ok(rows)
}

/// The levels of a design, whose columns begin at `first` in the order of `names`.
fn levels_from(row: &rusqlite::Row<'_>, first: usize, family: &Family, names: &[&str]) -> rusqlite::Result<Box<[u8]>> {
    use rusqlite::types::Value;
    let level = |factor: &crate::space::Factor| {
        let column = first + names.iter().position(|name| *name == factor.name).unwrap_or(0);
        let kept = match row.get(column)? {
            Value::Integer(number) => number.to_string(),
            Value::Text(text) => text,
            _ => String::new(),
        };
        Ok(factor.levels.iter().position(|level| *level == kept).unwrap_or(0) as u8)
    };
    family.factors.iter().map(level).collect()
}

/// A design without its family and its levels.
fn design_from(row: &rusqlite::Row<'_>) -> rusqlite::Result<Design> {
    let spec: String = row.get(2)?;
    let spec = spec.parse().map_err(|error: heapsmith_spec::SpecError| {
        rusqlite::Error::FromSqlConversionFailure(2, rusqlite::types::Type::Text, Box::new(error))
    })?;
    Ok(Design { number: 0, family: 0, levels: Box::default(), spec, same_as: row.get(1)? })
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
