//! `cargo xtask papers`: runs what the papers' authors published, and writes what it shows to `crates/papers/originals`.
//!
//! ```text
//!   DIR/NAME (or a clone at a pinned commit) ──compile──▶ target/papers ──run──▶ crates/papers/originals/*.csv
//! ```
//!
//! None of the originals is part of this project; what running them shows is.

mod looking_glass;
mod original;

use std::path::{Path, PathBuf};

use crate::run::{Outcome, target};

/// What is run.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Parts; all of them where none is named
    #[arg(value_parser = names())]
    which: Vec<String>,
    /// Where the originals are, and where they are fetched to [default: target/originals]
    #[arg(long, value_name = "DIR")]
    originals: Option<PathBuf>,
}

/// The originals of a paper, or of a few that belong together.
struct Part {
    name: &'static str,
    /// Reads the originals in a folder, and writes the data.
    run: fn(&Path) -> Outcome,
}

const PARTS: &[Part] = &[Part { name: "001", run: looking_glass::run }];

fn names() -> clap::builder::PossibleValuesParser {
    PARTS.iter().map(|part| part.name).collect::<Vec<_>>().into()
}

/// Runs the originals of the parts that are named.
pub fn papers(arguments: &Arguments) -> Outcome {
    let originals = arguments.originals.clone().unwrap_or_else(|| target().join("originals"));
    let is_named = |part: &&Part| arguments.which.is_empty() || arguments.which.iter().any(|name| name == part.name);
    PARTS.iter().filter(is_named).try_for_each(|part| (part.run)(&originals))
}
