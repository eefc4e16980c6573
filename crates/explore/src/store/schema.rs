//! The tables of a store, and whether a file has them.

use heapsmith_limits::ProgramClass;
use heapsmith_replay::Measures;
use heapsmith_trace::PackedTrace;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension};

use super::{Store, StoreError, seal};
use crate::proven::Programs;
use crate::space::Space;

/// Version of the tables.
const SCHEMA: &str = "16";

/// What is read from. A file that somebody made may hold a view of such a name, which can compute without end.
const TABLES: [&str; 16] = [
    "meta",
    "trace",
    "design",
    "result",
    "chosen",
    "pruned",
    "stopped",
    "slice",
    "changed",
    "confined",
    "finalist",
    "evaluated",
    "catalogue",
    "baseline",
    "timing",
    "pages",
];

impl Store {
    pub(super) fn is_empty(&self) -> Result<bool, StoreError> {
        self.run(|db| db.query_row("SELECT count(*) = 0 FROM sqlite_master", [], |row| row.get(0)))
    }

    pub(super) fn create(&mut self, space: &Space, traces: &[PackedTrace], command: &str) -> Result<(), StoreError> {
        self.commit(|db| create_tables(db, space, traces, command))
    }

    /// Whether the file has these tables, in this version.
    pub(super) fn verify_schema(&self) -> Result<(), StoreError> {
        let found = if self.is_table("meta")? { self.meta("schema")? } else { None };
        if found.as_deref() != Some(SCHEMA) {
            return Err(self.damaged(match found {
                Some(found) => format!("it has schema {found}, this one reads {SCHEMA}"),
                None => "it has no schema".to_owned(),
            }));
        }
        for name in TABLES {
            if !self.is_table(name)? {
                return Err(self.damaged(format!("its {name} is no table")));
            }
            if self.run(|db| seal::broken(db, name))? {
                return Err(self.damaged(format!("a row of its table {name} is damaged")));
            }
        }
        Ok(())
    }

    /// Whether a name is one of a table whose rows are kept in the file.
    fn is_table(&self, name: &str) -> Result<bool, StoreError> {
        let sql = "SELECT sql FROM sqlite_master WHERE name = ? AND type = 'table'";
        let made: Option<String> = self.run(|db| db.query_row(sql, [name], |row| row.get(0)).optional())?;
        Ok(made.is_some_and(|made| made.starts_with("CREATE TABLE")))
    }

    /// Whether the store is of this space on these traces.
    pub(super) fn verify_same(&self, space: &Space, traces: &[PackedTrace]) -> Result<(), StoreError> {
        let other = |what: String| Err(StoreError::Other { path: self.path.clone(), what });
        let (kept, text, version) = (self.meta("space")?, self.meta("space_text")?, self.meta("heapsmith")?);
        if kept.as_deref() != Some(space.name.as_str()) {
            return other(format!("of the {} space", kept.unwrap_or_default()));
        }
        if text.as_deref() != Some(space.text.as_str()) {
            return other(format!("of the {} space as it was before its text was changed", space.name));
        }
        if self.target()? != space.target {
            return other(format!("for the target {}", self.target()?));
        }
        if version.as_deref() != Some(env!("CARGO_PKG_VERSION")) {
            return other(format!("by heapsmith {}", version.unwrap_or_default()));
        }
        let kept: Vec<(String, String)> = self.run(|db| {
            let mut statement = db.prepare("SELECT name, fingerprint FROM trace ORDER BY number")?;
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
        })?;
        let same =
            kept.len() == traces.len() && kept.iter().zip(traces).all(|((_, kept), trace)| *kept == fingerprint(trace));
        if !same {
            let names: Vec<String> = kept.into_iter().map(|(name, _)| name).collect();
            return other(format!("of {}", names.join(", ")));
        }
        Ok(())
    }
}

/// A trace's fingerprint as text.
fn fingerprint(trace: &PackedTrace) -> String {
    format!("{:016x}", trace.fingerprint)
}

