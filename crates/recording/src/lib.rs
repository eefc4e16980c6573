//! Recording what programs allocate, and recordings as traces.
//!
//! ```text
//!   Launch ──LD_PRELOAD──▶ program, its children … ──▶ FOLDER/PROGRAM-PID.recording
//!      │                                                          │
//!      └── the library of heapsmith-launch                        ▼
//!                         Recording: header, blocks ──▶ Streams ──▶ merge ──▶ ids ──▶ Trace
//! ```
//!
//! What runs for days becomes one trace after another ([`Rotation`]).
//!
//! A program that runs already is recorded by [`Attached`], which has it load the library itself.
//!
//! With Java programs, `JavaLaunch` and the agent of the crate `heapsmith-agent` replace launch and
//! library; the rest is the same.
//!
//! The library that is preloaded is the crate `heapsmith-recorder`; [`format`](mod@format)
//! is its description of the file. Call sites are addresses until somebody looks at them ([`Symbols`]). A recording is read with a block of 256 KiB for every
//! thread in memory, besides the live blocks and the trace that comes out.

#![forbid(unsafe_code)]

mod attach;
mod blocks;
mod error;
mod file;
mod forestalled;
mod java;
mod launch;
mod layout;
mod merge;
mod outgoing;
mod own_allocator;
mod own_functions;
mod remarks;
mod rotation;
mod sites;
mod stream;
mod symbols;
mod trace;

pub use heapsmith_capture::format;

pub use attach::{AttachError, Attached, Detached, EVENTS};
pub use error::RecordingError;
pub use file::{Recording, is_recording};
pub use java::{Java, JavaLaunch, why_no_jvm_was_recorded};
pub use launch::Launch;
pub use own_allocator::{OwnAllocator, own_allocator};
pub use own_functions::{OwnFunctions, OwnFunctionsError};
pub use remarks::{Remarks, Stopped};
pub use rotation::Rotation;
pub use symbols::Symbols;
pub use trace::{COLLECTION, Recorded, decode, decode_to};
