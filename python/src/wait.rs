//! Long work: without Python's lock, and Ctrl-C ends it.
//!
//! ```text
//!   Python's thread:  unlock ──▶ job ··▶ patience.is_over()? ··▶ job ──▶ lock ──▶ return, or raise
//!                                             │ every 50 ms: lock, signals?, unlock
//! ```
//!
//! The work stays on the thread that asked for it: a call costs no thread. Python raises signals on its main thread
//! only. Work that cannot be stopped in the middle (one pass over a trace, a replay that verifies) is ended after it.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// How often signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Whether work should go on.
#[derive(Debug)]
pub struct Patience {
    looked: Instant,
    raised: Option<PyErr>,
}

impl Patience {
    /// Whether a signal or the callback raised an exception: the work is to end.
    pub fn is_over(&mut self) -> bool {
        if self.raised.is_none() && self.looked.elapsed() >= PATIENCE {
            self.looked = Instant::now();
            self.raised = Python::attach(|py| py.check_signals()).err();
        }
        self.raised.is_some()
    }

    /// Calls back with the progress of the work.
    pub fn tell<A>(&mut self, noted: Option<&Py<PyAny>>, arguments: A)
    where
        A: for<'py> pyo3::call::PyCallArgs<'py>,
    {
        if let Some(noted) = noted {
            let outcome = Python::attach(|py| noted.call1(py, arguments).map(drop));
            self.raised = self.raised.take().or(outcome.err());
        }
    }
}

/// Does a job without Python's lock. An exception that was raised meanwhile replaces the result.
pub fn unlocked<T: Send>(py: Python<'_>, job: impl FnOnce(&mut Patience) -> T + Send) -> PyResult<T> {
    let mut patience = Patience { looked: Instant::now(), raised: None };
    let done = py.detach(|| job(&mut patience));
    patience.raised.map_or(Ok(done), Err)
}
