//! Heaps as specs: `heapsmith.Heap`, and the lists of what has a name.

use heapsmith_spec::{Spec, catalogue, firmware, readings, resolve};
use heapsmith_workload::workloads;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::Outcome;
use crate::tables::{Columns, Table};

/// An allocator as one line of text, validated.
#[pyclass(frozen, eq, hash, module = "heapsmith")]
#[derive(PartialEq, Eq, Hash)]
pub struct Heap {
    /// Its canonical text.
    text: String,
}

impl Heap {
    /// The heap of a spec.
    pub fn of(spec: &Spec) -> Heap {
        Heap { text: spec.to_string() }
    }
}

#[pymethods]
impl Heap {
    #[new]
    fn new(text: &str) -> Outcome<Heap> {
        Ok(Heap::of(&resolve(text)?))
    }

    /// The canonical text.
    #[getter]
    fn spec(&self) -> &str {
        &self.text
    }

    /// This heap as one behind `malloc`: with blocks that are multiples of 16 bytes.
    fn for_malloc(&self) -> Outcome<Heap> {
        let spec = resolve(&self.text)?.for_malloc();
        let why = |error| crate::errors::Raised::usage(format!("this heap cannot be malloc: {error}"));
        Ok(Heap::of(&spec.map_err(why)?))
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        format!("Heap({:?})", self.text)
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("heapsmith._html")?.call_method1("heap", (slf,))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        (py.get_type::<Heap>(), (slf.get().text.as_str(),).into_pyobject(py)?).into_pyobject(py)
    }
}

/// The allocators that have a name: `name`, `heap`, `source`.
#[pyfunction]
pub fn heaps() -> Table {
    let all: Vec<_> = catalogue().iter().chain(firmware()).chain(readings()).collect();
    let spec = |text: &str| text.parse::<Spec>().map_or_else(|_| text.to_owned(), |spec| spec.to_string());
    Columns::default()
        .texts("name", all.iter().map(|entry| entry.name))
        .texts("heap", all.iter().map(|entry| spec(entry.spec)))
        .texts("source", all.iter().map(|entry| entry.source))
        .table()
}

/// What makes a trace of a file or of nothing: a row for each parameter.
#[pyfunction]
pub fn workload_parameters() -> Table {
    let rows: Vec<_> = workloads().iter().flat_map(|w| w.parameters.iter().map(move |p| (w, p))).collect();
    Columns::default()
        .texts("name", rows.iter().map(|(workload, _)| workload.name))
        .texts("about", rows.iter().map(|(workload, _)| workload.about))
        .texts("input", rows.iter().map(|(workload, _)| workload.input))
        .texts("source", rows.iter().map(|(workload, _)| workload.source))
        .texts("parameter", rows.iter().map(|(_, parameter)| parameter.name))
        .texts("default", rows.iter().map(|(_, parameter)| parameter.default))
        .texts("meaning", rows.iter().map(|(_, parameter)| parameter.about))
        .table()
}
