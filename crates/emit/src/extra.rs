//! Parts of the interface that are emitted only where they are asked for.

use serde::Serialize;

use crate::EmitError;

/// A part of the interface of an emitted heap. Without it not a byte of the source is about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extra {
    /// Counts in constant time: live blocks, free bytes and the fewest that ever were, refused requests, the largest.
    Counters,
    /// Whether a pointer lies among the blocks of the heap.
    Owns,
    /// Blocks of zeroes, for a number of items of a size.
    Calloc,
    /// A visit of every block.
    Walk,
    /// Cached blocks go back to the pool, and all free blocks are joined.
    Trim,
    /// A macro for requests that were refused.
    OutOfMemory,
    /// A header of the user's that defines the macros.
    Config,
    /// Headers for C++: a memory resource, and operators.
    Cpp,
}

impl Extra {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Extra::Counters => "counters",
            Extra::Owns => "owns",
            Extra::Calloc => "calloc",
            Extra::Walk => "walk",
            Extra::Trim => "trim",
            Extra::OutOfMemory => "out-of-memory",
            Extra::Config => "config",
            Extra::Cpp => "cpp",
        }
    }

    /// What it adds, in a line of help.
    pub fn about(self) -> &'static str {
        match self {
            Extra::Counters => {
                "NAME_statistics in constant time: live blocks, free bytes, the fewest ever, refused requests, the largest"
            }
            Extra::Owns => "NAME_owns: whether a pointer leads into the region",
            Extra::Calloc => "NAME_calloc: zeroes, for a number of items whose product is checked",
            Extra::Walk => "NAME_walk: calls a function for every block",
            Extra::Trim => "NAME_trim: gives back what is cached, and joins free blocks",
            Extra::OutOfMemory => "NAME_OUT_OF_MEMORY: a macro for refused requests",
            Extra::Config => "NAME_config.h: a file of yours that defines the macros",
            Extra::Cpp => "NAME.hpp: a std::pmr::memory_resource; with --for, NAME_new.cpp: operators new and delete",
        }
    }

    /// All of them.
    pub const ALL: [Extra; 8] = [
        Extra::Counters,
        Extra::Owns,
        Extra::Calloc,
        Extra::Walk,
        Extra::Trim,
        Extra::OutOfMemory,
        Extra::Config,
        Extra::Cpp,
    ];

    /// Whether a heap in several regions has all of `extras`, of which it has `known`.
    ///
    /// # Errors
    ///
    /// [`EmitError::NoExtraOfRegions`] names the first that it does not have.
    pub(crate) fn verify_of_regions(extras: &[Extra], known: &[Extra]) -> Result<(), EmitError> {
        let missing = extras.iter().find(|extra| !known.contains(extra));
        missing.map_or(Ok(()), |extra| Err(EmitError::NoExtraOfRegions { extra: extra.name() }))
    }

    /// Whether `language` has all of `extras`, of which it has `known`.
    ///
    /// # Errors
    ///
    /// [`EmitError::NoExtra`] names the first that it does not have.
    pub(crate) fn verify(extras: &[Extra], known: &[Extra], language: &'static str) -> Result<(), EmitError> {
        let missing = extras.iter().find(|extra| !known.contains(extra));
        missing.map_or(Ok(()), |extra| Err(EmitError::NoExtra { extra: extra.name(), language }))
    }
}
