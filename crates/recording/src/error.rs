//! What can be wrong with a recording.

use std::io;
use std::path::PathBuf;

use crate::format::VERSION;

/// Why a recording could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is something else.
    #[error("{} is not a recording of heapsmith", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by another version of the recorder.
    #[error(
        "{} is a recording of version {found}; this heapsmith reads version {VERSION}: use the heapsmith that made it",
        path.display(),
    )]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// Part of the file makes no sense.
    #[error("{} is damaged in block {block}, after {records} good records of its thread: {cause}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The block of 256 KiB, counted from the file's beginning.
        block: u64,
        /// Records of the same thread that were read before.
        records: u64,
        /// What was wrong.
        cause: String,
    },
    /// The sink of the trace refused it.
    #[error(transparent)]
    Trace(#[from] heapsmith_trace::TraceError),
}
