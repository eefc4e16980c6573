//! Reading a trace file, with everything that can be wrong about one told apart.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use parquet::basic::Type;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;

use super::digest::Digest;
use super::metadata::{DIGEST, EVENTS, Entries, SCHEMA};
use super::rows::{Optional, Rows};
use super::schema::position;
use super::{NEWEST_SCHEMA, OLDEST_SCHEMA};
use crate::{Action, Event, Origin, Sink, Trace, TraceError};

/// Reads the trace in `path`.
pub(crate) fn read(path: &Path) -> Result<Trace, TraceError> {
    let mut trace = Trace::default();
    trace.origin = send(path, &mut trace)?;
    Ok(trace)
}

/// Hands the trace in `path` to a sink, holding no more than a row group of it.
pub(crate) fn send(path: &Path, sink: &mut dyn Sink) -> Result<Origin, TraceError> {
    let cannot_read = |source| TraceError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(cannot_read)?;
    let metadata = file.metadata().map_err(cannot_read)?;
    if metadata.is_dir() {
        return Err(cannot_read(std::io::ErrorKind::IsADirectory.into()));
    }
    if metadata.len() == 0 {
        return Err(TraceError::Empty { path: path.to_owned() });
    }
    let reader = guarded(|| SerializedFileReader::new(file))
        .map_err(|cause| TraceError::NotATrace { path: path.to_owned(), cause })?;
    let entries = Entries::new(reader.metadata().file_metadata().key_value_metadata());
    check_version(path, &entries)?;
    send_events(path, &reader, &entries, sink)
}

/// The Parquet reader gives errors for most damage and panics for some; both come out of
/// here as a cause.
fn guarded<T>(job: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(job)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("a page makes no sense".to_owned()),
    }
}

fn check_version(path: &Path, entries: &Entries) -> Result<(), TraceError> {
    let not_a_trace = |cause: String| TraceError::NotATrace { path: path.to_owned(), cause };
    let text = entries
        .get(SCHEMA)
        .ok_or_else(|| not_a_trace(format!("a Parquet file, but one without {SCHEMA} in its metadata")))?;
    let found: u32 = text.parse().map_err(|_| not_a_trace(format!("{SCHEMA} in its metadata is {text:?}")))?;
    if found < OLDEST_SCHEMA {
        return Err(TraceError::TooOld { path: path.to_owned(), found, oldest: OLDEST_SCHEMA });
    }
    if found > NEWEST_SCHEMA {
        return Err(TraceError::TooNew { path: path.to_owned(), found, newest: NEWEST_SCHEMA });
    }
    Ok(())
}

fn send_events(
    path: &Path,
    reader: &SerializedFileReader<File>,
    entries: &Entries,
    sink: &mut dyn Sink,
) -> Result<Origin, TraceError> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let columns = Columns::of(schema).map_err(|cause| TraceError::damaged(path, cause))?;
    let header = entries.trace();
    header.sites.iter().for_each(|site| sink.name_site(site));
    header.labels.iter().for_each(|label| sink.name_label(label));
    let mut digest = Digest::new();
    let mut first = 0;
    let mut events = Vec::new();
    for row_group in 0..reader.num_row_groups() {
        let damaged =
            |record, cause| TraceError::Damaged { path: path.to_owned(), row_group: Some(row_group), record, cause };
        let rows =
            guarded(|| columns.read(&*reader.get_row_group(row_group)?)).map_err(|cause| damaged(None, cause))?;
        events.clear();
        rows.append_to(&mut events).map_err(|(row, cause)| damaged(Some(first + row + 1), cause))?;
        check_names(path, &header, first, &events)?;
        digest.update(&events);
        for event in &events {
            if sink.is_full() {
                sink.end()?;
                return Ok(header.origin);
            }
            sink.take(*event)?;
        }
        first += events.len() as u64;
    }
    check_whole(path, entries, first, &digest)?;
    sink.end()?;
    Ok(header.origin)
}

