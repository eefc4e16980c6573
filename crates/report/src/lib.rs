//! The self-contained page of an exploration.
//!
//! ```text
//!   Exploration ─┐
//!                ├─▶ Study ──▶ sections ──▶ page: one HTML file, no network
//!   Traces ──────┘   (what      (text computed from the data,
//!                  all share)    tables, figures as SVG)
//! ```
//!
//! [`inspection()`] is the page of a trace alone, for a look before any exploration. [`over_time()`] is that
//! of heaps at moments of traces, [`comparison()`] that of two explorations, [`maps()`] that of their blocks, [`race()`] that of a race.
//! [`reproduction()`] is the page of the papers, whose figures are files too: [`chart`] draws them.
//!
//! Every sentence of the page is computed: a page about other traffic says
//! other things. Its figures are SVG, drawn when it is written; its own script adds what a pointer asks for, and a content
//! policy in the page forbids it to load anything.

#![forbid(unsafe_code)]

pub mod chart;
mod comparison;
mod document;
mod figure;
mod html;
mod inspection;
mod labels;
mod map;
mod number;
mod over_time;
mod places;
mod race;
mod reproduction;
mod sections;
mod span;
mod spec_text;
mod study;

pub use comparison::comparison;
pub use inspection::{findings, inspection};
pub use map::{Mapped, maps};
pub use number::{listed, percent, thousands};
pub use over_time::{Watched, over_time};
pub use race::{race, ranking, ranking_of_plays};
pub use reproduction::{ClaimRow, ClaimsSummary, Reproduced, ReproducedPaper, ShownTable, reproduction};

use heapsmith_explore::{Exploration, NoPick, Preference};
use heapsmith_limits::Lines;
use heapsmith_replay::ReplayError;
use heapsmith_trace::{Origin, Trace, TraceError};

use crate::study::Study;

/// Whether a trace is of a network application, by the workload that made it.
pub(crate) fn is_of_a_network(origin: &Origin) -> bool {
    ["drr", "easyport", "url"].contains(&origin.program.as_str())
}

/// What a page is made of.
#[derive(Debug, Clone, Copy)]
pub struct PageInput<'a> {
    /// The finished exploration.
    pub exploration: &'a Exploration,
    /// The reference lines of each of its traces; none leaves their section out.
    pub lines: &'a [Lines],
    /// Its traces, in the order of [`Exploration::traces`].
    pub traces: &'a [Trace],
    /// Its folder, as commands name it.
    pub folder: &'a str,
    /// What the pick should be good at.
    pub preference: Preference,
    /// Seconds that the sweep took, where known.
    pub elapsed: Option<f64>,
    /// The race of the folder, where there was one.
    pub race: Option<&'a heapsmith_race::Race>,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The traces are not those of the exploration.
    #[error("the exploration has {expected} traces, but {given} were passed")]
    Traces {
        /// Traces of the exploration.
        expected: usize,
        /// Traces that were passed.
        given: usize,
    },
    /// The exploration has no results, or not one for each design.
    #[error("the exploration holds no results: run `heapsmith explore` to its end first")]
    NoResults,
    /// No design serves every request and keeps the constraints.
    #[error("{0}")]
    NoPick(NoPick),
    /// A trace is damaged.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A trace could not be replayed for its footprint.
    #[error(transparent)]
    Replay(#[from] ReplayError),
}

/// The page of a finished exploration, as the text of an HTML file.
///
/// # Errors
///
/// [`ReportError`] when the input does not fit together, or a trace cannot be
/// replayed.
pub fn page(input: &PageInput<'_>) -> Result<String, ReportError> {
    let study = Study::of(*input)?;
    let sections = sections::all(&study)?;
    let page = document::Page {
        title: &study.title(),
        header: sections::answer::header(&study),
        answer: sections::answer::section(&study),
        sections: &sections,
    };
    Ok(page.html())
}
