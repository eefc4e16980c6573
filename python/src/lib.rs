//! The native part of the Python package: pointers and long work. The public functions are in `heapsmith/*.py`.
//!
//! ```text
//!   tables of pandas, polars, pyarrow ──capsule, columns──▶ Trace ──▶ PackedTrace (a buffer)
//!   files ──the door for every input──────────────────────▶   │            │
//!                                                             ▼            ▼
//!                                              inspect, emit, replay, explore, measure_batch
//!                                                                          │
//!                                     tables of Arrow, exceptions ◀────────┘
//! ```
//!
//! Everything that takes long runs without Python's lock and is ended by Ctrl-C (`wait`).

mod block;
mod capsule;
mod columns;
mod emit;
mod errors;
mod explore;
mod explored;
mod heap;
mod inspect;
mod names;
mod packed;
mod replay;
mod tables;
mod trace;
mod wait;

use pyo3::prelude::*;

/// The native part of `heapsmith`.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<tables::Table>()?;
    module.add_class::<trace::Trace>()?;
    module.add_class::<packed::Packed>()?;
    module.add_class::<heap::Heap>()?;
    module.add_class::<inspect::Inspected>()?;
    module.add_class::<explored::Explored>()?;
    module.add_function(wrap_pyfunction!(heap::heaps, module)?)?;
    module.add_function(wrap_pyfunction!(heap::workload_parameters, module)?)?;
    module.add_function(wrap_pyfunction!(replay::replay_all, module)?)?;
    module.add_function(wrap_pyfunction!(replay::blocks, module)?)?;
    module.add_function(wrap_pyfunction!(replay::replaying_ns, module)?)?;
    module.add_function(wrap_pyfunction!(explore::explore, module)?)?;
    module.add_function(wrap_pyfunction!(explore::measure_batch, module)?)?;
    module.add_function(wrap_pyfunction!(explore::replayed, module)?)?;
    module.add_function(wrap_pyfunction!(explore::unique_designs, module)?)?;
    module.add_function(wrap_pyfunction!(explored::undominated, module)?)?;
    module.add_function(wrap_pyfunction!(emit::emit, module)?)?;
    module.add_function(wrap_pyfunction!(emit::emit_to, module)?)?;
    module.add_function(wrap_pyfunction!(emit::write_text, module)?)
}
