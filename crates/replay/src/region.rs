//! Memory that heaps are replayed in.

use std::mem::MaybeUninit;

use heapsmith::{Fixed, Source};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, Operation, PackedTrace};

use crate::error::ReplayError;

/// Every region begins at a multiple of this, so that payloads have the same
/// offsets in every replay, up to alignments of a page.
const ALIGNMENT: usize = 4096;

/// Bytes that are left out of a reserve, wherever the system put it: it is aligned to 16 bytes at least. So the same
/// reserve is the same region in every process.
const SKIPPED: usize = ALIGNMENT - 16;

/// The least bytes of a reserve for a trace: room for a directory and a page of each size class, however few
/// requests there are.
const MIN_RESERVE: u64 = 1 << 20;

/// A reserve of memory, used by one replay after another.
///
/// The system commits its pages as they are touched: a reserve costs address
/// space, not memory.
#[derive(Debug)]
pub struct Region {
    memory: Vec<u64>,
    /// No heap has more bytes of it.
    limit: u64,
}

impl Region {
    /// A reserve in which every design has room for `trace` that is not absurd:
    /// all that the trace ever requests, or 32 times its peak, whichever is less; 1 MiB at least.
    pub fn for_trace(trace: &PackedTrace) -> Result<Region, ReplayError> {
        Region::new(Region::size_for(trace))
    }

    /// The same for a trace that is replayed this many times over.
    pub fn for_passes(trace: &PackedTrace, passes: u64) -> Result<Region, ReplayError> {
        Region::new(Bytes(enough(trace, passes)))
    }

    /// The same for [`time()`](crate::time()) and [`latencies()`](crate::latencies()), which play a trace twice.
    pub fn for_timing(trace: &PackedTrace) -> Result<Region, ReplayError> {
        Region::new(Region::size_for_timing(trace))
    }

    /// Bytes of such a reserve.
    pub(crate) fn size_for_timing(trace: &PackedTrace) -> Bytes {
        Bytes(enough(trace, 2))
    }

    /// Bytes of such a reserve.
    pub(crate) fn size_for(trace: &PackedTrace) -> Bytes {
        Bytes(enough(trace, 1))
    }

    /// A reserve of `size` bytes, or the largest part of it that the system grants.
    pub fn new(size: Bytes) -> Result<Region, ReplayError> {
        let mut words = usize::try_from(size.0 / 8).unwrap_or(usize::MAX / 32) + 2 * ALIGNMENT / 8;
        loop {
            let mut memory: Vec<u64> = Vec::new();
            if memory.try_reserve_exact(words).is_ok() {
                return Ok(Region { memory, limit: u64::MAX });
            }
            words /= 2;
            if words < ALIGNMENT {
                return Err(ReplayError::NoMemory { wanted: size });
            }
        }
    }

    /// A region of `size` bytes and no more, for what depends on its size: a reserve has up to two pages in addition.
    pub fn exactly(size: Bytes) -> Result<Region, ReplayError> {
        Ok(Region { limit: size.0, ..Region::new(size)? })
    }

    /// The first `max` bytes as the region of a heap.
    pub fn source(&mut self, max: Bytes) -> Fixed<'_> {
        let spare: &mut [MaybeUninit<u64>] = self.memory.spare_capacity_mut();
        let misaligned = spare.as_ptr().addr() % ALIGNMENT;
        let skip = ((ALIGNMENT - misaligned) % ALIGNMENT / 8).min(spare.len());
        let size = (size_of_val(spare) - SKIPPED).min(usize::try_from(max.0.min(self.limit)).unwrap_or(usize::MAX));
        Fixed::new(&mut spare[skip..]).shortened(size)
    }

    /// The first `max` bytes as the region of the heap of `spec`; of a heap with regions of its own all that these have, for
    /// which the reserve becomes as large as they need.
    ///
    /// # Errors
    ///
    /// Fewer bytes than the regions of the spec have, or more than the system grants.
    pub(crate) fn source_for(&mut self, spec: &Spec, max: Bytes) -> Result<Fixed<'_>, ReplayError> {
        let Some(regions) = spec.regions() else { return Ok(self.source(max)) };
        let total = Bytes(regions.size());
        if max < total {
            return Err(ReplayError::OfRegions { total });
        }
        if self.source(total).length() < total.0 as usize {
            *self = Region::new(total)?;
        }
        Ok(self.source(total))
    }

    /// Bytes that a heap can have of it.
    pub fn size(&self) -> Bytes {
        Bytes(((self.memory.capacity() * 8 - ALIGNMENT) as u64).min(self.limit))
    }
}

/// Bytes in which every design but an absurd one has room, for this many passes over the trace.
fn enough(trace: &PackedTrace, passes: u64) -> u64 {
    // A header, the least block and the gap before an aligned payload, generously.
    const OVERHEAD: u64 = 64;
    let all = trace.events.iter().filter(|event| event.operation != Operation::Free).fold(0_u64, |sum, event| {
        sum.saturating_add(event.size).saturating_add(OVERHEAD).saturating_add(event.alignment())
    });
    // The largest request is part of the peak.
    let max = trace.requested_peak.0.saturating_mul(32).saturating_add(16 << 20);
    all.saturating_mul(2).saturating_mul(passes).max(MIN_RESERVE).min(max)
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::Trace;

    use super::*;

    #[test]
    fn a_region_has_the_same_size_wherever_the_system_puts_it() {
        let mut others: Vec<Vec<u64>> = Vec::new();
        let size = |reserve: &mut Region| reserve.source(Bytes(u64::MAX)).length();
        let first = size(&mut Region::new(Bytes(1000)).expect("memory"));
        for words in 1..200 {
            others.push(Vec::with_capacity(words));
            assert_eq!(size(&mut Region::new(Bytes(1000)).expect("memory")), first);
        }
    }

    #[test]
    fn an_exact_region_has_no_byte_more() {
        let mut region = Region::exactly(Bytes(1000)).expect("memory");
        assert_eq!((region.size(), region.source(Bytes(u64::MAX)).length()), (Bytes(1000), 1000));
    }

    #[test]
    fn the_region_of_a_small_trace_has_a_minimum() {
        let region = Region::for_trace(&PackedTrace::new(&Trace::default()).expect("a trace")).expect("memory");
        assert!(region.size() >= Bytes(MIN_RESERVE));
    }
}
