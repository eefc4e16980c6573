//! What replays counted: designs, slices, the catalogue.

use std::collections::{BTreeMap, HashMap, HashSet};

use heapsmith_replay::Measures;
use heapsmith_spec::{SpecError, catalogue};
use rusqlite::types::{Type, Value};
use rusqlite::{Connection, Row as Found};

use super::schema::quoted;
use super::{Store, StoreError, seal};
use crate::objective::{Objective, Objectives};
use crate::rows::{Catalogued, Row};
use crate::space::{Design, Factor, Families, Family, Space};
use crate::specs::Specs;

impl Store {
    /// Numbers of the unique designs that have their results.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    pub fn done(&self) -> Result<HashSet<u32>, StoreError> {
        self.run(|db| {
            let mut statement = db.prepare("SELECT design FROM result GROUP BY design")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// Designs whose heap has its results, or was cut short.
    pub(super) fn covered(&self) -> Result<usize, StoreError> {
        let sql =
            "SELECT count(*) FROM design WHERE same_as IN (SELECT design FROM result UNION SELECT design FROM pruned
             UNION SELECT design FROM stopped)";
        let covered: i64 = self.run(|db| db.query_row(sql, [], |row| row.get(0)))?;
        Ok(covered as usize)
    }

    /// Adds the measures of unique designs on every trace. All or none are kept.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn add(&mut self, batch: &[(u32, Vec<Measures>)]) -> Result<(), StoreError> {
        self.commit(|db| insert_measures(db, "result", None, batch))
    }

    /// Adds the measures of unique designs, and the numbers of those that were cut short, each with the design that beats
    /// it. All or none are kept.
    pub(crate) fn add_pruned(
        &mut self,
        batch: &[(u32, Vec<Measures>)],
        pruned: &[(u32, Option<u32>)],
    ) -> Result<(), StoreError> {
        self.commit(|db| {
            for &(design, beaten_by) in pruned {
                seal::insert(db, "pruned", [Value::from(design), Value::from(beaten_by)])?;
            }
            insert_measures(db, "result", None, batch)
        })
    }

    /// The unique designs that were ever cut short, and by whom each is beaten.
    pub(crate) fn pruned(&self) -> Result<HashMap<u32, Option<u32>>, StoreError> {
        self.run(|db| {
            let mut statement = db.prepare("SELECT design, beaten_by FROM pruned")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })
    }

    /// Adds the numbers of unique designs that were stopped as they take more than this many accesses an operation.
    pub(crate) fn add_stopped(&mut self, stopped: &[u32], accesses: u64) -> Result<(), StoreError> {
        self.commit(|db| {
            stopped.iter().try_for_each(|&design| {
                seal::insert(db, "stopped", [Value::from(design), Value::from(accesses as i64)])
            })
        })
    }

    /// The unique designs that were ever stopped, and the accesses an operation that each exceeds.
    pub(crate) fn stopped(&self) -> Result<HashMap<u32, u64>, StoreError> {
        self.run(|db| {
            let mut statement = db.prepare("SELECT design, accesses FROM stopped")?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
            rows.collect()
        })
    }

    /// Adds the measures of unique designs on the slices of a round of the search.
    pub(crate) fn add_sliced(&mut self, round: usize, batch: &[(u32, Vec<Measures>)]) -> Result<(), StoreError> {
        self.commit(|db| insert_measures(db, "slice", Some(round), batch))
    }

    /// The measures on the slices of a round, by design.
    pub(crate) fn sliced(&self, round: usize) -> Result<HashMap<u32, Vec<Measures>>, StoreError> {
        self.by_design(&format!("slice WHERE round = {round}"))
    }

    /// Adds the measures of unique designs on copies of the traces, by the copies' key.
    pub(crate) fn add_changed(&mut self, key: usize, batch: &[(u32, Vec<Measures>)]) -> Result<(), StoreError> {
        self.commit(|db| insert_measures(db, "changed", Some(key), batch))
    }

    /// The measures on copies of the traces, by design.
    pub(crate) fn changed(&self, key: usize) -> Result<HashMap<u32, Vec<Measures>>, StoreError> {
        self.by_design(&format!("changed WHERE change = {key}"))
    }

    /// Adds the measures of heaps, by their specs, in a region of a fixed size.
    pub(crate) fn add_confined(&mut self, region: u64, batch: &[(String, Vec<Measures>)]) -> Result<(), StoreError> {
        self.commit(|db| {
            for (spec, trace, measures) in by_trace(batch) {
                let head = [Value::from(as_stored(region)), Value::from(spec.clone()), Value::from(trace as i64)];
                insert_row(db, "confined", head, measures)?;
            }
            Ok(())
        })
    }

