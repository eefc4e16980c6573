//! Traces in memory as the source of a check: today's, and those of the base.

use std::collections::BTreeMap;
use std::path::Path;

use heapsmith_check::{Base, CheckFile, HeapInput, HeapSource, Report, Source, TraceInput, check};
use heapsmith_replay::ReplayError;
use heapsmith_spec::{Spec, resolve};
use heapsmith_trace::{PackedTrace, Trace};

/// Traces by file name, and their versions in the base's folder.
#[derive(Default)]
pub struct Versions {
    now: BTreeMap<String, Trace>,
    before: BTreeMap<String, Trace>,
}

impl Versions {
    pub fn of(now: &Trace) -> Versions {
        Versions::both(now, now)
    }

    /// Today's trace and the base's, as the file `a`.
    pub fn both(now: &Trace, before: &Trace) -> Versions {
        let one = |trace: &Trace| BTreeMap::from([("a".to_owned(), trace.clone())]);
        Versions { now: one(now), before: one(before) }
    }

    /// Checks the text of a file against the base.
    pub fn check(&mut self, text: &str, base: &Base) -> Report {
        let file = CheckFile::parse(Path::new("heap.toml"), text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        check(&file, base, self).expect("every trace is there and every heap can be made")
    }
}

impl Source for Versions {
    type Error = ReplayError;

    fn trace(&mut self, input: &TraceInput, base: Option<&Path>) -> Result<PackedTrace, ReplayError> {
        let traces = if base.is_some() { &self.before } else { &self.now };
        Ok(PackedTrace::new(&traces[&input.file]).expect("a sound trace"))
    }

    fn heap(&mut self, input: &HeapInput) -> Result<Spec, ReplayError> {
        let HeapSource::Spec(text) = &input.source else { panic!("heaps of these tests are specs") };
        Ok(resolve(text).expect("a spec"))
    }
}
