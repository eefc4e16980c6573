//! The figures of a heap on a trace, each computed once.
//!
//! | figure | replays |
//! |---|---|
//! | counted | 1 for all of them |
//! | smallest region | about 16 |
//! | drift | one for each pass |
//! | largest request | half of the moments, and 2 |
//! | bounds, figures of the trace | 0 |

use std::collections::HashMap;

use heapsmith_limits::bound::{Bound, ProgramClass, bound_of};
use heapsmith_replay::{
    BuildError, Drift, Measures, Moment, Region, ReplayError, ReplayOptions, at_events, min_region, passes, replay,
};
use heapsmith_spec::Spec;
use heapsmith_trace::{Bytes, Operation, PackedTrace};

use crate::measure::{At, Figure, Measure};

/// A figure's value, and the event where it was seen, from 0, if it was seen at one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Value {
    pub value: f64,
    pub event: Option<u64>,
}

/// Why a figure has no value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Missing {
    /// The heap refuses requests: an assertion about it fails.
    Refused { failed: u64, operations: u64, region: Option<u64> },
    /// Nobody knows it: an assertion about it cannot be evaluated.
    Unknown(String),
}

pub(crate) type Found = Result<Value, Missing>;

impl From<f64> for Value {
    fn from(value: f64) -> Value {
        Value { value, event: None }
    }
}

/// The figures of one trace with one heap, or with none.
pub(crate) struct Figures<'t> {
    trace: &'t PackedTrace,
    heap: Option<&'t Spec>,
    region: Region,
    /// A larger one, where a figure asked for it.
    larger: Option<Region>,
    measures: Option<Measures>,
    found: HashMap<Figure, Found>,
}

impl<'t> Figures<'t> {
    pub fn of(trace: &'t PackedTrace, heap: Option<&'t Spec>) -> Result<Figures<'t>, ReplayError> {
        let region = match heap {
            Some(_) => Region::for_trace(trace)?,
            None => Region::new(Bytes(0))?,
        };
        Ok(Figures { trace, heap, region, larger: None, measures: None, found: HashMap::new() })
    }

    /// A figure. Its errors are those of a heap that cannot be made, or is wrong.
    pub fn get(&mut self, figure: Figure) -> Result<Found, ReplayError> {
        if let Some(found) = self.found.get(&figure) {
            return Ok(found.clone());
        }
        let found = match (self.heap, figure) {
            (_, Figure::Plain(Measure::RequestedPeak)) => Ok(peak(self.trace)),
            (_, Figure::Plain(Measure::NeverFreed)) => Ok(Value::from(never_freed(self.trace) as f64)),
            (Some(spec), figure) => self.of_heap(spec, figure)?,
            // A check file gives every other figure a heap.
            (None, figure) => Err(Missing::Unknown(format!("{figure} needs a heap: name one"))),
        };
        self.found.insert(figure, found.clone());
        Ok(found)
    }

    fn of_heap(&mut self, spec: &Spec, figure: Figure) -> Result<Found, ReplayError> {
        match figure {
            Figure::Plain(Measure::MinRegion) => self.min_region(spec),
            Figure::Plain(Measure::Bound) => Ok(known_bound(spec, self.trace)
                .and_then(|bound| bound.region.map(|bytes| Value::from(bytes as f64)).ok_or_else(|| no_bound(&bound)))),
            Figure::Plain(Measure::AccessesBound) => {
                Ok(known_bound(spec, self.trace).and_then(|bound| worst_case(&bound)))
            }
            Figure::Plain(measure) => Ok(self.measures(spec)?.map(|measures| counted(&measures, measure))),
            Figure::InRegion { measure, region } => {
                Ok(self.in_region(spec, region)?.map(|measures| counted(&measures, measure)))
            }
            Figure::Drift { passes, frees } => self.drift(spec, passes, frees),
            Figure::LargestRequest { region, at } => self.largest_request(spec, region, at),
        }
    }

    /// What one replay counts; none where it refuses requests.
    fn measures(&mut self, spec: &Spec) -> Result<Result<Measures, Missing>, ReplayError> {
        let measures = match &self.measures {
            Some(measures) => measures.clone(),
            None => {
                let measures = replay(spec, self.trace, &mut self.region, ReplayOptions::MEASURE)?;
                self.measures.insert(measures).clone()
            }
        };
        Ok(served(measures, None))
    }

    fn min_region(&mut self, spec: &Spec) -> Result<Found, ReplayError> {
        if let Err(missing) = self.measures(spec)? {
            return Ok(Err(missing));
        }
        let found = min_region(spec, self.trace, &mut self.region)?;
        Ok(found
            .map(|bytes| Value::from(bytes.0 as f64))
            .ok_or_else(|| Missing::Unknown(format!("no region of up to {} serves the trace", self.region.size()))))
    }

    fn drift(&mut self, spec: &Spec, count: u32, frees: bool) -> Result<Found, ReplayError> {
        let mut region = Region::for_passes(self.trace, count.into())?;
        let all = passes(spec, self.trace, &mut region, None, count as usize, Figure::leaked(frees))?;
        let (failed, operations) = (all.iter().map(|pass| pass.failed).sum(), self.trace.events.len() as u64);
        if failed > 0 {
            return Ok(Err(Missing::Refused { failed, operations: operations * u64::from(count), region: None }));
        }
        Ok(Ok(Value::from(Drift::of(&all).bytes as f64)))
    }

    /// What a replay in a region of this size counts; none where it refuses requests.
    fn in_region(&mut self, spec: &Spec, region: u64) -> Result<Result<Measures, Missing>, ReplayError> {
        let options = ReplayOptions { region: Some(Bytes(region)), ..ReplayOptions::MEASURE };
        match replay(spec, self.trace, self.memory(Bytes(region))?, options) {
            // Not even an empty heap has room.
            Err(ReplayError::Build(BuildError::Region(_))) => {
                let operations = self.trace.events.len() as u64;
                Ok(Err(Missing::Refused { failed: self.trace.allocations, operations, region: Some(region) }))
            }
            measures => Ok(served(measures?, Some(region))),
        }
    }

    /// Memory of at least this size.
    fn memory(&mut self, size: Bytes) -> Result<&mut Region, ReplayError> {
        if self.region.size() >= size {
            return Ok(&mut self.region);
        }
        if self.larger.as_ref().is_none_or(|larger| larger.size() < size) {
            self.larger = Some(Region::new(size)?);
        }
        Ok(self.larger.as_mut().unwrap_or(&mut self.region))
    }

    fn largest_request(&mut self, spec: &Spec, region: u64, at: At) -> Result<Found, ReplayError> {
        let measures = match self.in_region(spec, region)? {
            Ok(measures) => measures,
            Err(missing) => return Ok(Err(missing)),
        };
        let last = (self.trace.events.len() as u64).saturating_sub(1);
        let events = match at {
            At::End => vec![last],
            At::Worst { moments } => moments_of(last, moments, measures.peak_event),
        };
        let moments = at_events(spec, self.trace, self.memory(Bytes(region))?, Bytes(region), &events)?;
        let worst = moments.iter().min_by_key(|moment| (moment.bytes.largest_request, moment.event));
        let value = |moment: &Moment| Value { value: moment.bytes.largest_request.0 as f64, event: Some(moment.event) };
        Ok(worst.map(value).ok_or_else(|| Missing::Unknown("the trace has no events".to_owned())))
    }
}

