//! Results as Arrow tables.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::ffi::FFI_ArrowArray;
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_buffer::{Buffer, NullBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Schema};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::block::{self, Block};
use crate::capsule::{Batches, give, give_block};

/// A table that any library of tables takes: `pyarrow.table(it)`.
#[pyclass(frozen, module = "heapsmith._native")]
pub struct Table {
    rows: usize,
    columns: Vec<Column>,
    words: Buffer,
}

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
        give(py, &Batches::one(self.batch()?))
    }

    /// The columns alone, for who knows the schema: a capsule that keeps them, and where it points to.
    fn columns<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyCapsule>, usize)> {
        let given = |column: &Column| match &column.values {
            Values::Words { from, known } => block::Column::Words { from: *from, known: known.clone() },
            Values::Array(array) => block::Column::Array(FFI_ArrowArray::new(&array.to_data())),
        };
        give_block(py, Block::new(self.rows, self.words.clone(), self.columns.iter().map(given).collect()))
    }

    fn __len__(&self) -> usize {
        self.rows
    }
}

impl Table {
    fn batch(&self) -> PyResult<RecordBatch> {
        let array = |column: &Column| -> ArrayRef {
            match &column.values {
                Values::Array(array) => array.clone(),
                Values::Words { from, known } if column.kind == DataType::Float64 => {
                    Arc::new(Float64Array::new(ScalarBuffer::new(self.words.clone(), *from, self.rows), known.clone()))
                }
                Values::Words { from, known } => {
                    Arc::new(UInt64Array::new(ScalarBuffer::new(self.words.clone(), *from, self.rows), known.clone()))
                }
            }
        };
        let field = |column: &Column| Field::new(&*column.name, column.kind.clone(), column.nullable);
        let fields: Vec<Field> = self.columns.iter().map(field).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), self.columns.iter().map(array).collect());
        batch.map_err(|error| PyRuntimeError::new_err(error.to_string()))
    }
}

/// A column of a table.
struct Column {
    name: Cow<'static, str>,
    kind: DataType,
    nullable: bool,
    values: Values,
}

/// What is in a column.
enum Values {
    /// This many of the table's words as it has rows, from here on; and which of them are there.
    Words { from: usize, known: Option<NullBuffer> },
    /// Anything that is no word.
    Array(ArrayRef),
}

/// Columns that a table is made of, in order. Integers and numbers of all of them lie in one buffer.
#[derive(Default)]
pub struct Columns {
    columns: Vec<Column>,
    words: Vec<u64>,
    rows: Option<usize>,
}

impl Columns {
    fn push(mut self, name: Cow<'static, str>, kind: DataType, nullable: bool, rows: usize, values: Values) -> Columns {
        assert_eq!(*self.rows.get_or_insert(rows), rows, "{name}: every column has a value for each row");
        self.columns.push(Column { name, kind, nullable, values });
        self
    }

    fn array(self, name: Cow<'static, str>, array: impl Array + 'static) -> Columns {
        self.push(name, array.data_type().clone(), false, array.len(), Values::Array(Arc::new(array)))
    }

    fn words(
        mut self,
        name: Cow<'static, str>,
        kind: DataType,
        nullable: bool,
        values: impl Iterator<Item = Option<u64>>,
    ) -> Columns {
        let (from, mut missing) = (self.words.len(), Vec::new());
        for value in values {
            if value.is_none() {
                missing.push(self.words.len() - from);
            }
            self.words.push(value.unwrap_or_default());
        }
        let rows = self.words.len() - from;
        let known = (!missing.is_empty()).then(|| (0..rows).map(|row| missing.binary_search(&row).is_err()).collect());
        self.push(name, kind, nullable, rows, Values::Words { from, known })
    }

    /// A column of integers.
    pub fn integers(self, name: impl Into<Cow<'static, str>>, values: impl IntoIterator<Item = u64>) -> Columns {
        self.words(name.into(), DataType::UInt64, false, values.into_iter().map(Some))
    }

    /// A column of integers that may be missing.
    pub fn known(self, name: impl Into<Cow<'static, str>>, values: impl IntoIterator<Item = Option<u64>>) -> Columns {
        self.words(name.into(), DataType::UInt64, true, values.into_iter())
    }

    /// A column of numbers.
    pub fn numbers(self, name: impl Into<Cow<'static, str>>, values: impl IntoIterator<Item = f64>) -> Columns {
        self.words(name.into(), DataType::Float64, false, values.into_iter().map(|value| Some(value.to_bits())))
    }

    /// A column of numbers that may be missing.
    pub fn measured(
        self,
        name: impl Into<Cow<'static, str>>,
        values: impl IntoIterator<Item = Option<f64>>,
    ) -> Columns {
        self.words(name.into(), DataType::Float64, true, values.into_iter().map(|value| value.map(f64::to_bits)))
    }

    /// A column of yes and no.
    pub fn flags(self, name: impl Into<Cow<'static, str>>, values: impl IntoIterator<Item = bool>) -> Columns {
        self.array(name.into(), values.into_iter().map(Some).collect::<BooleanArray>())
    }

    /// A column of text.
    pub fn texts<T: AsRef<str>>(
        self,
        name: impl Into<Cow<'static, str>>,
        values: impl IntoIterator<Item = T>,
    ) -> Columns {
        self.array(name.into(), StringArray::from_iter_values(values))
    }

    /// The table.
    pub fn table(self) -> Table {
        Table { rows: self.rows.unwrap_or(0), columns: self.columns, words: Buffer::from_vec(self.words) }
    }
}
