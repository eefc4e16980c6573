//! The results store: one SQLite file.
//!
//! | table | a row is |
//! |---|---|
//! | `meta` | what is explored: schema, space, version, command |
//! | `trace` | a trace: number, name, fingerprint, events |
//! | `design` | a design of the space: number, levels, spec, and the design that it is the same heap as |
//! | `pruned` | the number of a distinct design that was cut short, as it can reach no front |
//! | `result` | the measures of one distinct design on one trace |
//! | `catalogue` | the measures of one allocator of the catalogue on one trace |
//! | `timing` | the time of one design of the front, of the catalogue or of a peer, measured alone |
//! | `pages` | the memory of the same on one trace, by pages touched |
//! | `results` | a view: every design with its measures on every trace |
//!
//! Results are committed in batches as they come. A process that is killed
//! loses the batch that it had not committed; the file stays valid, and the
//! next run goes on from it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use heapsmith_replay::Measures;
use heapsmith_trace::PackedTrace;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::space::{FACTORS, Space};

/// Version of the tables.
const SCHEMA: &str = "2";

/// Why the results store cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite says why.
    #[error("{}: {source}", path.display())]
    Sqlite {
        /// The store.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The file holds something else.
    #[error("{} is not a results store of this heapsmith: {cause}; choose another --out, or delete it", path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The file holds the results of another exploration.
    #[error("{} holds another exploration ({what}): choose another --out, or delete it", path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// No exploration was ever begun there.
    #[error("{} does not exist: run `heapsmith explore` first, or name the folder that it wrote", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
    },
}

/// The results of one exploration.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    path: PathBuf,
}

impl Store {
    /// Name of the store in an exploration's folder.
    pub const FILE: &'static str = "results.sqlite";

    /// Opens the store of an exploration, or begins one. `command` is what is
    /// kept as the command that made it.
    pub fn begin(path: &Path, space: &Space, traces: &[PackedTrace], command: &str) -> Result<Store, StoreError> {
        let mut store = Store::connect(path)?;
        if store.is_empty()? {
            store.create(space, traces, command)?;
        } else {
            store.verify_schema()?;
            store.verify_same(space, traces)?;
        }
        Ok(store)
    }

