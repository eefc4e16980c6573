//! What one replay measures. Integers only, and the same on every machine.

use heapsmith_trace::{Bytes, Nanoseconds};

/// A count over all operations, and how it is spread over single ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PerOperation {
    /// Of all operations together.
    pub total: u64,
    /// Half of the operations have no more.
    pub p50: u64,
    /// 99% of the operations have no more.
    pub p99: u64,
    /// 99.9% of the operations have no more.
    pub p999: u64,
    /// The worst single operation.
    pub max: u64,
}

/// Metadata words read and written.
pub type Accesses = PerOperation;
/// Blocks that searches examined.
pub type Visits = PerOperation;

/// What an access of a heap's metadata takes, where averages over time need it. Replays of the catalogue's heaps on
/// recorded programs take 1 to 3 ns an access; a constant keeps the averages the same on every machine.
pub const ACCESS_TIME: Nanoseconds = Nanoseconds(2);

/// The measures of one heap on one trace (Mamagkakis et al. 2006, §3, for the fragmentation).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measures {
    /// Operations: allocations, frees and reallocations.
    pub operations: u64,
    /// Requests that were refused.
    pub failed: u64,
    /// Peak live bytes, as requested, of the trace.
    pub requested_peak: Bytes,
    /// Most bytes of the region ever used, headers, holes and control words included.
    pub footprint_peak: Bytes,
    /// Bytes of the region up to the wilderness after each operation, averaged over the operations and rounded down. It
    /// falls where the last blocks of the region are freed and coalesce with the wilderness; free blocks below a used one
    /// stay in it.
    pub footprint_mean: Bytes,
    /// What the footprint has after each operation beyond the bytes requested and live, averaged in the same way:
    /// headers, padding, holes, what layers keep, and control words.
    pub retained: Bytes,
    /// The same as `footprint_mean`, averaged over time: what the program takes from one request to the next, as the trace
    /// has it, and [`ACCESS_TIME`] for each access of the heap itself. Averaged over operations where the trace has no
    /// times.
    pub footprint_over_time: Bytes,
    /// The same as `retained`, averaged over time in the same way.
    pub retained_over_time: Bytes,
    /// Index of the event at which the most bytes were requested and served: *the peak*.
    pub peak_event: u64,
    /// Bytes requested and live at the peak: `requested_peak`, unless requests were refused.
    pub requested_at_peak: Bytes,
    /// Bytes of the blocks that held them, headers included.
    pub blocks_at_peak: Bytes,
    /// Bytes of the region up to the wilderness at the peak.
    pub footprint_at_peak: Bytes,
    /// Metadata words read and written.
    pub accesses: Accesses,
    /// Blocks that searches examined.
    pub visits: Visits,
    /// Requests served by a free block as it was.
    pub at_once: u64,
    /// Requests served by splitting a free block.
    pub after_split: u64,
    /// Requests served only after coalescing.
    pub after_coalescing: u64,
    /// Requests served by never-used memory.
    pub by_growing: u64,
    /// Requests served only after other blocks were moved.
    pub after_defragmentation: u64,
}

impl Measures {
    /// `footprint_peak / requested_peak − 1`: 0.1 is 10% more memory than was asked for.
    pub fn fragmentation(&self) -> f64 {
        if self.requested_peak.0 == 0 {
            return 0.0;
        }
        self.footprint_peak.0 as f64 / self.requested_peak.0 as f64 - 1.0
    }

    /// Bytes of used blocks beyond the requests in them at the peak, over `requested_peak`.
    pub fn internal_fragmentation(&self) -> f64 {
        self.share(self.blocks_at_peak.0 - self.requested_at_peak.0)
    }

    /// Bytes of the largest footprint beyond the blocks used at the peak, over
    /// `requested_peak`. Internal and external fragmentation add up to the
    /// fragmentation (Mamagkakis et al. 2006, §3).
    pub fn external_fragmentation(&self) -> f64 {
        self.share(self.footprint_peak.0 - self.blocks_at_peak.0)
    }

    fn share(&self, bytes: u64) -> f64 {
        if self.requested_peak.0 == 0 { 0.0 } else { bytes as f64 / self.requested_peak.0 as f64 }
    }

    /// Accesses of an operation, on average.
    pub fn accesses_per_operation(&self) -> f64 {
        self.accesses.total as f64 / self.operations.max(1) as f64
    }

    /// Visits of an operation, on average.
    pub fn visits_per_operation(&self) -> f64 {
        self.visits.total as f64 / self.operations.max(1) as f64
    }
}

/// Every integer once: its name in tables and files, and its place.
macro_rules! columns {
    ($($name:ident: $($field:tt).+;)+) => {
        impl Measures {
            /// Names of the integers, as they appear in every table and file.
            pub const COLUMNS: &'static [&'static str] = &[$(stringify!($name)),+];

            /// The integers, in the order of [`Measures::COLUMNS`].
            pub fn to_row(&self) -> Vec<u64> {
                vec![$(self.$($field).+),+]
            }

            /// The measures whose integers these are; none if there are too few.
            pub fn from_row(row: &[u64]) -> Option<Measures> {
                let mut measures = Measures::default();
                let mut row = row.iter();
                $(measures.$($field).+ = *row.next()?;)+
                Some(measures)
            }
        }
    };
}

columns! {
    operations: operations;
    failed: failed;
    requested_peak: requested_peak.0;
    footprint_peak: footprint_peak.0;
    footprint_mean: footprint_mean.0;
    retained: retained.0;
    footprint_over_time: footprint_over_time.0;
    retained_over_time: retained_over_time.0;
    peak_event: peak_event;
    requested_at_peak: requested_at_peak.0;
    blocks_at_peak: blocks_at_peak.0;
    footprint_at_peak: footprint_at_peak.0;
    accesses: accesses.total;
    accesses_p50: accesses.p50;
    accesses_p99: accesses.p99;
    accesses_p999: accesses.p999;
    accesses_max: accesses.max;
    visits: visits.total;
    visits_p50: visits.p50;
    visits_p99: visits.p99;
    visits_p999: visits.p999;
    visits_max: visits.max;
    at_once: at_once;
    after_split: after_split;
    after_coalescing: after_coalescing;
    by_growing: by_growing;
    after_defragmentation: after_defragmentation;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_holds_every_integer() {
        let row: Vec<u64> = (1..=Measures::COLUMNS.len() as u64).collect();
        let measures = Measures::from_row(&row).expect("a whole row");
        assert_eq!(measures.to_row(), row);
        assert_eq!(Measures::from_row(&row[1..]), None);
    }
}
