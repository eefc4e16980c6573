//! The papers' tables and figures, done again on this project's heaps.
//!
//! ```text
//!   experiments() ──▶ Experiment { claim, differs, run }
//!                          │ run(&mut Setting)          samples, seed, progress, stop
//!                          ▼
//!                       Outcome ── data (CSV), figures (SVG), statements ─▶ verdict
//!                          │                                      └── each answers a Claim of the register
//!                          ▼
//!                       Folder ── papers/NAME.csv, NAME*.svg, NAME.json
//!                          └──▶ papers.md, papers.html: every outcome that the folder holds
//! ```
//!
//! A module is a table or a figure. It states what the paper says, with a citation; what is found here is computed
//! from the data, and so is whether the conclusion holds. Nothing is tuned to agree.
//!
//! What is counted (accesses, bytes, visits) decides wherever it can; times are shown too, as they belong to the
//! machine that ran the command.

#![forbid(unsafe_code)]

mod answer;
mod error;
mod experiment;
mod fit;
mod folder;
mod hybrid;
mod input;
mod looking_glass;
mod markdown;
mod modems;
mod network;
mod outcome;
mod page;
mod played;
mod real_time;
mod register;
mod registry;
mod setting;
mod shown;
mod traces;

pub use answer::{Agreement, Answer, Interval};
pub use error::ExperimentError;
pub use experiment::{Experiment, Paper, papers};
pub use folder::{Folder, FolderError};
pub use outcome::{Figure, Kept, Outcome, Statement, Verdict};
pub use register::{Cause, Claim, Kind, Tally, Whose, claim, claims};
pub use registry::{experiments, named};
pub use setting::{Extent, ProgressStep, Setting};
pub use shown::{Shown, Value};
