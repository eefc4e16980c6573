//! What is measured at the end and not counted: times, and memory by pages. They differ from run to run and from machine
//! to machine, so they are kept apart from the results.

use heapsmith_peers::PREFIX;
use heapsmith_replay::Spread;
use heapsmith_trace::Bytes;

/// The time of a design, of an allocator of the catalogue or of a peer, measured alone.
#[derive(Debug, Clone, PartialEq)]
pub struct Retimed {
    /// The design's number, the catalogue's name, or the peer with its prefix.
    pub name: String,
    /// Whether it is a heap that was emitted as C and compiled: as it ships, and not as it is built in.
    pub is_compiled: bool,
    /// Nanoseconds an operation: the median round with its interval, over all traces.
    pub ns: Spread,
    /// The fastest round.
    pub min: f64,
    /// The slowest round.
    pub max: f64,
    /// The same loop on the null allocator.
    pub null_allocator: f64,
    /// Rounds: of the trace that was timed for most.
    pub rounds: u32,
    /// Events that were timed of all traces: fewer than there are where what is slow was timed on a stretch.
    pub events: u64,
}

impl Retimed {
    /// As what a heap was timed: `compiled` or `built-in`; none for a peer.
    pub fn timed_as(&self) -> Option<&'static str> {
        let form = if self.is_compiled { "compiled" } else { "built-in" };
        Some(form).filter(|_| !self.name.starts_with(PREFIX))
    }
}

/// The memory of one of them by the pages that it touched, with payloads written.
#[derive(Debug, Clone, PartialEq)]
pub struct Paged {
    /// As in [`Retimed`].
    pub name: String,
    /// Bytes in the pages, of all traces.
    pub touched: Bytes,
    /// `touched / requested_peak − 1`, averaged over the traces.
    pub fragmentation: f64,
    /// Requests refused, over all traces.
    pub failed: u64,
    /// Events that were replayed of all traces: fewer than there are where a peer, or what is slow, is cut short.
    pub events: u64,
}

/// The same on one trace.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageRow {
    /// As in [`Retimed`].
    pub name: String,
    /// Number of the trace.
    pub trace: usize,
    /// Bytes in the pages.
    pub touched: Bytes,
    /// Most bytes requested and live at once, of the events replayed.
    pub requested_peak: Bytes,
    /// Requests refused.
    pub failed: u64,
    /// Events that were replayed.
    pub events: u64,
}
