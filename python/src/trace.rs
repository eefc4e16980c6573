//! `heapsmith.Trace`: events as Arrow columns, and their packed form.

use std::path::PathBuf;
use std::sync::Arc;

use heapsmith_output::Output;
use heapsmith_trace::{
    Action, Bytes, Comparison, Event, Module, Origin, Packer, Sink, Slice, Trace as Whole, TraceError, TraceWriter,
    Transforms,
};
use heapsmith_workload::stream;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyMapping, PyTuple};

use crate::capsule::{Batches, give, take};
use crate::columns::{ColumnsBuilder, send};
use crate::errors::{Outcome, Raised};
use crate::names::Names;
use crate::packed::Packed;
use crate::wait::unlocked;

/// What a program asked of its heap, in order.
#[pyclass(frozen, module = "heapsmith")]
pub struct Trace {
    origin: Origin,
    sites: Vec<String>,
    labels: Vec<String>,
    remarks: Vec<String>,
    columns: Batches,
    packed: Py<Packed>,
}

/// Takes a trace into columns and into its packed form at once.
struct Both {
    columns: Option<ColumnsBuilder>,
    packer: Packer,
    sites: Names,
    labels: Names,
}

impl Both {
    fn new(columns: Option<ColumnsBuilder>, sites: Vec<String>, labels: Vec<String>) -> Both {
        let (sites, labels) = (Names::new("site", sites), Names::new("label", labels));
        Both { columns, packer: Packer::default(), sites, labels }
    }
}

impl Sink for Both {
    fn take(&mut self, event: Event) -> Result<(), TraceError> {
        self.packer.take(event)?;
        event.site.into_iter().for_each(|site| self.sites.used(site));
        if let Action::Mark { label } = event.action {
            self.labels.used(label);
        }
        if let Some(columns) = &mut self.columns {
            columns.push(&event);
        }
        Ok(())
    }

    fn name_site(&mut self, name: &str) {
        self.sites.push(name);
    }

    fn name_label(&mut self, text: &str) {
        self.labels.push(text);
    }
}

impl Trace {
    /// Hands the events to a sink; columns that somebody changed since the trace was made are no longer of it.
    pub fn send(&self, sink: &mut dyn Sink) -> Result<(), TraceError> {
        self.sites.iter().for_each(|site| sink.name_site(site));
        self.labels.iter().for_each(|label| sink.name_label(label));
        let packed = &self.packed.get().trace;
        let mut both = (Comparison::with(packed), sink);
        send(&self.columns, &mut both)?;
        match both.0.is_same() {
            true => Ok(()),
            false => Err(TraceError::NotATrace {
                path: PathBuf::from(self.origin.name()),
                cause: "the table that it was made from was changed since: make it of a copy".to_owned(),
            }),
        }
    }

    /// Where it came from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Writes a trace file and ends it.
    pub fn write_to(&self, mut writer: TraceWriter) -> Result<(), TraceError> {
        self.send(&mut writer)?;
        writer.finish(&self.origin)
    }

    fn of_columns(
        py: Python<'_>,
        columns: Batches,
        origin: Origin,
        sites: Vec<String>,
        labels: Vec<String>,
        remarks: Vec<String>,
    ) -> Outcome<Trace> {
        let (packed, sites, labels) = unlocked(py, |_| {
            let mut both = Both::new(None, sites, labels);
            send(&columns, &mut both)?;
            let packed = Packed::new(both.packer.finish(&origin));
            Ok::<_, TraceError>((packed, both.sites.complete()?, both.labels.complete()?))
        })??;
        Ok(Trace { origin, sites, labels, remarks, columns, packed: Py::new(py, packed)? })
    }

    /// As the libraries hold a whole trace.
    pub fn whole(&self) -> Result<Whole, TraceError> {
        let mut whole = Whole::new(self.origin.clone());
        self.send(&mut whole)?;
        Ok(whole)
    }
}

