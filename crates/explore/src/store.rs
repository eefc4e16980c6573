//! The results store: one SQLite file.
//!
//! | table | a row is |
//! |---|---|
//! | `meta` | what is explored: schema, space, version, command |
//! | `trace` | a trace: number, name, fingerprint, events |
//! | `design` | a design of the space: number, family, a column for each factor, spec, and the design that it is the same heap as |
//! | `pruned` | the number of a unique design that was cut short, as it can reach no front |
//! | `slice` | the measures of one unique design on a slice of a trace, in a round of the search |
//! | `result` | the measures of one unique design on one trace |
//! | `finalist` | what was measured of one design of the last choice: its smallest region, its code size |
//! | `evaluated` | a heap that was chosen here, on a trace that it was not chosen for |
//! | `catalogue` | the measures of one allocator of the catalogue on one trace |
//! | `timing` | the time of one design of the front, of the catalogue or of a peer, measured alone |
//! | `pages` | the memory of the same on one trace, by pages touched |
//! | `results` | a view: every design with its measures on every trace |
//!
//! Results are committed in batches as they come. A process that is killed
//! loses the batch that it had not committed; the file stays valid, and the
//! next run goes on from it.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use heapsmith_replay::Measures;
use heapsmith_trace::PackedTrace;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::goal::Goal;
use crate::objective::Objectives;
use crate::search::Strategy;
use crate::space::Space;

