//! A trace for the drivers of the CS:APP malloc lab.
//!
//! The header's numbers are known at the end only: their lines are written wide enough, and
//! filled in then. Ids count from 0 and are never used twice, as the drivers want it. What
//! the format has no place for (times, threads, alignments, sites, marks) is left out.

use std::collections::HashMap;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use heapsmith_output::{Output, Refusal};
use heapsmith_trace::{Action, Event, Sink, TraceError};

use super::{Export, failed};

/// Writes a `.rep` file as events come; holds the ids of the live blocks.
pub struct RepWriter {
    output: Export,
    live: HashMap<u64, u64>,
    births: u64,
    requests: u64,
}

impl RepWriter {
    /// Begins a file that will be `path`, and replaces a file that is there.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said, or why the path is not written to.
    pub fn create(path: impl AsRef<Path>) -> Result<RepWriter, TraceError> {
        let path = path.as_ref();
        RepWriter::to(Output::create(path).map_err(|source| failed(path, source))?)
    }

    /// Begins a file in an output.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said; [`Refusal::NoStream`] in it for a stream, since the header is
    /// known at the end only.
    pub fn to(output: Output) -> Result<RepWriter, TraceError> {
        if output.is_stream() {
            return Err(failed(output.path(), Refusal::NoStream.into()));
        }
        let mut writer = RepWriter { output: Export::to(output), live: HashMap::new(), births: 0, requests: 0 };
        writer.header()?;
        Ok(writer)
    }

    /// Heap size (of no use), ids, requests, weight; each in 20 places.
    fn header(&mut self) -> Result<(), TraceError> {
        let (births, requests) = (self.births, self.requests);
        self.output.write(|out| writeln!(out, "{:<20}\n{births:<20}\n{requests:<20}\n{:<20}", 0, 1))
    }

    /// Ends the file, and puts it in its place.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said.
    pub fn finish(mut self) -> Result<(), TraceError> {
        self.output.write(|out| out.seek(SeekFrom::Start(0)).map(|_| ()))?;
        self.header()?;
        self.output.finish()
    }
}

impl Sink for RepWriter {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        let record = self.requests + 1;
        let (births, live) = (&mut self.births, &mut self.live);
        let (kind, id, size) = match event.action {
            Action::Allocate { id, size, .. } => {
                let number = *births;
                *births += 1;
                live.insert(id, number);
                ('a', number, Some(size))
            }
            Action::Reallocate { id, size } => {
                ('r', *live.get(&id).ok_or(TraceError::UnknownReallocate { record, id })?, Some(size))
            }
            Action::Free { id } => ('f', live.remove(&id).ok_or(TraceError::NotLive { record, id })?, None),
            Action::Mark { .. } => return Ok(()),
        };
        self.requests = record;
        self.output.write(|out| match size {
            Some(size) => writeln!(out, "{kind} {id} {}", size.0),
            None => writeln!(out, "{kind} {id}"),
        })
    }
}
