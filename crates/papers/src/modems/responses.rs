//! What operations cost on a run: on average over all of it, near the maximum of live blocks, and over a swap.

use std::ops::Range;

use heapsmith_replay::{EventCost, Priority, Region, event_costs, min_region};
use heapsmith_spec::resolve;
use heapsmith_trace::{Action, Operation, PackedTrace, Trace};

use super::ALLOCATORS;
use crate::error::ExperimentError;

/// Near the maximum of live blocks: at least this share of it.
const NEAR_MAX: f64 = 0.95;

/// Words of metadata of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Cost {
    /// On average.
    pub mean: f64,
    /// Of one in the middle.
    pub median: u64,
    /// Of the most expensive.
    pub max: u64,
}

impl Cost {
    fn of(accesses: impl Iterator<Item = u64>) -> Cost {
        let mut all: Vec<u64> = accesses.collect();
        all.sort_unstable();
        let mean = all.iter().sum::<u64>() as f64 / all.len().max(1) as f64;
        let at = |index: usize| all.get(index).copied().unwrap_or(0);
        Cost { mean, median: at(all.len() / 2), max: all.last().copied().unwrap_or(0) }
    }
}

/// Allocating and freeing.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Response {
    /// Of a request.
    pub allocate: Cost,
    /// Of a free.
    pub free: Cost,
}

impl Response {
    /// Of the events that `is_in` picks by their index.
    pub fn of(trace: &PackedTrace, costs: &[EventCost], is_in: impl Fn(usize) -> bool) -> Response {
        let of = |operation: Operation| {
            let events = trace.events.iter().zip(costs).enumerate();
            let own = events.filter(|(index, (event, _))| event.operation == operation && is_in(*index));
            Cost::of(own.map(|(_, (_, cost))| cost.accesses))
        };
        Response { allocate: of(Operation::Allocate), free: of(Operation::Free) }
    }

    /// What a block costs from its request to its free.
    pub fn both(&self) -> f64 {
        self.allocate.mean + self.free.mean
    }
}

/// A run, and what belongs together in it.
pub(super) struct Run {
    /// The operations.
    pub trace: PackedTrace,
    /// The exchanges of a unit for another, as ranges of events: its frees, then its allocations.
    swaps: Vec<Range<usize>>,
    /// Calls that were taken.
    calls: usize,
    /// Whether an event is one of the moments when the number of live blocks is near its maximum.
    pub near_max: Vec<bool>,
}

impl Run {
    /// Of a trace with its marks.
    pub fn new(whole: &Trace) -> Result<Run, ExperimentError> {
        let trace = PackedTrace::new(whole)?;
        let mut live = 0_i64;
        let blocks: Vec<i64> = trace
            .events
            .iter()
            .map(|event| {
                let before = live;
                live += match event.operation {
                    Operation::Allocate => 1,
                    Operation::Free => -1,
                    Operation::Reallocate => 0,
                };
                before
            })
            .collect();
        let max = blocks.iter().copied().max().unwrap_or(0) as f64;
        let near_max = blocks.iter().map(|&blocks| blocks as f64 >= NEAR_MAX * max).collect();
        let is_call = |label: u32| whole.labels[label as usize].starts_with("call with ");
        let calls =
            whole.events.iter().filter(|event| matches!(event.action, Action::Mark { label } if is_call(label)));
        Ok(Run { swaps: swaps(whole), calls: calls.count(), trace, near_max })
    }

    /// What allocators cost on it, in the order of [`ALLOCATORS`]; none if one serves it in no region.
    pub fn responses(&self, region: &mut Region) -> Result<Option<Vec<Responses>>, ExperimentError> {
        let mut all = Vec::new();
        for allocator in &ALLOCATORS {
            let spec = resolve(allocator.spec)?;
            let Some(size) = min_region(&spec, &self.trace, region)? else { return Ok(None) };
            let costs = event_costs(&spec, &self.trace, region, size, |_| Priority::Low)?;
            all.push(self.summary(size.0, &costs));
        }
        Ok(Some(all))
    }

    fn summary(&self, physical: u64, costs: &[EventCost]) -> Responses {
        let sum = |is_in: &dyn Fn(Operation) -> bool| {
            let within = self.swaps.iter().map(|swap| {
                let events = self.trace.events[swap.clone()].iter().zip(&costs[swap.clone()]);
                events.filter(|(event, _)| is_in(event.operation)).map(|(_, cost)| cost.accesses).sum()
            });
            Cost::of(within)
        };
        let whole = Response::of(&self.trace, costs, |_| true);
        Responses {
            physical,
            whole,
            near_max: Response::of(&self.trace, costs, |index| self.near_max[index]),
            exchange: sum(&|_| true),
            exchange_in: sum(&|operation| operation == Operation::Allocate),
            call_in: whole.allocate.mean * self.trace.allocations as f64 / self.calls.max(1) as f64,
        }
    }
}

/// What an allocator costs on a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Responses {
    /// The smallest region that serves the run, in bytes.
    pub physical: u64,
    /// Over all of it.
    pub whole: Response,
    /// At the moments when the number of live blocks is near its maximum.
    pub near_max: Response,
    /// A swap, read as the exchange of a unit for another: frees and allocations.
    pub exchange: Cost,
    /// Of that the allocations alone.
    pub exchange_in: Cost,
    /// A swap, read as bringing in all that a call asks for: its allocations, on average.
    pub call_in: f64,
}

/// The swaps, as ranges of the events without marks.
fn swaps(trace: &Trace) -> Vec<Range<usize>> {
    let named = |text: &str| trace.labels.iter().position(|label| label == text).map(|index| index as u32);
    let (begins, ends) = (named("swap"), named("swapped"));
    let (mut swaps, mut start, mut index) = (Vec::new(), 0, 0);
    for event in &trace.events {
        match event.action {
            Action::Mark { label } if Some(label) == begins => start = index,
            Action::Mark { label } if Some(label) == ends => swaps.push(start..index),
            Action::Mark { .. } => {}
            _ => index += 1,
        }
    }
    swaps
}
