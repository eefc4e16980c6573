//! Memory by pages touched: the child that measures one heap, and the parent that asks for it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use heapsmith_replay::{PagesError, Subject, TouchedPages, pages, pages_child};
use heapsmith_trace::PackedTrace;

use crate::failure::Failure;

/// What this process is, when it was run as such a child.
pub fn child(arguments: &[String]) -> ExitCode {
    let written = pages_child(arguments, &mut io::stdin().lock()).and_then(|result| {
        io::stdout()
            .write_all(result.as_bytes())
            .map_err(|source| PagesError::System { what: "telling the parent", source })
    });
    match written {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// This command, to be run again.
pub fn command() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::environment(format!("cannot find this command to run it again: {error}")))
}

/// Measures a heap or a peer on the first `events` events of a trace, in a child process.
pub fn measure(subject: &Subject, trace: &PackedTrace, events: usize) -> Result<TouchedPages, Failure> {
    Ok(pages(&command()?, subject, trace, events)?)
}
