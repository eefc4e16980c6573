//! What the figures over time share: the heaps that are drawn, both axes and the lines.

use heapsmith_explore::Catalogued;
use heapsmith_spec::Spec;
use heapsmith_trace::{Action, Bytes, Trace};

use crate::figure::colour;
use crate::number::rounded;
use crate::plot::{Part, scatter};
use crate::study::{Study, fragmentation};

/// A heap whose footprint is drawn.
pub(super) struct Drawn {
    pub name: String,
    pub spec: Spec,
    pub colour: &'static str,
}

/// The pick, Windows XP, Lea, and the tightest other allocator of the catalogue.
pub(super) fn drawn(study: &Study<'_>) -> Vec<Drawn> {
    const NAMED: [(&str, &str); 2] = [("windows-xp", colour::BLUE), ("lea-2.7.2", colour::ORANGE)];
    let served = || study.exploration.compared_catalogue();
    let others = served().filter(|entry| NAMED.iter().all(|(name, _)| entry.name != *name));
    let tightest = others.min_by(|a, b| fragmentation(&a.objectives).total_cmp(&fragmentation(&b.objectives)));
    let named = NAMED.iter().filter_map(|(name, colour)| Some((served().find(|entry| entry.name == *name)?, *colour)));
    let chosen: Vec<(&Catalogued, &'static str)> = named.chain(tightest.map(|entry| (entry, colour::GREEN))).collect();
    let catalogued = chosen
        .into_iter()
        .filter_map(|(entry, colour)| Some(Drawn { name: entry.name.clone(), spec: entry.spec.parse().ok()?, colour }));
    let spec = study.exploration.rows[study.pick].design.spec.clone();
    let pick = Drawn { name: "the pick".to_owned(), spec, colour: colour::VERMILION };
    catalogued.chain([pick]).collect()
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

/// A stepped line; points between equal neighbours are left out.
pub fn line(points: Vec<(f64, f64)>, name: &str, colour: &'static str) -> Part {
    let is_kept = |index: usize| {
        let value = points[index].1;
        index == 0 || index + 1 == points.len() || points[index - 1].1 != value || points[index + 1].1 != value
    };
    let kept: Vec<usize> = (0..points.len()).filter(|&index| is_kept(index)).collect();
    let x: Vec<f64> = kept.iter().map(|&index| rounded(points[index].0)).collect();
    let y: Vec<f64> = kept.iter().map(|&index| points[index].1).collect();
    scatter(x, y)
        .with("name", name)
        .with("mode", "lines")
        .with("line", Part::new().with("shape", "hv").with("width", 1.8).with("color", colour))
}
