//! A trace over and over through one heap: whether the footprint settles or drifts.
//!
//! ```text
//!   pass       1          2          3
//!   footprint  ╱╲╱▔╲──────╱╲╱▔▔╲─────╱╲╱▔▔╲──     peak of a pass, and what remains after it
//! ```
//!
//! A trace that is recorded is short; a server or a device runs for months. What holes one pass leaves, the next finds, and a
//! design that is tight once may not be so the hundredth time.
//!
//! What the trace never frees is handled by one of two rules ([`Leaked`]). Nothing of the trace is copied: memory is its
//! own, and two tables of live blocks.

use heapsmith::{Counting, Heap};
use heapsmith_dispatch::with_dyn_heap;
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::ReplayError;
use crate::live::LiveTable;
use crate::region::Region;

/// The fate of blocks that the trace never frees.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Leaked {
    /// Those of the first pass stay live to the end, as what a program builds up once; those of every
    /// other pass are freed when it ends, in the order of their slots.
    #[default]
    Keep,
    /// Those of every pass are freed when it ends: each begins with nothing live.
    Free,
}

/// One pass.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pass {
    /// Most bytes of the region that were used in this pass, headers and holes included.
    pub footprint_peak: Bytes,
    /// Bytes that are used when it is over and what it left is handled.
    pub footprint: Bytes,
    /// Bytes requested that are live then.
    pub leaked: Bytes,
    /// Metadata words that its operations read and wrote.
    pub accesses: u64,
    /// Requests that were refused.
    pub failed: u64,
}

/// How the footprint goes from pass to pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drift {
    /// Most bytes used in the last pass less those in the first; where the first leaves blocks live, which are in the
    /// way of all others alike, less those in the second.
    pub bytes: i128,
    /// The first pass (from 1) after which every pass is as it was, in peak and in what remains; none if
    /// the last still differs from the one before.
    pub settles: Option<usize>,
}

impl Drift {
    /// Of passes that [`passes()`] gave.
    pub fn of(passes: &[Pass]) -> Drift {
        let is_alike = passes.first().is_none_or(|pass| pass.leaked == Bytes(0));
        let first = if is_alike { passes.first() } else { passes.get(1).or(passes.first()) };
        let peak = |pass: Option<&Pass>| pass.map_or(0, |pass| i128::from(pass.footprint_peak.0));
        let same = |pass: &&Pass| {
            let footprints = |pass: &Pass| (pass.footprint_peak, pass.footprint);
            passes.last().is_some_and(|last| footprints(last) == footprints(pass))
        };
        let settled = passes.iter().rev().take_while(same).count();
        let settles = (settled > 1).then_some(passes.len() - settled + 1);
        Drift { bytes: peak(passes.last()) - peak(first), settles }
    }
}

/// No more passes are replayed: each is noted in 40 bytes.
pub const MAX_PASSES: usize = 1_000_000;

/// Replays the trace this many times, one after another, in one heap.
///
/// # Errors
///
/// More passes than [`MAX_PASSES`]; a heap that cannot be made in the region.
pub fn passes(
    spec: &Spec,
    trace: &PackedTrace,
    region: &mut Region,
    size: Option<Bytes>,
    count: usize,
    leaked: Leaked,
) -> Result<Vec<Pass>, ReplayError> {
    if count > MAX_PASSES {
        return Err(ReplayError::TooMany { what: "passes", wanted: count, max: MAX_PASSES });
    }
    let source = region.source_for(spec, size.unwrap_or(Bytes(u64::MAX)))?;
    Ok(with_dyn_heap(spec, source, |heap| {
        let mut kept = LiveTable::new(if leaked == Leaked::Keep { trace.slots } else { 0 });
        let mut live = LiveTable::new(trace.slots);
        let number = |pass: usize| match (pass, leaked) {
            (0, Leaked::Keep) => one(heap, trace, &mut kept),
            _ => {
                let pass = one(heap, trace, &mut live);
                for slot in 0..trace.slots {
                    let _ = live.free(heap, slot as u32);
                }
                Pass { footprint: Bytes(heap.footprint() as u64), leaked: requested(&kept), ..pass }
            }
        };
        (0..count).map(number).collect()
    })?)
}

fn requested(live: &LiveTable) -> Bytes {
    Bytes(live.iter().map(|block| block.requested).sum())
}

fn one(heap: &mut dyn Heap<Meter = Counting>, trace: &PackedTrace, live: &mut LiveTable) -> Pass {
    let before = heap.meter().accesses;
    let mut pass = Pass::default();
    for event in &trace.events {
        pass.failed += u64::from(!live.apply(heap, event));
        pass.footprint_peak = pass.footprint_peak.max(Bytes(heap.footprint() as u64));
    }
    pass.accesses = heap.meter().accesses - before;
    (pass.footprint, pass.leaked) = (Bytes(heap.footprint() as u64), requested(live));
    pass
}
