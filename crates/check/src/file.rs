//! The check file: traces, heaps, and what is asserted of each heap on each trace.
//!
//! ```toml
//! base = "base.json"                    # optional: what growth is compared with
//!
//! [trace.day]
//! file = "day.parquet"                  # relative to this file, or workload:NAME
//! read = { as = "drr", limit = 20000 }  # optional: how it is read
//!
//! [heap.firmware]
//! spec = "first-fit"                    # or: exploration = "DIR", prefer = "memory"
//!
//! [[assert]]
//! measure = "min_region"
//! max = "64K"                           # and, or: min, max_growth, max_drop
//! heaps = ["firmware"]                  # optional; traces too
//! ```
//!
//! A file that says less than it seems to say is refused: unknown keys, assertions without a limit, heaps and traces
//! that no assertion is about.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toml::Spanned;

use crate::amount::{Amount, RawAmount};
use crate::error::{CheckFileError, place};
use crate::measure::{Figure, Measure};

mod names;
mod parameters;

use names::{Names, selected};
use parameters::Parameters;

/// A check file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckFile {
    /// Where it is.
    pub path: PathBuf,
    /// The base that it names, relative to its own folder.
    pub base: Option<PathBuf>,
    /// The traces, by name.
    pub traces: Vec<TraceInput>,
    /// The heaps, by name.
    pub heaps: Vec<HeapInput>,
    /// The assertions, in the order of the file; at least one.
    pub assertions: Vec<Assertion>,
}

/// A trace of a check file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceInput {
    /// Its name in the check file.
    pub name: String,
    /// The file, relative to the check file's folder, or a workload.
    pub file: String,
    /// Options of reading and transforming it, in the order of the file.
    pub options: Vec<(String, String)>,
    /// Its line in the check file.
    pub line: usize,
}

/// A heap of a check file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeapInput {
    /// Its name in the check file.
    pub name: String,
    /// Where its spec comes from.
    pub source: HeapSource,
    /// Its line in the check file.
    pub line: usize,
}

/// Where the spec of a heap comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeapSource {
    /// A spec, or a name of the catalogue.
    Spec(String),
    /// The pick of an exploration.
    Exploration {
        /// Its folder, relative to the check file's.
        dir: PathBuf,
        /// The preference by which it picks, where it is not the exploration's own.
        prefer: Option<String>,
    },
}

/// An assertion of a check file: a figure and its limits, for some heaps on some traces.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    /// Its line in the check file.
    pub line: usize,
    /// The column in that line.
    pub column: usize,
    /// What is measured.
    pub figure: Figure,
    /// What it may be; at least one.
    pub limits: Vec<Limit>,
    /// Indexes of the traces that it is about.
    pub traces: Vec<usize>,
    /// Indexes of the heaps that it is about; empty where the figure is one of the trace alone.
    pub heaps: Vec<usize>,
}

/// What a figure may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Limit {
    /// At most this.
    Max(f64),
    /// At least this.
    Min(f64),
    /// At most this much more than the base.
    MaxGrowth(Amount),
    /// At most this much less than the base.
    MaxDrop(Amount),
}

