//! A spec as source that behaves exactly as the heap that was explored.
//!
//! ```text
//!            ┌─▶ c::emit ────▶ NAME.h, NAME.c     C11, freestanding
//!   Spec ──▶ Plan            (templates in c/, a fragment a concept)
//!    │       └─▶ preload ────▶ NAME_malloc.c      the names of malloc, for LD_PRELOAD
//!    └─────────▶ rust::emit ─▶ NAME.rs            types of `heapsmith`, levels as constants
//! ```
//!
//! The C follows the Rust heap word by word: the same requests give the same
//! offsets, and leave the same bytes in the region. `tests/differential` runs
//! both, and the emitted Rust, through the same programs.
//!
//! # How a heap is added
//!
//! 1. A fragment in `c/`, in the room and under the name that the heap has in
//!    `crates/heapsmith/src`. Static functions carry the prefix of the part:
//!    a pool that is not one of blocks gives `pool_init`, `pool_allocate(heap, size,
//!    alignment)`, `pool_resize`, `pool_free`, `pool_usable`, `pool_check` and
//!    `pool_statistics`; a pool that free lists stand before also `pool_need`,
//!    `pool_allocate_words`, `pool_allocate_aligned` and `pool_release`. A layer `x` gives the
//!    same with `x_` and calls the part below it by its prefix. An index of the pool of blocks
//!    gives `index_find`, `index_insert`, `index_remove`, `index_check`.
//! 2. Its numbers in [`plan`]: what a template writes is computed there, not in the template.
//! 3. Its line in `plan::Plan::of`, in place of [`EmitError::NotYet`].
//! 4. Nothing in the tests: they take every line of the catalogue and random specs, and stop
//!    leaving the heap out as soon as it can be emitted.

pub mod c;
mod error;
mod figures;
mod literal;
mod name;
pub mod plan;
pub mod preload;
pub mod rust;
pub mod size;

pub use error::EmitError;
pub use figures::Figures;
pub use name::Name;
pub use size::SizeError;

use heapsmith_spec::Spec;

/// What is to be emitted.
#[derive(Clone, Debug)]
pub struct Request {
    /// The heap.
    pub spec: Spec,
    /// What it is to be called.
    pub name: Name,
    /// What was measured of it, if anything was.
    pub figures: Option<Figures>,
}

/// A file that was emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub text: String,
}
