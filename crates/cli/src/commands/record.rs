//! `heapsmith record`: a program runs as always, and every process leaves a trace.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use heapsmith_emit::recorder;
use heapsmith_launch::{
    Effect, Ended, Library, Witness, find, is_linked_statically, why_it_had_no_effect, why_nothing_will_be_preloaded,
};
use heapsmith_output::Output;
use heapsmith_peers::Deployed;
use heapsmith_player::Served;
use heapsmith_recording::{
    JavaLaunch, Launch, OwnFunctions, OwnFunctionsError, Recorded, Recording, decode_to, start_static,
    why_no_jvm_was_recorded,
};
use heapsmith_trace::{Bytes, Origin, TraceWriter, plural};

use crate::args::{Format, Record};
use crate::console::{self, error, note};
use crate::failure::Failure;
use crate::quoted::quoted;
use crate::table::{Table, bytes, identifier, integer, text, word};
use crate::{interrupt, progress};

use rotating::Rotating;

mod attached;
mod hints;
mod remarks;
mod rotating;

/// The exit code where the program ended well, and nothing of it could be recorded.
const WITHOUT_EFFECT: u8 = 4;

pub fn run(arguments: &Record) -> Result<u8, Failure> {
    if let Some(folder) = &arguments.board {
        return for_boards(folder);
    }
    if let Some(process) = arguments.pid {
        return attached::run(arguments, process);
    }
    if arguments.lasts.is_some() {
        return Err(Failure::wrong_use(
            "--for ends the recording of --pid; a program that is started is recorded to its end: leave it out",
        ));
    }
    if arguments.java && arguments.sample.is_some() {
        return Err(Failure::wrong_use(
            "--sample chooses blocks by their addresses, and the objects of a JVM have none that stay: leave out --sample, or \
             record the JVM's own blocks without --java",
        ));
    }
    if arguments.java && arguments.rotate.is_some() {
        return Err(Failure::wrong_use(
            "--rotate begins each trace with what lives, which of a JVM's objects is known only where it has just collected: \
             leave out --rotate, or record the JVM's own blocks without --java",
        ));
    }
    let program = &arguments.command[0];
    let used = if arguments.java { Library::Agent } else { Library::Recorder };
    let library = used.place()?;
    let is_static = !arguments.java && is_linked_statically(program);
    if let Some(why) = why_nothing_will_be_preloaded(program).filter(|_| !arguments.java && !is_static) {
        return Err(Failure::environment(format!("{} cannot be recorded: {why}", program.display())));
    }
    if is_static && arguments.peer.is_some() {
        return Err(Failure::wrong_use(format!(
            "{} is linked statically, so its allocator is a part of it: leave out --peer, or link it dynamically",
            program.display()
        )));
    }
    let own = own_functions(&arguments.symbols, program, is_static)?;
    let peer = peer(arguments)?;
    let witness = Witness::new().map_err(|error| Failure::environment(format!("no memory for notes: {error}")))?;
    let folder = folder(arguments.out.as_deref(), program)?;
    let mut command = launch(arguments, &library, &folder, peer.as_ref(), own.as_ref());
    witness.announce(&mut command);
    // What it allocated until a signal ends it is still wanted.
    let making = Making {
        keep_command: arguments.keep_command,
        of: Of::Ended,
        peer: arguments.peer.as_ref().map(|peer| peer.allocator()),
        own: own.as_ref(),
    };
    let mut rotating = Rotating::of(arguments);
    let ran = interrupt::while_it_runs(
        || if is_static { start_static(&command) } else { command.spawn() },
        |child| {
            let process = child.id();
            let mut wait = || witness.wait(child);
            let witnessed = match &mut rotating {
                Some(rotating) => rotating.while_it_runs(&folder, &making, wait),
                None => wait(),
            };
            (process, witnessed)
        },
    );
    let (process, witnessed) = ran.map_err(|error| {
        let _ = std::fs::remove_dir(&folder);
        Failure::cannot_run(program, &error)
    })?;
    let witnessed = witnessed.map_err(|error| Failure::environment(format!("cannot wait for the program: {error}")))?;
    if let Some(how) = witnessed.ended.by_signal(program, used) {
        error!("heapsmith: {how}; its allocations until then are recorded");
    }
    let recordings = recordings(&folder)?;
    let begun = format!("-{process}.");
    let itself = recordings.iter().any(|path| path.to_string_lossy().contains(&begun));
    let why = if arguments.java {
        (!itself).then(|| why_no_jvm_was_recorded(program))
    } else if let Some(own) = &own {
        // Whether another malloc serves it makes no difference.
        let why = Some(&witnessed.effect).filter(|_| !itself).and_then(|effect| why_it_had_no_effect(program, effect));
        why.or_else(|| (!itself).then(|| format!("it allocated nothing through {}", own.names())))
    } else {
        why_it_had_no_effect(program, &witnessed.effect)
            .or_else(|| (!itself).then(|| "it allocated nothing through malloc".to_owned()))
    };
    if let Some(why) = &why {
        error!("heapsmith: nothing of {} itself was recorded: {why}", program.display());
    }
    if own.is_none() && witnessed.effect == Effect::OtherMalloc {
        error!("heapsmith: record --symbols '*' records that allocator, where the program has symbols of it");
    }
    if witnessed.others_refused > 0 {
        error!("heapsmith: not recorded: {}", plural(witnessed.others_refused, "more process", "more processes"));
    }
    let is_empty = recordings.is_empty();
    let mut replaced = true;
    if is_empty {
        let _ = std::fs::remove_dir(&folder);
    } else {
        let recordings = only_of(recordings, &arguments.only);
        rotating.iter_mut().for_each(|rotating| rotating.keep_only(&recordings));
        let made = made(&recordings, &making, rotating.as_mut())?;
        show(&folder, &made, own.as_ref(), arguments.format)?;
        let is_own = |one: &&Made| own.as_ref().is_some_and(|own| own.program() == one.program);
        if made.iter().filter(is_own).any(|one| !one.recorded.remarks.own_functions) {
            replaced = false;
            error!(
                "heapsmith: --symbols had no effect: the code of {} in memory is not that of its file, or may not be written to; \
                 malloc was recorded instead",
                program.display()
            );
        }
    }
    // A program that asks for nothing was reached all the same.
    let without =
        if arguments.java || own.is_some() { is_empty || !replaced } else { witnessed.effect != Effect::Took };
    Ok(if without && witnessed.ended == Ended::Code(0) { WITHOUT_EFFECT } else { witnessed.ended.code() })
}

