//! An allocator as one line of text, and the place where it becomes a running heap
//!
//! ```
//! use heapsmith_spec::Spec;
//!
//! let spec: Spec = "freelists(66,1514) list(fit=best)   # for full Ethernet frames".parse()?;
//! assert_eq!(
//!     spec.to_string(),
//!     "freelists(66,1514) list(order=address, fit=best, split=always, coalesce=immediate)"
//! );
//! # Ok::<(), heapsmith_spec::SpecError>(())
//! ```
//!
//! ```text
//!   text ──lexer──▶ tokens ──parse──▶ Spec ──validate──▶ a heap that can be built
//!     ▲                                 │
//!     └──────────────print──────────────┘
//! ```
//!
//! The same line is typed on a command line, stored with a result and printed in a report, so
//! a heap has exactly one canonical text: [`Spec`]'s `Display`. `FromStr` reads it, and
//! answers bad text with a [`SpecError`] that points at the column. [`catalogue()`] names the
//! heaps of the literature; [`resolve`] takes either a name or a text.
//!
//! # Grammar
//!
//! ```text
#![doc = include_str!("grammar.txt")]
//! ```
//!
//! Keys come in any order, each at most once; `fit` belongs to `list` and, as `fit=best`, to
//! `tree`; `each` and `tries` to `bins`. Numbers are bytes, percent or bins. The documentation of
//! each type says what it means: [`Regions`], [`FreeLists`], [`Guard`], [`Reserve`], [`List`], [`Bins`], [`Classes`], [`Tree`],
//! [`SkipList`], [`Tlsf`], [`Buddy`], [`Pages`], [`Bump`], [`Sizes`], [`Threads`], [`Purge`], [`Delay`],
//! [`HugePages`].

#[cfg(any(test, feature = "arbitrary"))]
pub mod arbitrary;
mod ast;
pub mod build;
mod catalogue;
mod error;
mod keyword;
mod lexer;
mod malloc;
mod parse;
mod pool;
mod print;
mod problem;
mod target;
mod validate;

pub use ast::{
    BinOrder, Check, Coalescing, Delay, EmptySpans, Fit, Flush, FreeBlocks, FreeLists, Guard, GuardPages, HugePages,
    Layer, Metadata, NamedRegion, NextSpan, Order, Purge, Regions, Reserve, Sizes, Spans, Spec, Splitting, Threads,
    WordSize,
};
pub use catalogue::{Entry, Promise, catalogue, entry, firmware, is_name, readings, resolve};
pub use error::SpecError;
pub use malloc::MallocError;
pub use pool::*;
pub use problem::Problem;
pub use target::{Target, Unsuited};
