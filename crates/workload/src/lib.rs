//! Applications in miniature: real input in, the allocation trace out.
//!
//! ```text
//!                     ┌── capture ──► packets ──► drr, easyport ──┐
//!   file ─ unpacked ──┤                 │                         ├──► Trace
//!   (.xz .gz .zst)    │                 └─ HTTP ──┐               │
//!                     └── log, URL list ──► requests ──► url ─────┘
//! ```
//!
//! A [`Workload`] does with its input what the application would do, and writes down every
//! block that the application would allocate and free. Nothing is random and nothing
//! depends on the machine: the same file and parameters give the same trace.
//!
//! [`load()`] and [`stream()`] are the way in for everything that takes a trace: they read
//! trace files as they are, the files of other recorders through an importer, and anything
//! else through a workload. What a file is, is told from its content.

#![forbid(unsafe_code)]

mod distribution;
mod drr;
mod easyport;
mod error;
mod input;
mod link;
mod load;
mod settings;
mod tape;
mod url;
mod workload;

pub use error::{ErrorKind, LoadError};
pub use load::{Loaded, load, stream};
pub use workload::{Parameter, Workload, workload, workloads};
