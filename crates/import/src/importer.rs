//! What an importer is, and how one reads a file.

use std::io::BufRead;

use crate::lines::{Lines, shown};
use crate::recording::{Recording, Refusal, Taken};
use crate::source::Head;

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

impl Importer {
    /// Reads a whole file; on the first record that cannot be taken, its place and why.
    pub(crate) fn read(
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

/// Shows the line with what is wrong with it.
fn with_text(refusal: Refusal, line: &str) -> Refusal {
    match refusal {
        Refusal::Damaged(cause) => Refusal::Damaged(format!("{cause}: {}", shown(line))),
        other => other,
    }
}
