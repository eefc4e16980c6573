//! Live bytes over the course of a trace, with as many points as a plot can use.

use crate::live::{Ledger, told_apart};
use crate::{Bytes, Nanoseconds, Trace, TraceError};

/// The live set after one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LivePoint {
    /// The event's index, from 0.
    pub event: u64,
    /// The event's time.
    pub time: Nanoseconds,
    /// Bytes requested and live after it.
    pub live: Bytes,
    /// Blocks live after it.
    pub blocks: u64,
}

/// Live bytes over the course of a trace.
///
/// The trace is cut into stretches of equal numbers of events; each gives its highest
/// point (the first of equals), and the last stretch gives the trace's end too. So spikes
/// survive, and the highest point of the curve is the trace's peak.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveCurve {
    /// The points in order.
    pub points: Vec<LivePoint>,
}

impl LiveCurve {
    /// The curve of a trace with at most `points` points, or one more where the trace does
    /// not end on a highest point.
    ///
    /// # Errors
    ///
    /// As [`PackedTrace::new`](crate::PackedTrace::new): the first event that no heap could
    /// serve.
    pub fn of(trace: &Trace, points: usize) -> Result<LiveCurve, TraceError> {
        let stretch = trace.events.len().div_ceil(points.max(1)).max(1);
        let mut stretches = Stretches::of_length(stretch as u64);
        let mut ledger = Ledger::default();
        for event in &trace.events {
            ledger.apply(event).map_err(|error| told_apart(error, &trace.events))?;
            stretches.push(event.time, ledger.live_bytes, ledger.live_blocks() as u64);
        }
        Ok(stretches.curve())
    }
}

/// A number of events that follow each other.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    highest: LivePoint,
    lowest: Bytes,
    /// Of the live bytes after each event.
    sum: u128,
    events: u64,
}

/// Stretches of a trace while it streams by. Where its length is not known beforehand, the
/// stretches are joined two by two whenever there are too many.
#[derive(Debug)]
pub(super) struct Stretches {
    stretches: Vec<Stretch>,
    length: u64,
    /// How many stretches there may be.
    max: usize,
    last: Option<LivePoint>,
}

impl Stretches {
    /// Between `points` and twice as many stretches, where there are this many events.
    pub fn new(points: usize) -> Stretches {
        Stretches { stretches: Vec::new(), length: 1, max: points.max(1) * 2, last: None }
    }

    /// Stretches of this many events.
    fn of_length(length: u64) -> Stretches {
        Stretches { stretches: Vec::new(), length, max: usize::MAX, last: None }
    }

    /// Takes in what is live after the next event.
    pub fn push(&mut self, time: Nanoseconds, live: Bytes, blocks: u64) {
        let point = LivePoint { event: self.last.map_or(0, |last| last.event + 1), time, live, blocks };
        self.last = Some(point);
        match self.stretches.last_mut() {
            Some(stretch) if stretch.events < self.length => stretch.add(point),
            _ => {
                if self.stretches.len() == self.max {
                    self.join();
                }
                let sum = u128::from(live.0);
                self.stretches.push(Stretch { highest: point, lowest: live, sum, events: 1 });
            }
        }
    }

    fn join(&mut self) {
        let joined = self.stretches.chunks(2).map(|pair| match pair {
            [a, b] => a.with(b),
            rest => rest[0],
        });
        self.stretches = joined.collect();
        self.length *= 2;
    }

    /// The highest points, and the end.
    pub fn curve(&self) -> LiveCurve {
        let mut points: Vec<LivePoint> = self.stretches.iter().map(|stretch| stretch.highest).collect();
        if self.last != points.last().copied() {
            points.extend(self.last);
        }
        LiveCurve { points }
    }

    /// Live bytes of each stretch on average.
    pub fn means(&self) -> impl Iterator<Item = f64> {
        self.stretches.iter().map(|stretch| stretch.sum as f64 / stretch.events as f64)
    }

    /// The least and the peak live bytes of each stretch.
    pub fn extremes(&self) -> impl Iterator<Item = (Bytes, Bytes)> {
        self.stretches.iter().map(|stretch| (stretch.lowest, stretch.highest.live))
    }
}

impl Stretch {
    fn add(&mut self, point: LivePoint) {
        if point.live > self.highest.live {
            self.highest = point;
        }
        self.lowest = self.lowest.min(point.live);
        self.sum += u128::from(point.live.0);
        self.events += 1;
    }

    fn with(&self, next: &Stretch) -> Stretch {
        let highest = if next.highest.live > self.highest.live { next.highest } else { self.highest };
        let lowest = self.lowest.min(next.lowest);
        Stretch { highest, lowest, sum: self.sum + next.sum, events: self.events + next.events }
    }
}
