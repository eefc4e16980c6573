//! Arguments of `bound` and `attack`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;
use super::numbers::{above_zero, within};

/// The class of programs of a bound or an attack.
#[derive(Debug, Args)]
pub struct Programs {
    /// Peak live bytes, as requested (K, M)
    #[arg(long = "max-live", value_name = "BYTES", value_parser = above_zero)]
    pub live: u64,
    /// Bytes of the largest request
    #[arg(long, value_name = "BYTES", value_parser = above_zero)]
    pub max_size: u64,
    /// Bytes of the smallest request; a larger minimum allows fewer blocks and gives a lower bound
    #[arg(long, value_name = "BYTES", value_parser = above_zero, default_value_t = 1)]
    pub min_size: u64,
}

/// Arguments of `bound`.
#[derive(Debug, Args)]
#[command(
    after_help = "The bound holds for every program of allocations and frees with at most --max-live bytes live, in \
    requests of --min-size to --max-size bytes. It includes headers, rounding, control words and layers. A region \
    of that size serves every such program.\n\nExamples:\n  \
    heapsmith bound first-fit --max-live 20K --max-size 512 --min-size 16\n  \
    heapsmith bound tlsf --max-live 20K --max-size 512 --min-size 16 --format json\n  \
    heapsmith bound 'freelists(32) list(order=implicit) word=4 align=8' --max-live 20K --max-size 512"
)]
pub struct Bound {
    /// Specs or names of the catalogue
    #[arg(required = true, value_name = "SPEC")]
    pub heap: Vec<String>,
    #[command(flatten)]
    pub programs: Programs,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The measure that an attack maximises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Aim {
    /// The footprint
    #[default]
    Footprint,
    /// The metadata accesses of one operation
    Accesses,
}

/// Arguments of `attack`.
#[derive(Debug, Args)]
#[command(
    after_help = "Ctrl-C ends the search and keeps the best attack so far. The same arguments give the same attack.\n\nExamples:\n  \
    heapsmith attack first-fit --max-live 20K --max-size 512 --min-size 16\n  \
    heapsmith attack tlsf best-fit knuth-buddy --max-live 20K --max-size 512 --min-size 16 --rounds 1000\n  \
    heapsmith attack best-fit --max-live 20K --max-size 512 --goal accesses -o worst.parquet\n  \
    heapsmith replay worst.parquet --heap best-fit"
)]
pub struct Attack {
    /// Specs or names of the catalogue; `all` is the whole catalogue
    #[arg(required = true, value_name = "SPEC")]
    pub heap: Vec<String>,
    #[command(flatten)]
    pub programs: Programs,
    /// The measure to maximise
    #[arg(long, value_enum, default_value_t)]
    pub goal: Aim,
    /// Random seed of the search
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Plans to try after the constructions of the literature
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = within::<0, 10_000_000>)]
    pub rounds: usize,
    /// Largest number of operations of the program
    #[arg(long, value_name = "N", default_value_t = 200_000, value_parser = within::<1, 10_000_000>)]
    pub operations: usize,
    /// The trace file to write (Parquet); needs a single heap. Devices and FIFOs are written to as streams, - and links are
    /// refused
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
