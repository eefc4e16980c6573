//! Tables through the Arrow PyCapsule interface: pointers go over, no value is copied.
//!
//! ```text
//!   pandas, polars, pyarrow ──__arrow_c_stream__──▶ capsule ──take──▶ batches
//!                           ◀─__arrow_c_stream__─── capsule ◀─give──
//! ```
//!
//! Source: the Arrow C data and C stream interfaces, and their PyCapsule interface, of the Arrow format's specification.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, RecordBatchIterator, RecordBatchOptions, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, DataType, Schema};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

use crate::block::Block;
use crate::errors::{Outcome, Raised};
use crate::wait::unlocked;

const STREAM: &CStr = c"arrow_array_stream";
const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// A table: batches of one schema.
#[derive(Debug, Clone)]
pub struct Batches {
    /// The schema of each batch.
    pub schema: Arc<Schema>,
    /// The rows.
    pub batches: Vec<RecordBatch>,
}

impl Batches {
    /// A table of one batch.
    pub fn one(batch: RecordBatch) -> Batches {
        Batches { schema: batch.schema(), batches: vec![batch] }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }
}

/// The table that an object gives.
pub fn take(object: &Bound<'_, PyAny>) -> Outcome<Batches> {
    if object.hasattr("__arrow_c_stream__")? {
        return take_stream(&object.call_method0("__arrow_c_stream__")?);
    }
    if object.hasattr("__arrow_c_array__")? {
        return take_array(&object.call_method0("__arrow_c_array__")?);
    }
    let kind = object.get_type().name()?;
    Err(Raised::usage(format!(
        "a {kind} is no Arrow table: give a table of pandas, polars or pyarrow, or anything with __arrow_c_stream__"
    )))
}

fn take_stream(capsule: &Bound<'_, PyAny>) -> Outcome<Batches> {
    let pointer = capsule.cast::<PyCapsule>().map_err(PyErr::from)?.pointer_checked(Some(STREAM))?;
    // SAFETY: a capsule of this name points to a stream, by the interface; this moves out of it, and leaves what the
    // capsule's destructor takes for released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.cast().as_ptr()) };
    // Who fills the stream may need Python's lock on a thread of its own.
    let taken = unlocked(capsule.py(), |patience| {
        let mut stream = Stream(stream);
        let schema = stream.schema()?;
        let columns = DataType::Struct(schema.fields().clone());
        let mut batches = Vec::new();
        while !patience.is_over()
            && let Some(array) = stream.next()?
        {
            // SAFETY: by the interface, every array of a stream is one of its schema.
            let rows = unsafe { from_ffi_and_data_type(array, columns.clone()) }?;
            batches.push(batch(rows.into(), schema.clone())?);
        }
        Ok(Batches { schema, batches })
    })?;
    taken.map_err(unreadable)
}

/// A stream of somebody else's. The reader of `arrow-array` drops which rows are null as a whole.
struct Stream(FFI_ArrowArrayStream);

impl Stream {
    fn schema(&mut self) -> Result<Arc<Schema>, ArrowError> {
        let mut schema = FFI_ArrowSchema::empty();
        let get = self.0.get_schema.filter(|_| self.0.release.is_some());
        // SAFETY: by the interface, the function of a stream that is not released is called with it and a place.
        let code = get.map(|get| unsafe { get(&raw mut self.0, &raw mut schema) });
        self.verify(code)?;
        Ok(Arc::new(Schema::try_from(&schema)?))
    }

    /// The next array; none at the end.
    fn next(&mut self) -> Result<Option<FFI_ArrowArray>, ArrowError> {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: as for the schema.
        let code = self.0.get_next.map(|get| unsafe { get(&raw mut self.0, &raw mut array) });
        self.verify(code)?;
        Ok((!array.is_released()).then_some(array))
    }

    /// The error of a call that gave a code other than 0, in its producer's words where it has some.
    fn verify(&mut self, code: Option<c_int>) -> Result<(), ArrowError> {
        let Some(code) = code else {
            return Err(ArrowError::CDataInterface("its stream was read before".to_owned()));
        };
        if code == 0 {
            return Ok(());
        }
        // SAFETY: as for the schema; the text, if there is one, lasts until the next call.
        let told = self.0.get_last_error.and_then(|get| unsafe {
            let text = get(&raw mut self.0);
            (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
        });
        Err(ArrowError::CDataInterface(told.unwrap_or_else(|| format!("its producer failed with error {code}"))))
    }
}

fn take_array(pair: &Bound<'_, PyAny>) -> Outcome<Batches> {
    let pair = pair.cast::<PyTuple>().map_err(PyErr::from)?;
    let [schema, array] = [pair.get_item(0)?, pair.get_item(1)?];
    let schema = schema.cast::<PyCapsule>().map_err(PyErr::from)?.pointer_checked(Some(SCHEMA))?;
    let array = array.cast::<PyCapsule>().map_err(PyErr::from)?.pointer_checked(Some(ARRAY))?;
    // SAFETY: capsules of these names point to a schema and an array, by the interface; `from_raw` moves out of the
    // array and leaves it released, and the schema is read while its capsule lives.
    let rows = unsafe {
        let array = FFI_ArrowArray::from_raw(array.cast().as_ptr());
        from_ffi(array, schema.cast::<FFI_ArrowSchema>().as_ref())
    };
    let rows = rows.map_err(unreadable)?;
    let DataType::Struct(columns) = rows.data_type() else {
        return Err(Raised::usage(format!("an array of {} is no table: give one with columns", rows.data_type())));
    };
    let schema = Arc::new(Schema::new(columns.clone()));
    Ok(Batches::one(batch(rows.into(), schema).map_err(unreadable)?))
}

/// Rows as a batch. A row that is null as a whole has no place in one.
fn batch(rows: StructArray, schema: Arc<Schema>) -> Result<RecordBatch, ArrowError> {
    if rows.null_count() > 0 {
        let nulls = rows.null_count();
        return Err(ArrowError::InvalidArgumentError(format!("{nulls} rows are null as a whole: leave them out")));
    }
    let count = RecordBatchOptions::new().with_row_count(Some(rows.len()));
    RecordBatch::try_new_with_options(schema, rows.into_parts().1, &count)
}

/// A table as a capsule that any library of tables takes.
pub fn give<'py>(py: Python<'py>, table: &Batches) -> PyResult<Bound<'py, PyCapsule>> {
    let batches = table.batches.clone().into_iter().map(Ok);
    let reader: Box<dyn RecordBatchReader + Send> = Box::new(RecordBatchIterator::new(batches, table.schema.clone()));
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), STREAM)
}

/// The columns of a table without their schema: a capsule of Arrow's C data interface, and the array's address.
pub fn give_block(py: Python<'_>, block: Block) -> PyResult<(Bound<'_, PyCapsule>, usize)> {
    let capsule = PyCapsule::new_with_value(py, block, ARRAY)?;
    let address = capsule.pointer_checked(Some(ARRAY))?.addr().get();
    Ok((capsule, address))
}

fn unreadable(error: ArrowError) -> Raised {
    Raised::usage(format!("the table cannot be read: {error}"))
}
