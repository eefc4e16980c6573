//! From a path to a trace, whatever lies there.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use heapsmith_import::{ImportError, Imported, Importer, import, importer};
use heapsmith_trace::{Origin, Sink, Trace, TraceError};

use crate::error::LoadError;
use crate::input::Input;
use crate::settings::Settings;
use crate::tape::Tape;
use crate::workload::{
    FromInput, FromTrace, KEEP_DAMAGED, PREFIX, Parameter, Run, Workload, fitting, unknown, unknown_alone, workload,
};

/// How a trace file begins.
const PARQUET_MAGIC: &[u8; 4] = b"PAR1";

/// Whether a trace was recorded of a program: by the recorder, or by a tool whose recordings are imported.
pub fn is_recorded(origin: &Origin) -> bool {
    origin.program == "record" || importer(&origin.program).is_some()
}

/// What was read besides the events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loaded {
    /// Where the trace came from.
    pub origin: Origin,
    /// What was odd about the input, in words.
    pub remarks: Vec<String>,
}

/// Reads a trace file, imports what another recorder wrote, or makes a trace of any other
/// input through a workload; `input_format` names the importer or workload, and the parameters
/// (`name`, `value`; the last of equal names counts) are its. A workload that needs no file is
/// named in place of one: `workload:NAME` (a file of such a name is `./workload:NAME`).
///
/// # Errors
///
/// [`LoadError::kind`] distinguishes wrong use, bad input and the environment. A capture or
/// log without `input_format` gives an error that lists what it may be.
pub fn load(path: &Path, input_format: Option<&str>, settings: &[(String, String)]) -> Result<Trace, LoadError> {
    let mut trace = Trace::default();
    trace.origin = stream(path, input_format, settings, &mut trace)?.origin;
    Ok(trace)
}

/// As [`load()`], but hands the events to a sink as they come. Trace files and importers hold
/// no more than the program's live blocks, a workload what it computes with (of a capture or a log
/// 24 bytes a packet, or the text of its requests, unless its rate is set). A sink that is full ends the reading.
///
/// # Errors
///
/// As [`load()`], and what the sink gives.
pub fn stream(
    path: &Path,
    input_format: Option<&str>,
    settings: &[(String, String)],
    sink: &mut dyn Sink,
) -> Result<Loaded, LoadError> {
    read(path, input_format, settings, sink).map_err(|error| error.of(path))
}

fn read(
    path: &Path,
    input_format: Option<&str>,
    settings: &[(String, String)],
    sink: &mut dyn Sink,
) -> Result<Loaded, LoadError> {
    if let Some(name) = path.to_str().and_then(|path| path.strip_prefix(PREFIX)) {
        return alone(name, input_format, settings, sink);
    }
    // Wrong use is reported before a file is read, since reading may take long.
    let named = input_format.map(|name| Maker::find(name, settings)).transpose()?;
    if is_trace(path)? {
        return match named {
            Some(Maker::Change(_, run, mut settings)) => run(path, &mut settings, sink),
            Some(_) => Err(LoadError::AlreadyTrace { path: path.to_owned() }),
            None => Ok(Loaded { origin: Trace::stream(path, sink)?, remarks: Vec::new() }),
        };
    }
    match named {
        Some(Maker::Workload(workload, run, settings)) => from_input(path, workload, run, settings, sink),
        Some(Maker::Change(workload, ..)) => {
            Err(LoadError::WantsTrace { path: path.to_owned(), workload: workload.name })
        }
        Some(Maker::Importer(importer, keep_damaged)) => {
            let imported = import(path, Some(importer), keep_damaged, sink).map_err(seen_by_workloads)?;
            imported.map(loaded).ok_or_else(|| LoadError::Unrecognized { path: path.to_owned() })
        }
        None => {
            // Without a name, --set can only be for the importer that the content decides.
            let keep_damaged = match settings {
                [] => false,
                given => Settings::of("an importer", &KEEP, given)?.keep_damaged()?,
            };
            if let Some(imported) = import(path, None, keep_damaged, sink)? {
                return Ok(loaded(imported));
            }
            let format = Input::open(path)?.format;
            Err(LoadError::NoWorkload { path: path.to_owned(), what: format.about(), fits: fitting(format) })
        }
    }
}

