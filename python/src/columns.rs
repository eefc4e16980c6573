//! Events as Arrow columns, in place, and back.
//!
//! | column | type | when it is missing |
//! |---|---|---|
//! | `action` | text (plain, large, view or dictionary): allocate, free, reallocate, mark | an error |
//! | `id` | integer | an error, except for marks |
//! | `size` | integer, bytes | an error for what requests |
//! | `alignment` | integer, a power of two, or 0 | 0 |
//! | `time` | integer, ns | 0 |
//! | `thread`, `site`, `label` | integer | 0, none, none |
//!
//! Integers may have any width, and a missing value may be a null or, as older pandas has it, a NaN in a column of
//! floats. Other columns are ignored. A reading holds nothing but the columns themselves.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::builder::PrimitiveBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int8Array, PrimitiveArray, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use heapsmith_trace::{Action, ActionColumns, Event, Nanoseconds, Sink, TraceError};

use crate::capsule::Batches;

/// What a table without a file is called in errors.
const TABLE: &str = "the table";
/// Rows of a batch that is built here.
const ROWS: usize = 131_072;

/// Hands the events of a table to a sink.
pub fn send(table: &Batches, sink: &mut dyn Sink) -> Result<(), TraceError> {
    let mut record = 0;
    for batch in &table.batches {
        let columns = Columns::of(batch)?;
        for row in 0..batch.num_rows() {
            record += 1;
            sink.take(columns.event(row).map_err(|cause| damaged(record, cause))?)?;
        }
    }
    sink.end()
}

fn damaged(record: u64, cause: String) -> TraceError {
    TraceError::Damaged { path: PathBuf::from(TABLE), row_group: None, record: Some(record), cause }
}

struct Columns<'a> {
    action: Words<'a>,
    time: Numbers<'a>,
    thread: Numbers<'a>,
    id: Numbers<'a>,
    size: Numbers<'a>,
    alignment: Numbers<'a>,
    label: Numbers<'a>,
    site: Numbers<'a>,
}

impl<'a> Columns<'a> {
    fn of(batch: &'a RecordBatch) -> Result<Columns<'a>, TraceError> {
        let not = |cause: String| TraceError::NotATrace { path: PathBuf::from(TABLE), cause };
        let wanted = |name: &str| {
            let column = batch.column_by_name(name);
            column.ok_or_else(|| not(format!("column {name} is missing")))
        };
        let numbers = |name: &str| match batch.column_by_name(name) {
            Some(column) => Numbers::of(column, name).map_err(not),
            None => Ok(Numbers::Missing),
        };
        wanted("id")?;
        Ok(Columns {
            action: Words::of(wanted("action")?).map_err(not)?,
            time: numbers("time")?,
            thread: numbers("thread")?,
            id: numbers("id")?,
            size: numbers("size")?,
            alignment: numbers("alignment")?,
            label: numbers("label")?,
            site: numbers("site")?,
        })
    }

    fn event(&self, row: usize) -> Result<Event, String> {
        let small = |numbers: &Numbers<'_>, name: &str| match numbers.get(row, name)?.map(u32::try_from) {
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(_)) => Err(format!("{name} is above 4294967295")),
            None => Ok(None),
        };
        let columns = ActionColumns {
            id: self.id.get(row, "id")?,
            size: self.size.get(row, "size")?,
            alignment: self.alignment.get(row, "alignment")?,
            label: small(&self.label, "label")?,
        };
        let name = self.action.get(row).ok_or("the action is missing")?;
        Ok(Event {
            time: Nanoseconds(self.time.get(row, "time")?.unwrap_or(0)),
            thread: small(&self.thread, "thread")?.unwrap_or(0),
            site: small(&self.site, "site")?,
            action: columns.action(name.as_bytes())?,
        })
    }
}