/// The child of [`start_static`]: becomes the program that it is to hold.
pub fn become_held() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(2).collect();
    ExitCode::from(heapsmith_recording::become_held(&arguments) as u8)
}

/// Writes the recorder that firmware compiles in.
fn for_boards(folder: &Path) -> Result<u8, Failure> {
    let written = heapsmith_emit::write(folder, &recorder::files(), None);
    for path in written.map_err(|(path, error)| Failure::writing(&path, &error))? {
        note!("wrote {}", path.display());
    }
    Ok(0)
}

/// The functions of the program that are recorded in place of `malloc`, if any are asked for; of a program that is linked
/// statically, its `malloc`.
fn own_functions(symbols: &[String], program: &OsStr, is_static: bool) -> Result<Option<OwnFunctions>, Failure> {
    if symbols.is_empty() && !is_static {
        return Ok(None);
    }
    let missing = || Failure::cannot_run(program, &io::ErrorKind::NotFound.into());
    let file = find(program).filter(|file| file.exists()).ok_or_else(missing)?;
    let found = OwnFunctions::find(&file, symbols, is_static);
    found.map(Some).map_err(|error| match error {
        OwnFunctionsError::Unknown { .. } if symbols.is_empty() => Failure::environment(format!(
            "{} cannot be recorded: it is linked statically, and has no symbol of malloc, as where it was stripped or calls none: link it \
             without -s, or dynamically; --symbols records the functions of another allocator",
            program.display()
        )),
        error => Failure::bad_input(error),
    })
}

/// The reference allocator that the program is recorded on, if one is asked for.
fn peer(arguments: &Record) -> Result<Option<Served>, Failure> {
    arguments.peer.as_ref().map(Served::by).transpose().map_err(Failure::from)
}

fn launch(
    arguments: &Record,
    library: &Path,
    folder: &Path,
    peer: Option<&Served>,
    own: Option<&OwnFunctions>,
) -> Command {
    let command = &arguments.command;
    if arguments.java {
        JavaLaunch { command, agent: library, folder, gc_every: arguments.java_collect.map(Bytes) }.command()
    } else {
        let (frames, every) = (arguments.sites.unwrap_or(0), arguments.every());
        let allocator = peer.map(|peer| peer.library.as_path());
        let mut command = Launch { command, library, folder, frames, every, allocator, own }.command();
        command.envs(peer.into_iter().flat_map(|peer| peer.environment.clone()));
        command
    }
}

