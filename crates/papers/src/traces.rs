//! Traces that several experiments use, made once, and made of the samples or of numbers.

use std::collections::HashMap;
use std::rc::Rc;

use heapsmith_trace::{PackedTrace, Trace};
use heapsmith_workload::load;

use crate::error::ExperimentError;
use crate::setting::Setting;

/// What was made so far.
#[derive(Default)]
pub(crate) struct Traces {
    loaded: HashMap<(String, String), Rc<Trace>>,
}

impl Setting<'_> {
    /// The trace that a workload makes of a sample. For a test, only its beginning.
    pub(crate) fn trace(&mut self, workload: &str, sample: &str) -> Result<Rc<Trace>, ExperimentError> {
        const COUNTED: usize = 6000;
        let key = (workload.to_owned(), sample.to_owned());
        if let Some(trace) = self.traces.loaded.get(&key) {
            return Ok(Rc::clone(trace));
        }
        let path = self.samples.join(sample);
        if !path.exists() {
            return Err(ExperimentError::NoSample { path });
        }
        let mut trace = load(&path, Some(workload), &[])?;
        if !self.is_whole() {
            trace.events.truncate(COUNTED);
        }
        let trace = Rc::new(trace);
        self.traces.loaded.insert(key, Rc::clone(&trace));
        Ok(trace)
    }

    /// The same, as it is replayed.
    pub(crate) fn packed(&mut self, workload: &str, sample: &str) -> Result<PackedTrace, ExperimentError> {
        Ok(PackedTrace::new(&*self.trace(workload, sample)?)?)
    }
}
