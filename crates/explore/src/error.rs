//! Why an exploration ended early.

use std::error::Error;
use std::io;

use heapsmith_replay::ReplayError;

use crate::store::StoreError;

/// Why a sweep ended early.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A design could not be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The results could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system starts no thread.
    #[error("cannot start a thread to replay on: {0}; raise the limit of processes, or free memory")]
    Threads(io::Error),
    /// The workers that replay elsewhere failed.
    #[error(transparent)]
    Workers(Box<dyn Error + Send + Sync>),
    /// It was asked to stop; finished work is kept.
    #[error("interrupted; the results so far are kept, and the same command resumes from them")]
    Interrupted,
}
