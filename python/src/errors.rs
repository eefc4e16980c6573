//! Errors of the libraries as Python's exceptions: the texts are those that the command prints.
//!
//! ```text
//!   HeapsmithError            exit_code 1
//!   ├── UsageError            2   also a ValueError
//!   │   ├── SpecError             with column, suggestion, alternatives
//!   │   └── EmitError
//!   ├── TraceError            3
//!   ├── StoreError            3, or 2 where the store is another exploration's
//!   ├── ReplayError           1
//!   ├── SystemFailure         4   also an OSError
//!   └── ClusterError          1   (raised by heapsmith/cluster.py)
//! ```
//!
//! The classes are in `heapsmith/errors.py`. The exit code is that of the command.

use heapsmith_emit::EmitError;
use heapsmith_explore::{MeasureError, RunError, StoreError, SweepError};
use heapsmith_replay::{ReplayError, SubjectError};
use heapsmith_report::ReportError;
use heapsmith_spec::SpecError;
use heapsmith_trace::TraceError;
use heapsmith_workload::{ErrorKind, LoadError};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// The exception classes.
pub mod classes {
    #![allow(missing_docs)]
    pyo3::import_exception!(heapsmith.errors, HeapsmithError);
    pyo3::import_exception!(heapsmith.errors, UsageError);
    pyo3::import_exception!(heapsmith.errors, SpecError);
    pyo3::import_exception!(heapsmith.errors, EmitError);
    pyo3::import_exception!(heapsmith.errors, TraceError);
    pyo3::import_exception!(heapsmith.errors, StoreError);
    pyo3::import_exception!(heapsmith.errors, ReplayError);
    pyo3::import_exception!(heapsmith.errors, SystemFailure);
}

/// An exception to be raised.
pub struct Raised(pub PyErr);

/// What a function of the module gives.
pub type Outcome<T> = Result<T, Raised>;

impl Raised {
    /// Something was asked for wrongly.
    pub fn usage(message: impl Into<String>) -> Raised {
        Raised(classes::UsageError::new_err(message.into()))
    }

    /// A file or folder that cannot be written.
    pub fn writing(path: &std::path::Path, error: &std::io::Error) -> Raised {
        Raised(classes::SystemFailure::new_err(format!("cannot write {}: {error}", path.display())))
    }
}

impl From<Raised> for PyErr {
    fn from(raised: Raised) -> PyErr {
        raised.0
    }
}

impl From<PyErr> for Raised {
    fn from(error: PyErr) -> Raised {
        Raised(error)
    }
}

impl From<SpecError> for Raised {
    fn from(error: SpecError) -> Raised {
        let raised = classes::SpecError::new_err(error.to_string());
        Python::attach(|py| {
            let value = raised.value(py);
            value.setattr("column", error.column)?;
            value.setattr("suggestion", error.suggestion())?;
            value.setattr("alternatives", error.alternatives.clone())
        })
        .map_or_else(Raised, |()| Raised(raised))
    }
}

impl From<SubjectError> for Raised {
    fn from(error: SubjectError) -> Raised {
        match error {
            SubjectError::Spec(error) => error.into(),
            SubjectError::Peer(error) => Raised::usage(error.to_string()),
        }
    }
}

impl From<TraceError> for Raised {
    fn from(error: TraceError) -> Raised {
        let text = error.to_string();
        Raised(match error.is_environment() {
            true => classes::SystemFailure::new_err(text),
            false => classes::TraceError::new_err(text),
        })
    }
}

impl From<LoadError> for Raised {
    fn from(error: LoadError) -> Raised {
        let text = error.to_string();
        Raised(match error.kind() {
            ErrorKind::WrongUse => classes::UsageError::new_err(text),
            ErrorKind::BadInput => classes::TraceError::new_err(text),
            ErrorKind::Environment => classes::SystemFailure::new_err(text),
        })
    }
}

impl From<ReplayError> for Raised {
    fn from(error: ReplayError) -> Raised {
        let text = error.to_string();
        Raised(match error {
            ReplayError::NoMemory { .. } | ReplayError::PeerTimes { .. } => classes::SystemFailure::new_err(text),
            ReplayError::Build(_)
            | ReplayError::Peer(_)
            | ReplayError::TooMany { .. }
            | ReplayError::OfRegions { .. } => classes::UsageError::new_err(text),
            ReplayError::Fault { .. } | ReplayError::Stopped => classes::ReplayError::new_err(text),
        })
    }
}

impl From<StoreError> for Raised {
    fn from(error: StoreError) -> Raised {
        let text = error.to_string();
        match error {
            StoreError::Folder { .. }
            | StoreError::Sqlite { .. }
            | StoreError::Disk { .. }
            | StoreError::Busy { .. }
            | StoreError::Lock { .. } => Raised(classes::SystemFailure::new_err(text)),
            StoreError::Other { .. } => {
                let raised = classes::StoreError::new_err(text);
                Python::attach(|py| raised.value(py).setattr("exit_code", 2)).map_or_else(Raised, |()| Raised(raised))
            }
            _ => Raised(classes::StoreError::new_err(text)),
        }
    }
}

impl From<SweepError> for Raised {
    fn from(error: SweepError) -> Raised {
        match error {
            SweepError::Replay(error) => error.into(),
            SweepError::Store(error) => error.into(),
            SweepError::Threads(_) => Raised(classes::SystemFailure::new_err(error.to_string())),
            // What Python raised where it drives the workers comes back as it was.
            SweepError::Workers(error) => match error.downcast::<PyErr>() {
                Ok(raised) => Raised(*raised),
                Err(error) => Raised(classes::HeapsmithError::new_err(error.to_string())),
            },
            SweepError::Interrupted => Raised(PyKeyboardInterrupt::new_err(error.to_string())),
        }
    }
}

impl From<MeasureError> for Raised {
    fn from(error: MeasureError) -> Raised {
        match error {
            MeasureError::Replay(error) => error.into(),
            MeasureError::Store(error) => error.into(),
            MeasureError::Pages(error) => Raised(classes::SystemFailure::new_err(error.to_string())),
        }
    }
}

impl From<RunError> for Raised {
    fn from(error: RunError) -> Raised {
        match error {
            RunError::WrongUse(_) | RunError::Unknown(_) | RunError::Space { .. } => Raised::usage(error.to_string()),
            RunError::Trace(error) => error.into(),
            RunError::Sweep(error) => error.into(),
            RunError::Measure(error) => error.into(),
            RunError::CodeSize(error) => Raised(classes::HeapsmithError::new_err(error.to_string())),
            RunError::Write { path, source } => Raised::writing(&path, &source),
        }
    }
}

impl From<EmitError> for Raised {
    fn from(error: EmitError) -> Raised {
        Raised(classes::EmitError::new_err(error.to_string()))
    }
}

impl From<ReportError> for Raised {
    fn from(error: ReportError) -> Raised {
        Raised(classes::HeapsmithError::new_err(error.to_string()))
    }
}
