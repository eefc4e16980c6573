//! The Java programs: real ones of the kinds of SPEC JVM98's, which are not public.
//!
//! ```text
//!   samples/java/record ──▶ DIR/java/NAME.parquet     whole: 2.8 to 6.8 million objects, but for lz4
//!                    └──▶ samples/java/NAME.parquet  slice: the first 300,000 events
//! ```
//!
//! With `--inputs DIR` an experiment takes the whole recordings that are there in place of the slices. Both have the
//! sizes of a JVM of 1998 (the setting `jvm=1998` of the workload `java`), and deaths as collections after every 64 KB of objects
//! found them.

use crate::input::Input;

/// A program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its name in tables.
    pub name: &'static str,
    /// The program of SPEC JVM98 that it replaces (Donahue et al. 2001, Figure 7).
    pub replaces: &'static str,
    /// What it does.
    pub does: &'static str,
    /// Objects of the whole recording that the slice is cut from.
    pub objects: u64,
    /// Its slice, below the samples, and its whole recording, below the folder of inputs.
    pub file: &'static str,
}

impl Program {
    /// As an input.
    pub const fn input(self) -> Input {
        Input::new(self.name, "java", self.file).with(&[("collection", "continuous"), ("jvm", "1998")])
    }
}

/// Files of [`PROGRAMS`].
pub(crate) const FILES: &[&str] = &[
    "java/lz4.parquet",
    "java/drools.parquet",
    "java/sunflow.parquet",
    "java/h2.parquet",
    "java/javac.parquet",
    "java/sunflow-2.parquet",
    "java/antlr.parquet",
];

/// The programs, in the order of those that they replace. None replaces mpegaudio, a decoder of sound of which the
/// paper, too, gives objects and seconds alone.
pub(crate) const PROGRAMS: [Program; 7] = [
    Program { name: "lz4", replaces: "compress", does: "LZ4 of a JAR file, and back", objects: 12_524, file: FILES[0] },
    Program {
        name: "drools",
        replaces: "jess",
        does: "a rule engine (Drools 5.6) on its test Waltz: 50 line drawings labelled",
        objects: 2_895_055,
        file: FILES[1],
    },
    Program {
        name: "sunflow",
        replaces: "raytrace",
        does: "a ray tracer (Sunflow 0.07.2) on the Utah teapot",
        objects: 2_951_837,
        file: FILES[2],
    },
    Program {
        name: "h2",
        replaces: "db",
        does: "a database in memory (H2 2.2) of the lines of Commons Lang",
        objects: 2_804_721,
        file: FILES[3],
    },
    Program {
        name: "javac",
        replaces: "javac",
        does: "the JDK's compiler on the sources of Commons Lang that FastDatePrinter needs",
        objects: 6_777_617,
        file: FILES[4],
    },
    Program {
        name: "sunflow-2",
        replaces: "mtrt",
        does: "the same picture by two threads",
        objects: 2_952_311,
        file: FILES[5],
    },
    Program {
        name: "antlr",
        replaces: "jack",
        does: "a parser generator (ANTLR 3.5) on the eight grammars of ANTLR 4",
        objects: 4_172_895,
        file: FILES[6],
    },
];

/// The programs as inputs.
pub(crate) const INPUTS: [Input; 7] = [
    PROGRAMS[0].input(),
    PROGRAMS[1].input(),
    PROGRAMS[2].input(),
    PROGRAMS[3].input(),
    PROGRAMS[4].input(),
    PROGRAMS[5].input(),
    PROGRAMS[6].input(),
];

/// The one that creates few objects: the paper measures its heaps with the others.
pub(crate) const COMPRESSOR: &str = INPUTS[0].name;

/// Events of a program where replaying all takes long: where lists are searched, where a heap's smallest size is sought.
pub(crate) const BEGINNING: u64 = 100_000;

/// Those that create many.
pub(crate) const MANY: [Input; 6] = [INPUTS[1], INPUTS[2], INPUTS[3], INPUTS[4], INPUTS[5], INPUTS[6]];