/// The parameters that all importers have.
const KEEP: [Parameter; 1] = [KEEP_DAMAGED];

/// What makes a trace of a file.
enum Maker {
    /// From a capture, a log, a list.
    Workload(&'static Workload, FromInput, Settings),
    /// From another trace.
    Change(&'static Workload, FromTrace, Settings),
    Importer(&'static Importer, bool),
}

impl Maker {
    fn find(name: &str, given: &[(String, String)]) -> Result<Maker, LoadError> {
        if let Some(workload) = workload(name) {
            let settings = Settings::new(workload, given)?;
            return match workload.run {
                Run::Input(run) => Ok(Maker::Workload(workload, run, settings)),
                Run::Trace(run) => Ok(Maker::Change(workload, run, settings)),
                Run::Alone(_) => Err(LoadError::NeedsNoInput { workload: workload.name }),
            };
        }
        let importer = importer(name).ok_or_else(|| unknown(name))?;
        let settings = Settings::of(importer.name, importer.parameters, given)?;
        Ok(Maker::Importer(importer, settings.keep_damaged()?))
    }
}

fn loaded(imported: Imported) -> Loaded {
    Loaded { origin: imported.origin, remarks: imported.remarks }
}

/// Says what a file is that an importer found foreign, where workloads know it.
fn seen_by_workloads(error: ImportError) -> LoadError {
    match error {
        ImportError::Foreign { path, wanted, place, cause, looks_like } => {
            let known = Input::open(&path).ok().map(|input| input.format.about().to_owned());
            let looks_like = known.unwrap_or(looks_like);
            ImportError::Foreign { path, wanted, place, cause, looks_like }.into()
        }
        error => error.into(),
    }
}

/// What a workload makes of a file that it reads.
fn from_input(
    path: &Path,
    workload: &'static Workload,
    run: FromInput,
    mut settings: Settings,
    sink: &mut dyn Sink,
) -> Result<Loaded, LoadError> {
    let input = Input::open(path)?;
    if !workload.formats.contains(&input.format) {
        return Err(LoadError::WrongInput {
            path: path.to_owned(),
            what: input.format.about(),
            workload: workload.name,
            wants: workload.input,
            fits: fitting(input.format),
        });
    }
    run(input, &mut settings, Tape::new(sink))?.end()?;
    Ok(made(Origin::new(workload.name, file_name(path)), &settings))
}

/// What a workload makes that reads nothing, named by what follows [`PREFIX`].
fn alone(
    name: &str,
    input_format: Option<&str>,
    given: &[(String, String)],
    sink: &mut dyn Sink,
) -> Result<Loaded, LoadError> {
    let Some(workload) = workload(name) else {
        return Err(unknown_alone(name));
    };
    let Run::Alone(run) = workload.run else {
        return Err(LoadError::NeedsInput { workload: workload.name, wants: workload.input });
    };
    if input_format.is_some_and(|input_format| input_format != name) {
        return Err(LoadError::NamedTwice { workload: workload.name });
    }
    let mut settings = Settings::new(workload, given)?;
    run(&mut settings, Tape::new(sink))?.end()?;
    Ok(made(Origin::new(workload.name, ""), &settings))
}

/// What a workload made, with the parameters that it used.
fn made(mut origin: Origin, settings: &Settings) -> Loaded {
    origin.settings = settings.used();
    Loaded { origin, remarks: Vec::new() }
}

/// Whether a file is a trace, or was meant to be one by its name.
fn is_trace(path: &Path) -> Result<bool, LoadError> {
    let open = |source| LoadError::Open { path: path.to_owned(), source };
    let file = File::open(path).map_err(open)?;
    let mut magic = Vec::new();
    file.take(PARQUET_MAGIC.len() as u64).read_to_end(&mut magic).map_err(open)?;
    if magic.is_empty() {
        return Err(TraceError::Empty { path: path.to_owned() }.into());
    }
    let named = path.extension().is_some_and(|end| end == "parquet");
    Ok(named || magic == PARQUET_MAGIC)
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}
