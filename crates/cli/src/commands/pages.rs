//! Memory by pages touched: the child that measures one heap, and the parent that asks for it.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use heapsmith_replay::{Subject, TouchedPages, pages, pages_at_once, pages_child};
use heapsmith_trace::PackedTrace;

use crate::console::{self, error};
use crate::failure::Failure;

/// What this process is, when it was run as such a child.
pub fn child(arguments: &[String]) -> ExitCode {
    let code = match pages_child(arguments, &mut io::stdin().lock()) {
        Ok(result) => {
            console::hand_over(result.as_bytes());
            0
        }
        Err(error) => {
            error!("{error}");
            1
        }
    };
    ExitCode::from(console::exit_code(code))
}

/// What this process is, when it was run to time reference allocators for its parent.
pub fn time_child(arguments: &[String]) -> ExitCode {
    let outcome = heapsmith_replay::time_child(arguments, &mut io::stdin().lock(), &mut console::pipe());
    ExitCode::from(console::exit_code(outcome.map_or_else(
        |error| {
            error!("{error}");
            1
        },
        |()| 0,
    )))
}

/// This command, to be run again.
pub fn command() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find this command to run it again: {error}")))
}

/// Measures a heap or a peer on the first `events` events of a trace, in a child process.
pub fn measure(subject: &Subject, trace: &PackedTrace, events: usize) -> Result<TouchedPages, Failure> {
    pages_at_once(1, trace)?;
    Ok(pages(&command()?, subject, trace, events)?)
}
