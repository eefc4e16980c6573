//! Arguments of `plan`.

use std::path::PathBuf;

use clap::Args;

use super::examples::{self, both};
use super::numbers::{above_zero, alignment, within};
use super::{Format, Reading};

/// Arguments of `plan`.
#[derive(Debug, Args)]
#[command(after_help = examples::PLAN, after_long_help = both(examples::PLAN, examples::PLAN_MORE))]
pub struct Plan {
    /// A list of buffers as CSV (id,lower,upper,size[,alignment]), a trace file, an input of a known format, or workload:NAME
    ///
    /// A buffer of a list lives from the time `lower` to before `upper`; columns can be in any order. Of a trace, each block that it
    /// allocates, and each size that a reallocation gives it, is planned by itself.
    pub trace: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Bytes that the buffer may have (K, M, G)
    ///
    /// The first placement within it is taken. Without it the search goes on for a lower one, until it is proven to be the
    /// lowest or the effort is used up.
    #[arg(long, value_name = "SIZE", value_parser = above_zero, conflicts_with = "pools")]
    pub capacity: Option<u64>,
    /// The folder to write to
    ///
    /// NAME.csv has the placements, NAME.h and NAME.c have them as a table in C, with assertions that the compiler checks, and
    /// NAME_tflm.bin has them for TensorFlow Lite Micro, if ids are numbers of tensors. Files of yours with these names are left alone.
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    /// The name of files and symbols
    #[arg(long, default_value = "plan")]
    pub name: String,
    /// Make every offset, or block of a pool, a multiple of N bytes, a power of two
    ///
    /// By default 1 for a list of buffers, whose own alignments hold anyway, and 8 for everything else and for pools.
    #[arg(long, value_name = "N", value_parser = alignment)]
    pub align: Option<u32>,
    /// Effort of the search, in millions of steps
    #[arg(long, value_name = "MILLIONS", default_value_t = 400, hide_short_help = true,
        value_parser = clap::value_parser!(u64).range(..=1_000_000))]
    pub effort: u64,
    /// Plan N pools of fixed blocks instead of offsets
    ///
    /// The N block sizes in which live requests waste the fewest bytes, averaged over the operations, and the smallest counts of
    /// blocks that serve the trace. A replay on these pools proves both.
    #[arg(long, value_name = "N", value_parser = within::<1, 1024>)]
    pub pools: Option<usize>,
    /// Output format of the answer
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
