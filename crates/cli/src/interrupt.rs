//! Ctrl-C: the first asks the job to stop and keep what it has, the second ends at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::failure::Failure;

static STOP: AtomicBool = AtomicBool::new(false);

/// Catches Ctrl-C and termination from here on; the flag tells when it came.
pub fn catch() -> Result<&'static AtomicBool, Failure> {
    let handler = || {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::environment(format!("cannot catch Ctrl-C: {error}")))?;
    Ok(&STOP)
}