/// A column of numbers as it lies in memory.
enum Numbers<'a> {
    Missing,
    U64(&'a PrimitiveArray<UInt64Type>),
    U32(&'a PrimitiveArray<UInt32Type>),
    U16(&'a PrimitiveArray<UInt16Type>),
    U8(&'a PrimitiveArray<UInt8Type>),
    I64(&'a PrimitiveArray<Int64Type>),
    I32(&'a PrimitiveArray<Int32Type>),
    I16(&'a PrimitiveArray<Int16Type>),
    I8(&'a PrimitiveArray<Int8Type>),
    F64(&'a PrimitiveArray<Float64Type>),
    F32(&'a PrimitiveArray<Float32Type>),
}

impl<'a> Numbers<'a> {
    fn of(column: &'a ArrayRef, name: &str) -> Result<Numbers<'a>, String> {
        Ok(match column.data_type() {
            DataType::Null => Numbers::Missing,
            DataType::UInt64 => Numbers::U64(column.as_primitive()),
            DataType::UInt32 => Numbers::U32(column.as_primitive()),
            DataType::UInt16 => Numbers::U16(column.as_primitive()),
            DataType::UInt8 => Numbers::U8(column.as_primitive()),
            DataType::Int64 => Numbers::I64(column.as_primitive()),
            DataType::Int32 => Numbers::I32(column.as_primitive()),
            DataType::Int16 => Numbers::I16(column.as_primitive()),
            DataType::Int8 => Numbers::I8(column.as_primitive()),
            DataType::Float64 => Numbers::F64(column.as_primitive()),
            DataType::Float32 => Numbers::F32(column.as_primitive()),
            other => return Err(format!("column {name} has type {other}, not that of integers")),
        })
    }

    #[inline]
    fn get(&self, row: usize, name: &str) -> Result<Option<u64>, String> {
        match self {
            Numbers::Missing => Ok(None),
            Numbers::U64(column) => Ok(value(column, row)),
            Numbers::U32(column) => Ok(value(column, row).map(u64::from)),
            Numbers::U16(column) => Ok(value(column, row).map(u64::from)),
            Numbers::U8(column) => Ok(value(column, row).map(u64::from)),
            Numbers::I64(column) => natural(value(column, row), name),
            Numbers::I32(column) => natural(value(column, row).map(i64::from), name),
            Numbers::I16(column) => natural(value(column, row).map(i64::from), name),
            Numbers::I8(column) => natural(value(column, row).map(i64::from), name),
            Numbers::F64(column) => whole(value(column, row), name),
            Numbers::F32(column) => whole(value(column, row).map(f64::from), name),
        }
    }
}

#[inline]
fn value<T: ArrowPrimitiveType>(column: &PrimitiveArray<T>, row: usize) -> Option<T::Native> {
    column.is_valid(row).then(|| column.value(row))
}

fn natural(value: Option<i64>, name: &str) -> Result<Option<u64>, String> {
    let natural = |value: i64| u64::try_from(value).map_err(|_| format!("{name} is {value}, below 0"));
    value.map(natural).transpose()
}

/// A float as an integer; a NaN as none. Above 2^53 floats name no single integer.
fn whole(value: Option<f64>, name: &str) -> Result<Option<u64>, String> {
    match value {
        None => Ok(None),
        Some(value) if value.is_nan() => Ok(None),
        Some(value) if value >= 0.0 && value.fract() == 0.0 && value <= 9_007_199_254_740_992.0 => {
            Ok(Some(value as u64))
        }
        Some(value) => Err(format!("{name} is {value}, which is no whole number from 0 to 2^53")),
    }
}

/// A column of text as it lies in memory.
enum Words<'a> {
    Plain(&'a arrow_array::StringArray),
    Large(&'a arrow_array::LargeStringArray),
    View(&'a arrow_array::StringViewArray),
    /// Keys, and their values.
    Keyed(Numbers<'a>, Box<Words<'a>>),
}

impl<'a> Words<'a> {
    fn of(column: &'a ArrayRef) -> Result<Words<'a>, String> {
        Ok(match column.data_type() {
            DataType::Utf8 => Words::Plain(column.as_string()),
            DataType::LargeUtf8 => Words::Large(column.as_string()),
            DataType::Utf8View => Words::View(column.as_string_view()),
            DataType::Dictionary(key, _) => keyed(column, key)?,
            other => return Err(format!("column action has type {other}, not that of text")),
        })
    }

    #[inline]
    fn get(&self, row: usize) -> Option<&'a str> {
        match self {
            Words::Plain(column) => column.is_valid(row).then(|| column.value(row)),
            Words::Large(column) => column.is_valid(row).then(|| column.value(row)),
            Words::View(column) => column.is_valid(row).then(|| column.value(row)),
            Words::Keyed(keys, words) => {
                let key = usize::try_from(keys.get(row, "action").ok()??).ok()?;
                (key < words.len()).then(|| words.get(key))?
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Words::Plain(column) => column.len(),
            Words::Large(column) => column.len(),
            Words::View(column) => column.len(),
            Words::Keyed(_, words) => words.len(),
        }
    }
}

fn keyed<'a>(column: &'a ArrayRef, key: &DataType) -> Result<Words<'a>, String> {
    macro_rules! by {
        ($($type:ident => $key:ty, $numbers:ident;)+) => {
            match key {
                $(DataType::$type => {
                    let column = column.as_dictionary::<$key>();
                    Ok(Words::Keyed(Numbers::$numbers(column.keys()), Box::new(Words::of(column.values())?)))
                })+
                other => Err(format!("column action has keys of type {other}")),
            }
        };
    }
    by! {
        Int8 => Int8Type, I8; Int16 => Int16Type, I16; Int32 => Int32Type, I32; Int64 => Int64Type, I64;
        UInt8 => UInt8Type, U8; UInt16 => UInt16Type, U16; UInt32 => UInt32Type, U32; UInt64 => UInt64Type, U64;
    }
}

/// Builds columns from events as they come.
pub struct ColumnsBuilder {
    batches: Vec<RecordBatch>,
    schema: Arc<Schema>,
    time: PrimitiveBuilder<UInt64Type>,
    thread: PrimitiveBuilder<UInt32Type>,
    action: Vec<i8>,
    id: PrimitiveBuilder<UInt64Type>,
    size: PrimitiveBuilder<UInt64Type>,
    alignment: PrimitiveBuilder<UInt64Type>,
    label: PrimitiveBuilder<UInt32Type>,
    site: PrimitiveBuilder<UInt32Type>,
}

impl ColumnsBuilder {
    /// No events yet.
    pub fn new() -> ColumnsBuilder {
        let words = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
        let schema = Schema::new(vec![
            Field::new("time", DataType::UInt64, false),
            Field::new("thread", DataType::UInt32, false),
            Field::new("action", words, false),
            Field::new("id", DataType::UInt64, true),
            Field::new("size", DataType::UInt64, true),
            Field::new("alignment", DataType::UInt64, true),
            Field::new("label", DataType::UInt32, true),
            Field::new("site", DataType::UInt32, true),
        ]);
        ColumnsBuilder {
            batches: Vec::new(),
            schema: Arc::new(schema),
            time: PrimitiveBuilder::new(),
            thread: PrimitiveBuilder::new(),
            action: Vec::new(),
            id: PrimitiveBuilder::new(),
            size: PrimitiveBuilder::new(),
            alignment: PrimitiveBuilder::new(),
            label: PrimitiveBuilder::new(),
            site: PrimitiveBuilder::new(),
        }
    }

    /// Takes the next event.
    pub fn push(&mut self, event: &Event) {
        let (action, columns) = event.action.columns();
        self.time.append_value(event.time.0);
        self.thread.append_value(event.thread);
        self.action.push(action as i8);
        self.id.append_option(columns.id);
        self.size.append_option(columns.size);
        self.alignment.append_option(columns.alignment);
        self.label.append_option(columns.label);
        self.site.append_option(event.site);
        if self.action.len() == ROWS {
            self.end_batch();
        }
    }

    fn end_batch(&mut self) {
        let keys = Int8Array::from(std::mem::take(&mut self.action));
        let words = Arc::new(StringArray::from(Action::NAMES.to_vec()));
        // Every key is an index into the names.
        let Ok(action) = DictionaryArray::<Int8Type>::try_new(keys, words) else { return };
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.time.finish()),
            Arc::new(self.thread.finish()),
            Arc::new(action),
            Arc::new(self.id.finish()),
            Arc::new(self.size.finish()),
            Arc::new(self.alignment.finish()),
            Arc::new(self.label.finish()),
            Arc::new(self.site.finish()),
        ];
        self.batches.extend(RecordBatch::try_new(self.schema.clone(), columns));
    }

    /// The columns.
    pub fn finish(mut self) -> Batches {
        if !self.action.is_empty() || self.batches.is_empty() {
            self.end_batch();
        }
        Batches { schema: self.schema, batches: self.batches }
    }
}
