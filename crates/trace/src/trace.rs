//! A whole trace with where it came from.

use std::path::Path;

use heapsmith_output::Output;

use crate::{Event, TraceError, TraceWriter, file};

/// Where a trace came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// What made it: a workload (`drr`), an importer, a recorder.
    pub program: String,
    /// The name of the input file, without its folder.
    pub source: String,
    /// Every parameter with the value that was used, in the order of their documentation.
    pub settings: Vec<(String, String)>,
    /// The version of heapsmith that made the trace.
    pub heapsmith: String,
    /// The files that call sites of the form `name+0xaddress` are in.
    pub modules: Vec<Module>,
}

/// A program or a library that call sites are in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Module {
    /// What replaces it in the names of sites.
    pub name: String,
    /// Where its file was.
    pub path: String,
    /// The build id of the file that was loaded, in hexadecimal digits; empty where it had none.
    pub build_id: String,
}

impl Origin {
    /// An origin with no settings, made by this version of heapsmith.
    pub fn new(program: impl Into<String>, source: impl Into<String>) -> Origin {
        Origin {
            program: program.into(),
            source: source.into(),
            settings: Vec::new(),
            heapsmith: env!("CARGO_PKG_VERSION").to_owned(),
            modules: Vec::new(),
        }
    }
}

impl Origin {
    /// A name for tables and titles: `drr of ftp.pcap.xz`.
    pub fn name(&self) -> String {
        match (self.program.is_empty(), self.source.is_empty()) {
            (false, false) => format!("{} of {}", self.program, self.source),
            (false, true) => self.program.clone(),
            (true, false) => self.source.clone(),
            (true, true) => "unnamed".to_owned(),
        }
    }
}

/// What a program asked of its heap, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// Where it came from.
    pub origin: Origin,
    /// The events in the order in which they happened.
    pub events: Vec<Event>,
    /// The texts of marks.
    pub labels: Vec<String>,
    /// The names of call sites.
    pub sites: Vec<String>,
}

impl Trace {
    /// A trace with no events yet.
    pub fn new(origin: Origin) -> Trace {
        Trace { origin, ..Trace::default() }
    }

    /// Reads a trace file (Parquet, schema versions [`OLDEST_SCHEMA`](crate::OLDEST_SCHEMA)
    /// to [`NEWEST_SCHEMA`](crate::NEWEST_SCHEMA)).
    ///
    /// # Errors
    ///
    /// A file that cannot be opened, is empty, is no trace, is too old
    /// or too new, or is damaged: an error for each.
    pub fn read(path: impl AsRef<Path>) -> Result<Trace, TraceError> {
        file::read(path.as_ref())
    }

    /// Hands a trace file to a sink, and gives its origin. No more than a row group (131,072
    /// events) is held.
    ///
    /// # Errors
    ///
    /// As [`read`](Trace::read), and what the sink gives.
    pub fn stream(path: impl AsRef<Path>, sink: &mut dyn crate::Sink) -> Result<Origin, TraceError> {
        file::send(path.as_ref(), sink)
    }

    /// Writes a trace file. The file appears whole or not at all: an interrupt or a full
    /// disk leaves what was there before.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), TraceError> {
        file::write(self, TraceWriter::create(path)?)
    }

    /// Writes a trace file to an output, which may be a stream.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said.
    pub fn write_to(&self, output: Output) -> Result<(), TraceError> {
        file::write(self, TraceWriter::to(output)?)
    }

    /// A name for tables and titles: `drr of ftp.pcap.xz`.
    pub fn name(&self) -> String {
        self.origin.name()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_what_made_the_trace_and_of_what() {
        assert_eq!(Trace::new(Origin::new("drr", "a.pcap")).name(), "drr of a.pcap");
        assert_eq!(Trace::new(Origin::new("sizes", "")).name(), "sizes");
        assert_eq!(Trace::default().name(), "unnamed");
    }
}
