//! Inputs of experiments as traces, made once and shared.
//!
//! ```text
//!   Input { from, file, settings, events, gc_every } ──▶ Trace ──▶ PackedTrace
//! ```

use std::path::Path;
use std::rc::Rc;

use heapsmith_trace::{Bytes, PackedTrace, Sink, Slice, Trace, Transforms};
use heapsmith_workload::{load, stream};

use crate::error::ExperimentError;
use crate::input::{Events, Input};
use crate::setting::Setting;

/// Events that a test has of each input.
const COUNTED: u64 = 6000;

impl Setting<'_> {
    /// The trace of an input. For a test, its beginning.
    pub(crate) fn trace(&mut self, input: Input) -> Result<Rc<Trace>, ExperimentError> {
        let uncut = Input { events: Events::All, gc_every: None, ..input };
        let whole = match self.traces.whole.get(&uncut) {
            Some(whole) => Rc::clone(whole),
            None => {
                let whole = Rc::new(self.load(uncut, &[])?);
                self.traces.whole.insert(uncut, Rc::clone(&whole));
                whole
            }
        };
        cut(whole, input)
    }

    /// The trace of an input with other settings than its own; one without a name changes nothing. It is not kept.
    pub(crate) fn varied(&mut self, input: Input, settings: &[(&str, &str)]) -> Result<Rc<Trace>, ExperimentError> {
        let named: Vec<(&str, &str)> = settings.iter().copied().filter(|(name, _)| !name.is_empty()).collect();
        let uncut = Input { events: Events::All, gc_every: None, ..input };
        cut(Rc::new(self.load(uncut, &named)?), input)
    }

    fn load(&self, input: Input, more: &[(&str, &str)]) -> Result<Trace, ExperimentError> {
        let whole = self.inputs.map(|dir| dir.join(input.file)).filter(|path| path.exists());
        let path = whole.unwrap_or_else(|| self.samples.join(input.file));
        if !path.exists() {
            return Err(ExperimentError::NoSample { path });
        }
        let settings = input.settings.iter().chain(more);
        self.loaded(&path, input.workload, &settings.copied().collect::<Vec<_>>())
    }

    /// What a workload makes of a file. For a test, its beginning.
    pub(crate) fn loaded(
        &self,
        path: &Path,
        workload: Option<&str>,
        settings: &[(&str, &str)],
    ) -> Result<Trace, ExperimentError> {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        let settings: Vec<(String, String)> = settings.iter().map(owned).collect();
        if self.is_whole() {
            return Ok(load(path, workload, &settings)?);
        }
        let mut trace = Trace::default();
        let beginning = Transforms { slice: Some(Slice::first(COUNTED)), ..Transforms::default() };
        let mut sink = beginning.before(&mut trace);
        let loaded = stream(path, workload, &settings, &mut sink)?;
        drop(sink);
        Ok(Trace { origin: loaded.origin, ..trace })
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

/// Those events of a whole trace that an input is.
fn cut(whole: Rc<Trace>, input: Input) -> Result<Rc<Trace>, ExperimentError> {
    if input.events == Events::All && input.gc_every.is_none() {
        return Ok(whole);
    }
    let events = whole.events.len() as u64;
    let slice = match input.events {
        Events::All => None,
        Events::Part(part, of) => format!("{}..{}", events * part / of, events * (part + 1) / of).parse::<Slice>().ok(),
        Events::First(first) => Some(Slice::first(first)),
    };
    let transforms = Transforms { slice, gc_every: input.gc_every.map(Bytes), ..Transforms::default() };
    let mut changed = Trace { origin: whole.origin.clone(), ..Trace::default() };
    let mut sink = transforms.before(&mut changed);
    for event in &whole.events {
        sink.take(*event)?;
    }
    sink.end()?;
    drop(sink);
    Ok(Rc::new(changed))
}