fn counted(measures: &Measures, measure: Measure) -> Value {
    match measure {
        Measure::Fragmentation => Value::from(rounded(measures.fragmentation())),
        Measure::AccessesPerOp => Value::from(rounded(measures.accesses_per_operation())),
        Measure::AccessesP99 => Value::from(measures.accesses.p99 as f64),
        Measure::AccessesMax => Value::from(measures.accesses.max as f64),
        _ => Value::from(measures.footprint_peak.0 as f64),
    }
}

/// Six decimals, as in every table: a text of it is the number itself, so a saved figure is the figure.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

fn served(measures: Measures, region: Option<u64>) -> Result<Measures, Missing> {
    match measures.failed {
        0 => Ok(measures),
        failed => Err(Missing::Refused { failed, operations: measures.operations, region }),
    }
}

/// The last events of this many equal parts, and the peak: ascending, each once.
fn moments_of(last: u64, moments: u32, peak: u64) -> Vec<u64> {
    let events = u128::from(last) + 1;
    let parts = u128::from(moments).min(events);
    let ends = (1..=parts).map(|part| (part * events / parts) as u64 - 1);
    let mut all: Vec<u64> = ends.chain([peak.min(last)]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn known_bound(spec: &Spec, trace: &PackedTrace) -> Result<Bound, Missing> {
    let program = ProgramClass::of(trace);
    let program = program.map_err(|error| Missing::Unknown(format!("no bound: {error}")))?;
    Ok(bound_of(spec, program))
}

fn no_bound(bound: &Bound) -> Missing {
    Missing::Unknown(format!(
        "no bound is known: {}; assert min_region instead, or take a heap that `heapsmith bound` has a bound of",
        bound.why_none
    ))
}

fn worst_case(bound: &Bound) -> Found {
    let both = bound.worst_case.allocate.zip(bound.worst_case.free);
    both.map(|(allocate, free)| Value::from(allocate.max(free) as f64)).ok_or_else(|| {
        let why = if bound.why_none.is_empty() { "an operation of it has no bound" } else { &bound.why_none };
        Missing::Unknown(format!(
            "no bound of an operation is known: {why}; assert accesses_max instead, or take a heap that `heapsmith \
             bound` has one of"
        ))
    })
}

/// Peak live bytes, and the first event that reaches them.
fn peak(trace: &PackedTrace) -> Value {
    let (mut live, mut peak) = (Live::new(trace), Value { value: 0.0, event: None });
    for (event, number) in trace.events.iter().zip(0..) {
        live.apply(event.operation, event.slot, event.size);
        if live.bytes as f64 > peak.value {
            peak = Value { value: live.bytes as f64, event: Some(number) };
        }
    }
    peak
}

fn never_freed(trace: &PackedTrace) -> u64 {
    let mut live = Live::new(trace);
    trace.events.iter().for_each(|event| live.apply(event.operation, event.slot, event.size));
    live.bytes
}

/// Bytes that are requested and live.
struct Live {
    sizes: Vec<u64>,
    bytes: u64,
}

impl Live {
    fn new(trace: &PackedTrace) -> Live {
        Live { sizes: vec![0; trace.slots], bytes: 0 }
    }

    fn apply(&mut self, operation: Operation, slot: u32, size: u64) {
        let now = if operation == Operation::Free { 0 } else { size };
        let before = std::mem::replace(&mut self.sizes[slot as usize], now);
        self.bytes = self.bytes - before + now;
    }
}

#[cfg(test)]
mod tests {
    use super::moments_of;

    #[test]
    fn moments_are_the_ends_of_parts_and_the_peak() {
        assert_eq!(moments_of(99, 4, 40), [24, 40, 49, 74, 99]);
        assert_eq!(moments_of(0, 50, 0), [0]);
        assert_eq!(moments_of(2, 50, 1), [0, 1, 2]);
    }
}
