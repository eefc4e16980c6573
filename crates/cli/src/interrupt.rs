//! Ctrl-C: the first asks the job to stop and keep what it has, the second ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::console::note;

static STOP: AtomicBool = AtomicBool::new(false);

/// Catches Ctrl-C and termination from here on; the flag is raised when one comes. Where the system refuses the
/// thread that this takes, Ctrl-C ends the job at once, which loses nothing that is kept.
pub fn catch() -> &'static AtomicBool {
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    // A handler without its thread would swallow Ctrl-C.
    let thread = std::thread::Builder::new().spawn(|| ()).map_err(|error| error.to_string());
    if let Err(error) = thread.and_then(|_| ctrlc::set_handler(handler).map_err(|error| error.to_string())) {
        note!("heapsmith: Ctrl-C ends this at once, as it cannot be caught: {error}");
    }
    &STOP
}
