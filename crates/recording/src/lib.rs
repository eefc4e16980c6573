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
//! A program that runs already is recorded by [`Attached`], which has it load the library itself. One that is linked statically is
//! held at its first instruction, and the library is put into it ([`start_static`]).
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
mod exported;
mod file;
mod forestalled;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod inserted;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[path = "inserted/not_here.rs"]
mod inserted;
mod java;
mod launch;
mod layout;
mod lives;
mod merge;
mod outgoing;
mod own_allocator;
mod own_functions;
mod process_memory;
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
pub use inserted::{HELD_CHILD, become_held, start_static};
pub use java::{Java, JavaLaunch, why_no_jvm_was_recorded};
pub use launch::Launch;
pub use own_allocator::{OwnAllocator, own_allocator};
pub use own_functions::{OwnFunctions, OwnFunctionsError};
pub use remarks::{Remarks, Stopped};
pub use rotation::Rotation;
pub use symbols::Symbols;
pub use trace::{COLLECTION, Recorded, decode, decode_to};
