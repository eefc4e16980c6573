//! Inputs of experiments as traces, made once and shared.
//!
//! ```text
//!   Input { from, file, settings, part, gc_every } ──▶ Trace ──▶ PackedTrace
//! ```

use std::collections::HashMap;
use std::rc::Rc;

use heapsmith_trace::{Bytes, PackedTrace, Sink, Slice, Trace, Transforms};
use heapsmith_workload::load;

use crate::error::ExperimentError;
use crate::setting::Setting;

/// An input: what an application makes of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Input {
    /// Its name in tables.
    pub name: &'static str,
    /// The sample.
    pub file: &'static str,
    /// The workload; none where the sample is a trace.
    pub workload: Option<&'static str>,
    /// Parameters of the workload.
    pub settings: &'static [(&'static str, &'static str)],
    /// Which of how many equal parts, from 0.
    pub part: Option<(u64, u64)>,
    /// Frees held back until so many bytes were requested: occasional collection.
    pub gc_every: Option<u64>,
}

impl Input {
    /// What a workload makes of a sample.
    pub const fn new(name: &'static str, workload: &'static str, file: &'static str) -> Input {
        Input { name, file, workload: Some(workload), settings: &[], part: None, gc_every: None }
    }

    /// A sample that is a trace.
    pub const fn recorded(name: &'static str, file: &'static str) -> Input {
        Input { name, file, workload: None, settings: &[], part: None, gc_every: None }
    }

    /// With parameters.
    pub const fn with(self, settings: &'static [(&'static str, &'static str)]) -> Input {
        Input { settings, ..self }
    }

    /// Of several equal parts, this one.
    pub const fn part(self, part: u64, of: u64) -> Input {
        Input { part: Some((part, of)), ..self }
    }

    /// Freed in bursts, whenever so many bytes were requested.
    pub const fn collected(self, every: u64) -> Input {
        Input { gc_every: Some(every), ..self }
    }
}

/// What was made so far.
#[derive(Default)]
pub(crate) struct Traces {
    whole: HashMap<Input, Rc<Trace>>,
}

/// Events that a test has of each input.
const COUNTED: u64 = 6000;

impl Setting<'_> {
    /// The trace of an input. For a test, its beginning.
    pub(crate) fn trace(&mut self, input: Input) -> Result<Rc<Trace>, ExperimentError> {
        let uncut = Input { part: None, gc_every: None, ..input };
        let whole = match self.traces.whole.get(&uncut) {
            Some(whole) => Rc::clone(whole),
            None => {
                let whole = Rc::new(self.load(uncut)?);
                self.traces.whole.insert(uncut, Rc::clone(&whole));
                whole
            }
        };
        if input == uncut {
            return Ok(whole);
        }
        let events = whole.events.len() as u64;
        let slice = input.part.map(|(part, of)| format!("{}..{}", events * part / of, events * (part + 1) / of));
        let transforms = Transforms {
            slice: slice.and_then(|slice| slice.parse::<Slice>().ok()),
            gc_every: input.gc_every.map(Bytes),
            ..Transforms::default()
        };
        let mut changed = Trace { origin: whole.origin.clone(), ..Trace::default() };
        let mut sink = transforms.before(&mut changed);
        for event in &whole.events {
            sink.take(*event)?;
        }
        sink.end()?;
        drop(sink);
        Ok(Rc::new(changed))
    }

    fn load(&self, input: Input) -> Result<Trace, ExperimentError> {
        let path = self.samples.join(input.file);
        if !path.exists() {
            return Err(ExperimentError::NoSample { path });
        }
        let settings: Vec<(String, String)> =
            input.settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        let mut trace = load(&path, input.workload, &settings)?;
        if !self.is_whole() {
            trace.events.truncate(COUNTED as usize);
        }
        Ok(trace)
    }

    /// The trace of an input, as it is replayed.
    pub(crate) fn packed(&mut self, input: Input) -> Result<PackedTrace, ExperimentError> {
        Ok(PackedTrace::new(&*self.trace(input)?)?)
    }

    /// The trace of a workload that needs no input.
    pub(crate) fn made(&self, workload: &str, settings: &[(&str, u64)]) -> Result<PackedTrace, ExperimentError> {
        Ok(PackedTrace::new(&self.made_trace(workload, settings)?)?)
    }

    /// The same, to be changed before it is replayed.
    pub(crate) fn made_trace(&self, workload: &str, settings: &[(&str, u64)]) -> Result<Trace, ExperimentError> {
        let settings: Vec<(String, String)> =
            settings.iter().map(|&(name, value)| (name.to_owned(), value.to_string())).collect();
        Ok(load(format!("workload:{workload}").as_ref(), None, &settings)?)
    }

    /// The trace of a workload that needs no input, with parameters that are not all numbers.
    pub(crate) fn computed(&self, workload: &str, settings: &[(&str, &str)]) -> Result<Trace, ExperimentError> {
        let settings: Vec<(String, String)> =
            settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        Ok(load(format!("workload:{workload}").as_ref(), None, &settings)?)
    }
}
