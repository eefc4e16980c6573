//! The traces of an exploration: at hand, or in its folder until something has to be replayed.

use std::cell::OnceCell;
use std::path::PathBuf;

use heapsmith_trace::{PackedTrace, Trace, TraceError};

use crate::folder::trace_file;

/// The traces of an exploration.
pub(crate) enum Traces<'a> {
    /// They are at hand.
    Given(&'a [PackedTrace]),
    /// They lie in the folder: this many.
    Kept { dir: PathBuf, count: usize, read: OnceCell<Vec<PackedTrace>> },
}

impl Traces<'_> {
    /// The traces of a folder, read when they are first asked for.
    pub fn kept(dir: PathBuf, count: usize) -> Traces<'static> {
        Traces::Kept { dir, count, read: OnceCell::new() }
    }

    /// The traces.
    pub fn get(&self) -> Result<&[PackedTrace], TraceError> {
        match self {
            Traces::Given(traces) => Ok(traces),
            Traces::Kept { dir, count, read } => match read.get() {
                Some(traces) => Ok(traces),
                None => {
                    let one = |number| PackedTrace::new(&Trace::read(trace_file(dir, number))?);
                    let all = (0..*count).map(one).collect::<Result<_, _>>()?;
                    Ok(read.get_or_init(|| all))
                }
            },
        }
    }
}
