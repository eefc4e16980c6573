//! Which region first: the designs of a front in several memories, at every order and threshold.
//!
//! ```text
//!   designs ──┐
//!             ├─▶ order of preference × a threshold for each region but the last ──▶ replays ──▶ weighted cost
//!   regions ──┘        the regions as they were named, without thresholds: internal first
//! ```
//!
//! A design is explored in one region, since what a structure costs does not depend on where its region lies. Which requests
//! go where does: so for the few designs of the front every order of the regions and every threshold of a row are replayed, and
//! compared in the weighted cost ([`heapsmith_replay::by_region`]), a model in cycles. What refuses a request of a trace is no
//! candidate. The baseline is what a board does without a plan: the pick, the first region for everything, the others where
//! that is full.
//!
//! Cost: designs × orders × 8 thresholds for each region but the last, a replay of every trace each: 16 replays a design with
//! two regions, 384 with three.

use std::sync::atomic::AtomicBool;

use heapsmith_replay::{ByRegion, ReplayError, by_region};
use heapsmith_spec::{Layer, NamedRegion, Regions, Spec, SpecError, Target};
use heapsmith_trace::PackedTrace;

use crate::error::SweepError;
use crate::workers::{Threads, Worker};

/// The largest requests that begin in a region; none is all.
pub const THRESHOLDS: [Option<u64>; 8] =
    [None, Some(32), Some(64), Some(128), Some(256), Some(512), Some(1024), Some(2048)];

/// The most regions that are placed in: more orders and thresholds than anybody waits for.
pub const MAX_PLACED: usize = 3;

/// A design in regions, with what they served of each trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The heap, with its regions.
    pub spec: Spec,
    /// What each region served, trace by trace.
    pub traces: Vec<ByRegion>,
}

impl Placement {
    /// The weighted cost over all traces, in cycles of a model.
    pub fn cycles(&self) -> u64 {
        self.traces.iter().map(ByRegion::cycles).fold(0, u64::saturating_add)
    }

    /// Requests that were refused.
    pub fn refused(&self) -> u64 {
        self.traces.iter().map(|trace| trace.refused).sum()
    }

    /// Blocks that were not served where their sizes begin.
    pub fn spilled(&self) -> u64 {
        self.traces.iter().map(ByRegion::spilled).sum()
    }
}

/// What placements were found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    /// The pick, with the regions as they were named and no thresholds.
    pub internal_first: Placement,
    /// The placement of the pick with the least weighted cost that refuses no request, the first of equals; none if all refuse
    /// some.
    pub of_pick: Option<Placement>,
    /// The same over all designs: of equals that of the pick.
    pub best: Option<Placement>,
    /// All placements of which every region had room for the words of its heap, design by design: of each the orders as
    /// [`Placed::internal_first`] has it first, and thresholds.
    pub all: Vec<Placement>,
}

impl Placed {
    /// The part of the weighted cost that a placement saves against internal first; none where that one refuses requests, so
    /// that its cost is of another program.
    pub fn saved(&self, by: &Placement) -> Option<f64> {
        let before = self.internal_first.cycles();
        (self.internal_first.refused() == 0 && before > 0).then(|| 1.0 - by.cycles() as f64 / before as f64)
    }
}

/// Why designs were not placed.
#[derive(Debug, thiserror::Error)]
pub enum PlacementError {
    /// More regions than are placed in.
    #[error("{0} regions have too many orders and thresholds to try: at most {MAX_PLACED}")]
    TooMany(usize),
    /// No heap can have these regions.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A replay failed, or was interrupted.
    #[error(transparent)]
    Sweep(#[from] SweepError),
}

/// Whether designs for `target` can be placed in these regions at all: nobody should wait for an exploration to be told that
/// they cannot.
///
/// # Errors
///
/// There are too many, or no heap for the target can have them.
pub fn verify_regions(regions: &[NamedRegion], target: &Target) -> Result<(), PlacementError> {
    if regions.len() > MAX_PLACED {
        return Err(PlacementError::TooMany(regions.len()));
    }
    let any = target.suited("list".parse()?);
    Ok(in_regions(&any, regions.to_vec()).validate()?)
}

/// Places the pick and other designs in `regions` on every trace, with this many threads. Designs that cannot be in regions are
/// left out, but the pick.
///
/// # Errors
///
/// The regions suit no heap, or a replay failed or was interrupted.
pub fn place(
    pick: &Spec,
    others: &[Spec],
    regions: &[NamedRegion],
    traces: &[PackedTrace],
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Placed, PlacementError> {
    if regions.len() > MAX_PLACED {
        return Err(PlacementError::TooMany(regions.len()));
    }
    let first = in_regions(pick, regions.to_vec());
    first.validate()?;
    let mut specs = vec![first];
    for design in std::iter::once(pick).chain(others) {
        let placed = orders(regions).into_iter().flat_map(thresholds).map(|regions| in_regions(design, regions));
        specs.extend(placed.filter(|spec| spec.validate().is_ok()));
    }
    let mut found = replayed(&specs, traces, Threads { jobs, stop })?.into_iter();
    let internal_first = found.next().ok_or(SweepError::Interrupted)?.map_err(SweepError::from)?;
    // A heap whose own words leave no room in a small region is no candidate.
    let all: Vec<Placement> = found.flatten().collect();
    let served = || all.iter().filter(|placement| placement.refused() == 0);
    let of_pick = served().filter(|placement| placement.spec.in_one_region() == pick.in_one_region());
    let of_pick = of_pick.min_by_key(|placement| placement.cycles()).cloned();
    let best = served().min_by_key(|placement| placement.cycles()).cloned();
    Ok(Placed { internal_first, of_pick, best, all })
}

/// Replays all specs, in their order; one that cannot be made in the regions is an error of its own.
fn replayed(
    specs: &[Spec],
    traces: &[PackedTrace],
    threads: Threads<'_>,
) -> Result<Vec<Result<Placement, ReplayError>>, SweepError> {
    let one = |place: usize, worker: &mut Worker<'_>| {
        let spec = &specs[place];
        let each = traces.iter().zip(worker.regions.of(traces)?);
        let found: Result<Vec<ByRegion>, ReplayError> =
            each.filter_map(|(trace, region)| by_region(spec, trace, region).transpose()).collect();
        Ok(Some((place, found.map(|traces| Placement { spec: spec.clone(), traces }))))
    };
    let mut done = Vec::new();
    threads.each(specs.len(), &one, &mut |batch| {
        done.extend(batch);
        Ok(())
    })?;
    done.sort_by_key(|(place, _)| *place);
    Ok(done.into_iter().map(|(_, found)| found).collect())
}

/// The design in these regions.
fn in_regions(design: &Spec, regions: Vec<NamedRegion>) -> Spec {
    let mut spec = design.in_one_region();
    spec.layers.insert(0, Layer::Regions(Regions { regions }));
    spec
}

/// Every order of the regions, that in which they were named first.
fn orders(regions: &[NamedRegion]) -> Vec<Vec<NamedRegion>> {
    if regions.len() < 2 {
        return vec![regions.to_vec()];
    }
    let begun = |first: usize| {
        let others: Vec<NamedRegion> =
            regions.iter().enumerate().filter(|(at, _)| *at != first).map(|(_, region)| region.clone()).collect();
        orders(&others).into_iter().map(move |others| std::iter::once(regions[first].clone()).chain(others).collect())
    };
    (0..regions.len()).flat_map(begun).collect()
}

/// The regions with every threshold for each but the last, which takes what is left.
fn thresholds(regions: Vec<NamedRegion>) -> Vec<Vec<NamedRegion>> {
    let last = regions.len().saturating_sub(1);
    (0..last).fold(vec![regions], |all, place| {
        let with = |regions: Vec<NamedRegion>| {
            THRESHOLDS.map(|up_to| {
                let mut regions = regions.clone();
                regions[place].up_to = up_to;
                regions
            })
        };
        all.into_iter().flat_map(with).collect()
    })
}

#[cfg(test)]
mod tests {
    use heapsmith_trace::{Action, Bytes, Event, Trace};