/// A folder of this recording's own, made now. What is asked for is made, or holds it where it is there already.
pub(super) fn folder(out: Option<&Path>, program: &OsStr) -> Result<PathBuf, Failure> {
    let program = Path::new(program).file_name().unwrap_or(OsStr::new("program"));
    let mut name = OsStr::new("record-").to_owned();
    name.push(program);
    let wanted = match out {
        None => PathBuf::from(&name),
        Some(out) if out.is_dir() => out.join(&name),
        Some(out) => {
            let above = out.parent().unwrap_or(Path::new(""));
            std::fs::create_dir_all(above).map_err(|error| Failure::writing(above, &error))?;
            match std::fs::create_dir(out) {
                Ok(()) => return absolute(out),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && out.is_dir() => out.join(&name),
                Err(error) => return Err(Failure::writing(out, &error)),
            }
        }
    };
    for number in 1_u64.. {
        let mut folder = wanted.clone().into_os_string();
        if number > 1 {
            folder.push(format!("-{number}"));
        }
        match std::fs::create_dir(&folder) {
            Ok(()) => return absolute(Path::new(&folder)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(Failure::writing(Path::new(&folder), &error)),
        }
    }
    Err(Failure::environment(format!("every name like {} is taken", wanted.display())))
}

/// Programs change their folder, so the path has to be whole.
fn absolute(folder: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(folder).map_err(|error| Failure::writing(folder, &error))
}

pub(super) fn recordings(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    Launch::recordings(folder)
        .map_err(|error| Failure::environment(format!("cannot read {}: {error}", folder.display())))
}

/// Drops the recordings of programs of other names than those that are wanted. Where no program has one of them, nothing is
/// dropped.
fn only_of(recordings: Vec<PathBuf>, wanted: &[String]) -> Vec<PathBuf> {
    if wanted.is_empty() {
        return recordings;
    }
    // What cannot be read is kept, so that it is reported.
    let names = |path: &PathBuf| Some(Recording::open(path).ok()?.names());
    let seen: BTreeSet<String> =
        recordings.iter().filter_map(names).flatten().filter(|name| !name.is_empty()).collect();
    let is_wanted = |path: &PathBuf| names(path).is_none_or(|names| names.iter().any(|name| wanted.contains(name)));
    let (kept, dropped): (Vec<PathBuf>, Vec<PathBuf>) = recordings.into_iter().partition(is_wanted);
    let missed: Vec<&str> = wanted.iter().filter(|name| !seen.contains(*name)).map(String::as_str).collect();
    if !missed.is_empty() {
        let all = if kept.is_empty() { ", so all traces are kept" } else { "" };
        let seen = seen.into_iter().collect::<Vec<_>>().join(", ");
        error!("heapsmith: no program is called {}{all}: {seen}", missed.join(" or "));
    }
    if kept.is_empty() {
        return dropped;
    }
    dropped.iter().for_each(|path| drop(std::fs::remove_file(path)));
    if !dropped.is_empty() {
        let left_out = plural(dropped.len() as u64, "process", "processes");
        note!("heapsmith: left out (--only): {left_out} of other programs");
    }
    kept
}

/// Which processes there are whole recordings of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// Those that have ended; one that runs still writes to its recording.
    Ended,
    /// All, as the recording was ended.
    Running,
}

/// Makes a trace of every recording of a process that has ended, and lists them.
pub(super) fn traces(folder: &Path, recordings: &[PathBuf], keep_command: bool, format: Format) -> Result<(), Failure> {
    let making = Making { keep_command, of: Of::Ended, peer: None, own: None };
    show(folder, &made(recordings, &making, None)?, None, format)
}

/// How traces are made of recordings.
#[derive(Clone, Copy)]
struct Making<'a> {
    keep_command: bool,
    of: Of,
    peer: Option<Deployed>,
    own: Option<&'a OwnFunctions>,
}

/// Makes a trace of every recording, or of what no trace was made of yet; those with the most events first.
fn made(
    recordings: &[PathBuf],
    making: &Making<'_>,
    mut rotating: Option<&mut Rotating>,
) -> Result<Vec<Made>, Failure> {
    let mut made: Vec<Made> = Vec::new();
    for path in recordings {
        let spinner = progress::spinner(&format!("reading {}", path.display()));
        let outcome = trace(path, making, rotating.as_deref_mut(), &mut made);
        spinner.finish_and_clear();
        match outcome {
            Ok(true) => {}
            Ok(false) => error!(
                "heapsmith: the process of {0} still runs. When it has ended, run: heapsmith import {0} -o TRACE.parquet",
                shown(path)
            ),
            Err(failure) => {
                let failure = failure.within(format!("{} is kept, for heapsmith import", shown(path)));
                if failure.code() == Failure::ENVIRONMENT {
                    return Err(failure);
                }
                error!("heapsmith: {}", failure.message());
            }
        }
    }
    made.sort_by_key(|one| std::cmp::Reverse(one.recorded.events));
    Ok(made)
}