    /// Opens the store that an exploration wrote.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        let store = Store::connect(path)?;
        if store.is_empty()? {
            return Err(StoreError::NotAStore { path: path.to_owned(), cause: "it has no tables".to_owned() });
        }
        store.verify_schema()?;
        Ok(store)
    }

    fn connect(path: &Path) -> Result<Store, StoreError> {
        let at = |source| StoreError::Sqlite { path: path.to_owned(), source };
        let connection = Connection::open(path).map_err(at)?;
        let store = Store { connection, path: path.to_owned() };
        // A journal beside the file, removed with every commit: nothing but the file is left behind.
        store.run(|db| db.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL;"))?;
        Ok(store)
    }

    /// Runs something on the connection, with the file named in the error.
    pub(crate) fn run<T>(&self, job: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        job(&self.connection).map_err(|source| self.error(source))
    }

    fn error(&self, source: rusqlite::Error) -> StoreError {
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => {
                StoreError::NotAStore { path: self.path.clone(), cause: "it is no SQLite file".to_owned() }
            }
            _ => StoreError::Sqlite { path: self.path.clone(), source },
        }
    }

    fn is_empty(&self) -> Result<bool, StoreError> {
        self.run(|db| db.query_row("SELECT count(*) = 0 FROM sqlite_master", [], |row| row.get(0)))
    }

    fn create(&mut self, space: &Space, traces: &[PackedTrace], command: &str) -> Result<(), StoreError> {
        let path = self.path.clone();
        let at = |source| StoreError::Sqlite { path: path.clone(), source };
        let transaction = self.connection.transaction().map_err(at)?;
        create_tables(&transaction, space, traces, command).map_err(at)?;
        transaction.commit().map_err(at)
    }

    fn verify_schema(&self) -> Result<(), StoreError> {
        let found = self.meta("schema")?;
        if found.as_deref() == Some(SCHEMA) {
            return Ok(());
        }
        let cause = match found {
            Some(found) => format!("it has schema {found}, this one reads {SCHEMA}"),
            None => "it has no schema".to_owned(),
        };
        Err(StoreError::NotAStore { path: self.path.clone(), cause })
    }

    fn verify_same(&self, space: &Space, traces: &[PackedTrace]) -> Result<(), StoreError> {
        let other = |what: String| Err(StoreError::Other { path: self.path.clone(), what });
        let (kept, version) = (self.meta("space")?, self.meta("heapsmith")?);
        if kept.as_deref() != Some(space.name) {
            return other(format!("of the {} space", kept.unwrap_or_default()));
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

    /// A line of `meta`.
    pub fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.run(|db| {
            let exists: bool =
                db.query_row("SELECT count(*) FROM sqlite_master WHERE name = 'meta'", [], |row| row.get(0))?;
            if !exists {
                return Ok(None);
            }
            db.query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0)).optional()
        })
    }

    /// Numbers of the distinct designs that have their results; `pruned`: or were cut short.
    pub fn done(&self, pruned: bool) -> Result<HashSet<u32>, StoreError> {
        let also = if pruned { " UNION SELECT design FROM pruned" } else { "" };
        self.run(|db| {
            let mut statement = db.prepare(&format!("SELECT design FROM result{also}"))?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// How many designs of the space were cut short.
    pub(crate) fn pruned(&self) -> Result<usize, StoreError> {
        let count = "SELECT count(*) FROM design JOIN pruned ON pruned.design = design.same_as";
        Ok(self.run(|db| db.query_row(count, [], |row| row.get::<_, i64>(0)))? as usize)
    }

    /// Adds the results of distinct designs: for each its measures on every trace; and the numbers of those
    /// that were cut short. All or none are kept.
    pub fn add(&mut self, batch: &[(u32, Vec<Measures>)], pruned: &[u32]) -> Result<(), StoreError> {
        let path = self.path.clone();
        let at = |source| StoreError::Sqlite { path: path.clone(), source };
        let transaction = self.connection.transaction().map_err(at)?;
        {
            let sql = format!("INSERT OR REPLACE INTO result VALUES (?, ?{})", ", ?".repeat(Measures::COLUMNS.len()));
            let mut statement = transaction.prepare_cached(&sql).map_err(at)?;
            for design in pruned {
                transaction.execute("INSERT OR REPLACE INTO pruned VALUES (?)", [design]).map_err(at)?;
            }
            for (design, measures) in batch {
                transaction.execute("DELETE FROM pruned WHERE design = ?", [design]).map_err(at)?;
                for (trace, measures) in measures.iter().enumerate() {
                    let row = [u64::from(*design), trace as u64].into_iter().chain(measures.to_row());
                    statement.execute(params_from_iter(row.map(as_stored))).map_err(at)?;
                }
            }
        }
        transaction.commit().map_err(at)
    }

    /// Keeps the measures of an allocator of the catalogue on every trace.
    pub fn add_catalogued(&mut self, name: &str, spec: &str, measures: &[Measures]) -> Result<(), StoreError> {
        let sql = format!("INSERT OR REPLACE INTO catalogue VALUES (?, ?, ?{})", ", ?".repeat(Measures::COLUMNS.len()));
        self.run(|db| {
            for (trace, measures) in measures.iter().enumerate() {
                use rusqlite::types::Value;
                let head = [Value::from(name.to_owned()), Value::from(spec.to_owned()), Value::from(trace as i64)];
                let row = head.into_iter().chain(measures.to_row().into_iter().map(|value| as_stored(value).into()));
                db.execute(&sql, params_from_iter(row))?;
            }
            Ok(())
        })
    }
}

/// SQLite's integers are signed; no measure comes near the limit.
fn as_stored(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A trace's fingerprint as text.
pub(crate) fn fingerprint(trace: &PackedTrace) -> String {
    format!("{:016x}", trace.fingerprint)
}

fn create_tables(db: &Connection, space: &Space, traces: &[PackedTrace], command: &str) -> rusqlite::Result<()> {
    let integers: String = Measures::COLUMNS.iter().map(|name| format!(", {name} INTEGER NOT NULL")).collect();
    let factors: String = FACTORS.iter().map(|factor| format!("{} INTEGER NOT NULL, ", factor.name)).collect();
    db.execute_batch(&format!(
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
         CREATE TABLE trace (number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL,
                             events INTEGER NOT NULL);
         CREATE TABLE design (number INTEGER PRIMARY KEY, {factors}spec TEXT NOT NULL, same_as INTEGER NOT NULL);
         CREATE TABLE result (design INTEGER NOT NULL, trace INTEGER NOT NULL{integers}, PRIMARY KEY (design, trace));
         CREATE TABLE pruned (design INTEGER PRIMARY KEY);
         CREATE TABLE catalogue (name TEXT NOT NULL, spec TEXT NOT NULL, trace INTEGER NOT NULL{integers},
                                 PRIMARY KEY (name, trace));
         CREATE TABLE timing (name TEXT PRIMARY KEY, ns_per_op REAL NOT NULL, least REAL NOT NULL,
                              most REAL NOT NULL, floor_ns_per_op REAL NOT NULL, rounds INTEGER NOT NULL);
         CREATE TABLE pages (name TEXT NOT NULL, trace INTEGER NOT NULL, touched INTEGER NOT NULL,
                             requested_peak INTEGER NOT NULL, failed INTEGER NOT NULL, events INTEGER NOT NULL,
                             PRIMARY KEY (name, trace));
         CREATE VIEW results AS SELECT design.*, result.* FROM design JOIN result ON result.design = design.same_as;"
    ))?;
    let meta =
        [("schema", SCHEMA), ("space", space.name), ("heapsmith", env!("CARGO_PKG_VERSION")), ("command", command)];
    for (key, value) in meta {
        db.execute("INSERT INTO meta VALUES (?, ?)", [key, value])?;
    }
    for (number, trace) in traces.iter().enumerate() {
        let row = params![number as i64, trace.name, fingerprint(trace), trace.events.len() as i64];
        db.execute("INSERT INTO trace VALUES (?, ?, ?, ?)", row)?;
    }
    let mut statement = db.prepare("INSERT INTO design VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    for design in &space.designs {
        let level = |factor| design.level(factor);
        let spec = design.spec.to_string();
        statement.execute(params![design.number, level(0), level(1), level(2), level(3), spec, design.same_as])?;
    }
    Ok(())
}
