//! A packed trace as a buffer that processes share.
//!
//! ```text
//!   Trace ──pack──▶ Words ─┐                            ┌─▶ replay, in place
//!                          ├──▶ PackedTrace ──buffer──▶─┤
//!   object store ─▶ Mapped ┘   (16 bytes an event)      └─▶ pickle, out of band: the object store, without a copy
//! ```
//!
//! | invariant | |
//! |---|---|
//! | B1 | the memory begins at a multiple of 8 bytes and is a multiple of 16 bytes long |
//! | B2 | byte 12 of every 16 is an operation: 0, 1 or 2 |
//! | B3 | nobody writes to it while it is kept: words are this process's own; of a mapped buffer the owner of the memory
//! says that it is read-only, not only the giver of a view |
//! | B4 | every byte is written |
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::sync::Arc;

use heapsmith_trace::{Keeper, PackedEvent, PackedEvents, PackedTrace};
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PyTuple};

use crate::errors::{Outcome, Raised, classes};

const EVENT: usize = size_of::<PackedEvent>();

/// Events as this process's own words.
struct Words(Vec<u64>);

impl Words {
    fn of(events: &[PackedEvent]) -> Words {
        let pair = |event: &PackedEvent| {
            let slot = event.slot.to_ne_bytes();
            let (operation, gap) = (event.operation as u8, event.gap.bits().to_ne_bytes());
            let second = [slot[0], slot[1], slot[2], slot[3], operation, event.alignment_log2, gap[0], gap[1]];
            [event.size, u64::from_ne_bytes(second)]
        };
        Words(events.iter().flat_map(pair).collect())
    }

    /// The words of bytes that may lie anywhere.
    fn copied(bytes: &[u8]) -> Words {
        let word = |word: &[u8]| u64::from_ne_bytes(std::array::from_fn(|byte| word[byte]));
        Words(bytes.chunks_exact(8).map(word).collect())
    }
}

impl AsRef<[PackedEvent]> for Words {
    fn as_ref(&self) -> &[PackedEvent] {
        // SAFETY: B1 of a vector of pairs of words, B2 of what `of` writes or `valid` has seen, B3 of a private vector.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), self.0.len() / 2) }
    }
}

/// Events in somebody else's memory.
struct Mapped(PyBuffer<u8>);

impl AsRef<[PackedEvent]> for Mapped {
    fn as_ref(&self) -> &[PackedEvent] {
        // SAFETY: B1, B2 and B3 were verified when it was mapped; the buffer is held as long as this lives.
        unsafe { std::slice::from_raw_parts(self.0.buf_ptr().cast(), self.0.len_bytes() / EVENT) }
    }
}

/// Whether every event has an operation.
fn valid(bytes: &[u8]) -> bool {
    bytes.len().is_multiple_of(EVENT) && bytes.chunks_exact(EVENT).all(|event| event[12] <= 2)
}

/// A trace as it is replayed: 16 bytes an event, in a buffer that other processes can map.
#[pyclass(frozen, name = "PackedTrace", module = "heapsmith")]
pub struct Packed {
    /// The trace; its events are owned words or mapped.
    pub trace: Arc<PackedTrace>,
}

impl Packed {
    /// A trace whose events are kept so that they can be shared.
    pub fn new(packed: PackedTrace) -> Packed {
        let words: Keeper = Arc::new(Words::of(&packed.events));
        Packed { trace: Arc::new(PackedTrace { events: PackedEvents::Kept(words), ..packed }) }
    }
}

#[pymethods]
impl Packed {
    /// Maps a buffer of packed events without copying it. One that its owner may write to, or that lies at an odd place, is
    /// copied; who lends memory as read-only must not change it while the trace lives.
    #[new]
    fn map(buffer: &Bound<'_, PyAny>, name: String) -> Outcome<Packed> {
        let view = PyMemoryView::from(buffer)?.call_method1("cast", ("B",))?;
        let buffer = PyBuffer::<u8>::get(&view)?;
        if !buffer.is_c_contiguous() {
            return Err(Raised::usage("packed events must lie one after another"));
        }
        // SAFETY: the buffer is held, contiguous, and as long as it says.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.buf_ptr().cast::<u8>(), buffer.len_bytes()) };
        if !valid(bytes) {
            let text = format!("{name} is damaged: the buffer does not hold packed events");
            return Err(Raised(classes::TraceError::new_err(text)));
        }
        let owner = PyBuffer::<u8>::get(&view.getattr("obj")?).is_ok_and(|owner| owner.readonly());
        let in_place = owner && buffer.readonly() && bytes.as_ptr().cast::<u64>().is_aligned() && !bytes.is_empty();
        let keeper: Keeper = if in_place { Arc::new(Mapped(buffer)) } else { Arc::new(Words::copied(bytes)) };
        Ok(Packed { trace: Arc::new(PackedTrace::kept(keeper, name)?) })
    }

    /// The trace's name.
    #[getter]
    fn name(&self) -> &str {
        &self.trace.name
    }

    /// The same for equal events on every machine.
    #[getter]
    fn fingerprint(&self) -> String {
        format!("{:016x}", self.trace.fingerprint)
    }

    /// Bytes of the buffer, 16 an event.
    #[getter]
    fn nbytes(&self) -> usize {
        self.trace.events.len() * EVENT
    }

    fn __len__(&self) -> usize {
        self.trace.events.len()
    }

    fn __repr__(&self) -> String {
        format!("<PackedTrace {}: {} events, {} bytes>", self.trace.name, self.trace.events.len(), self.nbytes())
    }

    fn __reduce_ex__<'py>(slf: &Bound<'py, Self>, protocol: i32) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let buffer = if protocol >= 5 {
            py.import("pickle")?.getattr("PickleBuffer")?.call1((slf,))?
        } else {
            py.get_type::<pyo3::types::PyBytes>().call1((slf,))?
        };
        let arguments = (buffer, slf.get().trace.name.as_str()).into_pyobject(py)?;
        (py.get_type::<Packed>(), arguments).into_pyobject(py)
    }

    /// # Safety
    ///
    /// `view` is null or one that Python wants filled.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view to fill"));
        }
        let events = &slf.get().trace.events;
        let bytes = events.as_ptr().cast::<c_void>().cast_mut();
        // SAFETY: the events are bytes that are written (B4) and stay where they are while `slf` lives, to which the
        // view gets a reference; it is read-only.
        let filled = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), bytes, (events.len() * EVENT) as ffi::Py_ssize_t, 1, flags)
        };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}
