//! What `bound` and `attack` ask for.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;
use super::numbers::{above_zero, within};

/// The programs that a bound or an attack is about.
#[derive(Debug, Args)]
pub struct Programs {
    /// Peak live bytes, as requested (K and M may follow)
    #[arg(long = "max-live", value_name = "BYTES", value_parser = above_zero)]
    pub live: u64,
    /// Bytes of the largest request
    #[arg(long, value_name = "BYTES", value_parser = above_zero)]
    pub max_size: u64,
    /// Bytes of the smallest request; the larger it is, the fewer blocks there can be
    #[arg(long, value_name = "BYTES", value_parser = above_zero, default_value_t = 1)]
    pub min_size: u64,
}

/// Arguments of `bound`.
#[derive(Debug, Args)]
#[command(
    after_help = "The bound holds for every program of allocations and frees with at most so many bytes live, in \
    requests of the given sizes; for the heap as it runs here, headers, rounding, control words and layers included. A \
    region of so many bytes serves every such program.\n\nExamples:\n  \
    heapsmith bound first-fit --max-live 20K --max-size 512 --min-size 16\n  \
    heapsmith bound tlsf --max-live 20K --max-size 512 --min-size 16 --format json\n  \
    heapsmith bound 'freelists(32) list(order=implicit) word=4 align=8' --max-live 20K --max-size 512"
)]
pub struct Bound {
    /// A spec, or a name of the catalogue; several are shown one after another
    #[arg(required = true, value_name = "SPEC")]
    pub heap: Vec<String>,
    #[command(flatten)]
    pub programs: Programs,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What an attack is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Aim {
    /// The largest footprint
    #[default]
    Footprint,
    /// The most accesses of one operation
    Accesses,
}

/// Arguments of `attack`.
#[derive(Debug, Args)]
#[command(
    after_help = "Ctrl-C ends the search and keeps the best attack so far. The same seed and the same numbers give \
    the same attack.\n\nExamples:\n  \
    heapsmith attack first-fit --max-live 20K --max-size 512 --min-size 16\n  \
    heapsmith attack tlsf best-fit knuth-buddy --max-live 20K --max-size 512 --min-size 16 --rounds 1000\n  \
    heapsmith attack best-fit --max-live 20K --max-size 512 --goal accesses -o worst.parquet\n  \
    heapsmith replay worst.parquet --heap best-fit"
)]
pub struct Attack {
    /// A spec, or a name of the catalogue; several are attacked one after another, `all` is the whole catalogue
    #[arg(required = true, value_name = "SPEC")]
    pub heap: Vec<String>,
    #[command(flatten)]
    pub programs: Programs,
    /// What the attack is after
    #[arg(long, value_enum, default_value_t)]
    pub goal: Aim,
    /// Where the search begins
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Plans that the search tries beyond the constructions
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = within::<0, 10_000_000>)]
    pub rounds: usize,
    /// Operations that the program has at most
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = within::<1, 10_000_000>)]
    pub operations: usize,
    /// The trace file to write (Parquet); of one heap alone. Devices and FIFOs are written to as streams, - and links are
    /// refused
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
