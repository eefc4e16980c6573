//! Long work: without Python's lock, and Ctrl-C ends it.
//!
//! ```text
//!   Python's thread                      a thread of its own
//!   ───────────────                      ───────────────────
//!   wait, unlocked  ◀── notes ────────── job: replays, sweeps
//!   signals? progress?                     reads `stop` now and then
//!   raise, or return ◀── what came out ──
//! ```
//!
//! Only Python's main thread learns of a signal. Cost: a thread, some 50 µs.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How long it takes at most until a signal is seen.
const PATIENCE: Duration = Duration::from_millis(50);

enum Message<N, T> {
    Note(N),
    Done(T),
}

/// Does a job that can be stopped. What it notes is handed to `noted`, with Python's lock. When a signal raises
/// or `noted` does, `stop` is set, and the exception is given once the job has ended.
pub fn interruptible<N: Send, T: Send>(
    py: Python<'_>,
    stop: &AtomicBool,
    job: impl FnOnce(&mut dyn FnMut(N)) -> T + Send,
    mut noted: impl FnMut(N) -> PyResult<()>,
) -> PyResult<T> {
    let (sender, receiver) = mpsc::channel();
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut note = |note| drop(sender.send(Message::Note(note)));
            let done = job(&mut note);
            drop(sender.send(Message::Done(done)));
        });
        let mut raised = None;
        loop {
            let message = py.detach(|| match receiver.lock() {
                Ok(receiver) => receiver.recv_timeout(PATIENCE),
                Err(_) => Err(RecvTimeoutError::Disconnected),
            });
            let outcome = match message {
                Ok(Message::Done(done)) => return raised.map_or(Ok(done), Err),
                Ok(Message::Note(note)) => py.check_signals().and_then(|()| noted(note)),
                Err(RecvTimeoutError::Timeout) => py.check_signals(),
                Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the work ended early")),
            };
            if let Err(error) = outcome {
                stop.store(true, Ordering::Relaxed);
                raised.get_or_insert(error);
            }
        }
    })
}

/// As [`interruptible`], for a job that notes nothing.
pub fn unlocked<T: Send>(py: Python<'_>, stop: &AtomicBool, job: impl FnOnce() -> T + Send) -> PyResult<T> {
    interruptible::<(), T>(py, stop, |_| job(), |()| Ok(()))
}
