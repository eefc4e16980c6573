//! The memory that one thread replays in, trace by trace.

use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_replay::{Measures, Region, ReplayError, replay_while};
use heapsmith_spec::Spec;
use heapsmith_trace::PackedTrace;

/// A region for each trace, reserved when it is first asked for.
#[derive(Debug, Default)]
pub(crate) struct Regions(Option<Vec<Region>>);

impl Regions {
    /// The regions of `traces`, which are always the same.
    pub fn of(&mut self, traces: &[PackedTrace]) -> Result<&mut [Region], ReplayError> {
        match &mut self.0 {
            Some(regions) => Ok(regions),
            empty => Ok(empty.insert(traces.iter().map(Region::for_trace).collect::<Result<_, _>>()?)),
        }
    }

    /// As [`Regions::replay`]; none when `stop` was set before the end.
    pub fn replay_until(
        &mut self,
        spec: &Spec,
        traces: &[PackedTrace],
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Measures>>, ReplayError> {
        let mut goes_on = |_: &Measures| !stop.load(Ordering::Relaxed);
        let each = traces.iter().zip(self.of(traces)?);
        each.map(|(trace, region)| replay_while(spec, trace, region, &mut goes_on)).collect()
    }

    /// Replays a spec on all traces.
    pub fn replay(&mut self, spec: &Spec, traces: &[PackedTrace]) -> Result<Vec<Measures>, ReplayError> {
        self.replay_to(spec, traces, f64::INFINITY)
    }

    /// Replays a spec on all traces; on one where it takes more accesses an operation than `max`, until soon after that is
    /// certain: no measure of the whole is less than what is given.
    pub fn replay_to(&mut self, spec: &Spec, traces: &[PackedTrace], max: f64) -> Result<Vec<Measures>, ReplayError> {
        let each = traces.iter().zip(self.of(traces)?);
        each.map(|(trace, region)| {
            let mut reached = None;
            let mut goes_on = |certain: &Measures| {
                let is_within = certain.accesses_per_operation() <= max;
                if !is_within {
                    reached = Some(certain.clone());
                }
                is_within
            };
            let whole = replay_while(spec, trace, region, &mut goes_on)?;
            Ok(whole.or(reached).unwrap_or_default())
        })
        .collect()
    }
}

/// Replays a spec on traces, each in its region, and measures it; no measures where it takes more accesses an
/// operation than `max` on all of them together. It is stopped soon after that is certain.
///
/// # Errors
///
/// The heap cannot be made.
pub fn replay_within(
    spec: &Spec,
    traces: &[PackedTrace],
    regions: &mut [Region],
    max: f64,
) -> Result<Vec<Measures>, ReplayError> {
    let operations: usize = traces.iter().map(|trace| trace.events.len()).sum();
    let is_within = |accesses: u64| accesses as f64 / operations.max(1) as f64 <= max;
    let (mut all, mut before) = (Vec::with_capacity(traces.len()), 0);
    for (trace, region) in traces.iter().zip(regions) {
        let mut goes_on = |certain: &Measures| is_within(before + certain.accesses.total);
        let Some(measures) = replay_while(spec, trace, region, &mut goes_on)? else { return Ok(Vec::new()) };
        before += measures.accesses.total;
        all.push(measures);
    }
    Ok(if is_within(before) { all } else { Vec::new() })
}

#[cfg(test)]
mod tests {
    use heapsmith_replay::{ReplayOptions, replay};
    use heapsmith_trace::{Action, Bytes, Event, Origin, Trace};

    use super::*;

    #[test]
    fn a_design_that_searches_long_is_stopped_and_one_that_does_not_is_measured_as_ever() {
        // Free blocks that no other joins come together, and each is looked for by its address.
        let allocations = (0..4_000).map(|id| Action::Allocate { id, size: Bytes(16 + id % 64), alignment: 0 });
        let frees = (0..3_999).map(|id| Action::Free { id: id * 1_009 % 4_000 });
        let mut trace = Trace::new(Origin::new("test", ""));
        trace.events.extend(allocations.chain(frees).map(|action| Event::at(0, action)));
        let traces = [PackedTrace::new(&trace).expect("a sound trace")];
        let mut regions = [Region::for_trace(&traces[0]).expect("memory")];
        let mut within = |spec: &str, max: f64| -> Vec<Measures> {
            replay_within(&spec.parse().expect("a spec"), &traces, &mut regions, max).expect("a replay")
        };
        let (long, short) = ("list(order=address, coalesce=never)", "tlsf");
        let whole = within(long, f64::INFINITY);
        let accesses = whole[0].accesses_per_operation();
        assert!(accesses > 200.0, "{whole:?}");
        assert_eq!((within(long, 200.0), within(long, accesses)), (Vec::new(), whole));
        assert_eq!(within(long, accesses * 0.9999), [], "what is too much at the very end is, too");
        let to = |max: f64| {
            let replayed = Regions::default().replay_to(&long.parse().expect("a spec"), &traces, max);
            replayed.expect("a replay").remove(0)
        };
        let (stopped, finished) = (to(200.0), to(f64::INFINITY));
        assert!((200.0..accesses).contains(&stopped.accesses_per_operation()), "{stopped:?}");
        assert_eq!(stopped.operations, finished.operations, "it is a lower bound of the whole");
        assert_eq!(finished.accesses_per_operation(), accesses);
        let measured = within(short, 200.0);
        let spec = short.parse().expect("a spec");
        assert_eq!(measured, [replay(&spec, &traces[0], &mut regions[0], ReplayOptions::MEASURE).expect("a replay")]);
    }
}