fn create_tables(db: &Connection, space: &Space, traces: &[PackedTrace], command: &str) -> rusqlite::Result<()> {
    let seal = "seal INTEGER NOT NULL";
    let measures: String = Measures::COLUMNS.iter().map(|name| format!(", {name}")).collect();
    let integers: String = Measures::COLUMNS.iter().map(|name| format!(", {name} INTEGER NOT NULL")).collect();
    let names = space.families.factors();
    let factors: String = names.iter().map(|name| format!("{}, ", quoted(name))).collect();
    db.execute_batch(&format!(
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, {seal});
         CREATE TABLE trace (number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL,
                             events INTEGER NOT NULL, processor_ns INTEGER, threads INTEGER NOT NULL, live INTEGER, max_size INTEGER, min_size INTEGER,
                             max_blocks INTEGER, coarsest_alignment INTEGER, reallocates INTEGER, out_of_order INTEGER, {seal});
         CREATE TABLE design (number INTEGER PRIMARY KEY, family TEXT NOT NULL, {factors}spec TEXT NOT NULL,
                              same_as INTEGER NOT NULL, {seal});
         CREATE TABLE result (design INTEGER NOT NULL, trace INTEGER NOT NULL{integers}, {seal},
                              PRIMARY KEY (design, trace));
         CREATE TABLE chosen (design INTEGER PRIMARY KEY, {seal});
         CREATE TABLE pruned (design INTEGER PRIMARY KEY, beaten_by INTEGER, {seal});
         CREATE TABLE stopped (design INTEGER PRIMARY KEY, accesses INTEGER NOT NULL, {seal});
         CREATE TABLE slice (round INTEGER NOT NULL, design INTEGER NOT NULL, trace INTEGER NOT NULL{integers}, {seal},
                             PRIMARY KEY (round, design, trace));
         CREATE TABLE changed (change INTEGER NOT NULL, design INTEGER NOT NULL, trace INTEGER NOT NULL{integers}, {seal},
                               PRIMARY KEY (change, design, trace));
         CREATE TABLE confined (region INTEGER NOT NULL, spec TEXT NOT NULL, trace INTEGER NOT NULL{integers}, {seal},
                                PRIMARY KEY (region, spec, trace));
         CREATE TABLE finalist (design INTEGER NOT NULL, objective TEXT NOT NULL, value INTEGER NOT NULL, {seal},
                                PRIMARY KEY (design, objective));
         CREATE TABLE evaluated (trace TEXT NOT NULL, name TEXT NOT NULL, heap TEXT NOT NULL, failed INTEGER NOT NULL,
                              fragmentation REAL NOT NULL, accesses_per_op REAL NOT NULL, distance REAL NOT NULL,
                              footprint_regret REAL NOT NULL, accesses_regret REAL NOT NULL, warning TEXT, {seal});
         CREATE TABLE catalogue (name TEXT NOT NULL, spec TEXT NOT NULL, trace INTEGER NOT NULL{integers}, {seal},
                                 PRIMARY KEY (name, trace));
         CREATE TABLE baseline (name TEXT NOT NULL, spec TEXT NOT NULL, trace INTEGER NOT NULL{integers}, {seal},
                                PRIMARY KEY (name, trace));
         CREATE TABLE timing (name TEXT PRIMARY KEY, ns_per_op REAL NOT NULL, ns_per_op_low REAL NOT NULL,
                              ns_per_op_high REAL NOT NULL, ns_per_op_min REAL NOT NULL, ns_per_op_max REAL NOT NULL,
                              null_ns_per_op REAL NOT NULL, rounds INTEGER NOT NULL, events INTEGER NOT NULL,
                              compiled INTEGER NOT NULL, {seal});
         CREATE TABLE pages (name TEXT NOT NULL, trace INTEGER NOT NULL, touched_pages INTEGER NOT NULL,
                             requested_peak INTEGER NOT NULL, failed INTEGER NOT NULL, events INTEGER NOT NULL,
                             {seal}, PRIMARY KEY (name, trace));
         CREATE VIEW results AS SELECT number, family, {factors}spec, same_as, result.design, trace{measures} FROM design
                                JOIN chosen ON chosen.design = design.same_as
                                JOIN result ON result.design = design.same_as;"
    ))?;
    let version = env!("CARGO_PKG_VERSION");
    let space_text =
        [("space", space.name.as_str()), ("space_text", space.text.as_str()), ("target", space.target.name)];
    let meta = [("schema", SCHEMA), ("heapsmith", version), ("command", command)].into_iter().chain(space_text);
    for (key, value) in meta {
        seal::insert(db, "meta", [key.to_owned(), value.to_owned()])?;
    }
    for (number, trace) in traces.iter().enumerate() {
        let (number, events) = (Value::from(number as i64), Value::from(trace.events.len() as i64));
        let programs = Programs::of(trace);
        let class = programs.map(|programs| {
            let ProgramClass { live, max_size, min_size, max_blocks, alignment, reallocates, out_of_order } =
                programs.class;
            [live, max_size, min_size, max_blocks, alignment, reallocates.into(), out_of_order.into()]
                .map(|bytes| Value::from(bytes as i64))
        });
        let class = class.unwrap_or([const { Value::Null }; 7]);
        let processor_time = trace.processor_time.map(|time| time.0 as i64);
        let threads = Value::from(trace.threads as i64);
        let known = [events, processor_time.into(), threads];
        let head = [number, trace.name.clone().into(), fingerprint(trace).into()].into_iter().chain(known);
        seal::insert(db, "trace", head.chain(class))?;
    }
    for design in &space.designs {
        let level = |name: &&str| match space.families.level(design, name) {
            Some(level) => level.parse().map_or_else(|_| Value::from(level.to_owned()), Value::Integer),
            None => Value::Null,
        };
        let head = [Value::from(design.number), Value::from(space.families.family(design).name.clone())];
        let tail = [Value::from(design.spec.to_string()), Value::from(design.same_as)];
        seal::insert(db, "design", head.into_iter().chain(names.iter().map(level)).chain(tail))?;
    }
    Ok(())
}

/// A factor's name as the name of a column.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
