//! The list of importers, and which of them reads a file.

use std::io::Read;
use std::path::Path;

use heapsmith_trace::{Origin, Sink};

use crate::error::ImportError;
use crate::importer::{Importer, KEEP_DAMAGED, Stop};
use crate::recording::{Recording, Refusal};
use crate::source::{Head, Source};
use crate::{
    board, bytehound, calls, csv, esp_idf, heaptrack, lifetimes, memory_replay, mtrace, nuttx, rep, systemview,
    wee_alloc,
};

/// Every importer there is, in the order in which files are tried.
pub fn importers() -> &'static [Importer] {
    const ALL: &[Importer] = &[
        board::IMPORTER,
        systemview::IMPORTER,
        esp_idf::IMPORTER,
        nuttx::IMPORTER,
        heaptrack::IMPORTER,
        bytehound::IMPORTER,
        mtrace::IMPORTER,
        memory_replay::IMPORTER,
        wee_alloc::IMPORTER,
        lifetimes::IMPORTER,
        csv::IMPORTER,
        rep::IMPORTER,
        calls::IMPORTER,
    ];
    ALL
}

/// The importer of a name.
pub fn importer(name: &str) -> Option<&'static Importer> {
    importers().iter().find(|importer| importer.name == name)
}

/// The importer that reads files which begin so.
pub(crate) fn told_by(head: &Head) -> Option<&'static Importer> {
    importers().iter().find(|importer| (importer.begins)(head))
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Where the trace came from.
    pub origin: Origin,
    /// What was odd about the file, in words.
    pub remarks: Vec<String>,
}

/// Sends the events of a file to a sink, by the named importer or else by the one that its content
/// asks for; `None` where no importer reads such a file.
///
/// With `keep_damaged`, the first damage ends the file instead of being an error.
///
/// # Errors
///
/// [`ImportError`] distinguishes files that cannot be opened, foreign files and damaged ones.
pub fn import(
    path: &Path,
    named: Option<&'static Importer>,
    keep_damaged: bool,
    sink: &mut dyn Sink,
) -> Result<Option<Imported>, ImportError> {
    from(Source::open(path)?, path, named, keep_damaged, sink)
}

/// As [`import`], from what comes piece by piece: a serial port, a pipe. It is recognised by what comes first (16 KB at most), and
/// what came before the end, damage or an error of the system is taken.
///
/// # Errors
///
/// As [`import`], where nothing came before.
pub fn import_live(
    name: &Path,
    stream: Box<dyn Read>,
    named: Option<&'static Importer>,
    sink: &mut dyn Sink,
) -> Result<Option<Imported>, ImportError> {
    let source = Source::coming(name, stream, |head| named.is_some() || told_by(head).is_some())?;
    from(source, name, named, true, sink)
}

fn from(
    mut source: Source,
    path: &Path,
    named: Option<&'static Importer>,
    keep_damaged: bool,
    sink: &mut dyn Sink,
) -> Result<Option<Imported>, ImportError> {
    let told = told_by(&source.head);
    let Some(importer) = named.or(told) else { return Ok(None) };
    let is_foreign = told.is_none_or(|told| told.name != importer.name);
    let foreign = |place, cause| {
        let looks_like = told.map_or_else(|| source.head.looks_like(), |told| told.input.to_owned());
        let (path, wanted) = (path.to_owned(), importer.input);
        ImportError::Foreign { path, wanted, place, cause, looks_like }
    };
    let mut recording = Recording::new(sink);
    let mut remarks = Vec::new();
    if let Err((place, stop)) = importer.read(&mut source.reader, &mut recording, keep_damaged) {
        let error = match stop {
            Stop::Refused(Refusal::Sink(error)) => return Err(error.into()),
            Stop::Refused(Refusal::Incomplete(cause)) if is_foreign => foreign(place, cause.to_owned()),
            Stop::Refused(Refusal::Incomplete(cause)) => {
                return Err(ImportError::Incomplete { path: path.to_owned(), cause });
            }
            Stop::Refused(Refusal::Damaged(cause)) if is_foreign && !recording.has_begun() => foreign(place, cause),
            Stop::Refused(Refusal::Damaged(cause)) => ImportError::Damaged { path: path.to_owned(), place, cause },
            Stop::Read(source) => ImportError::reading(path, place, source),
        };
        if matches!(error, ImportError::OverBudget { .. }) || !keep_damaged || !recording.has_begun() {
            return Err(error);
        }
        remarks.push(format!("only what comes before the damage was taken: {error}"));
    }
    let has_begun = recording.has_begun();
    let facts = std::mem::take(&mut recording.facts);
    remarks.extend(recording.end()?);
    match has_begun {
        true => {}
        false if is_foreign => return Err(foreign("to its end".to_owned(), "nothing in it allocates".to_owned())),
        false => return Err(ImportError::Nothing { path: path.to_owned() }),
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let mut origin = Origin::new(importer.name, name);
    origin.settings = facts;
    if keep_damaged {
        origin.settings.push((KEEP_DAMAGED.name.to_owned(), "yes".to_owned()));
    }
    Ok(Some(Imported { origin, remarks }))
}
