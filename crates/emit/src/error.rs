//! Why a heap is not emitted.

use heapsmith_spec::{GuardPages, Layer, Spec};

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
    /// Pages that nobody can access are of an operating system: a heap in a region has none.
    #[error(
        "guard(pages={pages}) needs the pages of an operating system, which `heapsmith run` has and an emitted heap has not: \
         nothing is changed in silence; emit '{suited}'"
    )]
    Pages {
        /// The level.
        pages: &'static str,
        /// The heap that can be emitted.
        suited: Box<Spec>,
    },
    /// Several regions, where a heap is needed that is in one.
    #[error(
        "a heap in several regions is emitted as source alone, with --lang c or --lang rust: systems (--for), --evidence, --sheet, \
         --size and compiled timing are of a heap in one region"
    )]
    Regions,
    /// The name is none for a C file and its functions.
    #[error(
        "`{0}` is no name for source: write small letters, digits and underscores, beginning with a letter, and no word of C, C++, Rust or their libraries"
    )]
    Name(String),
    /// A static plan has too many blocks for assertions in C.
    #[error("a plan of {blocks} blocks is too large for C, which has at most {max}: use its CSV")]
    TooManyBlocks {
        /// Its blocks.
        blocks: usize,
        /// The most that there can be.
        max: usize,
    },
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
    /// Several regions together have no such part of the interface.
    #[error("a heap in several regions has no part `{extra}`, which is of a heap in one region: leave it out")]
    NoExtraOfRegions {
        /// What it is called.
        extra: &'static str,
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

impl EmitError {
    /// Refuses a guard with pages.
    pub(crate) fn verify_pages(spec: &Spec) -> Result<(), EmitError> {
        let mut suited = spec.clone();
        let mut level = GuardPages::Off;
        for layer in &mut suited.layers {
            if let Layer::Guard(guard) = layer {
                level = std::mem::replace(&mut guard.pages, GuardPages::Off);
            }
        }
        let pages = match level {
            GuardPages::Off => return Ok(()),
            GuardPages::Sampled => "sampled",
            GuardPages::All => "all",
        };
        Err(EmitError::Pages { pages, suited: Box::new(suited) })
    }

    /// Refuses several regions, of which there is source alone.
    ///
    /// # Errors
    ///
    /// [`EmitError::Regions`].
    pub fn verify_one_region(spec: &Spec) -> Result<(), EmitError> {
        spec.regions().map_or(Ok(()), |_| Err(EmitError::Regions))
    }

    /// Whether another heap can be emitted in place of this: not a fault of what emits.
    pub(crate) fn is_of_heap(&self) -> bool {
        matches!(self, EmitError::NotYet { .. } | EmitError::Pages { .. } | EmitError::Regions)
    }
}

impl From<minijinja::Error> for EmitError {
    fn from(error: minijinja::Error) -> Self {
        EmitError::Template(format!("{error:#}"))
    }
}
