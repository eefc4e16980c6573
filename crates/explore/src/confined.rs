//! Figures that are promised together are measured together: in the region that is promised.
//!
//! An exploration replays in a region that no reasonable design fills. In the smallest one that serves, a heap with full
//! free lists has to give them back in one operation, so its most expensive operation is another; and a region of a few bytes
//! more may not serve. In every region of at least its footprint a heap does what was measured. Therefore:
//!
//! | where | the figures are those of a replay in |
//! |---|---|
//! | the pick, next to the RAM to reserve | that region: its footprint, or what is asked for |
//! | the baseline, where it is a spec and the RAM to reserve is what is compared | the same of its own |
//! | `--max-region R`, of the finalists that need no more | R bytes, and constraints and picks go by them |
//!
//! What was measured is kept by region and spec, so it is never replayed twice.

use heapsmith_replay::{BuildError, Measures, Region, ReplayError, ReplayOptions, replay};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, PackedTrace};

use crate::error::SweepError;
use crate::exploration::Exploration;
use crate::finalists::region_to_reserve;
use crate::objective::{Objective, Objectives};
use crate::regions::Regions;
use crate::store::Store;
use crate::workers::{Threads, Worker};

impl Exploration {
    /// The RAM to reserve for a design: the region that is asked for, else as much as it takes where there is plenty. None if
    /// that was not measured.
    pub fn reserve(&self, index: usize) -> Option<Bytes> {
        self.reserve_of(&self.rows[index].design.spec)
    }

    /// The region in which a design's figures hold together, and its values there: the RAM to reserve. None if it was not
    /// replayed there.
    pub fn in_region(&self, index: usize) -> Option<(Bytes, Objectives)> {
        self.promised(&self.rows[index].design.spec)
    }

    /// What a design measures on every trace in that region.
    pub fn measures_in_region(&self, index: usize) -> Option<&[Measures]> {
        self.measures_promised(&self.rows[index].design.spec).map(|(_, measures)| measures)
    }

    /// What the values of a design are of, on every trace: the region that was asked for, if it was replayed there, else a large one.
    pub fn measures_of(&self, index: usize) -> &[Measures] {
        let asked = self.asked_region().and_then(|_| self.measures_in_region(index));
        asked.unwrap_or(&self.rows[index].measures)
    }

    /// The RAM to reserve for a design and for the baseline, each with its values there; none unless both were replayed there,
    /// and where memory is no region that is reserved, but pages that a `malloc` takes from the system and gives back.
    pub fn reserved(&self, index: usize) -> Option<[(Bytes, Objectives); 2]> {
        if !self.memory_is_reserved() {
            return None;
        }
        Some([self.in_region(index)?, self.promised(self.baseline().spec()?)?])
    }

    /// Whether the memory of a heap is a region that is reserved on the target, and not pages of a `malloc`.
    pub(crate) fn memory_is_reserved(&self) -> bool {
        !self.target.malloc
    }

    /// The RAM to reserve for a heap, as [`Exploration::reserve`] for that of a design.
    pub fn reserve_of(&self, spec: &Spec) -> Option<Bytes> {
        self.asked_region().or_else(|| self.reserves.get(&spec.to_string()).copied()).map(Bytes)
    }

    /// The RAM to reserve for a heap and its values there, as [`Exploration::in_region`] for that of a design.
    pub(crate) fn promised(&self, spec: &Spec) -> Option<(Bytes, Objectives)> {
        self.measures_promised(spec).map(|(bytes, measures)| (bytes, Objectives::of(measures)))
    }

    fn measures_promised(&self, spec: &Spec) -> Option<(Bytes, &[Measures])> {
        let bytes = self.reserve_of(spec)?;
        Some((bytes, self.confined.get(&(bytes.0, spec.to_string()))?))
    }

