//! `cargo xtask papers`: runs what the papers' authors published, and writes what it shows to `crates/papers/originals`.
//!
//! ```text
//!   DIR/PART/program ──run, counted──▶ crates/papers/originals/*.csv
//! ```
//!
//! None of the originals is part of this project, nor is how to build them; what running them shows is. The part `java`
//! is recorded into DIR/java, and its slices into `samples/java`; the programs of `003` into `samples/programs`.

mod hybrid;
mod java;
mod looking_glass;

use std::path::{Path, PathBuf};

use crate::run::Outcome;

/// What is run.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Parts; all of them where none is named
    #[arg(value_parser = names())]
    which: Vec<String>,
    /// Where the programs are, in a folder for each part
    #[arg(long, value_name = "DIR")]
    originals: PathBuf,
}

/// The originals of a paper, or of a few that belong together.
struct Part {
    name: &'static str,
    /// Runs the programs in a folder, and writes the data.
    run: fn(&Path) -> Outcome,
}

const PARTS: &[Part] = &[
    Part { name: "001", run: looking_glass::run },
    Part { name: "003", run: hybrid::run },
    Part { name: "java", run: java::run },
];

fn names() -> clap::builder::PossibleValuesParser {
    PARTS.iter().map(|part| part.name).collect::<Vec<_>>().into()
}

/// Runs the originals of the parts that are named.
pub fn papers(arguments: &Arguments) -> Outcome {
    let is_named = |part: &&Part| arguments.which.is_empty() || arguments.which.iter().any(|name| name == part.name);
    PARTS.iter().filter(is_named).try_for_each(|part| (part.run)(&arguments.originals.join(part.name)))
}