    /// The measures in regions of fixed sizes, by region and spec.
    pub(crate) fn confined(&self) -> Result<BTreeMap<(u64, String), Vec<Measures>>, StoreError> {
        let columns = Measures::COLUMNS.join(", ");
        let sql = format!("SELECT region, spec, {columns} FROM confined ORDER BY region, spec, trace");
        let mut found: BTreeMap<(u64, String), Vec<Measures>> = BTreeMap::new();
        self.run(|db| {
            let mut statement = db.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let region: i64 = row.get(0)?;
                found.entry((region as u64, row.get(1)?)).or_default().push(measures_from(row, 2)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The values of every unique design that has its results, by number.
    pub(crate) fn objectives(&self) -> Result<HashMap<u32, Objectives>, StoreError> {
        let measured = self.by_design("result")?;
        Ok(measured.into_iter().map(|(design, measures)| (design, Objectives::of(&measures))).collect())
    }

    fn by_design(&self, table: &str) -> Result<HashMap<u32, Vec<Measures>>, StoreError> {
        let columns = Measures::COLUMNS.join(", ");
        let sql = format!("SELECT design, {columns} FROM {table} ORDER BY design, trace");
        let mut found: HashMap<u32, Vec<Measures>> = HashMap::new();
        self.run(|db| {
            let mut statement = db.prepare(&sql)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                found.entry(row.get(0)?).or_default().push(measures_from(row, 1)?);
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Every design whose heap is one of the `chosen` unique designs, with its measures, by number. Designs are those of the
    /// `known` space, which the store was begun with, or read.
    pub(crate) fn rows(
        &self,
        families: &Families,
        chosen: &[u32],
        known: Option<&Space>,
    ) -> Result<Vec<Row>, StoreError> {
        let chosen: HashSet<u32> = chosen.iter().copied().collect();
        let columns: String = Measures::COLUMNS.iter().map(|name| format!(", result.{name}")).collect();
        let names = families.factors();
        let factors: String = names.iter().map(|name| format!(", design.{}", quoted(name))).collect();
        let sql = format!(
            "SELECT design.number, design.same_as, design.spec, design.family{columns}{factors} FROM design
             JOIN result ON result.design = design.same_as ORDER BY design.number, result.trace"
        );
        let first_level = 4 + Measures::COLUMNS.len();
        let (mut rows, mut specs): (Vec<Row>, Specs) = Default::default();
        self.run(|db| {
            let mut statement = db.prepare(&sql)?;
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                if !chosen.contains(&row.get(1)?) {
                    continue;
                }
                let number: u32 = row.get(0)?;
                let measures = measures_from(row, 4)?;
                match rows.last_mut().filter(|last| last.design.number == number) {
                    Some(last) => last.measures.push(measures),
                    None => {
                        let known = known.and_then(|space| space.designs.get(number as usize));
                        let design = match known {
                            Some(design) => design.clone(),
                            None => design_from(row, &mut specs, families, &names, first_level)?,
                        };
                        rows.push(Row { design, measures: vec![measures] });
                    }
                }
            }
            Ok(())
        })?;
        Ok(rows)
    }

    /// The allocators of the catalogue that have their results, in the order of the catalogue.
    pub(crate) fn catalogue(&self) -> Result<Vec<Catalogued>, StoreError> {
        self.named("catalogue")
    }

    /// The baselines that were ever replayed.
    pub(crate) fn baselines(&self) -> Result<Vec<Catalogued>, StoreError> {
        self.named("baseline")
    }

    fn named(&self, table: &str) -> Result<Vec<Catalogued>, StoreError> {
        let columns = Measures::COLUMNS.join(", ");
        let sql = format!("SELECT name, spec, {columns} FROM {table} ORDER BY rowid");
        let mut entries: Vec<Catalogued> = Vec::new();
        self.run(|db| {
            let mut statement = db.prepare(&sql)?;
            let mut found = statement.query([])?;
            while let Some(row) = found.next()? {
                let name: String = row.get(0)?;
                let measures = measures_from(row, 2)?;
                match entries.iter_mut().find(|entry| entry.name == name) {
                    Some(entry) => entry.measures.push(measures),
                    None => {
                        let (spec, objectives) = (row.get(1)?, Objectives::default());
                        entries.push(Catalogued { name, spec, measures: vec![measures], objectives, is_whole: true });
                    }
                }
            }
            Ok(())
        })?;
        let events: i64 = self.run(|db| db.query_row("SELECT sum(events) FROM trace", [], |row| row.get(0)))?;
        for entry in &mut entries {
            (entry.objectives, entry.is_whole) = (Objectives::of(&entry.measures), entry.events() == events as u64);
            let cost = self.meta(&format!("{COST_OF}{}", entry.spec))?.and_then(|cost| cost.parse().ok());
            cost.into_iter().for_each(|cost: f64| entry.objectives.set(Objective::Cost, cost));
        }
        let place = |name: &str| catalogue().iter().position(|entry| entry.name == name);
        entries.sort_by_key(|entry| place(&entry.name));
        Ok(entries)
    }

    /// Keeps the measures of an allocator of the catalogue on every trace.
    pub(crate) fn add_catalogued(&mut self, name: &str, spec: &str, measures: &[Measures]) -> Result<(), StoreError> {
        self.add_named("catalogue", name, spec, measures)
    }

    /// Keeps the measures of a baseline on every trace.
    pub(crate) fn add_baseline(&mut self, name: &str, spec: &str, measures: &[Measures]) -> Result<(), StoreError> {
        self.add_named("baseline", name, spec, measures)
    }

    /// Keeps the counted cost of a baseline.
    pub(crate) fn add_cost(&mut self, spec: &str, cost: f64) -> Result<(), StoreError> {
        self.run(|db| seal::insert(db, "meta", [format!("{COST_OF}{spec}"), cost.to_string()]))
    }

    /// Keeps the bytes to reserve for a heap.
    pub(crate) fn add_reserve(&mut self, spec: &str, bytes: u64) -> Result<(), StoreError> {
        self.run(|db| seal::insert(db, "meta", [format!("{RESERVE_OF}{spec}"), bytes.to_string()]))
    }

    /// The bytes to reserve, by spec.
    pub(crate) fn reserves(&self) -> Result<BTreeMap<String, u64>, StoreError> {
        let kept: Vec<(String, String)> = self.run(|db| {
            let mut statement = db.prepare("SELECT key, value FROM meta ORDER BY key")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        let bytes =
            |(key, bytes): (String, String)| Some((key.strip_prefix(RESERVE_OF)?.to_owned(), bytes.parse().ok()?));
        Ok(kept.into_iter().filter_map(bytes).collect())
    }

    fn add_named(&mut self, table: &str, name: &str, spec: &str, measures: &[Measures]) -> Result<(), StoreError> {
        self.commit(|db| {
            for (trace, measures) in measures.iter().enumerate() {
                let head = [Value::from(name.to_owned()), Value::from(spec.to_owned()), Value::from(trace as i64)];
                insert_row(db, table, head, measures)?;
            }
            Ok(())
        })
    }
}

/// Before a spec in the key of its cost.
const COST_OF: &str = "cost of ";

/// Before a spec in the key of its bytes to reserve.
const RESERVE_OF: &str = "reserve of ";

/// Each heap's measures on each trace.
fn by_trace<K>(batch: &[(K, Vec<Measures>)]) -> impl Iterator<Item = (&K, usize, &Measures)> {
    batch
        .iter()
        .flat_map(|(key, measures)| measures.iter().enumerate().map(move |(trace, measures)| (key, trace, measures)))
}

/// Inserts measures into a table whose rows begin with these columns.
fn insert_row(db: &Connection, table: &str, head: [Value; 3], measures: &Measures) -> rusqlite::Result<()> {
    seal::insert(db, table, head.into_iter().chain(measures.to_row().into_iter().map(|value| as_stored(value).into())))
}

/// Inserts measures by design and trace, into a table whose rows begin with a round or do not.
fn insert_measures(
    db: &Connection,
    table: &str,
    round: Option<usize>,
    batch: &[(u32, Vec<Measures>)],
) -> rusqlite::Result<()> {
    for (design, trace, measures) in by_trace(batch) {
        let head = round.map(|round| round as u64).into_iter().chain([u64::from(*design), trace as u64]);
        seal::insert(db, table, head.chain(measures.to_row()).map(as_stored))?;
    }
    Ok(())
}

/// The design in a row of number, number of its heap, spec and family, whose levels begin at column `first` in the order
/// of `names`.
fn design_from(
    row: &Found<'_>,
    specs: &mut Specs,
    families: &Families,
    names: &[&str],
    first: usize,
) -> rusqlite::Result<Design> {
    let wrong = |error: SpecError| rusqlite::Error::FromSqlConversionFailure(2, Type::Text, Box::new(error));
    let spec = specs.read(row.get(2)?).map_err(wrong)?;
    let family: String = row.get(3)?;
    let family = families.0.iter().position(|known| known.name == family).unwrap_or(0);
    let levels = levels_from(row, first, &families.0[family], names)?;
    Ok(Design { number: row.get(0)?, family: family as u16, levels, spec, same_as: row.get(1)? })
}

/// The levels of a design, whose columns begin at `first` in the order of `names`.
fn levels_from(row: &Found<'_>, first: usize, family: &Family, names: &[&str]) -> rusqlite::Result<Box<[u8]>> {
    let level = |factor: &Factor| {
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

/// The measures in a row whose integers begin at column `first`.
fn measures_from(row: &Found<'_>, first: usize) -> rusqlite::Result<Measures> {
    let integers: Vec<u64> = (0..Measures::COLUMNS.len())
        .map(|column| row.get::<_, i64>(first + column).map(|value| value as u64))
        .collect::<Result<_, _>>()?;
    Ok(Measures::from_row(&integers).unwrap_or_default())
}

/// SQLite's integers are signed; no measure comes near the limit.
fn as_stored(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
