//! Applications in miniature: real input in, the allocation trace out.
//!
//! ```text
//!                     ┌── capture ──► packets ──► drr, easyport ──┐
//!   file ─ unpacked ──┤                 │                         ├──► Trace
//!   (.xz .gz .zst)    │                 └─ HTTP ──┐               │
//!                     └── log, URL list ──► requests ──► url ─────┘
//!   workload:NAME ──► modem, pointer programs, cfrac, patterns ───┤
//!   trace of a Java program ──► java ─────────────────────────────┘
//! ```
//!
//! A [`Workload`] does with its input what the application would do, and writes down every
//! block that the application would allocate and free. Some need no input: they compute, and
//! are named `workload:NAME` where a file would be named. Nothing depends on the machine, and
//! what is drawn is drawn from a seed: the same file and parameters give the same trace.
//!
//! [`load()`] and [`stream()`] are the way in for everything that takes a trace: they read
//! trace files as they are, the files of other recorders through an importer, and anything
//! else through a workload. The content of a file decides its format.

#![forbid(unsafe_code)]

mod cfrac;
mod distribution;
mod drr;
mod easyport;
mod error;
mod every_other;
mod input;
mod java;
mod link;
mod load;
mod modem;
mod netbench;
mod pointer;
mod program;
mod random_half;
mod settings;
mod sizes;
mod tape;
mod url;
mod workload;

pub use error::{ErrorKind, LoadError};
pub use load::{Loaded, is_recorded, load, stream};
pub use workload::{PREFIX, Parameter, Workload, workload, workloads};
