//! `heapsmith run`: a program runs unmodified on a heap.

use std::ffi::OsStr;
use std::path::Path;

use heapsmith_launch::{Ended, Library, preloading, why_nothing_was_preloaded, why_nothing_will_be_preloaded};
use heapsmith_output::Inputs;

use crate::args::Run;
use crate::console::note;
use crate::failure::Failure;
use crate::{heap, interrupt};

pub fn run(arguments: &Run) -> Result<u8, Failure> {
    let program = &arguments.command[0];
    let (spec, _) = heap::named(&arguments.heap, arguments.prefer)?;
    let spec = spec.for_malloc()?;
    if !Library::Malloc.is_ready() {
        note!("heapsmith: compiling the library that serves malloc, for this run and all later ones");
    }
    let library = Library::Malloc.place()?;
    let stats = arguments.stats.as_deref().map(|path| fresh(path, program)).transpose()?;
    if let Some(why) = why_nothing_will_be_preloaded(program) {
        return Err(Failure::environment(format!("cannot run {} on another heap: {why}", program.display())));
    }
    let mut command = preloading(&library, &arguments.command);
    command.env("HEAPSMITH_HEAP", spec.to_string());
    if let Some(path) = &stats {
        command.env("HEAPSMITH_STATS", path).env("HEAPSMITH_STARTED_BY", std::process::id().to_string());
    }
    let numbers = [
        ("HEAPSMITH_SIGNAL", arguments.signal.map(|signal| signal.to_string())),
        ("HEAPSMITH_SITES", arguments.sites.map(|frames| frames.to_string())),
        ("HEAPSMITH_MAP_FROM", arguments.map_from.map(|bytes| bytes.to_string())),
        ("HEAPSMITH_CHECK", arguments.check.then(|| "1".to_owned())),
    ];
    for (name, value) in numbers {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    // Ctrl-C reaches the program too, and it is the program that decides what comes of it.
    interrupt::catch();
    let mut child = command.spawn().map_err(|error| Failure::cannot_run(program, &error))?;
    let ended = child.wait().map_err(|error| Failure::environment(format!("cannot wait for the program: {error}")))?;
    let ended = Ended::from(ended);
    if let Ended::Signal(signal) = ended {
        note!("heapsmith: {} was ended by signal {signal}", program.display());
    }
    if let (Some(path), Ended::Code(_)) = (&stats, ended)
        && path != Path::new("-")
        && !path.exists()
    {
        note!("heapsmith: {} left no statistics: {}", program.display(), why_nothing_was_preloaded(program));
    }
    Ok(ended.code())
}

/// The whole path of a file that the program's library is to write: programs change their folder.
fn fresh(path: &Path, program: &OsStr) -> Result<std::path::PathBuf, Failure> {
    if path == Path::new("-") {
        return Ok(path.to_owned());
    }
    let path = std::path::absolute(path).map_err(|error| Failure::writing(path, &error))?;
    let inputs = Inputs::of(heapsmith_launch::find(program));
    heapsmith_output::clear(&path, &inputs).map_err(|error| Failure::writing(&path, &error))?;
    Ok(path)
}
