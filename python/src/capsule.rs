//! Tables through the Arrow PyCapsule interface: pointers go over, no value is copied.
//!
//! ```text
//!   pandas, polars, pyarrow ──__arrow_c_stream__──▶ capsule ──take──▶ batches
//!                           ◀─__arrow_c_stream__─── capsule ◀─give──
//! ```
//!
//! Source: the Arrow C data and C stream interfaces, and their PyCapsule interface, of the Arrow format's specification.
#![allow(unsafe_code)]

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi};
use arrow_array::ffi_stream::{ArrowArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Schema};
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
        let reader = ArrowArrayStreamReader::try_new(stream)?;
        let schema = reader.schema();
        let batches = reader.take_while(|_| !patience.is_over()).collect::<Result<Vec<_>, _>>()?;
        Ok(Batches { schema, batches })
    })?;
    taken.map_err(unreadable)
}

fn take_array(pair: &Bound<'_, PyAny>) -> Outcome<Batches> {
    let pair = pair.cast::<PyTuple>().map_err(PyErr::from)?;
    let [schema, array] = [pair.get_item(0)?, pair.get_item(1)?];
    let schema = schema.cast::<PyCapsule>().map_err(PyErr::from)?.pointer_checked(Some(SCHEMA))?;
    let array = array.cast::<PyCapsule>().map_err(PyErr::from)?.pointer_checked(Some(ARRAY))?;
    // SAFETY: capsules of these names point to a schema and an array, by the interface; `from_raw` moves out of the
    // array and leaves it released, and the schema is read while its capsule lives.
    let data = unsafe {
        let array = FFI_ArrowArray::from_raw(array.cast().as_ptr());
        from_ffi(array, schema.cast::<FFI_ArrowSchema>().as_ref())
    };
    let data = data.map_err(unreadable)?;
    if !matches!(data.data_type(), arrow_schema::DataType::Struct(_)) {
        return Err(Raised::usage(format!("an array of {} is no table: give one with columns", data.data_type())));
    }
    if data.null_count() > 0 {
        return Err(Raised::usage(format!(
            "{} rows of the array are null as a whole: leave them out",
            data.null_count()
        )));
    }
    Ok(Batches::one(RecordBatch::from(StructArray::from(data))))
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