/// Version of the tables.
const SCHEMA: &str = "4";

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

    /// The error of a store whose content makes no sense.
    pub(crate) fn damaged(&self, cause: String) -> StoreError {
        StoreError::NotAStore { path: self.path.clone(), cause }
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
        let (kept, text, version) = (self.meta("space")?, self.meta("space_text")?, self.meta("heapsmith")?);
        if kept.as_deref() != Some(space.name.as_str()) {
            return other(format!("of the {} space", kept.unwrap_or_default()));
        }
        if text.as_deref() != Some(space.text.as_str()) {
            return other(format!("of the {} space as it was before its text was changed", space.name));
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

    /// Numbers of the unique designs that have their results; `pruned`: or were cut short.
    pub fn done(&self, pruned: bool) -> Result<HashSet<u32>, StoreError> {
        let also = if pruned { " UNION SELECT design FROM pruned" } else { "" };
        self.run(|db| {
            let mut statement = db.prepare(&format!("SELECT design FROM result{also}"))?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// Adds the results of unique designs: for each its measures on every trace; and the numbers of those
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

    /// Keeps what is wanted of the designs.
    pub(crate) fn set_goal(&mut self, goal: &Goal) -> Result<(), StoreError> {
        self.set_meta("goal", &goal.to_string())
    }

    /// Keeps how designs are chosen.
    pub(crate) fn set_search(&mut self, search: Strategy) -> Result<(), StoreError> {
        self.set_meta("search", search.name())
    }

    /// How designs were chosen.
    pub(crate) fn search(&self) -> Result<Strategy, StoreError> {
        let search = self.meta("search")?;
        search.map_or(Ok(Strategy::default()), |name| name.parse().map_err(|error| self.damaged(error)))
    }

    /// Keeps whether the sweep came to its end: said by [`sweep`](crate::sweep()), and by who replays designs elsewhere.
    ///
    /// # Errors
    ///
    /// The store cannot be written.
    pub fn set_finished(&mut self, finished: bool) -> Result<(), StoreError> {
        self.set_meta("finished", if finished { "yes" } else { "no" })
    }

    /// Whether the sweep came to its end.
    pub fn finished(&self) -> Result<bool, StoreError> {
        Ok(self.meta("finished")?.as_deref() == Some("yes"))
    }

    fn set_meta(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        self.run(|db| db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", [key, value])).map(|_| ())
    }

    /// Adds the measures of unique designs on the slices of a round of the search.
    pub(crate) fn add_sliced(&mut self, round: usize, batch: &[(u32, Vec<Measures>)]) -> Result<(), StoreError> {
        let sql = format!("INSERT OR REPLACE INTO slice VALUES (?, ?, ?{})", ", ?".repeat(Measures::COLUMNS.len()));
        self.run(|db| {
            let transaction = db.unchecked_transaction()?;
            {
                let mut statement = transaction.prepare_cached(&sql)?;
                for (design, measures) in batch {
                    for (trace, measures) in measures.iter().enumerate() {
                        let head = [round as u64, u64::from(*design), trace as u64];
                        statement
                            .execute(params_from_iter(head.into_iter().chain(measures.to_row()).map(as_stored)))?;
                    }
                }
            }
            transaction.commit()
        })
    }

    /// The measures on the slices of a round, by design.
    pub(crate) fn sliced(&self, round: usize) -> Result<HashMap<u32, Vec<Measures>>, StoreError> {
        self.by_design(&format!("slice WHERE round = {round}"))
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

/// The measures in a row whose integers begin at column `first`.
pub(crate) fn measures_from(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Measures> {
    let integers: Vec<u64> = (0..Measures::COLUMNS.len())
        .map(|column| row.get::<_, i64>(first + column).map(|value| value as u64))
        .collect::<Result<_, _>>()?;
    Ok(Measures::from_row(&integers).unwrap_or_default())
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
    let names = space.families.factors();
    let factors: String = names.iter().map(|name| format!("{}, ", quoted(name))).collect();
    db.execute_batch(&format!(
        "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
         CREATE TABLE trace (number INTEGER PRIMARY KEY, name TEXT NOT NULL, fingerprint TEXT NOT NULL,
                             events INTEGER NOT NULL);
         CREATE TABLE design (number INTEGER PRIMARY KEY, family TEXT NOT NULL, {factors}spec TEXT NOT NULL, same_as INTEGER NOT NULL);
         CREATE TABLE result (design INTEGER NOT NULL, trace INTEGER NOT NULL{integers}, PRIMARY KEY (design, trace));
         CREATE TABLE slice (round INTEGER NOT NULL, design INTEGER NOT NULL, trace INTEGER NOT NULL{integers},
                             PRIMARY KEY (round, design, trace));
         CREATE TABLE finalist (design INTEGER NOT NULL, objective TEXT NOT NULL, value INTEGER NOT NULL,
                                PRIMARY KEY (design, objective));
         CREATE TABLE evaluated (trace TEXT NOT NULL, name TEXT NOT NULL, heap TEXT NOT NULL, failed INTEGER NOT NULL,
                              fragmentation REAL NOT NULL, accesses_per_op REAL NOT NULL, distance REAL NOT NULL,
                              footprint_regret REAL NOT NULL, accesses_regret REAL NOT NULL, warning TEXT);
         CREATE TABLE pruned (design INTEGER PRIMARY KEY);
         CREATE TABLE catalogue (name TEXT NOT NULL, spec TEXT NOT NULL, trace INTEGER NOT NULL{integers},
                                 PRIMARY KEY (name, trace));
         CREATE TABLE timing (name TEXT PRIMARY KEY, ns_per_op REAL NOT NULL, ns_per_op_min REAL NOT NULL,
                              ns_per_op_max REAL NOT NULL, null_ns_per_op REAL NOT NULL, rounds INTEGER NOT NULL);
         CREATE TABLE pages (name TEXT NOT NULL, trace INTEGER NOT NULL, touched_pages INTEGER NOT NULL,
                             requested_peak INTEGER NOT NULL, failed INTEGER NOT NULL, events INTEGER NOT NULL,
                             PRIMARY KEY (name, trace));
         CREATE VIEW results AS SELECT design.*, result.* FROM design JOIN result ON result.design = design.same_as;"
    ))?;
    let version = env!("CARGO_PKG_VERSION");
    let space_text = [("space", space.name.as_str()), ("space_text", space.text.as_str())];
    let meta = [("schema", SCHEMA), ("heapsmith", version), ("command", command)].into_iter().chain(space_text);
    for (key, value) in meta {
        db.execute("INSERT INTO meta VALUES (?, ?)", [key, value])?;
    }
    for (number, trace) in traces.iter().enumerate() {
        let row = params![number as i64, trace.name, fingerprint(trace), trace.events.len() as i64];
        db.execute("INSERT INTO trace VALUES (?, ?, ?, ?)", row)?;
    }
    let mut statement = db.prepare(&format!("INSERT INTO design VALUES (?, ?, {}?, ?)", "?, ".repeat(names.len())))?;
    for design in &space.designs {
        use rusqlite::types::Value;
        let level = |name: &&str| match space.families.level(design, name) {
            Some(level) => level.parse().map_or_else(|_| Value::from(level.to_owned()), Value::Integer),
            None => Value::Null,
        };
        let head = [Value::from(design.number), Value::from(space.families.family(design).name.clone())];
        let tail = [Value::from(design.spec.to_string()), Value::from(design.same_as)];
        statement.execute(params_from_iter(head.into_iter().chain(names.iter().map(level)).chain(tail)))?;
    }
    Ok(())
}

/// A factor's name as the name of a column.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
