//! Why an experiment gave no outcome.

use std::path::PathBuf;

use heapsmith_emit::{EmitError, SizeError};
use heapsmith_explore::{StoreError, SweepError};
use heapsmith_replay::{PagesError, ReplayError, SubjectError};
use heapsmith_spec::SpecError;
use heapsmith_trace::TraceError;
use heapsmith_workload::LoadError;

/// Why an experiment gave no outcome.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// A sample is not where it should be.
    #[error(
        "{} is not there: run the command in a clone of the project, or name the folder of its samples with --samples",
        path.display()
    )]
    NoSample {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A sample is another one than the original allocator played.
    #[error("{file} is not the project's: it has other requests than those of crates/papers/originals")]
    OtherSample {
        /// Its name.
        file: &'static str,
    },
    /// The folder of public captures was not named.
    #[error("name the folder of public captures with --inputs; crates/papers/captures says where they are")]
    NoInputs,
    /// The folder of inputs is not there.
    #[error("{} is no folder: --inputs names one of public captures or of whole recordings", path.display())]
    NoFolder {
        /// What was named.
        path: PathBuf,
    },
    /// The folder has no capture that is known.
    #[error("{} holds none of the captures of crates/papers/captures", path.display())]
    NoCapture {
        /// The folder.
        path: PathBuf,
    },
    /// A sample could not be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A trace is damaged.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A heap could not be replayed.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Memory could not be measured by pages.
    #[error(transparent)]
    Pages(#[from] PagesError),
    /// A heap's text is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A heap or a peer has no such name.
    #[error(transparent)]
    Subject(#[from] SubjectError),
    /// A sweep could not keep its results.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A heap could not be emitted.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// No compiler is there, or one refused what was emitted.
    #[error("the sizes of emitted code are not known: {0}")]
    Size(#[from] SizeError),
    /// A file for a while could not be made.
    #[error("cannot write to the folder for temporary files: {0}; name another one with TMPDIR")]
    Scratch(#[from] std::io::Error),
    /// Rows could not be written as CSV.
    #[error("cannot write the data as CSV: {0}")]
    Csv(#[from] csv::Error),
    /// Designs could not be replayed on threads.
    #[error(transparent)]
    Sweep(SweepError),
    /// It was asked to stop.
    #[error("interrupted; what was finished is kept")]
    Interrupted,
}

impl From<SweepError> for ExperimentError {
    fn from(error: SweepError) -> ExperimentError {
        match error {
            SweepError::Interrupted => ExperimentError::Interrupted,
            SweepError::Threads(_) | SweepError::Workers(_) => ExperimentError::Sweep(error),
            SweepError::Replay(error) => error.into(),
            SweepError::Store(error) => error.into(),
        }
    }
}
