//! What can be wrong with a file that is to be imported.

use std::io;
use std::path::{Path, PathBuf};

use heapsmith_trace::TraceError;
use heapsmith_trace::memory::OverBudget;

use crate::compression::over_budget;

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The file cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Reading stopped: the system refused, or the compression is damaged.
    #[error("cannot read {} after {place}: {source}; --set keep-damaged=yes takes what comes before", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// How far reading came.
        place: String,
        /// What the system or the decoder said.
        source: io::Error,
    },
    /// Holding what was read so far takes more memory than the budget allows.
    #[error("{}: after {place}: {source}", path.display())]
    OverBudget {
        /// The file.
        path: PathBuf,
        /// How far reading came.
        place: String,
        /// The budget.
        source: OverBudget,
    },
    /// The file has no bytes.
    #[error("{} is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Nothing of the file could be read in the format that was asked for.
    #[error("{} is not {wanted}: {place}: {cause}; it looks like {looks_like}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What it should be.
        wanted: &'static str,
        /// Where reading stopped.
        place: String,
        /// Why.
        cause: String,
        /// What it may be instead.
        looks_like: String,
    },
    /// A record is damaged.
    #[error("{}: {place}: {cause}; --set keep-damaged=yes takes what comes before it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// `line 7` or `record 7`, from 1.
        place: String,
        /// What was wrong, with the record's text.
        cause: String,
    },
    /// A good file with nothing in it.
    #[error("{} holds no allocations", path.display())]
    Nothing {
        /// The file.
        path: PathBuf,
    },
    /// A good file that does not say what a trace needs.
    #[error("{} makes no trace: {cause}", path.display())]
    Incomplete {
        /// The file.
        path: PathBuf,
        /// What it lacks, and what to record instead.
        cause: &'static str,
    },
    /// The trace that comes out cannot be taken.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

impl ImportError {
    /// Reading stopped at `place`: the budget of memory is exceeded, or what the system or a decoder says.
    pub(crate) fn reading(path: &Path, place: String, source: io::Error) -> ImportError {
        let path = path.to_owned();
        match over_budget(&source) {
            Some(source) => ImportError::OverBudget { path, place, source },
            None => ImportError::Read { path, place, source },
        }
    }

    /// Whether the system is at fault (a file that cannot be opened, too little memory), not the file.
    pub fn is_environment(&self) -> bool {
        match self {
            ImportError::Open { source, .. } => source.kind() != io::ErrorKind::NotFound,
            ImportError::OverBudget { .. } => true,
            // A decoder's complaint has no error number of the system's.
            ImportError::Read { source, .. } => source.raw_os_error().is_some(),
            ImportError::Trace(error) => error.is_environment(),
            _ => false,
        }
    }
}
