//! Results as Arrow tables.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{Field, Schema};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::capsule::{Batches, give, give_columns};

/// A table that any library of tables takes: `pyarrow.table(it)`.
#[pyclass(frozen, module = "heapsmith._native")]
pub struct Table(RecordBatch);

#[pymethods]
impl Table {
    /// The table as a stream of Arrow's C interface. The schema that is asked for is not looked at: there is one.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        give(py, &Batches::one(self.0.clone()))
    }

    /// The columns alone, for who knows the schema: a capsule that keeps them, and where it points to.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyCapsule>, usize)> {
        give_columns(py, &self.0)
    }

    fn __len__(&self) -> usize {
        self.0.num_rows()
    }
}

/// Columns that a table is made of, in order.
#[derive(Default)]
pub struct Columns(Vec<(Field, ArrayRef)>);

impl Columns {
    fn push(&mut self, name: &str, nullable: bool, array: impl Array + 'static) {
        self.0.push((Field::new(name, array.data_type().clone(), nullable), Arc::new(array)));
    }

    /// A column of integers.
    pub fn integers(mut self, name: &str, values: impl IntoIterator<Item = u64>) -> Columns {
        self.push(name, false, UInt64Array::from_iter_values(values));
        self
    }

    /// A column of integers that may be missing.
    pub fn known(mut self, name: &str, values: impl IntoIterator<Item = Option<u64>>) -> Columns {
        self.push(name, true, UInt64Array::from_iter(values));
        self
    }

    /// A column of numbers.
    pub fn numbers(mut self, name: &str, values: impl IntoIterator<Item = f64>) -> Columns {
        self.push(name, false, Float64Array::from_iter_values(values));
        self
    }

    /// A column of numbers that may be missing.
    pub fn measured(mut self, name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Columns {
        self.push(name, true, Float64Array::from_iter(values));
        self
    }

    /// A column of yes and no.
    pub fn flags(mut self, name: &str, values: impl IntoIterator<Item = bool>) -> Columns {
        let values: Vec<bool> = values.into_iter().collect();
        self.push(name, false, BooleanArray::from(values));
        self
    }

    /// A column of text.
    pub fn texts<T: AsRef<str>>(mut self, name: &str, values: impl IntoIterator<Item = T>) -> Columns {
        self.push(name, false, StringArray::from_iter_values(values));
        self
    }

    /// The table; every column has a value for each row.
    pub fn table(self) -> PyResult<Table> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = self.0.into_iter().unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        let batch = batch.map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
        Ok(Table(batch))
    }
}
