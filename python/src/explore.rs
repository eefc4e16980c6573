//! An exploration, on this machine's cores or with its replays done elsewhere.
//!
//! ```text
//!            begin: folder, traces, store, catalogue
//!                    │
//!        ┌───────────┴──────────────┐
//!   sweep (threads here)     open ─▶ batches of specs ─▶ measure_batch (any process)
//!        │                   add  ◀─ rows of integers ◀──────────┘
//!        └───────────┬──────────────┘
//!            finish: results.csv, results.parquet
//! ```
//!
//! A batch's answer is integers, eight bytes each: for every design its number, then [`Measures::COLUMNS`] on
//! every trace. The store is that of the command: one is gone on with by the other.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_explore::{
    Exploration, Space, Store, Sweep as Swept, SweepError, measure_catalogue, sweep, write_csv, write_parquet,
};
use heapsmith_replay::{Measures, Region, ReplayOptions, replay};
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::PackedTrace;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Outcome, Raised};
use crate::trace::{Trace, packed};
use crate::wait::unlocked;

/// An exploration that is being done: its folder, its space and its store.
#[pyclass(frozen, module = "heapsmith._native")]
pub struct Sweep {
    dir: PathBuf,
    traces: Vec<PackedTrace>,
    space: Space,
    store: Mutex<Store>,
}

#[pymethods]
impl Sweep {
    /// Begins an exploration in a folder, or goes on with the one that is there, and measures the catalogue.
    #[new]
    fn begin(py: Python<'_>, traces: Vec<Bound<'_, PyAny>>, dir: PathBuf, command: &str) -> Outcome<Sweep> {
        let packed = packed(&traces)?;
        let wholes: Vec<Py<Trace>> =
            traces.into_iter().filter_map(|trace| trace.cast_into().ok()).map(Bound::unbind).collect();
        let space = Space::classic(&packed);
        fs::create_dir_all(&dir).map_err(|error| Raised::writing(&dir, &error))?;
        let store = unlocked(py, |_| {
            let write = |number: usize, path: &Path| Ok::<(), Raised>(wholes[number].get().write_to(path)?);
            let mut store = Store::begin_in(&dir, &space, &packed, command, write)?;
            measure_catalogue(&mut store, &packed)?;
            Ok::<Store, Raised>(store)
        })??;
        Ok(Sweep { dir, traces: packed, space, store: Mutex::new(store) })
    }

    /// Replays what is not done on threads here; `noted` is called with designs done, designs in all, and places on
    /// the front so far.
    fn run(&self, py: Python<'_>, jobs: usize, prune: bool, noted: Option<Py<PyAny>>) -> Outcome<usize> {
        let stop = AtomicBool::new(false);
        let all = Swept { prune, ..Swept::exhaustive(&self.space, &self.traces, jobs, &stop) };
        let swept = unlocked(py, |patience| {
            let mut store = self.store.lock().map_err(|_| SweepError::Interrupted)?;
            sweep(&all, &mut store, &mut |at| {
                patience.tell(noted.as_ref(), (at.designs, at.total, at.front));
                stop.fetch_or(patience.is_over(), Ordering::Relaxed);
            })
        });
        Ok(swept??)
    }

    /// The designs that must be replayed and are not done: number and spec.
    fn open(&self) -> Outcome<Vec<(u32, String)>> {
        let done = self.store()?.done(false)?;
        let open = self.space.unique().filter(|design| !done.contains(&design.number));
        Ok(open.map(|design| (design.number, design.spec.to_string())).collect())
    }

    /// How many designs of the space each distinct one stands for, by number.
    fn weights(&self) -> HashMap<u32, usize> {
        let mut weights = HashMap::new();
        self.space.designs.iter().for_each(|design| *weights.entry(design.same_as).or_default() += 1);
        weights
    }

    /// Designs of the space.
    #[getter]
    fn total(&self) -> usize {
        self.space.designs.len()
    }

    /// Designs that were replayed.
    #[getter]
    fn done(&self) -> Outcome<usize> {
        Ok(self.store()?.done(false)?.len())
    }

    /// Keeps the answers of batches, all or none of them. Gives the numbers of their designs.
    fn add(&self, py: Python<'_>, answers: Vec<Vec<u8>>) -> Outcome<Vec<u32>> {
        let width = 8 * (1 + self.traces.len() * Measures::COLUMNS.len());
        let mut rows = Vec::new();
        for answer in answers {
            if !answer.len().is_multiple_of(width) {
                let text = "a batch came back with rows of another length: is another heapsmith on a worker?";
                return Err(PyRuntimeError::new_err(text).into());
            }
            rows.extend(answer.chunks_exact(width).map(row));
        }
        py.detach(|| self.store()?.add(&rows, &[]).map_err(Raised::from))?;
        Ok(rows.into_iter().map(|(number, _)| number).collect())
    }

    /// Writes `results.csv` and `results.parquet`.
    fn finish(&self, py: Python<'_>) -> Outcome<()> {
        unlocked(py, |_| {
            let done = self.store()?.done(true)?;
            self.store()?.set_finished(self.space.unique().all(|design| done.contains(&design.number)))?;
            let exploration = Exploration::load(&*self.store()?)?;
            let csv = self.dir.join("results.csv");
            let written = File::create(&csv).and_then(|file| write_csv(&exploration, BufWriter::new(file)));
            written.map_err(|error| Raised::writing(&csv, &error))?;
            let parquet = self.dir.join("results.parquet");
            write_parquet(&exploration, &parquet).map_err(|error| Raised::writing(&parquet, &error))
        })?
    }
}

impl Sweep {
    fn store(&self) -> Outcome<std::sync::MutexGuard<'_, Store>> {
        self.store.lock().map_err(|_| PyRuntimeError::new_err("the store was left by work that failed").into())
    }
}

/// A design's number, and its measures on every trace.
fn row(bytes: &[u8]) -> (u32, Vec<Measures>) {
    let integer = |bytes: &[u8]| u64::from_le_bytes(std::array::from_fn(|byte| bytes[byte]));
    let integers: Vec<u64> = bytes.chunks_exact(8).map(integer).collect();
    let measures = integers[1..].chunks_exact(Measures::COLUMNS.len()).filter_map(Measures::from_row);
    (integers[0] as u32, measures.collect())
}

/// Replays designs on traces: the work of one batch, in any process.
#[pyfunction]
pub fn measure_batch<'py>(
    py: Python<'py>,
    traces: Vec<Bound<'py, PyAny>>,
    designs: Vec<(u32, String)>,
) -> Outcome<Bound<'py, PyBytes>> {
    let traces = packed(&traces)?;
    let parsed = designs.iter().map(|(number, text)| Ok((*number, resolve(text)?)));
    let designs = parsed.collect::<Outcome<Vec<(u32, Spec)>>>()?;
    let bytes = unlocked(py, |patience| {
        let mut regions = traces.iter().map(Region::for_trace).collect::<Result<Vec<_>, _>>()?;
        let mut bytes = Vec::new();
        for (number, spec) in &designs {
            if patience.is_over() {
                break;
            }
            bytes.extend(u64::from(*number).to_le_bytes());
            for (trace, region) in traces.iter().zip(&mut regions) {
                let measures = replay(spec, trace, region, ReplayOptions::MEASURE)?;
                bytes.extend(measures.to_row().into_iter().flat_map(u64::to_le_bytes));
            }
        }
        Ok::<_, heapsmith_replay::ReplayError>(bytes)
    })??;
    Ok(PyBytes::new(py, &bytes))
}
