//! A choice on a trace that it was not made for, as a row.

/// A heap that was chosen elsewhere, on a trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// The trace that it is evaluated on.
    pub trace: String,
    /// What the heap is: `pick`, `2006, 2 lists`, a name of the catalogue, or `oracle`.
    pub name: String,
    /// The heap.
    pub heap: String,
    /// Requests that it refuses there.
    pub failed: u64,
    /// Its fragmentation there.
    pub fragmentation: f64,
    /// Its accesses an operation there.
    pub accesses: f64,
    /// The factor, less one, to the front of that trace over fragmentation and accesses.
    pub distance: f64,
    /// Footprint beyond that of the pick by the oracle, as a share.
    pub footprint_regret: f64,
    /// Accesses beyond those of the pick by the oracle, as a share.
    pub accesses_regret: f64,
    /// Why it does worse here than where it was chosen, where it does.
    pub warning: Option<String>,
}
