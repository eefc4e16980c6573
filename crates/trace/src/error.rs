//! What can be wrong with a trace or its file.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use crate::Bytes;
use crate::memory::OverBudget;

/// Why a trace could not be read, written or understood.
///
/// Record numbers count events from 1, as people count lines.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file could not be written; nothing of it is left behind.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file has no bytes.
    #[error("{} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else than a trace.
    #[error("{} is not a heapsmith trace: {cause}", path.display())]
    NotATrace {
        /// The file.
        path: PathBuf,
        /// What is missing.
        cause: String,
    },
    /// The file was written by a heapsmith that this one no longer reads.
    #[error(
        "{} has trace schema {found}; the oldest that this heapsmith reads is {oldest}: import the \
         original input again",
        path.display()
    )]
    TooOld {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The oldest version that is read.
        oldest: u32,
    },
    /// The file was written by a later heapsmith.
    #[error(
        "{} has trace schema {found}; the newest that this heapsmith reads is {newest}: use a later \
         heapsmith",
        path.display()
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its schema version.
        found: u32,
        /// The newest version that is read.
        newest: u32,
    },
    /// The file is a trace, but part of it cannot be read.
    #[error("{} is damaged{}: {cause}", path.display(), place(.row_group, .record))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The Parquet row group, from 0, where that is known.
        row_group: Option<usize>,
        /// The event, from 1, where that is known.
        record: Option<u64>,
        /// What was wrong.
        cause: String,
    },
    /// Nothing in it is for a heap.
    #[error("{name} holds no allocations")]
    NoAllocations {
        /// The trace's name.
        name: String,
    },
    /// It is of some blocks of its program only, and is to be replayed.
    #[error(
        "{name} is a sample: one block in {every} was recorded. What lies between those is not known, so addresses and footprint \
         would be those of another program. Record it without --sample to replay it; `heapsmith inspect` estimates its totals \
         and its leaks"
    )]
    Sampled {
        /// The trace's name.
        name: String,
        /// Of this many blocks one was recorded.
        every: u64,
    },
    /// A block is freed whose id was never allocated.
    #[error("event {record}: free of block {id}, which was never allocated")]
    UnknownFree {
        /// The event, from 1.
        record: u64,
        /// The block's id.
        id: u64,
    },
    /// A block is freed that is not live; a streamed trace does not say which of the two.
    #[error("event {record}: free of block {id}, which is not live: it was freed before, or never allocated")]
    NotLive {
        /// The event, from 1.
        record: u64,
        /// The block's id.
        id: u64,
    },
    /// A block is freed for the second time.
    #[error("event {record}: block {id} is freed twice")]
    DoubleFree {
        /// The event, from 1.
        record: u64,
        /// The block's id.
        id: u64,
    },
    /// An id is allocated while a block of that id lives.
    #[error("event {record}: allocation of block {id}, which is live already")]
    LiveAllocate {
        /// The event, from 1.
        record: u64,
        /// The block's id.
        id: u64,
    },
    /// A block is reallocated that is not live.
    #[error("event {record}: reallocation of block {id}, which is not live")]
    UnknownReallocate {
        /// The event, from 1.
        record: u64,
        /// The block's id.
        id: u64,
    },
    /// A request is larger than any program could mean.
    #[error(
        "event {record}: a request of {} bytes; the largest that a trace may hold is {} bytes",
        size.0,
        crate::LARGEST_REQUEST.0
    )]
    TooLarge {
        /// The event, from 1.
        record: u64,
        /// The requested size.
        size: Bytes,
    },
    /// An alignment that is no power of two.
    #[error("event {record}: alignment {alignment} is not a power of two")]
    BadAlignment {
        /// The event, from 1.
        record: u64,
        /// The alignment.
        alignment: u64,
    },
    /// Segments between marks were asked for, and there are none.
    #[error("the trace has no marks to cut it at: name a number of parts, such as --shuffle 8")]
    NoMarks,
    /// Holding it would take more memory than the budget allows.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// What was wrong with the events of a file, with its name.
    #[error("{name}: {source}")]
    Of {
        /// The file, or the trace's name where it comes from none.
        name: String,
        /// What was wrong.
        source: Box<TraceError>,
    },
    /// More blocks live at once, or more bytes, than the replayable form can count.
    #[error("event {record}: {cause}")]
    TooMuch {
        /// The event, from 1.
        record: u64,
        /// What ran over.
        cause: &'static str,
    },
}

impl TraceError {
    /// This error with the name of what it is about, where it does not name a file itself.
    pub fn of(self, name: &dyn Display) -> TraceError {
        match self {
            TraceError::NotLive { .. }
            | TraceError::UnknownFree { .. }
            | TraceError::DoubleFree { .. }
            | TraceError::LiveAllocate { .. }
            | TraceError::UnknownReallocate { .. }
            | TraceError::TooLarge { .. }
            | TraceError::BadAlignment { .. }
            | TraceError::NoMarks
            | TraceError::OverBudget(_)
            | TraceError::TooMuch { .. } => TraceError::Of { name: name.to_string(), source: Box::new(self) },
            named => named,
        }
    }

    /// Whether the system is at fault (a file that cannot be read or written, too little memory), and not the
    /// trace: one that is missing, too.
    pub fn is_environment(&self) -> bool {
        match self {
            TraceError::Read { source, .. } => source.kind() != io::ErrorKind::NotFound,
            TraceError::Write { .. } | TraceError::OverBudget(_) => true,
            TraceError::Of { source, .. } => source.is_environment(),
            _ => false,
        }
    }

    /// A [`TraceError::Damaged`] whose place is not known.
    pub(crate) fn damaged(path: &Path, cause: impl Into<String>) -> TraceError {
        TraceError::Damaged { path: path.to_owned(), row_group: None, record: None, cause: cause.into() }
    }
}

fn place(row_group: &Option<usize>, record: &Option<u64>) -> String {
    match (row_group, record) {
        (_, Some(record)) => format!(" at event {record}"),
        (Some(row_group), None) => format!(" in row group {row_group}"),
        (None, None) => String::new(),
    }
}
