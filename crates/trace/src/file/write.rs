//! Writing a trace file.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use heapsmith_output::Output;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnPath;

use super::digest::Digest;
use super::metadata::{DIGEST, EVENTS, entries, entry};
use super::rows::{Optional, Rows};
use super::schema;
use crate::{Event, Origin, Sink, Trace, TraceError};

/// Events in a row group: what DuckDB and Arrow readers like to take at a time.
pub(super) const ROW_GROUP: usize = 131_072;

/// Writes `trace`, whole or not at all.
pub(crate) fn write(trace: &Trace, mut writer: TraceWriter) -> Result<(), TraceError> {
    trace.send(&mut writer)?;
    writer.finish(&trace.origin)
}

/// Writes a trace file as events come, and holds no more than a row group of it.
///
/// The file appears when it is finished, whole; dropped before, nothing of it is left.
pub struct TraceWriter {
    output: Output,
    writer: SerializedFileWriter<File>,
    /// The names of sites and labels; its events are those of the row group to come.
    pending: Trace,
    digest: Digest,
    events: u64,
}

impl TraceWriter {
    /// Begins a file that will be `path`, and replaces a file that is there.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said, or why the path is not written to.
    pub fn create(path: impl AsRef<Path>) -> Result<TraceWriter, TraceError> {
        let path = path.as_ref();
        TraceWriter::to(Output::create(path).map_err(|source| failed(path, source))?)
    }

    /// Begins a trace file in an output, which may be a stream.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said.
    pub fn to(output: Output) -> Result<TraceWriter, TraceError> {
        let begin = || SerializedFileWriter::new(output.handle()?, schema::message()?, Arc::new(properties()));
        match begin() {
            Ok(writer) => {
                Ok(TraceWriter { output, writer, pending: Trace::default(), digest: Digest::new(), events: 0 })
            }
            Err(error) => Err(failed(output.path(), system_error(error))),
        }
    }

    /// Ends the file, and puts it in its place.
    ///
    /// # Errors
    ///
    /// [`TraceError::Write`] with what the system said.
    pub fn finish(mut self, origin: &Origin) -> Result<(), TraceError> {
        self.write_group()?;
        let TraceWriter { output, mut writer, mut pending, digest, events } = self;
        pending.origin = origin.clone();
        entries(&pending).into_iter().for_each(|entry| writer.append_key_value_metadata(entry));
        writer.append_key_value_metadata(entry(EVENTS, events.to_string()));
        writer.append_key_value_metadata(entry(DIGEST, digest.finish()));
        writer.close().map_err(|error| failed(output.path(), system_error(error)))?;
        let path = output.path().to_owned();
        output.finish().map_err(|source| failed(&path, source))
    }

    fn write_group(&mut self) -> Result<(), TraceError> {
        if self.pending.events.is_empty() {
            return Ok(());
        }
        self.digest.update(&self.pending.events);
        self.events += self.pending.events.len() as u64;
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            write_group(&mut group, &self.pending.events)?;
            group.close().map(|_| ())
        };
        write().map_err(|error| failed(self.output.path(), system_error(error)))?;
        self.pending.events.clear();
        Ok(())
    }
}

impl Sink for TraceWriter {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.pending.events.push(event);
        if self.pending.events.len() < ROW_GROUP { Ok(()) } else { self.write_group() }
    }

    fn name_site(&mut self, name: &str) {
        self.pending.name_site(name);
    }

    fn name_label(&mut self, text: &str) {
        self.pending.name_label(text);
    }
}

fn failed(path: &Path, source: io::Error) -> TraceError {
    TraceError::Write { path: path.to_owned(), source }
}

/// Brings back the system's own error, which says more than Parquet's wrapping of it.
fn system_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        other => io::Error::other(other),
    }
}

fn properties() -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("heapsmith {}", env!("CARGO_PKG_VERSION")))
        .set_max_row_group_row_count(Some(ROW_GROUP));
    // Times and ids grow by small steps: their differences pack tightly, while a
    // dictionary of all of them would only be overhead.
    for column in ["time", "id"] {
        let column = ColumnPath::from(column);
        builder = builder
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    builder.build()
}

fn write_group(group: &mut SerializedRowGroupWriter<'_, File>, events: &[Event]) -> Result<(), ParquetError> {
    let rows = Rows::of(events);
    column::<Int64Type>(group, &rows.time, None)?;
    column::<Int32Type>(group, &rows.thread, None)?;
    column::<ByteArrayType>(group, &rows.action, None)?;
    optional::<Int64Type>(group, &rows.id)?;
    optional::<Int64Type>(group, &rows.size)?;
    optional::<Int64Type>(group, &rows.alignment)?;
    optional::<Int32Type>(group, &rows.label)?;
    optional::<Int32Type>(group, &rows.site)
}

fn optional<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    rows: &Optional<T::T>,
) -> Result<(), ParquetError> {
    column::<T>(group, &rows.values, Some(&rows.levels))
}

/// Writes the next column in the schema's order.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, File>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("the schema has too few columns".to_owned()))?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
