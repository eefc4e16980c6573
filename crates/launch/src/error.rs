//! Why a program cannot run on a heap: there is no library for it, or no place for one.

use std::io;
use std::path::PathBuf;

/// Why there is no library to preload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The libraries do not know this system.
    #[error(
        "this heapsmith was built for a system on which it cannot replace a program's malloc; that works on Linux on x86-64"
    )]
    NotHere,
    /// The library is not carried, and could not be compiled.
    #[error(
        "the library that replaces malloc is not in this command, and could not be compiled: {why}; build the \
         command with `--features carry`, and it has the library inside"
    )]
    NotBuilt {
        /// What went wrong.
        why: String,
    },
    /// The library could not be put anywhere.
    #[error(
        "the library to preload is missing, and could not be written to {}: {source}; set HEAPSMITH_LIBRARY to a file \
         that may be written, in a folder that programs may be loaded from",
        path.display()
    )]
    Place {
        /// Where it was to lie.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There is no folder that this user alone can write.
    #[error(
        "the library to preload is missing, and there is no folder for it that only you can write: {reasons}; set \
         HEAPSMITH_LIBRARY to a file in one, as in HEAPSMITH_LIBRARY=$(mktemp -d)/heapsmith.so"
    )]
    NoFolder {
        /// What is wrong with each that there is.
        reasons: String,
    },
    /// Another file is where the user wants the library, or others can write there.
    #[error(
        "{}, where HEAPSMITH_LIBRARY wants the library to preload, is not used: {why}; remove it, or set \
         HEAPSMITH_LIBRARY to a file that is not there yet, in a folder that only you can write",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// `LD_PRELOAD` takes names apart at blanks and colons.
    #[error(
        "the library to preload would lie at {}, and no path with blanks or colons can be preloaded; set \
         HEAPSMITH_LIBRARY to another file that may be written",
        path.display()
    )]
    Unloadable {
        /// Where it would lie.
        path: PathBuf,
    },
}
