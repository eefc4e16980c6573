//! What a program is run on.

use std::ffi::OsString;
use std::path::PathBuf;

/// An allocator that is raced, and how it is put before a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entrant {
    /// What tables call it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The library that is preloaded; none for the program as it is.
    pub preload: Option<PathBuf>,
    /// Variables that it does not inherit.
    pub unset: Vec<OsString>,
    /// What is set in the environment besides.
    pub environment: Vec<(String, OsString)>,
    /// How it is known to have taken effect.
    pub proof: Proof,
    /// Whether it has no part in the race of a program that it serves anyway.
    pub unless_own: bool,
}

/// What an entrant is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// The program with whatever allocator it has.
    AsIs {
        /// The library that serves its `malloc`, once that is known.
        library: Option<String>,
    },
    /// A heap of heapsmith.
    Heap {
        /// Its spec.
        spec: String,
        /// Its number in the exploration that it was taken from.
        design: Option<u32>,
    },
    /// A reference allocator.
    Reference {
        /// Its library.
        library: String,
        /// The environment that its knobs become, as one line of a shell; empty without knobs.
        line: String,
    },
}

/// How an allocator is known to have served a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Nothing is to be known: the program runs as it is.
    None,
    /// The library notes that it was loaded and that `malloc` is its own, as in `heapsmith run`; known of every run.
    Witness,
    /// The dynamic linker bound `malloc` of the program, or of a library of its, to the preloaded one; known of the trial.
    Binding,
}

impl Entrant {
    /// The program as it is.
    pub fn as_is() -> Entrant {
        Entrant {
            name: "as it is".to_owned(),
            kind: Kind::AsIs { library: None },
            preload: None,
            unset: Vec::new(),
            environment: Vec::new(),
            proof: Proof::None,
            unless_own: false,
        }
    }
}
