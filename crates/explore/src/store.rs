//! The results store: one SQLite file, and the only place that speaks SQL.
//!
//! | table | a row is |
//! |---|---|
//! | `meta` | what is explored: schema, space, version, command; the question that is answered, and what was covered for it |
//! | `trace` | a trace: number, name, fingerprint, events, what its program took of processors, and which programs are as it |
//! | `design` | a design of the space: number, family, a column for each factor, spec, and the design that it is the same heap as |
//! | `result` | the measures of one unique design on one trace: a function of the two, whichever run counted them |
//! | `chosen` | a unique design whose results answer the question |
//! | `pruned` | a unique design that was cut short, and the one that beats it; none if it refuses a request |
//! | `stopped` | a unique design that was stopped on the whole traces, and the accesses an operation that it exceeds |
//! | `slice` | the measures of one unique design on a slice of a trace, in a round of the search |
//! | `changed` | the measures of one unique design on a copy of a trace with a change |
//! | `confined` | the measures of one heap on one trace in a region of a fixed size |
//! | `finalist` | what was measured of one design of a last choice: its smallest region, its code size |
//! | `evaluated` | a heap that was chosen here, on a trace that it was not chosen for |
//! | `catalogue` | the measures of one allocator of the catalogue on one trace |
//! | `baseline` | the same of what a question is compared with |
//! | `timing` | the time of one design of the front, of the catalogue or of a peer, measured alone |
//! | `pages` | the memory of the same on one trace, by pages touched |
//! | `results` | a view for other tools: every design that was kept, with its measures on every trace |
//!
//! Results are committed in batches as they come. A process that is killed loses the batch that it had not committed; the
//! file stays valid, and the next run goes on from it. What a run finds is a function of traces, space and what it was asked
//! for, whatever earlier runs left here: `result`, `slice`, `changed`, `pruned`, `stopped` and `finalist` only save
//! work.
//!
//! Every row ends with a seal over its values. A file in which one is broken is damaged, and nothing is read from it.
//!
//! The question and what answers it are replaced together, when another is answered. Until then, and when nothing meets
//! what is asked, the file answers the question before.
//!
//! | who | opens it |
//! |---|---|
//! | who explores | [`Store::begin`]: to write, with the folder's [`Lock`] |
//! | who reads | [`Store::open`]: to read, also while another process explores |

mod answered;
mod error;
mod lock;
mod measured;
mod results;
mod schema;
mod seal;

use std::fs::FileType;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use heapsmith_limits::ProgramClass;
use heapsmith_output::Refusal;
use heapsmith_spec::Target;
use heapsmith_trace::{Nanoseconds, PackedTrace};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::proven::Programs;
use crate::space::{Families, Space};

pub use error::StoreError;
pub use lock::Lock;

/// The results of one exploration.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
    path: PathBuf,
    /// Held while it is written to.
    lock: Option<Lock>,
}

impl Store {
    /// Name of the store in an exploration's folder.
    pub const FILE: &'static str = "results.sqlite";

    /// Opens the store of an exploration to go on with it, or begins one. `command` is what is kept as the command that
    /// made it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Busy`] when another exploration is at work in the folder; [`StoreError::Other`] when it holds other
    /// traces or another space.
    pub fn begin(path: &Path, space: &Space, traces: &[PackedTrace], command: &str) -> Result<Store, StoreError> {
        let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Store::begin_with(Lock::take(dir)?, path, space, traces, command)
    }

