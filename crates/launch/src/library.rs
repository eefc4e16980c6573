//! The libraries: carried in the command, and put where a program can load them.

use std::path::PathBuf;
use std::{env, io};

use crate::place;

/// A library of heapsmith's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// The recorder, to be preloaded.
    Recorder,
    /// The recorder's agent for Java virtual machines, which load it themselves.
    Agent,
    /// `malloc` over the heap of a spec, to be preloaded.
    Malloc,
}

impl Library {
    /// The library's bytes, as the build script compiled it; none where it does not know the target.
    pub fn carried(self) -> &'static [u8] {
        match self {
            Library::Recorder => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_recorder.so")),
            Library::Agent => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_agent.so")),
            Library::Malloc => include_bytes!(concat!(env!("OUT_DIR"), "/libheapsmith_preload.so")),
        }
    }

    /// Puts the library where the environment says, or else into a folder of the user's, and says where it is.
    ///
    /// A file that is there already is used if it is the same to the byte, and nobody else can change it. It stays
    /// there, as a program that was started may start others long after the command has ended. The module `place` says
    /// which folders there are.
    ///
    /// # Errors
    ///
    /// [`LibraryError`], which says what to do.
    pub fn place(self) -> Result<PathBuf, LibraryError> {
        let name = match self {
            Library::Recorder => "libheapsmith_recorder",
            Library::Agent => "libheapsmith_agent",
            Library::Malloc => "libheapsmith_preload",
        };
        let carried = self.carried();
        if carried.is_empty() {
            return Err(LibraryError::NotHere);
        }
        match env::var_os("HEAPSMITH_LIBRARY").filter(|path| !path.is_empty()) {
            Some(path) => place::at(&PathBuf::from(path), carried),
            None => place::in_folder(name, carried),
        }
    }
}

/// Why there is no library to preload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// The libraries do not know this system.
    #[error(
        "this heapsmith was built for a system on which it cannot stand before a program's malloc; that works on Linux on x86-64"
    )]
    NotHere,
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
