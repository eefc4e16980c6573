//! What an importer is, the list of them, and how one is run.

use std::io::BufRead;
use std::path::Path;

use heapsmith_trace::{Origin, Sink};

use crate::error::ImportError;
use crate::lines::{Lines, shown};
use crate::recording::{Recording, Refusal, Taken};
use crate::source::{Head, Source};
use crate::{bytehound, calls, csv, heaptrack, lifetimes, memory_replay, mtrace, rep, wee_alloc};

/// Something about an importer or a workload that can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, as in `name=value`.
    pub name: &'static str,
    /// What it is when it is not set.
    pub default: &'static str,
    /// What it means, with its unit.
    pub about: &'static str,
}

/// A format of another tool.
#[derive(Clone, Copy)]
pub struct Importer {
    /// Its name, as in `--as NAME`.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Who writes or describes the format.
    pub source: &'static str,
    /// What it reads.
    pub input: &'static str,
    /// What can be set.
    pub parameters: &'static [Parameter],
    /// Whether a file begins like one of this format.
    pub(crate) begins: fn(&Head) -> bool,
    pub(crate) format: Format,
}

impl std::fmt::Debug for Importer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Importer").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How a format is read.
#[derive(Clone, Copy)]
pub(crate) enum Format {
    /// Line by line: what gives a fresh reader of lines.
    Text(fn() -> Box<dyn Text>),
    /// Records of bytes.
    Binary(ReadRecords),
}

/// Reads records of bytes; on the first that cannot be taken, its number and why.
pub(crate) type ReadRecords = fn(&mut dyn BufRead, &mut Recording<'_>) -> Result<(), (u64, Stop)>;

/// Reads a text format.
pub(crate) trait Text {
    /// Takes the next line that is not blank.
    fn line(&mut self, line: &str, recording: &mut Recording<'_>) -> Taken;

    /// Reading stopped at damage, and what was read before it is to be kept.
    fn salvage(&mut self, _recording: &mut Recording<'_>) -> Taken {
        Ok(())
    }

    /// The text is over.
    fn end(&mut self, _recording: &mut Recording<'_>) -> Taken {
        Ok(())
    }
}

/// Why reading stopped before the end.
#[derive(Debug)]
pub(crate) enum Stop {
    Refused(Refusal),
    Read(std::io::Error),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::Refused(refusal)
    }
}

/// The parameter of every importer that says what to do about damage.
pub(crate) const KEEP_DAMAGED: Parameter = Parameter {
    name: "keep-damaged",
    default: "no",
    about: "yes takes what comes before the first damage; no refuses the file",
};

/// Every importer there is, in the order in which files are tried.
pub fn importers() -> &'static [Importer] {
    const ALL: &[Importer] = &[
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

/// Hands what a file tells to a sink, by the importer given or else the one that its content
/// asks for; `None` where no importer reads such a file.
///
/// With `keep_damaged`, the first damage ends the file instead of being an error.
///
/// # Errors
///
/// [`ImportError`] tells what cannot be opened, what is foreign and what is damaged apart.
pub fn import(
    path: &Path,
    named: Option<&'static Importer>,
    keep_damaged: bool,
    sink: &mut dyn Sink,
) -> Result<Option<Imported>, ImportError> {
    let mut source = Source::open(path)?;
    let told = told_by(&source.head);
    let Some(importer) = named.or(told) else { return Ok(None) };
    let is_foreign = told.is_none_or(|told| told.name != importer.name);
    let foreign = |place, cause| {
        let (path, wanted, looks_like) = (path.to_owned(), importer.input, source.head.looks_like());
        ImportError::Foreign { path, wanted, place, cause, looks_like }
    };
    let mut recording = Recording::new(sink);
    let mut remarks = Vec::new();
    if let Err((place, stop)) = importer.read(&mut source.reader, &mut recording, keep_damaged) {
        let error = match stop {
            Stop::Refused(Refusal::Sink(error)) => return Err(error.into()),
            Stop::Refused(Refusal::Damaged(cause)) if is_foreign && !recording.has_begun() => foreign(place, cause),
            Stop::Refused(Refusal::Damaged(cause)) => ImportError::Damaged { path: path.to_owned(), place, cause },
            Stop::Read(source) => ImportError::Read { path: path.to_owned(), place, source },
        };
        if !keep_damaged || !recording.has_begun() {
            return Err(error);
        }
        remarks.push(format!("only what comes before the damage was taken: {error}"));
    }
    let has_begun = recording.has_begun();
    remarks.extend(recording.end()?);
    match has_begun {
        true => {}
        false if is_foreign => return Err(foreign("to its end".to_owned(), "nothing in it allocates".to_owned())),
        false => return Err(ImportError::Nothing { path: path.to_owned() }),
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let mut origin = Origin::new(importer.name, name);
    if keep_damaged {
        origin.settings = vec![(KEEP_DAMAGED.name.to_owned(), "yes".to_owned())];
    }
    Ok(Some(Imported { origin, remarks }))
}

impl Importer {
    /// Reads a whole file; on the first record that cannot be taken, its place and why.
    fn read(
        &self,
        reader: &mut dyn BufRead,
        recording: &mut Recording<'_>,
        keep_damaged: bool,
    ) -> Result<(), (String, Stop)> {
        match self.format {
            Format::Text(text) => {
                let mut text = text();
                let outcome = read_text(&mut *text, reader, recording);
                if outcome.is_err() && keep_damaged {
                    text.salvage(recording).map_err(|refusal| ("before the damage".to_owned(), refusal.into()))?;
                }
                outcome
            }
            Format::Binary(read) => {
                read(reader, recording).map_err(|(record, stop)| (format!("record {record}"), stop))
            }
        }
    }
}

fn read_text(
    text: &mut dyn Text,
    reader: &mut dyn BufRead,
    recording: &mut Recording<'_>,
) -> Result<(), (String, Stop)> {
    let mut lines = Lines::new(reader);
    let mut line = String::new();
    while !recording.is_full() {
        let next = lines.next_line(&mut line);
        let place = || format!("line {}", lines.number());
        match next {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData && error.raw_os_error().is_none() => {
                return Err((place(), Refusal::Damaged(error.to_string()).into()));
            }
            Err(error) => return Err((place(), Stop::Read(error))),
        }
        text.line(&line, recording).map_err(|refusal| (place(), with_text(refusal, &line).into()))?;
    }
    text.end(recording).map_err(|refusal| (format!("line {}", lines.number()), refusal.into()))
}

/// Shows the line beside what is wrong with it.
fn with_text(refusal: Refusal, line: &str) -> Refusal {
    match refusal {
        Refusal::Damaged(cause) => Refusal::Damaged(format!("{cause}: {}", shown(line))),
        sink => sink,
    }
}