    use super::*;

    /// Large blocks first, which stay; then small ones, in turns.
    fn trace() -> PackedTrace {
        let mut trace = Trace::default();
        for id in 0..8 {
            trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(1000), alignment: 0 }));
        }
        for id in 8..2000 {
            trace.events.push(Event::at(id, Action::Allocate { id, size: Bytes(24), alignment: 0 }));
            if id >= 40 {
                trace.events.push(Event::at(id, Action::Free { id: id - 32 }));
            }
        }
        PackedTrace::new(&trace).expect("a sound trace")
    }

    fn regions(internal: u64, external: u64) -> Vec<NamedRegion> {
        vec![NamedRegion::new("sram", internal), NamedRegion { cost: 8, ..NamedRegion::new("psram", external) }]
    }

    fn placed(internal: u64, external: u64, jobs: usize) -> Placed {
        let [pick, other] = ["list", "freelists(24) list"].map(|spec| spec.parse().expect("a spec"));
        place(&pick, &[other], &regions(internal, external), &[trace()], jobs, &false.into()).expect("placements")
    }

    fn saved(found: &Placed, by: fn(&Placed) -> Option<&Placement>) -> f64 {
        found.saved(by(found).expect("a placement")).expect("nothing is refused")
    }

    #[test]
    fn small_requests_get_the_fast_region_that_large_ones_would_fill() {
        let found = placed(4 << 10, 16 << 10, 2);
        assert_eq!(found.all.len(), 2 * 2 * 8);
        let (of_pick, best) =
            (saved(&found, |found| found.of_pick.as_ref()), saved(&found, |found| found.best.as_ref()));
        assert!(of_pick > 0.5 && best >= of_pick, "{of_pick} {best}");
        let first = &found.best.as_ref().and_then(|best| best.spec.regions()).expect("regions").regions[0];
        assert!(first.name == "sram" && first.up_to.is_some_and(|up_to| (32..1000).contains(&up_to)), "{first:?}");
        assert_eq!(found, placed(4 << 10, 16 << 10, 1), "on any number of threads");
    }

    #[test]
    fn nothing_is_saved_where_all_fits_the_first() {
        let found = placed(64 << 10, 16 << 10, 2);
        assert_eq!(found.of_pick.as_ref(), Some(&found.internal_first));
        assert!(saved(&found, |found| found.best.as_ref()) > 0.0, "by another design alone");
    }

    #[test]
    fn what_refuses_is_no_candidate() {
        let found = placed(1 << 10, 2 << 10, 2);
        assert_eq!((found.of_pick.as_ref(), found.best.as_ref()), (None, None));
        assert_eq!(found.saved(&found.internal_first), None);
        assert!(found.internal_first.refused() > 0);
    }

    #[test]
    fn three_regions_have_six_orders_and_more_are_refused() {
        let mut three = regions(4 << 10, 16 << 10);
        three.push(NamedRegion::new("tcm", 1 << 10));
        assert_eq!(orders(&three).len(), 6);
        assert_eq!(thresholds(three.clone()).len(), 64);
        three.push(NamedRegion::new("rtc", 1 << 10));
        let list: Spec = "list".parse().expect("a spec");
        let refused = place(&list, &[], &three, &[trace()], 1, &false.into());
        assert!(matches!(refused, Err(PlacementError::TooMany(4))));
    }
}