    /// As [`Store::begin`], in a folder whose lock was taken.
    ///
    /// # Errors
    ///
    /// Those of [`Store::begin`] but for [`StoreError::Busy`].
    pub fn begin_with(
        lock: Lock,
        path: &Path,
        space: &Space,
        traces: &[PackedTrace],
        command: &str,
    ) -> Result<Store, StoreError> {
        let mut store = Store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)?;
        store.lock = Some(lock);
        // A journal next to the file, removed with every commit: nothing but the file is left behind.
        store.run(|db| db.execute_batch("PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL;"))?;
        if store.is_empty()? {
            store.create(space, traces, command)?;
        } else {
            store.verify_schema()?;
            store.verify_same(space, traces)?;
        }
        Ok(store)
    }

    /// Opens the store that an exploration wrote, in a folder whose lock was taken, to keep what is asked of it.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] and [`StoreError::NotAStore`].
    pub(crate) fn reopen(lock: Lock, path: &Path) -> Result<Store, StoreError> {
        let mut store = Store::open(path)?;
        store.lock = Some(lock);
        store.run(|db| {
            db.execute_batch("PRAGMA query_only = OFF; PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL;")
        })?;
        Ok(store)
    }

    /// Opens the store that an exploration wrote, to read it. The file may come from anybody.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] and [`StoreError::NotAStore`].
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing { path: path.to_owned() });
        }
        // Not read-only: what a killed explorer left half written is rolled back when it is opened.
        let store = Store::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        store.run(|db| db.execute_batch("PRAGMA query_only = ON;"))?;
        if store.is_empty()? {
            return Err(store.damaged("it has no tables".to_owned()));
        }
        store.verify_schema()?;
        Ok(store)
    }

    fn connect(path: &Path, flags: OpenFlags) -> Result<Store, StoreError> {
        if let Ok(there) = path.symlink_metadata() {
            refuse_special(path, there.file_type())?;
        }
        // SQLite refuses a link anywhere in the path then, so the folder's own links are resolved before.
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(resolved(path), flags);
        let connection = connection.map_err(|source| disk_or_sqlite(path, source))?;
        let store = Store { connection, path: path.to_owned(), lock: None };
        // Nothing that is computed by the file itself: a store needs no trigger, and its tables no functions.
        store.run(|db| {
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
            db.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)
        })?;
        Ok(store)
    }

    /// Runs something on the connection, with the file named in the error.
    fn run<T>(&self, job: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        job(&self.connection).map_err(|source| self.error(source))
    }

    /// Runs something as one transaction: all of it is kept, or nothing.
    fn commit<T>(&self, job: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, StoreError> {
        self.run(|db| {
            let transaction = db.unchecked_transaction()?;
            let done = job(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    fn error(&self, source: rusqlite::Error) -> StoreError {
        match source.sqlite_error_code() {
            Some(rusqlite::ErrorCode::NotADatabase) => self.damaged("it is no SQLite file".to_owned()),
            Some(rusqlite::ErrorCode::DatabaseCorrupt) => self.damaged(format!("it is damaged ({source})")),
            _ => disk_or_sqlite(&self.path, source),
        }
    }

    /// The error of a store whose content makes no sense.
    fn damaged(&self, cause: String) -> StoreError {
        StoreError::NotAStore { path: self.path.clone(), cause }
    }

    /// What is kept under a key of `meta`.
    fn meta(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.run(|db| db.query_row("SELECT value FROM meta WHERE key = ?", [key], |row| row.get(0)).optional())
    }

    /// The name of the space.
    pub fn space(&self) -> Result<String, StoreError> {
        Ok(self.meta("space")?.unwrap_or_default())
    }

    /// Where the heaps of the space will live.
    pub fn target(&self) -> Result<&'static Target, StoreError> {
        self.meta("target")?.unwrap_or_default().parse().map_err(|error| self.damaged(error))
    }

    /// The families of the space, read from its text.
    pub fn families(&self) -> Result<Families, StoreError> {
        let text = self.meta("space_text")?.unwrap_or_default();
        Families::of(&text).map_err(|error| self.damaged(error.to_string()))
    }

    /// The command that began it.
    pub fn command(&self) -> Result<String, StoreError> {
        Ok(self.meta("command")?.unwrap_or_default())
    }

    /// Names of the traces.
    pub fn traces(&self) -> Result<Vec<String>, StoreError> {
        self.run(|db| {
            let mut statement = db.prepare("SELECT name FROM trace ORDER BY number")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })
    }

    /// The programs that are as each trace; none where it asks for nothing.
    pub(crate) fn programs(&self) -> Result<Vec<Option<Programs>>, StoreError> {
        type Class = [Option<i64>; 7];
        let rows: Vec<Class> = self.run(|db| {
            let sql = "SELECT live, max_size, min_size, max_blocks, coarsest_alignment, reallocates, out_of_order FROM trace \
                       ORDER BY number";
            let mut statement = db.prepare(sql)?;
            statement
                .query_map([], |row| {
                    Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?, row.get(6)?])
                })?
                .collect()
        })?;
        let programs = |class: Class| {
            let [live, max_size, min_size, max_blocks, alignment, reallocates, out_of_order] =
                class.map(|bytes| bytes.map(|bytes| bytes as u64));
            let class = ProgramClass::new(live?, max_size?, min_size?).ok()?.within_blocks(max_blocks?);
            let (reallocates, out_of_order) = (reallocates? != 0, out_of_order? != 0);
            Some(Programs { class: ProgramClass { alignment: alignment?, reallocates, out_of_order, ..class } })
        };
        Ok(rows.into_iter().map(programs).collect())
    }

    /// What the programs of all traces took of processors while they were recorded; none where one is not known.
    pub(crate) fn processor_time(&self) -> Result<Option<Nanoseconds>, StoreError> {
        let times: Vec<Option<i64>> = self.run(|db| {
            let mut statement = db.prepare("SELECT processor_ns FROM trace ORDER BY number")?;
            statement.query_map([], |row| row.get(0))?.collect()
        })?;
        let sum = |total: u64, time: Option<i64>| Some(total.saturating_add(time? as u64));
        Ok(times.into_iter().try_fold(0, sum).map(Nanoseconds))
    }

    /// Threads that allocate, in the trace that has most of them.
    pub(crate) fn threads(&self) -> Result<usize, StoreError> {
        let threads: i64 = self.run(|db| db.query_row("SELECT max(threads) FROM trace", [], |row| row.get(0)))?;
        Ok(threads as usize)
    }

    /// Designs of the space.
    pub fn designs(&self) -> Result<usize, StoreError> {
        let designs: i64 = self.run(|db| db.query_row("SELECT count(*) FROM design", [], |row| row.get(0)))?;
        Ok(designs as usize)
    }
}

/// The error of SQLite, or of what it is kept on.
fn disk_or_sqlite(path: &Path, source: rusqlite::Error) -> StoreError {
    use rusqlite::ErrorCode::{CannotOpen, DiskFull, PermissionDenied, ReadOnly, SystemIoFailure};
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(CannotOpen | DiskFull | PermissionDenied | ReadOnly | SystemIoFailure) => {
            StoreError::Disk { path, source }
        }
        _ => StoreError::Sqlite { path, source },
    }
}

/// Refuses what SQLite would not open, or wait for: it says no more than "disk I/O error".
fn refuse_special(path: &Path, there: FileType) -> Result<(), StoreError> {
    if there.is_symlink() {
        return Err(StoreError::Folder { path: path.to_owned(), source: Refusal::Link.into() });
    }
    let kind = if there.is_file() {
        return Ok(());
    } else if there.is_dir() {
        "a folder"
    } else if there.is_fifo() {
        "a FIFO"
    } else if there.is_socket() {
        "a socket"
    } else {
        "a device"
    };
    Err(StoreError::NotAFile { path: path.to_owned(), kind })
}

/// The path of a file, in its folder as it is without links.
fn resolved(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}
