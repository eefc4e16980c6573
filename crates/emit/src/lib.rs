//! A spec as source that behaves exactly as the heap that was explored.
//!
//! ```text
//!            ┌─▶ c::emit ────▶ NAME.h, NAME.c     C11, freestanding
//!   Spec ──▶ Plan            (templates in c/, a fragment a concept)
//!    │       ├─▶ system ─────▶ NAME_SYSTEM.c, …   the names that a firmware system calls (templates in c/system)
//!    │       └─▶ preload ────▶ NAME_malloc.c      the names of malloc, for LD_PRELOAD
//!    │         c::emit of several regions: NAME_region.h, .c for each, and NAME.h, .c before them (templates in c/regions)
//!    └─────────▶ rust::emit ─▶ NAME.rs            types of `heapsmith`, levels as constants
//! ```
//!
//! The C follows the Rust heap word by word: the same requests give the same
//! offsets, and leave the same bytes in the region. `tests/it/differential` runs
//! both, and the emitted Rust, through the same programs.
//!
//! Emitted as C: every heap but those with a layer before buddies that are defragmented on demand. These have handles of blocks
//! that may move (`c/buddy/handles.h`), which `tests/it/handles.rs` plays on both sides. Neither language has the pages of a
//! guard, which are of an operating system ([`EmitError::Pages`]).
//!
//! Parts of the interface that a [`Request`] does not name ([`Extra`]) are not in the text: counters are the outermost layer,
//! `c/walk.c` and `c/trim.c` have an arm for each frame.
//!
//! # How a heap is added
//!
//! 1. A fragment in `c/`, in the room and under the name that the heap has in `crates/heapsmith/src`.
//!
//!    | part | gives | model |
//!    |---|---|---|
//!    | index of a pool of blocks | `index_find`, `index_insert`, `index_remove`, `index_check`; where the plan says so `index_round`, `index_find_larger`, `index_replace`, `index_absorb` | `c/index/two_level.c` |
//!    | pool | `pool_init`, `pool_allocate(heap, size, alignment)`, `pool_resize`, `pool_free`, `pool_usable`, `pool_check`, `pool_statistics` | `c/simple/fixed.c` |
//!    | pool behind free lists | `pool_need`, `pool_allocate_words`, `pool_allocate_apart`, `pool_release` in place of `pool_allocate` and `pool_free` | `c/buddy/heap.c` |
//!    | layer before any heap | what it has a say in, under its own prefix; the rest stays below (`layer.below`) | `c/layer/zero.c` |
//!
//!    A block is the index of its first payload word, 0 is none. All of it is in the region but for
//!    fields of the heap's struct (`plan::Field`), which are computed once, from the region's address.
//! 2. A file of the pool's name in `plan/pool` that implements `Emit`: its numbers for C, computed there and not in the
//!    template, and its types for Rust. It names the templates that only this pool needs (`Templates`); a word in
//!    `families!`, and a line in `templates!` for a pool with a frame of its own in C. An index that several pools have
//!    is in `plan/index`.
//! 3. A layer has its arm in `plan::layer`, and its template in `c.rs`.
//! 4. Nothing in the tests: they take every line of the catalogue and random specs, and stop
//!    leaving the heap out as soon as it can be emitted. A spec in `FEW` (`tests/it/differential/heaps.rs`)
//!    brings its template before the linters.

/// A template of C: the name that others include it by, and its text.
type Template = (&'static str, &'static str);

/// The template of this name in `c/`.
macro_rules! template {
    ($name:literal) => {
        ($name, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/c/", $name)))
    };
}

pub mod c;
mod code;
mod code_size;
mod compiler;
mod composition;
pub mod cortex_m3;
mod error;
pub mod evidence;
mod extra;
mod figures;
mod folder;
mod instructions;
mod literal;
mod misra;
mod name;
pub mod placed;
pub mod plan;
pub mod preload;
pub mod recorder;
pub mod rust;
pub mod size;
pub mod system;
mod system_templates;
mod threads;
pub mod timed;

pub use code::CodeError;
pub use code_size::CodeSize;
pub use compiler::{Compiler, CompilerError};
pub use error::EmitError;
pub use extra::Extra;
pub use figures::Figures;
pub use folder::write;
pub use instructions::{Emulated, InstructionCounter, Instructions};
pub use misra::{MISRA_LEFT_OUT, Misra, MisraError, misra};
pub use name::Name;
pub use size::SizeError;
pub use system::System;

use heapsmith_spec::Spec;

/// What to emit.
#[derive(Clone, Debug)]
pub struct Request {
    /// The heap.
    pub spec: Spec,
    /// What it is to be called.
    pub name: Name,
    /// What was measured of it, if anything was.
    pub figures: Option<Figures>,
    /// What its interface has besides the usual.
    pub extras: Vec<Extra>,
}

impl Request {
    /// A heap that was not measured, with the usual interface.
    pub fn new(spec: Spec, name: Name) -> Request {
        Request { spec, name, figures: None, extras: Vec::new() }
    }
}

/// What the address of a region has to be a multiple of, for the offsets that a replay measures, where a program asks for alignments
/// of up to `coarsest` bytes; none if the alignment of the heap's payloads is enough.
///
/// # Errors
///
/// The heap cannot be emitted.
pub fn base_alignment(request: &Request, coarsest: u64) -> Result<Option<u64>, EmitError> {
    Ok(plan::Plan::of(request)?.base_for(coarsest))
}

/// A file that was emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name.
    pub name: String,
    /// Its contents.
    pub text: String,
    /// It is the user's: one that is there is left as it is.
    pub is_kept: bool,
}

impl File {
    /// A file that is emitted anew each time.
    pub fn new(name: String, text: String) -> File {
        File { name, text, is_kept: false }
    }
}
