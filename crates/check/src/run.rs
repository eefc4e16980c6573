//! A check from its file to its report.

use heapsmith_replay::ReplayError;
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;

use crate::base::{Base, Saved};
use crate::figures::{Figures, Found, Missing, Value};
use crate::file::{CheckFile, HeapInput, TraceInput};
use crate::measure::Figure;
use crate::report::{Outcome, Report, Verdict};
use crate::sentence::outcome;

/// Where traces and heaps come from.
pub trait Source {
    /// Why one of them cannot be had, or replayed.
    type Error: From<ReplayError>;

    /// A trace, relative to the folder `base`, or to the check file's.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    fn trace(&mut self, input: &TraceInput, base: Option<&std::path::Path>) -> Result<PackedTrace, Self::Error>;

    /// A heap.
    ///
    /// # Errors
    ///
    /// There is no such heap.
    fn heap(&mut self, input: &HeapInput) -> Result<Spec, Self::Error>;
}

/// Evaluates every assertion of a check file. One trace is in memory at a time, and its other version where the base is a
/// folder.
///
/// # Errors
///
/// A trace or a heap that cannot be had. An assertion that fails, or has nothing to evaluate, is a verdict.
pub fn check<S: Source>(file: &CheckFile, base: &Base, source: &mut S) -> Result<Report, S::Error> {
    let heaps = file.heaps.iter().map(|heap| source.heap(heap)).collect::<Result<Vec<Spec>, _>>()?;
    let (mut verdicts, mut figures) = (Vec::new(), Saved::default());
    for (number, input) in file.traces.iter().enumerate() {
        let trace = source.trace(input, None)?;
        let other = match base {
            Base::Folder(dir) => Some(source.trace(input, Some(dir))?),
            Base::None | Base::Saved(_) => None,
        };
        let subjects = std::iter::once(None).chain((0..heaps.len()).map(Some));
        for heap in subjects {
            let mut pair = Pair {
                file,
                base,
                trace: number,
                heap,
                now: None,
                before: None,
                versions: (&trace, other.as_ref()),
                spec: heap.map(|heap| &heaps[heap]),
            };
            pair.evaluate(&mut verdicts, &mut figures)?;
        }
    }
    // As the file has them; the sort keeps traces and heaps of an assertion in their order.
    verdicts.sort_by_key(|(assertion, _)| *assertion);
    Ok(Report {
        path: file.path.clone(),
        verdicts: verdicts.into_iter().map(|(_, verdict)| verdict).collect(),
        heaps: file.heaps.iter().zip(&heaps).map(|(input, spec)| (input.name.clone(), spec.to_string())).collect(),
        figures,
    })
}

/// One trace with one heap, or with none for figures of the trace alone.
struct Pair<'c> {
    file: &'c CheckFile,
    base: &'c Base,
    trace: usize,
    heap: Option<usize>,
    now: Option<Figures<'c>>,
    before: Option<Figures<'c>>,
    /// The trace, and its version in the base's folder.
    versions: (&'c PackedTrace, Option<&'c PackedTrace>),
    spec: Option<&'c Spec>,
}

impl Pair<'_> {
    /// Adds the verdicts of every assertion that is about this pair, each with the assertion's number.
    fn evaluate(&mut self, verdicts: &mut Vec<(usize, Verdict)>, figures: &mut Saved) -> Result<(), ReplayError> {
        let file = self.file;
        let (trace, heap) = (&file.traces[self.trace].name, self.heap.map(|heap| file.heaps[heap].name.as_str()));
        for (number, assertion) in file.assertions.iter().enumerate() {
            let is_about = assertion.traces.contains(&self.trace)
                && self.heap.map_or(assertion.heaps.is_empty(), |heap| assertion.heaps.contains(&heap));
            if !is_about {
                continue;
            }
            let found = self.now(assertion.figure)?;
            if let Ok(now) = &found {
                figures.keep(trace, heap.unwrap_or_default(), assertion.figure, now.value);
            }
            for &limit in &assertion.limits {
                let base = if limit.is_relative() { self.before(assertion.figure)? } else { None };
                let value = |found: &Found| found.as_ref().ok().map(|found| found.value);
                let mut verdict = Verdict {
                    line: assertion.line,
                    column: assertion.column,
                    trace: trace.clone(),
                    heap: heap.map(str::to_owned),
                    figure: assertion.figure,
                    limit,
                    value: value(&found),
                    base: base.as_ref().and_then(value),
                    outcome: Outcome::Passed,
                };
                verdict.outcome = outcome(&file.path, &verdict, &found, base.as_ref());
                verdicts.push((number, verdict));
            }
        }
        Ok(())
    }

    fn now(&mut self, figure: Figure) -> Result<Found, ReplayError> {
        let (trace, _) = self.versions;
        computed(&mut self.now, trace, self.spec, figure)
    }

    /// The base's figure; none where there is no base.
    fn before(&mut self, figure: Figure) -> Result<Option<Found>, ReplayError> {
        match (self.base, self.versions.1) {
            (Base::None, _) => Ok(None),
            (Base::Saved(saved), _) => Ok(Some(self.saved(saved, figure))),
            (Base::Folder(_), Some(trace)) => computed(&mut self.before, trace, self.spec, figure).map(Some),
            (Base::Folder(_), None) => Ok(None),
        }
    }

    fn saved(&self, saved: &Saved, figure: Figure) -> Found {
        let trace = &self.file.traces[self.trace].name;
        let heap = self.heap.map_or("", |heap| &self.file.heaps[heap].name);
        saved.get(trace, heap, figure).map(Value::from).ok_or_else(|| {
            Missing::Unknown(
                "the saved figures lack it; save them anew with --save, from the version to compare with".to_owned(),
            )
        })
    }
}

fn computed<'c>(
    figures: &mut Option<Figures<'c>>,
    trace: &'c PackedTrace,
    spec: Option<&'c Spec>,
    figure: Figure,
) -> Result<Found, ReplayError> {
    match figures {
        Some(figures) => figures.get(figure),
        empty => empty.insert(Figures::of(trace, spec)?).get(figure),
    }
}
