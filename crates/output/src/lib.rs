//! The one door for every file that heapsmith writes.
//!
//! ```text
//!   a file that the user named ──Output::named──┐   regular, new ──▶ part next to it ─finish─▶ renamed into place
//!                                               ├─▶ device, FIFO, standard output ──▶ written as a stream
//!   a file of a results folder ──Output::create─┘   anything else ──▶ Refusal
//!          ▲
//!   ResultsFolder::claim: new, empty, or recognisably ours
//! ```
//!
//! # Invariants
//!
//! - **O1** A regular file appears whole or not at all: it is written next to its place and renamed when it is finished.
//! - **O2** Nothing is written through a symbolic link, except to a device or a FIFO (`/dev/stdout` is a link).
//! - **O3** No output is one of its inputs: device and inode are compared, so another name of a file is the same file.
//! - **O4** A device, a FIFO, a socket or a folder is never replaced.
//! - **O5** In a folder of results, no file is replaced that heapsmith did not write.
//! - **O6** A temporary file is private to its run: its name is random, it is created exclusively, and it is locked for
//!   as long as it is written. A killed run leaves it behind; the next run that writes in that folder removes it.
//!
//! A path that is checked may change before the rename. The rename then replaces the name itself, never what a link
//! points to, so O1 and O2 hold against another process too; O3 to O5 are checked again right before it.
//!
//! The lint `clippy::disallowed_methods` forbids other ways to create files; `clippy.toml` lists them.
//!
//! # Cost
//!
//! A file costs an `fsync` and a rename; the first file in a folder also costs a listing of the folder.

#![forbid(unsafe_code)]

mod file;
mod folder;
mod inputs;
mod part;
mod refusal;
mod scratch;

pub use file::{Output, clear};
pub use folder::ResultsFolder;
pub use inputs::Inputs;
pub use refusal::Refusal;
pub use scratch::Scratch;
