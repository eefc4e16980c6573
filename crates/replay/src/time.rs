//! Time, beside the time of a heap that does nothing.
//!
//! A replay is timed as a whole and divided by its operations: a clock read
//! between operations would cost more than most of them. Heaps that are
//! compared take turns, so that a slow moment of the machine hits all of them.

use std::hint::black_box;
use std::time::Instant;

use heapsmith::{Heap, Nothing, Unmetered};
use heapsmith_spec::Spec;
use heapsmith_spec::build::{Job, with_heap};
use heapsmith_trace::{Bytes, PackedTrace};

use crate::live::bare;
use crate::region::Region;
use crate::run::ReplayError;

/// Times of one heap on one trace, in nanoseconds an operation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    /// The median round.
    pub median: f64,
    /// The fastest round.
    pub least: f64,
    /// The slowest round.
    pub most: f64,
}

/// Times every heap of `specs`, and the floor: `rounds` rounds, in which all take turns.
pub fn time(
    specs: &[&Spec],
    trace: &PackedTrace,
    region: &mut Region,
    rounds: usize,
) -> Result<(Vec<Timing>, Timing), ReplayError> {
    let mut times = vec![Vec::with_capacity(rounds); specs.len()];
    let mut floor = Vec::with_capacity(rounds);
    for _ in 0..rounds.max(1) {
        floor.push(Round { trace }.run(Nothing));
        for (spec, times) in specs.iter().zip(&mut times) {
            let source = region.source(Bytes(u64::MAX));
            times.push(with_heap(spec, source, Unmetered, Round { trace })?);
        }
    }
    Ok((times.into_iter().map(summarise).collect(), summarise(floor)))
}

fn summarise(mut rounds: Vec<f64>) -> Timing {
    rounds.sort_by(f64::total_cmp);
    Timing { median: rounds[rounds.len() / 2], least: rounds[0], most: rounds[rounds.len() - 1] }
}

struct Round<'t> {
    trace: &'t PackedTrace,
}

impl Job<Unmetered> for Round<'_> {
    type Output = f64;

    fn run<H: Heap<Meter = Unmetered>>(self, mut heap: H) -> f64 {
        let mut slots = vec![None; self.trace.slots];
        let start = Instant::now();
        bare(&mut heap, &self.trace.events, &mut slots);
        let elapsed = start.elapsed();
        black_box(&slots);
        elapsed.as_nanos() as f64 / self.trace.events.len().max(1) as f64
    }
}
