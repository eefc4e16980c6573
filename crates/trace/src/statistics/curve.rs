//! Live bytes over the course of a trace, with as many points as a plot can use.

use crate::live::Ledger;
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
        let mut ledger = Ledger::default();
        let mut curve: Vec<LivePoint> = Vec::new();
        let mut last = None;
        for (index, event) in trace.events.iter().enumerate() {
            ledger.apply(&trace.events, index)?;
            let point = LivePoint {
                event: index as u64,
                time: event.time,
                live: ledger.live_bytes,
                blocks: ledger.live_blocks() as u64,
            };
            match curve.last_mut() {
                Some(highest) if index % stretch != 0 => {
                    if point.live > highest.live {
                        *highest = point;
                    }
                }
                _ => curve.push(point),
            }
            last = Some(point);
        }
        if last != curve.last().copied() {
            curve.extend(last);
        }
        Ok(LiveCurve { points: curve })
    }
}
