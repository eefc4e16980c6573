//! Writing a trace file: into a temporary file beside it, then renamed.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, Encoding};
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::ColumnPath;
use tempfile::{Builder, NamedTempFile};

use super::digest::Digest;
use super::metadata::{DIGEST, EVENTS, entries, entry};
use super::rows::{Optional, Rows};
use super::schema;
use crate::{Event, Trace, TraceError};

/// Events in a row group: what DuckDB and Arrow readers like to take at a time.
pub(super) const ROW_GROUP: usize = 131_072;

/// Writes `trace` to `path`, whole or not at all.
pub(crate) fn write(trace: &Trace, path: &Path) -> Result<(), TraceError> {
    let fail = |source: io::Error| TraceError::Write { path: path.to_owned(), source };
    // The rename is only atomic within one file system, hence the same folder.
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let file = temporary(folder).map_err(fail)?;
    write_parquet(trace, file.as_file()).map_err(|error| fail(system_error(error)))?;
    file.as_file().sync_all().map_err(fail)?;
    file.persist(path).map_err(|error| fail(error.error))?;
    Ok(())
}

fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".heapsmith-").suffix(".parquet.part");
    // A temporary file is private by default; a trace is as readable as any other file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
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

fn write_parquet(trace: &Trace, file: &File) -> Result<(), ParquetError> {
    let properties = Arc::new(properties(trace));
    let mut writer = SerializedFileWriter::new(file, schema::message()?, properties)?;
    let mut digest = Digest::new();
    for events in trace.events.chunks(ROW_GROUP) {
        digest.update(events);
        let mut group = writer.next_row_group()?;
        write_group(&mut group, events)?;
        group.close()?;
    }
    writer.append_key_value_metadata(entry(EVENTS, trace.events.len().to_string()));
    writer.append_key_value_metadata(entry(DIGEST, digest.finish()));
    writer.close()?;
    Ok(())
}

fn properties(trace: &Trace) -> WriterProperties {
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .set_created_by(format!("heapsmith {}", env!("CARGO_PKG_VERSION")))
        .set_max_row_group_row_count(Some(ROW_GROUP))
        .set_key_value_metadata(Some(entries(trace)));
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

fn write_group(group: &mut SerializedRowGroupWriter<'_, &File>, events: &[Event]) -> Result<(), ParquetError> {
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
    group: &mut SerializedRowGroupWriter<'_, &File>,
    rows: &Optional<T::T>,
) -> Result<(), ParquetError> {
    column::<T>(group, &rows.values, Some(&rows.levels))
}

/// Writes the next column in the schema's order.
fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, &File>,
    values: &[T::T],
    levels: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("the schema has too few columns".to_owned()))?;
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
}
