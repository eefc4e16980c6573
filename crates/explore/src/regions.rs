//! The memory that one thread replays in, trace by trace.

use std::sync::atomic::{AtomicBool, Ordering};

use heapsmith_replay::{Measures, Region, ReplayError, ReplayOptions, replay, replay_while};
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
        let each = traces.iter().zip(self.of(traces)?);
        each.map(|(trace, region)| replay(spec, trace, region, ReplayOptions::MEASURE)).collect()
    }
}
