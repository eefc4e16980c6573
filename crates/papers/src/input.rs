//! Inputs of experiments, and the traces made of them so far.

use std::collections::HashMap;
use std::rc::Rc;

use heapsmith_trace::Trace;

/// Which events of a trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Events {
    All,
    /// One of several equal parts, from 0.
    Part(u64, u64),
    /// The first.
    First(u64),
}

/// An input: what an application makes of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Input {
    /// Its name in tables.
    pub name: &'static str,
    /// The sample.
    pub file: &'static str,
    /// The workload; none if the sample is a trace.
    pub workload: Option<&'static str>,
    /// Parameters of the workload.
    pub settings: &'static [(&'static str, &'static str)],
    /// Which of its events.
    pub events: Events,
    /// Frees held back until this many bytes were requested: occasional collection.
    pub gc_every: Option<u64>,
}

impl Input {
    /// What a workload makes of a sample.
    pub const fn new(name: &'static str, workload: &'static str, file: &'static str) -> Input {
        Input { name, file, workload: Some(workload), settings: &[], events: Events::All, gc_every: None }
    }

    /// A sample that is a trace.
    pub const fn recorded(name: &'static str, file: &'static str) -> Input {
        Input { name, file, workload: None, settings: &[], events: Events::All, gc_every: None }
    }

    /// With parameters.
    pub const fn with(self, settings: &'static [(&'static str, &'static str)]) -> Input {
        Input { settings, ..self }
    }

    /// Of several equal parts, this one.
    pub const fn part(self, part: u64, of: u64) -> Input {
        Input { events: Events::Part(part, of), ..self }
    }

    /// The first N events.
    pub const fn beginning(self, events: u64) -> Input {
        Input { events: Events::First(events), ..self }
    }

    /// Freed in bursts, whenever this many bytes were requested.
    pub const fn collected(self, every: u64) -> Input {
        Input { gc_every: Some(every), ..self }
    }
}

/// What was made so far.
#[derive(Default)]
pub(crate) struct Traces {
    /// Whole inputs.
    pub whole: HashMap<Input, Rc<Trace>>,
}
