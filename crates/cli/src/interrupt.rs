//! Ctrl-C: the first asks the job to stop and keep what it has, the second ends at once. A job that keeps nothing ends at the
//! first. However it ends, no progress bar is left on the terminal.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, OnceLock};

use crate::console::note;

static STOP: AtomicBool = AtomicBool::new(false);
/// Whether somebody looks at the flag.
static IS_CAUGHT: AtomicBool = AtomicBool::new(false);
static HANDLER: Once = Once::new();
/// What is left to do when Ctrl-C ends the job.
static AT_END: OnceLock<fn()> = OnceLock::new();

/// Catches Ctrl-C and termination from here on; the flag is raised when one comes. Where the system refuses the
/// thread that this takes, Ctrl-C ends the job at once, which loses nothing that is kept.
pub fn catch() -> &'static AtomicBool {
    IS_CAUGHT.store(true, Ordering::Relaxed);
    if let Err(error) = handle() {
        note!("heapsmith: Ctrl-C ends this at once, as it cannot be caught: {error}");
    }
    &STOP
}

/// Has something done when Ctrl-C ends the job.
pub fn at_end(job: fn()) {
    let _ = AT_END.set(job);
    // Without it a bar stays, and nothing is lost.
    let _ = handle();
}

fn handle() -> Result<(), String> {
    let mut outcome = Ok(());
    HANDLER.call_once(|| {
        let handler = || {
            if STOP.swap(true, Ordering::Relaxed) || !IS_CAUGHT.load(Ordering::Relaxed) {
                AT_END.get().inspect(|job| job());
                std::process::exit(130);
            }
        };
        // A handler without its thread would swallow Ctrl-C.
        let thread = std::thread::Builder::new().spawn(|| ()).map_err(|error| error.to_string());
        outcome = thread.and_then(|_| ctrlc::set_handler(handler).map_err(|error| error.to_string()));
    });
    outcome
}
