//! A heap as the threads of a recording have it, counted.

use heapsmith_replay::{ThreadCost, ThreadCounts, ThreadedOptions, as_recorded};
use heapsmith_spec::Spec;
use heapsmith_trace::ThreadSteps;

use crate::failure::Failure;

/// A heap, and what was counted of it.
pub struct Counted {
    pub spec: Spec,
    pub counts: ThreadCounts,
}

impl Counted {
    /// Counts a heap on the steps in their recorded order.
    pub fn of(spec: Spec, steps: &ThreadSteps) -> Result<Counted, Failure> {
        let options = ThreadedOptions { orders: 0, ..ThreadedOptions::default() };
        let counts = as_recorded(&spec, steps, options)?;
        Ok(Counted { spec, counts })
    }

    /// Nanoseconds an operation, by the model.
    pub fn nanoseconds(&self) -> f64 {
        ThreadCost::MODEL.of(&self.counts)
    }
}
