//! Java programs: their objects as they were recorded, freed as they die or in bursts.
//!
//! The programs are recorded with a collection after every 64 KB of objects, so an object's death is known soon after it
//! happens: that is continuous collection, as near as it is recorded. Occasional collection holds frees back: until 1 MB was
//! requested, or, in a heap of one size, until a request is refused (`full_heap`).

use crate::error::ExperimentError;
use crate::input::Input;
use crate::setting::Setting;
use heapsmith_trace::PackedTrace;

/// Bytes requested between two occasional collections.
const EVERY: u64 = 1 << 20;

/// How dead objects are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collection {
    /// In bursts, when memory is short.
    Occasional,
    /// As they die.
    Continuous,
}

impl Collection {
    pub const BOTH: [Collection; 2] = [Collection::Occasional, Collection::Continuous];

    pub fn words(self) -> &'static str {
        match self {
            Collection::Occasional => "occasional",
            Collection::Continuous => "continuous",
        }
    }

    /// The trace of a program under this collection.
    pub fn trace(self, setting: &mut Setting<'_>, program: Input) -> Result<PackedTrace, ExperimentError> {
        let input = match self {
            Collection::Occasional => program.collected(setting.of(EVERY, EVERY / 128)),
            Collection::Continuous => program,
        };
        setting.packed(input)
    }
}

/// The paper's programs, and what replaces them.
pub(super) const SET_UP: &str = "Real programs of the kinds of SPEC JVM98's, recorded by an agent in today's JVM, with the sizes that objects had in one \
     of 1998; the paper times whole programs in the JDK 1.1.8's interpreter on a Sparc. A buddy system's heap begins as one \
     free block of a power of two, without headers: the smallest in which both serve two heaps' worth of it, and multiples of that. \
     Collection is occasional, when a request is refused, or continuous, as deaths were recorded (collections after every \
     64 KB); a program shorter than three heaps is repeated. The compressor, of few objects, is left out, as in the paper.";
