//! Why a heap is not emitted.

use heapsmith_spec::Spec;

/// Why a heap is not emitted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EmitError {
    /// A part of the spec has no source yet.
    #[error("{part} cannot be emitted as {language} yet: emit the heap without it, or with --lang rust")]
    NotYet {
        /// The part, as the spec writes it.
        part: String,
        /// The language.
        language: &'static str,
    },
    /// The name is none for a C file and its functions.
    #[error(
        "`{0}` is no name for source: write small letters, digits and underscores, beginning with a letter, and no word of C, C++ or Rust"
    )]
    Name(String),
    /// The source has the name for something else.
    #[error("`{name}` cannot be the heap's name, as `{taken}` is something else in its source: choose another")]
    Taken {
        /// The name.
        name: String,
        /// What is called so.
        taken: String,
    },
    /// The language has no such part of the interface.
    #[error("{language} has no part `{extra}`: it is for --lang c")]
    NoExtra {
        /// What it is called.
        extra: &'static str,
        /// The language.
        language: &'static str,
    },
    /// The heap does not suit what `malloc` promises.
    #[error("a library to preload cannot be made of this heap: {0}")]
    NoMalloc(String),
    /// The heap gives less than `malloc` promises: it would be another one as a library.
    #[error(
        "malloc needs payloads aligned to {wanted} bytes, and this heap aligns to {found}: nothing is changed in silence; \
         emit '{suited}'",
        wanted = Spec::MALLOC_ALIGNMENT
    )]
    Unsuited {
        /// What its payloads are aligned to.
        found: u32,
        /// The heap that would suit.
        suited: Box<Spec>,
    },
    /// A template is wrong: a bug of this crate.
    #[error("a template of the emitter is wrong: {0}")]
    Template(String),
}

impl From<minijinja::Error> for EmitError {
    fn from(error: minijinja::Error) -> Self {
        EmitError::Template(format!("{error:#}"))
    }
}
