//! The folder of an exploration: its store, and its traces beside it.

use std::path::{Path, PathBuf};

use heapsmith_trace::PackedTrace;

use crate::space::Space;
use crate::store::{Store, StoreError};

/// Where the folder of an exploration keeps the trace of this number, counted from 0.
pub fn trace_file(dir: &Path, number: usize) -> PathBuf {
    dir.join(format!("trace-{}.parquet", number + 1))
}

impl Store {
    /// Opens the store in an exploration's folder, or begins one there; `write` writes the trace of a number to a file,
    /// which must appear whole or not at all.
    ///
    /// # Errors
    ///
    /// Those of [`Store::begin`] and of `write`.
    pub fn begin_in<E: From<StoreError>>(
        dir: &Path,
        space: &Space,
        traces: &[PackedTrace],
        command: &str,
        mut write: impl FnMut(usize, &Path) -> Result<(), E>,
    ) -> Result<Store, E> {
        let file = dir.join(Store::FILE);
        // Without a store, traces that lie there are those of an exploration that was deleted.
        if !file.exists() {
            (0..traces.len()).try_for_each(|number| write(number, &trace_file(dir, number)))?;
        }
        let store = Store::begin(&file, space, traces, command)?;
        let mut missing = (0..traces.len()).filter(|&number| !trace_file(dir, number).exists());
        missing.try_for_each(|number| write(number, &trace_file(dir, number)))?;
        Ok(store)
    }
}
