//! Reading a trace file, with an error for each thing that can be wrong with one.

use std::fs::File;
use std::path::Path;

use parquet::basic::Type;
use parquet::column::reader::{ColumnReaderImpl, get_typed_column_reader};
use parquet::data_type::{ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;

use super::digest::Digest;
use super::guarded::guarded;
use super::metadata::{DIGEST, EVENTS, Entries, SCHEMA};
use super::rows::{Optional, Rows};
use super::schema::position;
use super::{NEWEST_SCHEMA, OLDEST_SCHEMA, pages};
use crate::{Action, Event, Origin, Sink, Trace, TraceError, memory};

/// Events that any file may hold.
const UNPACKED: i128 = 1 << 20;
/// Events that a larger file may hold for each of its bytes. What repeats packs to a bit an event, and a bit that
/// repeats to less; a file that claims more has next to nothing in it and would be read for hours.
const RATIO: i128 = 256;

/// Rows that are read at a time. A row group may claim to have any number of them.
const BATCH: usize = 1 << 15;

/// Reads the trace in `path`.
pub(crate) fn read(path: &Path) -> Result<Trace, TraceError> {
    let mut trace = Trace::default();
    trace.origin = send(path, &mut trace)?;
    Ok(trace)
}

/// Hands the trace in `path` to a sink, holding no more than a batch of its rows.
pub(crate) fn send(path: &Path, sink: &mut dyn Sink) -> Result<Origin, TraceError> {
    read_file(path, sink).map_err(|error| error.of(&path.display()))
}

fn read_file(path: &Path, sink: &mut dyn Sink) -> Result<Origin, TraceError> {
    let cannot_read = |source| TraceError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(cannot_read)?;
    let metadata = file.metadata().map_err(cannot_read)?;
    if metadata.is_dir() {
        return Err(cannot_read(std::io::ErrorKind::IsADirectory.into()));
    }
    if metadata.len() == 0 {
        return Err(TraceError::Empty { path: path.to_owned() });
    }
    let headers = file.try_clone().map_err(cannot_read)?;
    let reader = guarded(|| SerializedFileReader::new(file))
        .map_err(|cause| TraceError::NotATrace { path: path.to_owned(), cause })?;
    let entries = Entries::new(reader.metadata().file_metadata().key_value_metadata());
    check_version(path, &entries)?;
    send_events(path, &reader, &headers, &entries, sink)
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
    headers: &File,
    entries: &Entries,
    sink: &mut dyn Sink,
) -> Result<Origin, TraceError> {
    let schema = reader.metadata().file_metadata().schema_descr();
    let columns = Columns::of(schema).map_err(|cause| TraceError::damaged(path, cause))?;
    check_number(path, entries, reader)?;
    let header = entries.trace();
    header.sites.iter().for_each(|site| sink.name_site(site));
    header.labels.iter().for_each(|label| sink.name_label(label));
    let mut digest = Digest::new();
    let mut first = 0;
    let mut events = Vec::new();
    for row_group in 0..reader.num_row_groups() {
        let damaged =
            |record, cause| TraceError::Damaged { path: path.to_owned(), row_group: Some(row_group), record, cause };
        let mut group = guarded(|| Group::open(&columns, &*reader.get_row_group(row_group)?, headers))
            .map_err(|cause| damaged(None, cause))?;
        while group.left > 0 {
            if sink.is_full() {
                sink.end()?;
                return Ok(header.origin);
            }
            memory::check()?;
            let rows = guarded(|| group.next()).map_err(|cause| damaged(None, cause))?;
            events.clear();
            rows.append_to(&mut events).map_err(|(row, cause)| damaged(Some(first + row + 1), cause))?;
            check_names(path, &header, first, &events)?;
            digest.update(&events);
            for event in &events {
                if sink.is_full() {
                    break;
                }
                sink.take(*event)?;
            }
            first += events.len() as u64;
        }
    }
    check_digest(path, entries, &digest)?;
    sink.end()?;
    Ok(header.origin)
}

/// A file that promises another number of events than it has rows is not read at all.
fn check_number(path: &Path, entries: &Entries, reader: &SerializedFileReader<File>) -> Result<(), TraceError> {
    let rows = reader.metadata().row_groups().iter().map(|group| i128::from(group.num_rows())).sum::<i128>();
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    let max = UNPACKED.max(i128::from(bytes) * RATIO);
    if rows > max {
        let cause = format!("it claims {rows} events in {bytes} bytes; read are {max} at most");
        return Err(TraceError::damaged(path, cause));
    }
    match entries.get(EVENTS) {
        Some(promised) if promised != rows.to_string() => {
            let cause = format!("it holds {rows} events, its metadata promises {promised}");
            Err(TraceError::damaged(path, cause))
        }
        _ => Ok(()),
    }
}

fn check_digest(path: &Path, entries: &Entries, digest: &Digest) -> Result<(), TraceError> {
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

/// The numbers of the columns in this file.
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
}

/// The columns of a row group on the way through it, all at the same row.
struct Group {
    left: usize,
    time: ColumnReaderImpl<Int64Type>,
    thread: ColumnReaderImpl<Int32Type>,
    action: ColumnReaderImpl<ByteArrayType>,
    id: ColumnReaderImpl<Int64Type>,
    size: ColumnReaderImpl<Int64Type>,
    alignment: ColumnReaderImpl<Int64Type>,
    label: ColumnReaderImpl<Int32Type>,
    site: ColumnReaderImpl<Int32Type>,
}

impl Group {
    fn open(columns: &Columns, group: &dyn RowGroupReader, file: &File) -> Result<Group, ParquetError> {
        let left = usize::try_from(group.metadata().num_rows())
            .map_err(|_| ParquetError::General("a negative number of rows".to_owned()))?;
        Ok(Group {
            left,
            time: column(group, file, columns.time)?,
            thread: column(group, file, columns.thread)?,
            action: column(group, file, columns.action)?,
            id: column(group, file, columns.id)?,
            size: column(group, file, columns.size)?,
            alignment: column(group, file, columns.alignment)?,
            label: column(group, file, columns.label)?,
            site: column(group, file, columns.site)?,
        })
    }

    /// The next rows, [`BATCH`] of them or what is left.
    fn next(&mut self) -> Result<Rows, ParquetError> {
        let rows = self.left.min(BATCH);
        self.left -= rows;
        Ok(Rows {
            time: required(&mut self.time, rows)?,
            thread: required(&mut self.thread, rows)?,
            action: required(&mut self.action, rows)?,
            id: optional(&mut self.id, rows)?,
            size: optional(&mut self.size, rows)?,
            alignment: optional(&mut self.alignment, rows)?,
            label: optional(&mut self.label, rows)?,
            site: optional(&mut self.site, rows)?,
        })
    }
}

/// Opens a column whose pages claim no more than they can hold.
fn column<T: DataType>(
    group: &dyn RowGroupReader,
    file: &File,
    column: usize,
) -> Result<ColumnReaderImpl<T>, ParquetError> {
    pages::check(file, group.metadata().column(column)).map_err(ParquetError::General)?;
    Ok(get_typed_column_reader::<T>(group.get_column_reader(column)?))
}

fn required<T: DataType>(column: &mut ColumnReaderImpl<T>, rows: usize) -> Result<Vec<T::T>, ParquetError> {
    let read = optional(column, rows)?;
    if read.values.len() != read.levels.len() {
        return Err(ParquetError::General("a column that every event needs has gaps".to_owned()));
    }
    Ok(read.values)
}

/// Reads this many rows of one column; the levels of a column without nulls are all 1.
fn optional<T: DataType>(column: &mut ColumnReaderImpl<T>, rows: usize) -> Result<Optional<T::T>, ParquetError> {
    let mut read = Optional { levels: Vec::new(), values: Vec::new() };
    let mut levels = Vec::new();
    let (records, values, _) = column.read_records(rows, Some(&mut levels), None, &mut read.values)?;
    if records != rows {
        return Err(ParquetError::General("a column has fewer values than its row group has rows".to_owned()));
    }
    read.levels = if levels.is_empty() { vec![1; values] } else { levels };
    Ok(read)
}
