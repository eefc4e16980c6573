//! Assertions about heaps on traces: what a program may need of its heap, kept in a file and checked in CI.
//!
//! ```text
//!   heap.toml ──▶ CheckFile: traces × heaps × assertions
//!                     │
//!   Source ─▶ trace ──┤                       ┌─▶ junit   JUnit XML, by Apache Ant's schema
//!             heap ───┼─▶ figures ─▶ Report ──┼─▶ sarif   SARIF 2.1.0
//!   Base ─────────────┘   (replays)           └─▶ Saved   the figures, as a base for later
//! ```
//!
//! An assertion says what a figure may be ([`Measure`]), absolutely or compared with a base: figures that were saved, or
//! the same traces in another folder. [`check()`] evaluates all of them. Each verdict is that the assertion holds, that it
//! failed, or that it could not be evaluated; none is left out.
//!
//! Everything is counted: the same traces and heaps give the same report, byte for byte. So what a JUnit report must say
//! of time is constant.

#![forbid(unsafe_code)]

mod amount;
mod base;
mod error;
mod figures;
mod file;
mod junit;
mod measure;
mod printable;
mod report;
mod run;
mod sarif;
mod sentence;

pub use amount::Amount;
pub use base::{Base, Saved};
pub use error::{CheckFileError, SavedError};
pub use file::{Assertion, CheckFile, HeapInput, HeapSource, Limit, TraceInput};
pub use junit::junit;
pub use measure::{At, Figure, Measure, Unit};
pub use report::{Outcome, Report, Verdict};
pub use run::{Source, check};
pub use sarif::sarif;

/// A check file with comments, which passes as it is.
pub const EXAMPLE: &str = include_str!("example.toml");
