//! Starting programs with a library of heapsmith's before their allocator.
//!
//! ```text
//!   build script ──▶ libraries, carried in the command ─┐
//!   first use ──cargo──▶ the library before malloc ──────┴─place──▶ a file ──LD_PRELOAD──▶ program, its children …
//! ```
//!
//! The libraries are the crates `heapsmith-recorder`, `heapsmith-agent` and `heapsmith-preload`. What a started
//! program does with them is set by its environment variables, which the caller sets: the crate
//! `heapsmith-recording`, and the command.

#![forbid(unsafe_code)]

mod absent;
mod compile;
mod compiled;
mod descendants;
mod error;
mod library;
mod place;
mod program;
mod trust;
mod witness;

pub use absent::{find, is_linked_statically, why_it_had_no_effect, why_nothing_will_be_preloaded};
pub use compiled::{compiled, may_reserve};
pub use descendants::{descendants, end_descendants};
pub use error::LibraryError;
pub use library::Library;
pub use program::{Ended, preloading};
pub use witness::{Effect, Witness, Witnessed, name_at_end};