#[pymethods]
impl Trace {
    /// Reads a trace file, imports what another tool recorded, or makes a trace of any other input.
    ///
    /// Parameters
    /// ----------
    /// path
    ///     A trace file (Parquet); a recording of heaptrack, mtrace, ltrace and others, recognised by its content; a capture or a
    ///     log, with ``format``; or ``workload:NAME`` for what needs no file. ``.xz``, ``.gz`` and ``.zst`` are read as they are.
    /// format
    ///     The importer or workload that makes a trace of the input: see :func:`heapsmith.workloads`.
    /// settings
    ///     Parameters of it: a mapping.
    /// slice
    ///     Only a stretch: events from 0 (``"..1000"``, ``"500..800"``) or times (``"1.5s..2s"``). Blocks that live at
    ///     its beginning are allocated there. ``limit=N`` is ``slice="..N"``.
    /// thread
    ///     Only the blocks that these threads allocate: a list of numbers.
    /// copies
    ///     Interleave this many copies of the trace on one heap.
    /// gc_every
    ///     Free in bursts, as a garbage collection after every ``gc_every`` requested bytes does.
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     There is no such importer, workload or parameter, or none was named for a capture or a log.
    /// TraceError
    ///     The input is damaged: the message names the event and the cause.
    /// SystemFailure
    ///     The file cannot be opened or read.
    #[staticmethod]
    #[pyo3(signature = (path, *, format=None, settings=None, slice=None, limit=None, thread=Vec::new(), copies=1, gc_every=None))]
    #[allow(clippy::too_many_arguments)]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        format: Option<String>,
        settings: Option<&Bound<'_, PyMapping>>,
        slice: Option<&str>,
        limit: Option<u64>,
        thread: Vec<u32>,
        copies: u32,
        gc_every: Option<u64>,
    ) -> Outcome<Trace> {
        if slice.is_some() && limit.is_some() {
            return Err(Raised::usage("limit=N is slice=\"..N\": give one of the two"));
        }
        let slice = slice.map(|text| text.parse::<Slice>().map_err(|error| Raised::usage(error.to_string())));
        let slice = slice.transpose()?.or(limit.map(Slice::first));
        let gc_every = gc_every.map(Bytes);
        let transforms = Transforms { slice, threads: thread, copies, gc_every, ..Transforms::default() };
        let settings = settings.map_or_else(|| Ok(Vec::new()), pairs)?;
        let mut both = Both::new(Some(ColumnsBuilder::new()), Vec::new(), Vec::new());
        let loaded = unlocked(py, |_| {
            let sink = &mut *transforms.before(&mut both);
            stream(&path, format.as_deref(), &settings, sink)
        })??;
        let mut origin = loaded.origin;
        origin.settings.extend(transforms.settings());
        let Both { columns, packer, sites, labels } = both;
        let (sites, labels) = (sites.complete()?, labels.complete()?);
        let packed = Packed::new(packer.finish(&origin));
        let columns = columns.unwrap_or_else(ColumnsBuilder::new).finish();
        Ok(Trace { origin, sites, labels, remarks: loaded.remarks, columns, packed: Py::new(py, packed)? })
    }

    /// Takes the events of a table of pandas, polars or pyarrow: anything with ``__arrow_c_stream__`` or ``__arrow_c_array__``.
    ///
    /// The columns stay where they are: they are read in place, once, and the trace gives the same memory on. What is made
    /// in addition there is the packed form, 16 bytes per event.
    ///
    /// Parameters
    /// ----------
    /// table
    ///     A row for each event, in order. ``action``: ``allocate``, ``free``, ``reallocate`` or ``mark``, as text or
    ///     categories. ``id``: integers that name a block while it lives. ``size``: bytes requested, of ``allocate`` and
    ///     ``reallocate``. And where they are known: ``time`` (ns), ``thread``, ``alignment`` (bytes, a power of two, or 0),
    ///     ``site`` and ``label`` (indexes from 0). A missing value is a null or a NaN. Other columns are ignored.
    /// name
    ///     What tables and titles call it.
    /// sites, labels
    ///     The names of call sites and the texts of marks. What has no name is called by its index.
    ///
    /// The table must not be changed while the trace is used: what reads its columns again raises a TraceError then.
    ///
    /// Raises
    /// ------
    /// UsageError
    ///     It is no table.
    /// TraceError
    ///     A column is missing or of another type; a row is no event; a block is freed that is not live, and the like. The
    ///     message names the event, from 1.
    #[staticmethod]
    #[pyo3(signature = (table, *, name="table".to_owned(), sites=Vec::new(), labels=Vec::new()))]
    fn from_arrow(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        name: String,
        sites: Vec<String>,
        labels: Vec<String>,
    ) -> Outcome<Trace> {
        Trace::of_columns(py, take(table)?, Origin::new(name, ""), sites, labels, Vec::new())
    }

    /// A trace that was pickled: its columns, where it came from, names and remarks.
    #[staticmethod]
    fn _unpickled(
        py: Python<'_>,
        table: &Bound<'_, PyAny>,
        origin: PickledOrigin,
        texts: (Vec<String>, Vec<String>, Vec<String>),
    ) -> Outcome<Trace> {
        let ((sites, labels, remarks), (program, source, heapsmith, settings, modules)) = (texts, origin);
        let modules = modules.into_iter().map(|(name, path, build_id)| Module { name, path, build_id }).collect();
        let origin = Origin { program, source, settings, heapsmith, modules };
        Trace::of_columns(py, take(table)?, origin, sites, labels, remarks)
    }

    /// The trace's name: what made it, and of what.
    #[getter]
    fn name(&self) -> String {
        self.origin.name()
    }

    /// Every parameter that made it, with the value that was used.
    #[getter]
    fn settings(&self) -> Vec<(String, String)> {
        self.origin.settings.clone()
    }

    /// What was odd about the input, in words.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.remarks.clone()
    }

    /// The names of call sites, which the column `site` counts from 0.
    #[getter]
    fn sites(&self) -> Vec<String> {
        self.sites.clone()
    }

    /// The texts of marks, which the column `label` counts from 0.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.labels.clone()
    }

    /// The peak live bytes, as requested.
    #[getter]
    fn requested_peak(&self) -> u64 {
        self.packed.get().trace.requested_peak.0
    }

    /// The most blocks live at once.
    #[getter]
    fn blocks_peak(&self) -> usize {
        self.packed.get().trace.slots
    }

    /// The same for equal events on every machine, as text.
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.packed.get().trace.fingerprint)
    }

    /// The trace as it is replayed, in a buffer of 16 bytes an event.
    #[getter]
    fn packed(&self, py: Python<'_>) -> Outcome<Py<Packed>> {
        self.origin.whole()?;
        Ok(self.packed.clone_ref(py))
    }

    /// The columns as a stream of Arrow's C interface, without a copy.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        give(py, &self.columns)
    }

    /// The columns as a `pyarrow.Table`, without a copy.
    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// Writes a trace file (Parquet), which every command of heapsmith reads.
    fn write(&self, py: Python<'_>, path: PathBuf) -> Outcome<()> {
        let output = Output::create(&path).map_err(|error| Raised::writing(&path, &error))?;
        Ok(unlocked(py, |_| self.write_to(TraceWriter::to(output)?))??)
    }

    fn __len__(&self) -> usize {
        self.columns.rows()
    }

    fn __repr__(&self) -> String {
        let packed = &self.packed.get().trace;
        let (name, events) = (self.origin.name(), self.columns.rows());
        format!(
            "<Trace {name}: {events} events, at most {} in {} blocks live at once>",
            packed.requested_peak, packed.slots
        )
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("heapsmith._html")?.call_method1("trace", (slf,))
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let (py, trace) = (slf.py(), slf.get());
        let Origin { program, source, settings, heapsmith, modules } = trace.origin.clone();
        let modules = modules.into_iter().map(|module| (module.name, module.path, module.build_id)).collect();
        let origin: PickledOrigin = (program, source, heapsmith, settings, modules);
        let texts = (trace.sites(), trace.labels(), trace.remarks());
        let arguments = (Trace::to_arrow(slf)?, origin, texts).into_pyobject(py)?;
        (py.get_type::<Trace>().getattr("_unpickled")?, arguments).into_pyobject(py)
    }
}

