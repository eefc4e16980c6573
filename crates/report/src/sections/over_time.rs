//! What the figures over time share: the heaps that are drawn, and both axes.

use heapsmith_explore::Catalogued;
use heapsmith_replay::Measures;
use heapsmith_spec::Spec;
use heapsmith_trace::{Action, Bytes, Trace};

use crate::figure::colour;
use crate::number::rounded;
use crate::span::Span;
use crate::spec_text::shortened;
use crate::study::{Study, fragmentation};

/// A heap whose footprint is drawn.
pub(super) struct Drawn {
    pub name: String,
    pub spec: Spec,
    pub colour: &'static str,
}

/// What takes more accesses and visits on all traces is drawn only if it is the baseline or the pick: figures replay heaps some times.
const SLOW: u64 = 60_000_000;

/// The baseline where it is a spec, the tightest other allocator of the catalogue that is not slow, and the pick; where a region was asked for,
/// of those that serve every trace in it.
pub(super) fn drawn(study: &Study<'_>) -> Vec<Drawn> {
    let exploration = study.exploration;
    let baseline = exploration.baseline();
    let is_drawn = exploration.baseline_objectives().is_some_and(|point| point.failed == 0);
    let own = baseline.spec().filter(|spec| is_drawn && study.serves(spec));
    let took = |measures: &Measures| measures.accesses.total + measures.visits.total;
    let is_slow = |entry: &Catalogued| entry.measures.iter().map(took).sum::<u64>() > SLOW;
    let others = exploration.compared_catalogue().filter(|entry| !is_slow(entry));
    let others = others.filter(|entry| own.is_none_or(|own| own.to_string() != entry.spec));
    let mut others: Vec<&Catalogued> = others.collect();
    others.sort_by(|a, b| fragmentation(&a.objectives).total_cmp(&fragmentation(&b.objectives)));
    let tightest = others.into_iter().find_map(|entry| {
        let spec = entry.spec.parse().ok().filter(|spec| study.serves(spec))?;
        Some(Drawn { name: entry.name.clone(), spec, colour: colour::GREEN })
    });
    let today = own.map(|spec| Drawn {
        name: format!("today: {}", shortened(baseline.name())),
        spec: spec.clone(),
        colour: colour::BLUE,
    });
    let spec = exploration.rows[study.pick].design.spec.clone();
    let pick = Drawn { name: "the pick".to_owned(), spec, colour: colour::VERMILION };
    today.into_iter().chain(tightest).chain([pick]).collect()
}

/// What the horizontal axis counts.
pub(super) struct Clock {
    pub title: &'static str,
    /// Of each event that heaps see, when it happens.
    pub packed: Vec<f64>,
    /// Of each event of the trace.
    pub all: Vec<f64>,
}

impl Clock {
    /// Time where the trace has it, in a unit that suits; the event's number otherwise.
    /// Where the trace's clock goes backwards, this one stops.
    pub fn of(trace: &Trace) -> Clock {
        let (first, last) = trace
            .events
            .iter()
            .fold((u64::MAX, 0), |(first, last), event| (first.min(event.time.0), last.max(event.time.0)));
        let (title, unit) = match last.saturating_sub(first) {
            0 => ("event", 0.0),
            duration if duration < 2_000_000 => ("time (µs)", 1e3),
            duration if duration < 2_000_000_000 => ("time (ms)", 1e6),
            duration if duration < 7_200_000_000_000 => ("time (s)", 1e9),
            _ => ("time (h)", 3.6e12),
        };
        let mut now = first;
        let at = |(index, event): (usize, &heapsmith_trace::Event)| {
            now = now.max(event.time.0);
            if unit == 0.0 { index as f64 } else { (now - first) as f64 / unit }
        };
        let all: Vec<f64> = trace.events.iter().enumerate().map(at).collect();
        let is_seen = |event: &heapsmith_trace::Event| !matches!(event.action, Action::Mark { .. });
        let packed = trace.events.iter().zip(&all).filter(|(event, _)| is_seen(event)).map(|(_, &at)| at).collect();
        Clock { title, packed, all }
    }
}

/// The stretch of a horizontal axis with these values.
pub fn stretch(values: impl Iterator<Item = f64>) -> Span {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
    if low.is_finite() { Span::linear(low, high) } else { Span::linear(0.0, 1.0) }
}

/// The unit of the vertical axis.
pub struct Scale {
    /// Its name.
    pub unit: &'static str,
    bytes: f64,
}

impl Scale {
    /// The unit that suits a peak.
    pub fn of(peak: Bytes) -> Scale {
        match peak.0 {
            peak if peak < 4 << 10 => Scale { unit: "B", bytes: 1.0 },
            peak if peak < 4 << 20 => Scale { unit: "KB", bytes: 1024.0 },
            peak if peak < 4 << 30 => Scale { unit: "MB", bytes: 1_048_576.0 },
            _ => Scale { unit: "GB", bytes: 1_073_741_824.0 },
        }
    }

    /// Bytes in this unit.
    pub fn apply(&self, bytes: Bytes) -> f64 {
        rounded(bytes.0 as f64 / self.bytes)
    }
}
