//! Traces written for other tools. Each file appears whole or not at all.

mod csv;
mod pprof;
mod rep;

pub use csv::CsvWriter;
pub use pprof::pprof;
pub use rep::RepWriter;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use heapsmith_output::Output;
use heapsmith_trace::TraceError;

/// An output with a buffer, whose errors name the file.
struct Export {
    path: PathBuf,
    writer: BufWriter<Output>,
}

impl Export {
    fn to(output: Output) -> Export {
        Export { path: output.path().to_owned(), writer: BufWriter::with_capacity(1 << 16, output) }
    }

    fn write(&mut self, write: impl FnOnce(&mut BufWriter<Output>) -> io::Result<()>) -> Result<(), TraceError> {
        write(&mut self.writer).map_err(|source| failed(&self.path, source))
    }

    fn finish(mut self) -> Result<(), TraceError> {
        self.write(|writer| writer.flush())?;
        let Export { path, writer } = self;
        // The buffer is empty, so no part of the file is lost with it.
        let (output, _) = writer.into_parts();
        output.finish().map_err(|source| failed(&path, source))
    }
}

fn failed(path: &Path, source: io::Error) -> TraceError {
    TraceError::Write { path: path.to_owned(), source }
}