impl Limit {
    /// Whether it compares with a base.
    pub fn is_relative(self) -> bool {
        matches!(self, Limit::MaxGrowth(_) | Limit::MaxDrop(_))
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    base: Option<String>,
    #[serde(default)]
    trace: BTreeMap<String, Spanned<RawTrace>>,
    #[serde(default)]
    heap: BTreeMap<String, Spanned<RawHeap>>,
    #[serde(default)]
    assert: Vec<RawAssertion>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTrace {
    file: Spanned<String>,
    #[serde(default)]
    read: toml::Table,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawHeap {
    spec: Option<String>,
    exploration: Option<PathBuf>,
    prefer: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAssertion {
    measure: Spanned<String>,
    max: Option<Spanned<RawAmount>>,
    min: Option<Spanned<RawAmount>>,
    max_growth: Option<Spanned<RawAmount>>,
    max_drop: Option<Spanned<RawAmount>>,
    traces: Option<Vec<Spanned<String>>>,
    heaps: Option<Vec<Spanned<String>>>,
    passes: Option<Spanned<i64>>,
    leaked: Option<Spanned<String>>,
    region: Option<Spanned<RawAmount>>,
    at: Option<Spanned<String>>,
    moments: Option<Spanned<i64>>,
}

/// What is wrong at a place of the text.
type Wrong = (Range<usize>, String);

impl CheckFile {
    /// Reads the text of the check file at `path`.
    ///
    /// # Errors
    ///
    /// [`CheckFileError`] with the place in the text and what may stand there.
    pub fn parse(path: &Path, text: &str) -> Result<CheckFile, CheckFileError> {
        let raw: RawFile = toml::from_str(text).map_err(|error| {
            let message = error.message().trim_end().replace('\n', "; ");
            CheckFileError::at(path, text, error.span().unwrap_or(0..0), message)
        })?;
        resolved(path, text, &raw).map_err(|(span, message)| CheckFileError::at(path, text, span, message))
    }

    /// The folder that paths of the check file are relative to.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Whether an assertion compares with a base.
    pub fn needs_base(&self) -> bool {
        self.assertions.iter().any(|assertion| assertion.limits.iter().any(|limit| limit.is_relative()))
    }
}

fn resolved(path: &Path, text: &str, raw: &RawFile) -> Result<CheckFile, Wrong> {
    let line = |span: Range<usize>| place(text, span.start).0;
    let (mut traces, mut heaps) = (Vec::new(), Vec::new());
    for (name, raw) in &raw.trace {
        let options = options(&raw.get_ref().read).map_err(|message| (raw.span(), message))?;
        let file = &raw.get_ref().file;
        if file.get_ref().is_empty() {
            return Err((file.span(), format!("the trace {name:?} has no file: name one, or workload:NAME")));
        }
        traces.push(TraceInput { name: name.clone(), file: file.get_ref().clone(), options, line: line(file.span()) });
    }
    for (name, raw) in &raw.heap {
        let source = heap_source(name, raw.get_ref()).map_err(|message| (raw.span(), message))?;
        heaps.push(HeapInput { name: name.clone(), source, line: line(raw.span()) });
    }
    if raw.assert.is_empty() {
        return Err((
            0..0,
            "it asserts nothing: add an [[assert]] with a measure and a limit; `heapsmith check \
            --print-example` shows how"
                .to_owned(),
        ));
    }
    let names = Names::of(&traces, &heaps);
    let assertions = raw.assert.iter().map(|raw| assertion(text, raw, &names)).collect::<Result<Vec<_>, Wrong>>()?;
    for (number, (name, raw)) in raw.trace.iter().enumerate() {
        if !assertions.iter().any(|assertion| assertion.traces.contains(&number)) {
            return Err((raw.span(), format!("no assertion is about the trace {name:?}: remove it, or add one")));
        }
    }
    for (number, (name, raw)) in raw.heap.iter().enumerate() {
        if !assertions.iter().any(|assertion| assertion.heaps.contains(&number)) {
            return Err((raw.span(), format!("no assertion is about the heap {name:?}: remove it, or add one")));
        }
    }
    let base = raw.base.as_ref().map(PathBuf::from);
    Ok(CheckFile { path: path.to_owned(), base, traces, heaps, assertions })
}

fn heap_source(name: &str, raw: &RawHeap) -> Result<HeapSource, String> {
    match (&raw.spec, &raw.exploration, &raw.prefer) {
        (Some(spec), None, None) => Ok(HeapSource::Spec(spec.clone())),
        (None, Some(dir), prefer) => Ok(HeapSource::Exploration { dir: dir.clone(), prefer: prefer.clone() }),
        (Some(_), None, Some(_)) => {
            Err(format!("the heap {name:?} has a spec, which leaves nothing to prefer: remove prefer"))
        }
        (Some(_), Some(_), _) => Err(format!("the heap {name:?} has a spec and an exploration: keep one")),
        (None, None, _) => Err(format!(
            "the heap {name:?} has no spec: write spec = \"…\" (a spec or a name that `heapsmith heaps` lists), or \
             exploration = \"DIR\""
        )),
    }
}

/// The options of reading a trace as words: lists repeat an option, tables are its KEY=VALUE.
fn options(read: &toml::Table) -> Result<Vec<(String, String)>, String> {
    let mut options = Vec::new();
    for (key, value) in read {
        match value {
            toml::Value::Array(values) => {
                for value in values {
                    options.push((key.clone(), word(key, value)?));
                }
            }
            toml::Value::Table(pairs) => {
                for (name, value) in pairs {
                    options.push((key.clone(), format!("{name}={}", word(key, value)?)));
                }
            }
            value => options.push((key.clone(), word(key, value)?)),
        }
    }
    Ok(options)
}

fn word(key: &str, value: &toml::Value) -> Result<String, String> {
    match value {
        toml::Value::String(text) => Ok(text.clone()),
        toml::Value::Integer(number) => Ok(number.to_string()),
        toml::Value::Float(number) => Ok(number.to_string()),
        _ => Err(format!("read.{key} is neither a text nor a number: write it as on the command line, in quotes")),
    }
}

fn assertion(text: &str, raw: &RawAssertion, names: &Names<'_>) -> Result<Assertion, Wrong> {
    let span = raw.measure.span();
    let measure = Measure::of(raw.measure.get_ref()).map_err(|message| (span.clone(), message))?;
    let figure = Parameters::of(raw).figure(measure, span.clone())?;
    let limits = limits(raw, measure)?;
    let traces = selected("trace", &names.traces, raw.traces.as_deref(), span.clone())?;
    let heaps = match (&raw.heaps, measure.is_of_trace()) {
        (Some(heaps), true) => {
            let at = heaps.first().map_or(span, Spanned::span);
            return Err((
                at,
                format!("{} is a figure of the trace, the same for every heap: remove heaps", measure.name()),
            ));
        }
        (None, true) => Vec::new(),
        (heaps, false) => selected("heap", &names.heaps, heaps.as_deref(), span)?,
    };
    let (line, column) = place(text, raw.measure.span().start);
    Ok(Assertion { line, column, figure, limits, traces, heaps })
}

fn limits(raw: &RawAssertion, measure: Measure) -> Result<Vec<Limit>, Wrong> {
    let mut limits = Vec::new();
    let given = [("max", &raw.max), ("min", &raw.min), ("max_growth", &raw.max_growth), ("max_drop", &raw.max_drop)];
    for (key, raw) in given {
        let Some(raw) = raw else { continue };
        let wrong = |message: String| (raw.span(), message);
        let amount = Amount::of(raw.get_ref()).map_err(wrong)?;
        let limit = match key {
            "max" => Limit::Max(absolute(amount, measure).map_err(wrong)?),
            "min" => Limit::Min(absolute(amount, measure).map_err(wrong)?),
            "max_growth" if measure.is_better_larger() => {
                return Err(wrong(format!(
                    "{} is better larger: write max_drop in place of max_growth",
                    measure.name()
                )));
            }
            "max_drop" if !measure.is_better_larger() => {
                return Err(wrong(format!(
                    "{} is better smaller: write max_growth in place of max_drop",
                    measure.name()
                )));
            }
            "max_growth" => Limit::MaxGrowth(amount),
            _ => Limit::MaxDrop(amount),
        };
        limits.push(limit);
    }
    if limits.is_empty() {
        let relative = if measure.is_better_larger() { "max_drop" } else { "max_growth" };
        let message = format!("{} has no limit: add max, min or {relative}", measure.name());
        return Err((raw.measure.span(), message));
    }
    Ok(limits)
}

/// The value of an absolute limit. A share of nothing is a value only where the measure is a share.
fn absolute(amount: Amount, measure: Measure) -> Result<f64, String> {
    match (amount, measure.unit() == crate::Unit::Share) {
        (Amount::Number(number), _) => Ok(number),
        (Amount::Share(share), true) => Ok(share),
        (Amount::Share(_), false) => Err(format!(
            "{} is no share: write a number, or compare with a base by {}",
            measure.name(),
            if measure.is_better_larger() { "max_drop" } else { "max_growth" }
        )),
    }
}
