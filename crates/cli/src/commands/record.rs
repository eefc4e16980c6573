//! `heapsmith record`: a program runs as always, and every process leaves a trace.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use heapsmith_recording::{Ended, Launch, Recorded, Recording, Remarks, decode, place, why_nothing_was_recorded};

use crate::args::Record;
use crate::failure::Failure;
use crate::table::{Table, bytes, integer, text};
use crate::{interrupt, progress};

pub fn run(arguments: &Record) -> Result<ExitCode, Failure> {
    let program = &arguments.command[0];
    let library = place()?;
    let folder = folder(arguments)?;
    let before = recordings(&folder)?;
    // Ctrl-C reaches the program too; what it allocated until then is still wanted.
    interrupt::catch()?;
    let launch = Launch { command: &arguments.command, library: &library, folder: &folder };
    let mut child = launch.command().spawn().map_err(|error| cannot_run(program, &error))?;
    let ended = child.wait().map_err(|error| Failure::environment(format!("cannot wait for the program: {error}")))?;
    let ended = Ended::from(ended);
    if let Ended::Signal(signal) = ended {
        eprintln!("heapsmith: {} was ended by signal {signal}; what it allocated until then is kept", program.display());
    }
    let recordings: Vec<PathBuf> = recordings(&folder)?.into_iter().filter(|path| !before.contains(path)).collect();
    if recordings.is_empty() {
        eprintln!("heapsmith: nothing was recorded: {}", why_nothing_was_recorded(program));
    } else {
        traces(arguments, &recordings)?;
    }
    Ok(ExitCode::from(ended.code()))
}

fn folder(arguments: &Record) -> Result<PathBuf, Failure> {
    let program = Path::new(&arguments.command[0]).file_name().unwrap_or(OsStr::new("program"));
    let folder = arguments.out.clone().unwrap_or_else(|| {
        let mut name = OsStr::new("record-").to_owned();
        name.push(program);
        PathBuf::from(name)
    });
    std::fs::create_dir_all(&folder).map_err(|error| Failure::writing(&folder, &error))?;
    // Programs change their folder, so the path has to be whole.
    std::path::absolute(&folder).map_err(|error| Failure::writing(&folder, &error))
}

fn recordings(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    Launch::recordings(folder).map_err(|error| Failure::environment(format!("cannot read {}: {error}", folder.display())))
}

fn cannot_run(program: &OsStr, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => "; write the program after --, as on a command line of its own",
        _ => "",
    };
    Failure::environment(format!("cannot run {}: {error}{hint}", program.display()))
}

/// Makes a trace of every recording, and lists them.
fn traces(arguments: &Record, recordings: &[PathBuf]) -> Result<(), Failure> {
    let mut table = Table::new(&["program", "process", "events", "allocations", "threads", "live_peak", "file"])
        .hiding(&["parent", "unknown_frees", "missed_frees"]);
    for path in recordings {
        let spinner = progress::spinner(&format!("reading {}", path.display()));
        let made = trace(path);
        spinner.finish_and_clear();
        match made {
            Ok(Some((recorded, file))) => {
                remark(&recorded.program, recorded.process, &recorded.remarks);
                table.row([
                    text(&recorded.program),
                    integer(recorded.process),
                    integer(recorded.trace.events.len() as u64),
                    integer(recorded.allocations),
                    integer(recorded.threads.into()),
                    bytes(recorded.live_peak),
                    text(shown(&file)),
                    integer(recorded.parent),
                    integer(recorded.remarks.unknown_frees),
                    integer(recorded.remarks.missed_frees),
                ]);
            }
            Ok(None) => eprintln!(
                "heapsmith: the process of {0} still runs; when it has ended: heapsmith import {0} -o TRACE.parquet",
                shown(path)
            ),
            Err(failure) => {
                eprintln!("heapsmith: {} is kept, for heapsmith import: {}", shown(path), failure.message());
                if failure.code() == 4 {
                    return Err(failure);
                }
            }
        }
    }
    table.print_to(io::stderr().lock(), arguments.format)
}

/// The trace of a recording, written beside it in its place; nothing while its process runs.
fn trace(path: &Path) -> Result<Option<(Recorded, PathBuf)>, Failure> {
    let recording = Recording::open(path)?;
    if runs(recording.process()) {
        return Ok(None);
    }
    let recorded = decode(&recording)?;
    let file = path.with_extension("parquet");
    recorded.trace.write(&file)?;
    let _ = std::fs::remove_file(path);
    Ok(Some((recorded, file)))
}

/// Whether a process is there and is more than a corpse that its parent has not looked at.
fn runs(process: u64) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = state.rsplit_once(')').map(|(_, rest)| rest.trim_start()).unwrap_or_default();
    !state.is_empty() && !state.starts_with(['Z', 'X'])
}

fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(here).unwrap_or(path).display().to_string()
}

fn remark(program: &str, process: u64, remarks: &Remarks) {
    let say = |what: String| eprintln!("heapsmith: {program} ({process}): {what}");
    if let Some(error) = remarks.stopped {
        let error = io::Error::from_raw_os_error(error);
        say(format!("recording ended before the program did: {error}; make room, or choose another place with -o"));
    }
    for (count, what) in [
        (remarks.unknown_frees, "frees of blocks from before the recording (a parent's, mostly) are left out"),
        (remarks.unknown_reallocations, "reallocations of blocks from before the recording stand as allocations"),
        (remarks.missed_frees, "blocks were given back in a way that the recorder does not see; the trace frees them late"),
        (remarks.unrecordable, "blocks at addresses that a record cannot hold are left out"),
    ] {
        if count > 0 {
            say(format!("{count} {what}"));
        }
    }
}
