//! Traces written for other tools. Each file appears whole or not at all.

mod csv;
mod rep;

pub use csv::CsvWriter;
pub use rep::RepWriter;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use heapsmith_trace::TraceError;
use tempfile::{Builder, NamedTempFile};

/// A file that takes its place when it is finished.
struct Output {
    path: PathBuf,
    file: NamedTempFile,
    writer: BufWriter<File>,
}

impl Output {
    fn create(path: &Path) -> Result<Output, TraceError> {
        let fail = |source| TraceError::Write { path: path.to_owned(), source };
        // The rename is only atomic within one file system, hence the same folder.
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut builder = Builder::new();
        builder.prefix(".heapsmith-").suffix(".part");
        // A temporary file is private by default; an export is as readable as any other file.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder).map_err(fail)?;
        let writer = BufWriter::with_capacity(1 << 16, file.as_file().try_clone().map_err(fail)?);
        Ok(Output { path: path.to_owned(), file, writer })
    }

    /// Writes; what the system says against it becomes an error that names the file.
    fn write(&mut self, write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), TraceError> {
        write(&mut self.writer).map_err(|source| TraceError::Write { path: self.path.clone(), source })
    }

    fn finish(mut self) -> Result<(), TraceError> {
        self.write(|writer| writer.flush())?;
        let Output { path, file, .. } = self;
        let fail = |source| TraceError::Write { path: path.clone(), source };
        file.as_file().sync_all().map_err(fail)?;
        file.persist(&path).map_err(|error| fail(error.error))?;
        Ok(())
    }
}
