//! `heapsmith run`: a program runs unmodified on a heap.

use std::ffi::OsStr;
use std::path::Path;

use heapsmith_launch::{Ended, Library, Witness, preloading, why_it_had_no_effect, why_nothing_will_be_preloaded};
use heapsmith_output::Inputs;

use crate::args::Run;
use crate::console::note;
use crate::failure::Failure;
use crate::heap::{self, By};
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
        command.env("HEAPSMITH_STATS", path);
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
    // Ctrl-C reaches the program too, and the program decides how to react.
    interrupt::catch();
    let witness = Witness::new().map_err(|error| Failure::environment(format!("no memory for notes: {error}")))?;
    witness.announce(&mut command);
    let mut child = command.spawn().map_err(|error| Failure::cannot_run(program, &error))?;
    let witnessed = witness
        .wait(&mut child)
        .map_err(|error| Failure::environment(format!("cannot wait for the program: {error}")))?;
    if let Some(how) = witnessed.ended.by_signal(program, Library::Malloc) {
        note!("heapsmith: {how}");
    }
    let why = why_it_had_no_effect(program, &witnessed.effect);
    match (&why, &stats, witnessed.ended) {
        (Some(why), ..) => note!("heapsmith: {} did not run on the heap: {why}", program.display()),
        (None, Some(path), Ended::Code(_)) if path != Path::new("-") && !path.exists() => {
            note!("heapsmith: {} left no statistics: it ended by a system call of its own", program.display());
        }
        _ => {}
    }
    Ok(if why.is_some() && witnessed.ended == Ended::Code(0) { WITHOUT_EFFECT } else { witnessed.ended.code() })
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