/// What an origin is to pickle: program, source, version, settings, modules.
type PickledOrigin = (String, String, String, Vec<(String, String)>, Vec<(String, String, String)>);

/// The parameters of a mapping, as the command takes them: text.
fn pairs(settings: &Bound<'_, PyMapping>) -> PyResult<Vec<(String, String)>> {
    let text = |item: Bound<'_, PyAny>| {
        let (key, value) = item.extract::<(String, Bound<'_, PyAny>)>()?;
        let value = match value.cast::<PyBool>() {
            Ok(flag) => if flag.is_true() { "yes" } else { "no" }.to_owned(),
            Err(_) => value.str()?.to_string(),
        };
        Ok((key, value))
    };
    settings.items()?.iter().map(text).collect()
}

/// The packed traces of objects that are traces.
pub fn packed(traces: &[Bound<'_, PyAny>]) -> Outcome<Vec<heapsmith_trace::PackedTrace>> {
    let each = traces.iter().map(|object| {
        let packed: Arc<heapsmith_trace::PackedTrace> = match object.cast::<Trace>() {
            Ok(trace) => {
                trace.get().origin.whole()?;
                trace.get().packed.get().trace.clone()
            }
            Err(_) => object.cast::<Packed>().map_err(PyErr::from)?.get().trace.clone(),
        };
        // Its events are kept by an `Arc`: a clone is no copy.
        Ok((*packed).clone().checked()?)
    });
    each.collect()
}
