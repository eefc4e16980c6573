//! Events as CSV, in the form that the importer `csv` reads.

use std::io::Write;
use std::path::Path;

use heapsmith_output::Output;
use heapsmith_trace::{Action, Event, Sink, TraceError};

use super::{Export, failed};

/// Writes a CSV file as events come. Sites are written by name; marks as lines of the action `mark`.
pub struct CsvWriter {
    output: Export,
    sites: Vec<String>,
    labels: Vec<String>,
}

impl CsvWriter {
    /// Begins a file that will be `path`, and replaces a file that is there.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said, or why the path is not written to.
    pub fn create(path: impl AsRef<Path>) -> Result<CsvWriter, TraceError> {
        let path = path.as_ref();
        CsvWriter::to(Output::create(path).map_err(|source| failed(path, source))?)
    }

    /// Begins a file in an output, which may be a stream.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said.
    pub fn to(output: Output) -> Result<CsvWriter, TraceError> {
        let mut output = Export::to(output);
        output.write(|out| writeln!(out, "time,thread,action,id,size,alignment,label,site"))?;
        Ok(CsvWriter { output, sites: Vec::new(), labels: Vec::new() })
    }

    /// Ends the file, and puts it in its place.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said.
    pub fn finish(self) -> Result<(), TraceError> {
        self.output.finish()
    }
}

/// A field, quoted where it has to be. Line ends would end the record.
fn quoted(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

impl Sink for CsvWriter {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        let CsvWriter { output, sites, labels } = self;
        let named =
            |names: &[String], index: u32| names.get(index as usize).map_or_else(String::new, |name| quoted(name));
        let site = event.site.map_or_else(String::new, |site| named(sites, site));
        let (time, thread) = (event.time.0, event.thread);
        output.write(|out| match event.action {
            Action::Allocate { id, size, alignment } => {
                writeln!(out, "{time},{thread},allocate,{id},{},{alignment},,{site}", size.0)
            }
            Action::Free { id } => writeln!(out, "{time},{thread},free,{id},,,,{site}"),
            Action::Reallocate { id, size } => writeln!(out, "{time},{thread},reallocate,{id},{},,,{site}", size.0),
            Action::Mark { label } => writeln!(out, "{time},{thread},mark,,,,{},{site}", named(labels, label)),
        })
    }

    fn name_site(&mut self, name: &str) {
        self.sites.push(name.to_owned());
    }

    fn name_label(&mut self, text: &str) {
        self.labels.push(text.to_owned());
    }
}
