//! Java programs: their objects as they were recorded, freed as they die or in bursts.
//!
//! The samples are recorded with a collection after every 4 KB of objects, so an object's death is known almost when it
//! happens: that is continuous collection. Occasional collection holds frees back: until 64 KB were requested, or, in a heap
//! of one size, until a request is refused (`full_heap`).

use crate::error::ExperimentError;
use crate::input::Input;
use crate::setting::Setting;
use heapsmith_trace::PackedTrace;

/// The programs, in the order of those of SPEC JVM98 that they replace (Donahue et al. 2001, Figure 7).
pub(super) const PROGRAMS: [Input; 6] = [
    Input::recorded("rules", "java/rules.parquet"),
    Input::recorded("raytrace", "java/raytrace.parquet"),
    Input::recorded("database", "java/database.parquet"),
    Input::recorded("compiler", "java/compiler.parquet"),
    Input::recorded("parsergen", "java/parsergen.parquet"),
    Input::recorded("compress", "java/compress.parquet"),
];

/// Their files.
pub(super) const FILES: &[&str] = &[
    "java/rules.parquet",
    "java/raytrace.parquet",
    "java/database.parquet",
    "java/compiler.parquet",
    "java/parsergen.parquet",
    "java/compress.parquet",
];

/// Bytes requested between two occasional collections.
const EVERY: u64 = 64 << 10;

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
            Collection::Occasional => program.collected(setting.of(EVERY, EVERY / 8)),
            Collection::Continuous => program,
        };
        setting.packed(input)
    }
}

/// The paper's programs, and what replaces them.
pub(super) const SET_UP: &str = "Programs of the kinds of SPEC JVM98's, recorded by an agent in today's JVM; the paper \
                                 times whole programs in the JDK 1.1.8's interpreter on a Sparc. A buddy system's heap \
                                 begins as one free block of a power of two, without headers: the smallest in which \
                                 both serve the program, and multiples of it. Collection is occasional, when \
                                 a request is refused, or continuous; a program shorter than twelve heaps (three, where lists are searched) is repeated. The \
                                 compressor, of few objects, is left out, as in the paper. The unstructured list is \
                                 first fit over free blocks with the last freed in front; or next fit over all blocks. \
                                 What a whole program takes for an object, zeroing included, is computed from Figure 7: \
                                 seconds at 167 MHz over objects, though the list is in them; an access counts as 2 \
                                 cycles, or 50.";
