//! What was measured of a heap, for the comment at the head of its source.

use serde::Serialize;

/// Figures of replays, as lines for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// What it was measured on.
    pub traces: String,
    /// Bytes of the region to reserve for the traces, the footprint where that is not known; or, if guaranteed, those in which no program
    /// like them is refused.
    pub reserve: u64,
    /// Whether the region is one that refuses nothing.
    pub guaranteed: bool,
    /// What the region's address has to be a multiple of, for the same offsets as were measured; none if what the heap itself
    /// wants is enough.
    pub base: Option<u64>,
    /// A figure a line.
    pub lines: Vec<String>,
}
