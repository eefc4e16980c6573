//! Arguments of `bound` and `attack`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;
use super::examples::{self, both};
use super::numbers::{above_zero, alignment, within};

/// The class of programs of a bound or an attack.
#[derive(Debug, Args)]
pub struct Programs {
    /// Peak live bytes, as requested (K, M)
    ///
    /// By default those of the traces of the folder that is named; so are the other limits.
    #[arg(long = "max-live", value_name = "SIZE", value_parser = above_zero)]
    pub live: Option<u64>,
    /// Bytes of the largest request
    #[arg(long, value_name = "SIZE", value_parser = above_zero)]
    pub max_size: Option<u64>,
    /// Bytes of the smallest request, 1 if not given
    ///
    /// A larger minimum allows fewer blocks and gives a lower bound.
    #[arg(long, value_name = "SIZE", value_parser = above_zero)]
    pub min_size: Option<u64>,
    /// Most blocks live at a time
    ///
    /// By default as many of the smallest request as the live bytes hold, or as in the traces of a folder. Fewer blocks leave fewer
    /// holes, so the bound is much lower.
    #[arg(long, value_name = "N", value_parser = above_zero)]
    pub max_blocks: Option<u64>,
    /// Programs resize blocks, too
    ///
    /// To sizes within the limits. A block that moves is live twice meanwhile.
    #[arg(long)]
    pub reallocations: bool,
    /// Coarsest alignment that is asked for, in bytes
    #[arg(long, value_name = "N", value_parser = alignment)]
    pub align: Option<u32>,
}

/// Arguments of `bound`.
#[derive(Debug, Args)]
#[command(after_help = examples::BOUND, after_long_help = both(examples::BOUND, examples::BOUND_MORE))]
pub struct Bound {
    /// Specs, names of the catalogue (or `all`), or a folder of `explore`
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
    /// A refused request in a region of --region bytes, with as few live bytes as possible
    Refusal,
}

/// What is taken for the footprint of a reference allocator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    /// From the lowest address of a block to the highest end of one
    Addresses,
    /// The pages touched at once, as the system counts them
    Pages,
}

/// Arguments of `attack`.
#[derive(Debug, Args)]
#[command(after_help = examples::ATTACK, after_long_help = both(examples::ATTACK, examples::ATTACK_MORE))]
pub struct Attack {
    /// Specs, names of the catalogue (or `all`), or a folder of `explore`
    #[arg(required_unless_present = "peers", value_name = "SPEC")]
    pub heap: Vec<String>,
    /// A reference allocator, heap_2 or heap_4 of FreeRTOS, or the file of a library with malloc and free
    ///
    /// Reference allocators are libc, mimalloc, dlmalloc, rlsf, talc and others of `heapsmith heaps`.
    ///
    /// Each program runs in a process of its own, which a crash may end. Of an allocator that gets a region, and of a
    /// library, the footprint is the extent of addresses; of one that takes memory from the system the pages touched.
    #[arg(long = "peer", value_name = "NAME|FILE.so")]
    pub peers: Vec<String>,
    /// The footprint of the reference allocators
    #[arg(long, value_enum, requires = "peers")]
    pub measure: Option<Measure>,
    /// Bytes of the region
    ///
    /// By default as many as no program needs.
    ///
    /// Of a library the arena is its own affair.
    #[arg(long, value_name = "SIZE", value_parser = above_zero)]
    pub region: Option<u64>,
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
    /// The trace file to write (Parquet); needs a single heap
    ///
    /// Devices and FIFOs are written to as streams, - and links are refused.
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