fn check_whole(path: &Path, entries: &Entries, events: u64, digest: &Digest) -> Result<(), TraceError> {
    if let Some(promised) = entries.get(EVENTS)
        && promised != events.to_string()
    {
        let cause = format!("it holds {events} events, its metadata promises {promised}");
        return Err(TraceError::damaged(path, cause));
    }
    match entries.get(DIGEST) {
        Some(promised) if promised != digest.finish() => Err(TraceError::damaged(
            path,
            "its events are not the ones that were written: their digest differs from the \
             metadata's",
        )),
        _ => Ok(()),
    }
}

/// Labels and sites are indices into the metadata's lists. `events` begin at the index `first`.
fn check_names(path: &Path, header: &Trace, first: u64, events: &[Event]) -> Result<(), TraceError> {
    for (index, event) in events.iter().enumerate() {
        let cause = match (event.action, event.site) {
            (Action::Mark { label }, _) if label as usize >= header.labels.len() => {
                format!("label {label} has no name in the metadata")
            }
            (_, Some(site)) if site as usize >= header.sites.len() => {
                format!("site {site} has no name in the metadata")
            }
            _ => continue,
        };
        let record = Some(first + index as u64 + 1);
        return Err(TraceError::Damaged { path: path.to_owned(), row_group: None, record, cause });
    }
    Ok(())
}

/// Where the columns stand in this file.
struct Columns {
    time: usize,
    thread: usize,
    action: usize,
    id: usize,
    size: usize,
    alignment: usize,
    label: usize,
    site: usize,
}

impl Columns {
    fn of(schema: &SchemaDescriptor) -> Result<Columns, String> {
        Ok(Columns {
            time: position(schema, "time", Type::INT64)?,
            thread: position(schema, "thread", Type::INT32)?,
            action: position(schema, "action", Type::BYTE_ARRAY)?,
            id: position(schema, "id", Type::INT64)?,
            size: position(schema, "size", Type::INT64)?,
            alignment: position(schema, "alignment", Type::INT64)?,
            label: position(schema, "label", Type::INT32)?,
            site: position(schema, "site", Type::INT32)?,
        })
    }

    fn read(&self, group: &dyn RowGroupReader) -> Result<Rows, ParquetError> {
        Ok(Rows {
            time: required::<Int64Type>(group, self.time)?,
            thread: required::<Int32Type>(group, self.thread)?,
            action: required::<ByteArrayType>(group, self.action)?,
            id: optional::<Int64Type>(group, self.id)?,
            size: optional::<Int64Type>(group, self.size)?,
            alignment: optional::<Int64Type>(group, self.alignment)?,
            label: optional::<Int32Type>(group, self.label)?,
            site: optional::<Int32Type>(group, self.site)?,
        })
    }
}

fn required<T: DataType>(group: &dyn RowGroupReader, column: usize) -> Result<Vec<T::T>, ParquetError> {
    let read = optional::<T>(group, column)?;
    if read.values.len() != read.levels.len() {
        return Err(ParquetError::General("a column that every event needs has gaps".to_owned()));
    }
    Ok(read.values)
}

/// Reads one column; the levels of a column without nulls are all 1.
fn optional<T: DataType>(group: &dyn RowGroupReader, column: usize) -> Result<Optional<T::T>, ParquetError> {
    let mut reader = get_typed_column_reader::<T>(group.get_column_reader(column)?);
    let rows = usize::try_from(group.metadata().num_rows())
        .map_err(|_| ParquetError::General("a negative number of rows".to_owned()))?;
    let mut read = Optional { levels: Vec::new(), values: Vec::new() };
    let mut levels = Vec::new();
    let (records, values, _) = reader.read_records(rows, Some(&mut levels), None, &mut read.values)?;
    if records != rows {
        return Err(ParquetError::General(format!("a column holds {records} of {rows} rows")));
    }
    read.levels = if levels.is_empty() { vec![1; values] } else { levels };
    Ok(read)
}
