//! `heapsmith run`: a program runs unmodified on a heap.
//!
//! ```text
//!   heap, library ─▶ program ─▶ statistics ─▶ printed, next to what was promised
//!                        └────▶ recording ──▶ traces, as `record` makes them
//! ```

mod outcome;
pub(super) mod serving;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use heapsmith_launch::{Ended, Library, Witness, preloading, why_it_had_no_effect, why_nothing_will_be_preloaded};
use heapsmith_output::{Inputs, Scratch};

use super::record;
use crate::args::{Format, Run};
use crate::console::error;
use crate::failure::Failure;
use crate::heap::{self, By, Named};
use crate::interrupt;

/// The exit code where the program ended well, and did not run on the heap.
const WITHOUT_EFFECT: u8 = 4;

pub fn run(arguments: &Run) -> Result<u8, Failure> {
    let program = &arguments.command[0];
    let named = heap::named(&arguments.heap, arguments.prefer)?;
    let spec = named.spec.for_malloc()?;
    if let By::Exploration { dir, .. } = &named.by
        && spec != named.spec
    {
        return Err(heap::unsuited_pick(dir, &named.spec));
    }
    // A pick was measured with every request in its region.
    let explored = matches!(named.by, By::Exploration { .. });
    let map_from = arguments.map_from.or_else(|| explored.then_some(isize::MAX as u64));
    let library = serving::library(arguments.into(), &spec, map_from)?;
    let scratch = scratch(arguments)?;
    let stats = stats(arguments, scratch.as_ref(), program)?;
    if let Some(why) = why_nothing_will_be_preloaded(program) {
        return Err(Failure::environment(format!("cannot run {} on another heap: {why}", program.display())));
    }
    let recordings = arguments.record.as_deref().map(|out| record::folder(Some(out), program)).transpose()?;
    let mut command = preloading(&[&library], &arguments.command);
    command.env("HEAPSMITH_HEAP", spec.to_string());
    environment(&mut command, arguments, map_from, stats.as_deref(), recordings.as_deref());
    let witness = Witness::new().map_err(|error| Failure::environment(format!("no memory for notes: {error}")))?;
    witness.announce(&mut command);
    let ran = interrupt::while_it_runs(|| command.spawn(), |child| witness.wait(child));
    let witnessed = ran
        .map_err(|error| Failure::cannot_run(program, &error))?
        .map_err(|error| Failure::environment(format!("cannot wait for the program: {error}")))?;
    if let Some(how) = witnessed.ended.by_signal(program, Library::Malloc) {
        error!("heapsmith: {how}");
    }
    let why = why_it_had_no_effect(program, &witnessed.effect);
    match (&why, &stats, witnessed.ended) {
        (Some(why), ..) => error!("heapsmith: {} did not run on the heap: {why}", program.display()),
        (None, Some(path), _) if witnessed.untold => {
            let error = "the program's library could not write its statistics whole";
            error!("heapsmith: cannot write {}: {error}; make room, or name another file", path.display());
        }
        (None, Some(path), Ended::Code(_)) if path != Path::new("-") && !path.exists() => {
            error!("heapsmith: {} left no statistics: it ended by a system call of its own", program.display());
        }
        (None, Some(path), _) if path.is_file() => print(&named, path)?,
        _ => {}
    }
    if let Some(folder) = &recordings {
        recorded(folder)?;
    }
    Ok(if why.is_some() && witnessed.ended == Ended::Code(0) { WITHOUT_EFFECT } else { witnessed.ended.code() })
}

/// What the library gets from the environment, besides the heap.
fn environment(
    command: &mut Command,
    arguments: &Run,
    map_from: Option<u64>,
    stats: Option<&Path>,
    recordings: Option<&Path>,
) {
    let variables = [
        ("HEAPSMITH_STATS", stats.map(|path| path.as_os_str().to_owned())),
        ("HEAPSMITH_RECORD", recordings.map(|folder| folder.as_os_str().to_owned())),
        ("HEAPSMITH_SIGNAL", arguments.signal.map(|signal| signal.to_string().into())),
        ("HEAPSMITH_SITES", arguments.sites.map(|frames| frames.to_string().into())),
        ("HEAPSMITH_MAP_FROM", map_from.map(|bytes| bytes.to_string().into())),
        ("HEAPSMITH_CHECK", arguments.check.then(|| OsString::from("1"))),
    ];
    for (name, value) in variables {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
}

/// A private folder for statistics that are only printed.
fn scratch(arguments: &Run) -> Result<Option<Scratch>, Failure> {
    let only_printed = matches!(arguments.stats, Some(None));
    let scratch = only_printed.then(Scratch::new).transpose();
    scratch.map_err(|error| Failure::environment(format!("cannot write temporary files: {error}")))
}

/// Where the library writes statistics.
fn stats(arguments: &Run, scratch: Option<&Scratch>, program: &OsStr) -> Result<Option<PathBuf>, Failure> {
    match (&arguments.stats, scratch) {
        (Some(Some(path)), _) => fresh(path, program).map(Some),
        (Some(None), Some(scratch)) => Ok(Some(scratch.path().join("stats.json"))),
        _ => Ok(None),
    }
}

/// Prints the statistics of the program.
fn print(named: &Named, path: &Path) -> Result<(), Failure> {
    let text = std::fs::read(path).map_err(|error| Failure::environment(format!("{}: {error}", path.display())))?;
    match serde_json::from_slice(&text) {
        Ok(statistics) => outcome::print(named, &statistics),
        Err(error) => {
            error!("heapsmith: the statistics in {} are not whole: {error}", path.display());
            Ok(())
        }
    }
}

/// Makes traces of the recordings in a folder.
fn recorded(folder: &Path) -> Result<(), Failure> {
    let recordings = record::recordings(folder)?;
    if recordings.is_empty() {
        let _ = std::fs::remove_dir(folder);
        error!("heapsmith: nothing was recorded");
        return Ok(());
    }
    record::traces(folder, &recordings, false, Format::Table)
}

/// The whole path of a file that the program's library is to write: programs change their folder.
fn fresh(path: &Path, program: &OsStr) -> Result<PathBuf, Failure> {
    if path == Path::new("-") {
        return Ok(path.to_owned());
    }
    let path = std::path::absolute(path).map_err(|error| Failure::writing(path, &error))?;
    let inputs = Inputs::of(heapsmith_launch::find(program));
    heapsmith_output::clear(&path, &inputs).map_err(|error| Failure::writing(&path, &error))?;
    Ok(path)
}
