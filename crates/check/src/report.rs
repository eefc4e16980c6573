//! What came of a check: a verdict for every limit of every assertion, on every trace, for every heap.

use std::path::PathBuf;

use crate::base::Saved;
use crate::file::Limit;
use crate::measure::Figure;

/// What came of all assertions.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The check file.
    pub path: PathBuf,
    /// The verdicts, in the order of the check file, then by trace and heap.
    pub verdicts: Vec<Verdict>,
    /// Names and specs of the heaps.
    pub heaps: Vec<(String, String)>,
    /// All figures, to be saved as a base.
    pub figures: Saved,
}

/// What came of one limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The assertion's line in the check file.
    pub line: usize,
    /// The column in that line.
    pub column: usize,
    /// The trace.
    pub trace: String,
    /// The heap; none for a figure of the trace alone.
    pub heap: Option<String>,
    /// What was measured.
    pub figure: Figure,
    /// What it may be.
    pub limit: Limit,
    /// Its value, where it has one.
    pub value: Option<f64>,
    /// The base's value, where it is compared with one.
    pub base: Option<f64>,
    /// Whether the limit is kept.
    pub outcome: Outcome,
}

/// Whether a limit is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is.
    Passed,
    /// It is not: a sentence says what was measured, what is allowed, and where.
    Failed(String),
    /// It cannot be evaluated: a sentence says why, and how to mend it.
    Impossible(String),
}

impl Outcome {
    /// The sentence of what did not pass.
    pub fn sentence(&self) -> Option<&str> {
        match self {
            Outcome::Passed => None,
            Outcome::Failed(sentence) | Outcome::Impossible(sentence) => Some(sentence),
        }
    }
}

impl Report {
    /// The verdicts that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| matches!(verdict.outcome, Outcome::Failed(_)))
    }

    /// The verdicts that could not be evaluated.
    pub fn impossible(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| matches!(verdict.outcome, Outcome::Impossible(_)))
    }
}

impl Verdict {
    /// The limit in words, with its numbers: `at most 65536 bytes (64.0 KB)`.
    pub fn allowed(&self) -> String {
        let unit = self.figure.measure().unit();
        let more = |amount: crate::Amount| match amount {
            crate::Amount::Number(number) => unit.shown(number),
            share => share.to_string(),
        };
        match self.limit {
            Limit::Max(max) => format!("at most {}", unit.shown(max)),
            Limit::Min(min) => format!("at least {}", unit.shown(min)),
            Limit::MaxGrowth(amount) => format!("at most {} more than the base", more(amount)),
            Limit::MaxDrop(amount) => format!("at most {} less than the base", more(amount)),
        }
    }

    /// Where it was measured: `tlsf on day`, or the trace alone.
    pub fn subject(&self) -> String {
        match &self.heap {
            Some(heap) => format!("{heap} on {}", self.trace),
            None => self.trace.clone(),
        }
    }
}
