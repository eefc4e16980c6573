//! The smallest region that serves a trace.

use heapsmith::Heap;
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_spec::build::BuildError;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::measures::Measures;
use crate::region::Region;
use crate::run::{ReplayOptions, replay};

/// The smallest fixed region, in bytes, in which every request of `trace` is
/// served; none if even the whole reserve is too small.
///
/// Found by bisection between the peak live bytes and the footprint of
/// an unlimited replay, at a resolution of 8 bytes, in about 15 replays. A heap
/// may serve a trace in a region and fail in a larger one (a policy may take
/// another path): what is returned is a region that serves it, with one of 8
/// bytes less that does not.
pub fn min_region(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<Option<Bytes>, ReplayError> {
    verify_one(spec)?;
    let free = replay(spec, trace, region, ReplayOptions::MEASURE)?;
    if free.failed > 0 {
        return Ok(None);
    }
    let serves = free.footprint_peak.0.next_multiple_of(8);
    smallest(spec, trace, region, (trace.requested_peak.0 / 8 * 8).min(serves - 8), serves)
}

/// The region to reserve, in bytes: from which size on blocks lie where they do in a large region, as the heap knows
/// ([`Heap::sufficient_region`]): for most the footprint there; or the smallest above that serves, of a heap that divides the
/// whole region when it starts. Chunks may make another access or two there, as what is left of the region is in one of their
/// lists. None if even the whole reserve is too small.
///
/// A smaller region may serve too ([`min_region`]), with more work, and one between the two may not. Cost: two replays, or
/// about 15.
pub fn full_region(spec: &Spec, trace: &PackedTrace, region: &mut Region) -> Result<Option<Bytes>, ReplayError> {
    verify_one(spec)?;
    let found = with_dyn_heap(spec, region.source_for(spec, Bytes(u64::MAX))?, |heap| {
        let mut live = LiveTable::new(trace.slots);
        let serves = trace.events.iter().all(|event| live.apply(heap, event));
        serves.then(|| heap.sufficient_region() as u64)
    })?;
    let Some(sufficient) = found else { return Ok(None) };
    let serves = sufficient.next_multiple_of(8);
    smallest(spec, trace, region, serves - 8, serves)
}

/// Refuses a heap with regions of its own: it has no one region to make smaller.
fn verify_one(spec: &Spec) -> Result<(), ReplayError> {
    spec.regions().map_or(Ok(()), |regions| Err(ReplayError::OfRegions { total: Bytes(regions.size()) }))
}

/// A region that serves, with one of 8 bytes less that does not: from one that does not, and one that may.
fn smallest(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    mut fails: u64,
    mut serves: u64,
) -> Result<Option<Bytes>, ReplayError> {
    while !fits(spec, trace, region, serves)? {
        if serves > region.size().0 {
            return Ok(None);
        }
        (fails, serves) = (serves, serves * 2);
    }
    while serves - fails > 8 {
        let middle = (serves + fails) / 16 * 8;
        if fits(spec, trace, region, middle)? {
            serves = middle;
        } else {
            fails = middle;
        }
    }
    Ok(Some(Bytes(serves)))
}

/// The smallest region that serves `trace` ([`min_region`]), with what the heap measures in it: what it does in one operation
/// there is another than where it has room, since full lists are flushed at once.
pub fn in_min_region(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
) -> Result<Option<(Bytes, Measures)>, ReplayError> {
    let Some(bytes) = min_region(spec, trace, region)? else { return Ok(None) };
    let options = ReplayOptions { region: Some(bytes), ..ReplayOptions::MEASURE };
    Ok(Some((bytes, replay(spec, trace, region, options)?)))
}

fn fits(spec: &Spec, trace: &PackedTrace, region: &mut Region, size: u64) -> Result<bool, ReplayError> {
    let options = ReplayOptions { region: Some(Bytes(size)), stop_when_refused: true, ..ReplayOptions::MEASURE };
    match replay(spec, trace, region, options) {
        Ok(measures) => Ok(measures.failed == 0),
        Err(ReplayError::Build(BuildError::Region(_))) => Ok(false),
        Err(error) => Err(error),
    }
}
