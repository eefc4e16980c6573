//! Arguments that say how an input is read and transformed.

use clap::Args;
use heapsmith_trace::{Bytes, Cuts, Jitter, Perturbation, Slice, Stretch, Transforms};

use super::numbers::above_zero;

/// How an input is read and transformed.
#[derive(Debug, Clone, Args)]
pub struct Reading {
    /// Input format or workload (`heapsmith workloads`)
    ///
    /// Not needed for trace files, for formats that are recognised by their content, and for workload:NAME in place of a
    /// file.
    #[arg(long = "as", value_name = "NAME")]
    pub input_format: Option<String>,
    /// Set a parameter of it (depth=12); repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = setting)]
    pub set: Vec<(String, String)>,
    /// Use only a part of the trace
    ///
    /// Events counted from 0 (..1000, 500..800), or times (1.5s..2s). Blocks that are live at its beginning are allocated
    /// there.
    #[arg(long, value_name = "FROM..TO", hide_short_help = true, help_heading = TRANSFORMS)]
    pub slice: Option<Slice>,
    /// Use only the first EVENTS events
    ///
    /// The same as --slice ..EVENTS.
    #[arg(long, value_name = "EVENTS", conflicts_with = "slice", help_heading = TRANSFORMS)]
    pub limit: Option<u64>,
    /// Use only the blocks that this thread allocates; may be repeated
    ///
    /// Whichever thread frees them.
    #[arg(long, value_name = "N", hide_short_help = true, help_heading = TRANSFORMS)]
    pub thread: Vec<u32>,
    /// Randomly change sizes by up to this share (10%)
    ///
    /// By default equal sizes stay equal; each=10% varies every request separately.
    #[arg(long, value_name = "SHARE", hide_short_help = true, help_heading = TRANSFORMS)]
    pub jitter: Option<Jitter>,
    /// Change the lifetimes of this share of the blocks (20%)
    ///
    /// To between half and twice as many events.
    #[arg(long, value_name = "SHARE", hide_short_help = true, help_heading = TRANSFORMS)]
    pub stretch: Option<Stretch>,
    /// Cut the trace into equal parts, or at its marks, and shuffle them
    ///
    /// Blocks that live across a cut stay where they are.
    #[arg(long, value_name = "PARTS|marks", value_parser = cuts, hide_short_help = true, help_heading = TRANSFORMS)]
    pub shuffle: Option<Cuts>,
    /// Random seed of --jitter, --stretch and --shuffle
    ///
    /// The same seed gives the same trace.
    #[arg(long, value_name = "N", default_value_t = 1, hide_short_help = true, help_heading = TRANSFORMS)]
    pub perturb_seed: u64,
    /// Interleave N copies of the trace on one heap
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Transforms::MAX_COPIES)), hide_short_help = true, help_heading = TRANSFORMS)]
    pub copies: Option<u32>,
    /// Free in bursts, as a garbage collection does (K, M, G)
    ///
    /// After every BYTES requested bytes.
    #[arg(long, value_name = "BYTES", value_parser = above_zero, hide_short_help = true, help_heading = TRANSFORMS)]
    pub gc_every: Option<u64>,
}

/// Heading of the options that change a trace.
const TRANSFORMS: &str = "Transform the trace (in this order)";

impl Reading {
    /// The transforms of a trace, in the order of the options.
    pub fn transforms(&self) -> Transforms {
        Transforms {
            slice: self.slice.or(self.limit.map(Slice::first)),
            threads: self.thread.clone(),
            perturbation: Perturbation { jitter: self.jitter, stretch: self.stretch, shuffle: self.shuffle },
            seed: self.perturb_seed,
            copies: self.copies.unwrap_or(1),
            gc_every: self.gc_every.map(Bytes),
            heap: None,
        }
    }
}

/// Parts in a number that a trace can be cut into, or marks.
fn cuts(text: &str) -> Result<Cuts, String> {
    match text.parse()? {
        Cuts::Parts(1_000_001..) => Err("write marks, or a number of parts up to 1000000".to_owned()),
        cuts => Ok(cuts),
    }
}

fn setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write it as KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}