/// Lists the traces in a folder, with what they could not say.
fn show(folder: &Path, made: &[Made], own: Option<&OwnFunctions>, format: Format) -> Result<(), Failure> {
    remarks::give(made);
    list(made, format)?;
    hints::give(made, own);
    let first = made.first().filter(|first| first.recorded.events > 0);
    if let (Some(first), Format::Table) = (first, format) {
        let verb = match first.recorded.trace.origin.sample() {
            Some(every) => {
                note!(
                    "heapsmith: one block in {every} was recorded; inspect multiplies by that, and nothing replays a sample"
                );
                "inspect"
            }
            None => "explore",
        };
        note!("heapsmith: the traces are in {}; next:", shown(folder));
        console::note_command(&format!("heapsmith {verb} {}", quoted(Path::new(&shown(&first.file)))));
    }
    Ok(())
}

/// A trace that was written.
struct Made {
    recorded: Recorded,
    file: PathBuf,
    /// The path of its program.
    program: PathBuf,
}

/// Processes that are listed for people; programs get all.
const LISTED: usize = 20;

fn list(made: &[Made], format: Format) -> Result<(), Failure> {
    let mut table = Table::new(&["program", "process", "events", "allocations", "threads", "live_peak", "file"])
        .hiding(&["parent", "unknown_frees", "unknown_reallocations", "missed_frees", "failed_reallocations"])
        .naming(&["program", "file"]);
    let listed = if format == Format::Table { LISTED } else { usize::MAX };
    for Made { recorded, file, .. } in made.iter().take(listed) {
        let remarks = recorded.remarks;
        table.row([
            text(&recorded.program),
            identifier(recorded.process),
            integer(recorded.events),
            integer(recorded.allocations),
            integer(recorded.threads.into()),
            bytes(recorded.live_peak),
            word(&shown(file), &file.file_name().unwrap_or_default().to_string_lossy()),
            identifier(recorded.parent),
            integer(remarks.unknown_frees),
            integer(remarks.unknown_reallocations),
            integer(remarks.missed_frees),
            integer(remarks.failed_reallocations),
        ]);
    }
    if format != Format::Table || !console::is_quiet() {
        table.note(format)?;
    }
    if made.len() > listed {
        let others = plural((made.len() - listed) as u64, "process", "processes");
        note!("and {others} with fewer events; --format json lists all");
    }
    Ok(())
}

/// Notes in a trace's origin what only the command knows.
fn amend(recording: &Recording, making: &Making<'_>, origin: &mut Origin) {
    if making.keep_command {
        origin.settings.push(("command".to_owned(), recording.command()));
    }
    if let Some(peer) = making.peer {
        origin.set_allocator(peer.name());
    }
    if let Some(own) = making.own.filter(|_| recording.is_of_own_functions()) {
        origin.settings.push(("symbols".to_owned(), own.names()));
    }
}

/// Makes a trace of a recording, next to it in its place; says whether its process has ended.
fn trace(
    path: &Path,
    making: &Making<'_>,
    rotating: Option<&mut Rotating>,
    made: &mut Vec<Made>,
) -> Result<bool, Failure> {
    let recording = Recording::open(path)?;
    let has_ended = making.of == Of::Running || !runs(recording.process());
    if let Some(rotating) = rotating {
        let (parts, is_left) = rotating.finish(path, has_ended, making)?;
        made.extend(parts);
        if !is_left {
            return Ok(true);
        }
    }
    if !has_ended {
        return Ok(false);
    }
    let output = free_name(path)?;
    let file = output.path().to_owned();
    let mut writer = TraceWriter::to(output)?;
    let mut recorded = decode_to(&recording, &mut writer)?;
    amend(&recording, making, &mut recorded.trace.origin);
    writer.finish(&recorded.trace.origin)?;
    let _ = std::fs::remove_file(path);
    made.push(Made { recorded, file, program: recording.program() });
    Ok(true)
}

/// The recording's name as a trace, with a number where an earlier trace has it.
fn free_name(path: &Path) -> Result<Output, Failure> {
    let mut file = path.with_extension("parquet");
    let mut number = 2;
    loop {
        match Output::create_new(&file) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            outcome => return outcome.map_err(|error| Failure::writing(&file, &error)),
        }
        file = path.with_extension(format!("{number}.parquet"));
        number += 1;
    }
}

/// Whether a process exists and is no zombie.
fn runs(process: u64) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = state.rsplit_once(')').map(|(_, rest)| rest.trim_start()).unwrap_or_default();
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}