    /// The largest region that a constraint leaves, in bytes: what is reserved where one is asked for.
    pub fn asked_region(&self) -> Option<u64> {
        let constraints = self.question.goal.constraints.iter();
        let regions = constraints.filter(|constraint| constraint.objective == Objective::MinRegion);
        regions.map(|constraint| constraint.max as u64).min()
    }

    /// The finalists that fit into the region that is asked for, and were not replayed in it.
    pub(crate) fn unconfined(&self) -> Vec<usize> {
        let Some(region) = self.asked_region() else { return Vec::new() };
        let is_open = |index: &usize| {
            let spec = || self.rows[*index].design.spec.to_string();
            self.points[*index].get(Objective::MinRegion) <= region as f64
                && !self.confined.contains_key(&(region, spec()))
        };
        self.finalists().into_iter().filter(is_open).collect()
    }

    /// Replays heaps in a region of a fixed size, and keeps what they do.
    pub(crate) fn confine(
        &mut self,
        specs: &[Spec],
        region: u64,
        store: &mut Store,
        traces: &[PackedTrace],
        threads: &Threads<'_>,
    ) -> Result<(), SweepError> {
        let one = |place: usize, worker: &mut Worker<'_>| {
            let spec = &specs[place];
            let regions = worker.regions.of(traces)?;
            Ok(Some((spec.to_string(), in_regions(spec, traces, regions, region)?)))
        };
        threads.each(specs.len(), &one, &mut |batch| Ok(store.add_confined(region, &batch)?))?;
        self.confined = store.confined()?;
        Ok(())
    }

    /// Takes the values of the finalists in the region that is asked for instead of those in a large one.
    pub(crate) fn take_confined(&mut self) {
        let Some(region) = self.asked_region() else { return };
        for (point, row) in self.points.iter_mut().zip(&self.rows) {
            if !point.get(Objective::MinRegion).is_finite() {
                continue;
            }
            let Some(measures) = self.confined.get(&(region, row.design.spec.to_string())) else { continue };
            let mut confined = Objectives::of(measures);
            for objective in Objective::ALL.into_iter().filter(|objective| !objective.is_counted()) {
                confined.set(objective, point.get(objective));
            }
            *point = confined;
        }
    }
}

/// The RAM to reserve for a heap, with its values there, as an exploration finds them for its pick ([`Exploration::reserve`],
/// [`Exploration::in_region`]): the region that is asked for, else as much as it takes where there is plenty. None if a trace is
/// not served.
///
/// # Errors
///
/// The heap cannot be made, or the memory for a replay cannot be had.
pub fn reserve_on(
    spec: &Spec,
    traces: &[PackedTrace],
    asked: Option<u64>,
) -> Result<Option<(Bytes, Objectives)>, ReplayError> {
    let found = if asked.is_some() { asked } else { region_to_reserve(spec, traces)? };
    let Some(bytes) = found else { return Ok(None) };
    let measures = in_regions(spec, traces, Regions::default().of(traces)?, bytes)?;
    let values = Objectives::of(&measures);
    Ok((values.failed == 0).then_some((Bytes(bytes), values)))
}

fn in_regions(
    spec: &Spec,
    traces: &[PackedTrace],
    regions: &mut [Region],
    bytes: u64,
) -> Result<Vec<Measures>, ReplayError> {
    let options = ReplayOptions { region: Some(Bytes(bytes)), ..ReplayOptions::MEASURE };
    let each = traces.iter().zip(regions).map(|(trace, region)| match replay(spec, trace, region, options) {
        Err(ReplayError::Build(BuildError::Region(_))) => Ok(refused(trace)),
        measured => measured,
    });
    each.collect()
}

/// What a heap measures in a region that its own words do not fit into: it refuses every request.
fn refused(trace: &PackedTrace) -> Measures {
    let (operations, failed) = (trace.events.len() as u64, trace.allocations);
    Measures { operations, failed, requested_peak: trace.requested_peak, ..Measures::default() }
}
