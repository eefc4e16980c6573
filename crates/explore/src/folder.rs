//! The folder of an exploration: its store, its lock, and the traces next to them.
//!
//! ```text
//!   results.sqlite   results.csv   results.parquet   trace-1.parquet …   results.lock
//! ```

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use heapsmith_output::ResultsFolder;
use heapsmith_trace::PackedTrace;

use crate::space::Space;
use crate::store::{Lock, Store, StoreError};

/// Where the folder of an exploration keeps the trace of this number, counted from 0.
pub fn trace_file(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("trace-{}.parquet", number + 1))
}

/// A folder that is explored in: nobody else explores there until it, or the store that is begun in it, is dropped.
#[derive(Debug)]
pub struct Folder {
    dir: PathBuf,
    lock: Lock,
}

impl Folder {
    /// Takes a folder, which is new, or empty, or has a store: in no other anything is written.
    ///
    /// # Errors
    ///
    /// [`StoreError::Folder`] where it has other files or cannot be written;
    /// [`StoreError::Busy`] where another exploration is at work in it.
    pub fn take(dir: &Path) -> Result<Folder, StoreError> {
        claim(dir)?;
        Ok(Folder { dir: dir.to_owned(), lock: Lock::take(dir)? })
    }

    /// As [`Folder::take`], of a folder that has a store.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] where it has none; those of [`Folder::take`].
    pub(crate) fn take_explored(dir: &Path) -> Result<Folder, StoreError> {
        let path = dir.join(Store::FILE);
        if path.exists() { Folder::take(dir) } else { Err(StoreError::Missing { path }) }
    }

    /// As [`Folder::take`], as soon as no other exploration is at work in it; none when `stop` was set before.
    ///
    /// # Errors
    ///
    /// The folder cannot be locked.
    pub fn wait(dir: &Path, stop: &AtomicBool) -> Result<Option<Folder>, StoreError> {
        claim(dir)?;
        Ok(Lock::wait(dir, stop)?.map(|lock| Folder { dir: dir.to_owned(), lock }))
    }

    /// Opens the store in the folder, or begins one there; `write` writes the trace of a number to a file, which must
    /// appear whole or not at all.
    ///
    /// # Errors
    ///
    /// Those of [`Store::begin`] and of `write`.
    pub fn begin<E: From<StoreError>>(
        self,
        space: &Space,
        traces: &[PackedTrace],
        command: &str,
        write: &mut dyn FnMut(usize, &Path) -> Result<(), E>,
    ) -> Result<Store, E> {
        let Folder { dir, lock } = self;
        let file = dir.join(Store::FILE);
        // The store comes first: whatever ends this process, the folder is recognised when the same is begun again.
        let store = Store::begin_with(lock, &file, space, traces, command)?;
        let mut missing = (0..traces.len()).filter(|&number| trace_file(&dir, number).symlink_metadata().is_err());
        missing.try_for_each(|number| write(number, &trace_file(&dir, number)))?;
        Ok(store)
    }
}

impl Folder {
    /// Opens the store of an exploration that came to its end in the folder, to keep the answer to another question.
    ///
    /// # Errors
    ///
    /// Those of [`Store::reopen`].
    pub(crate) fn reopen(self) -> Result<Store, StoreError> {
        Store::reopen(self.lock, &self.dir.join(Store::FILE))
    }
}

fn claim(dir: &Path) -> Result<(), StoreError> {
    let is_ours = |dir: &Path| dir.join(Store::FILE).symlink_metadata().is_ok() || Lock::is_alone(dir);
    let claimed = ResultsFolder::claim(dir, is_ours);
    claimed.map(|_| ()).map_err(|source| StoreError::Folder { path: dir.to_owned(), source })
}
