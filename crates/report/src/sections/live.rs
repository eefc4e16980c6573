//! Live bytes over time, and the footprint of heaps that hold them (Figure 3).

use heapsmith_explore::Catalogued;
use heapsmith_replay::{Region, footprint_curve};
use heapsmith_spec::Spec;
use heapsmith_trace::{Action, Bytes, LiveCurve, Trace};

use super::room;
use crate::ReportError;
use crate::figure::{axis, colour, embed, layout};
use crate::html::{code, escape, paragraph, section as wrap};
use crate::number::{listed, percent, rounded};
use crate::plot::{Part, Plot, scatter};
use crate::study::{Studied, Study, fragmentation};

/// Points of a curve: more than a screen has columns is of no use.
const POINTS: usize = 600;
/// Traces that get a figure.
const FIGURES: usize = 6;

/// The section.
pub fn section(study: &Study<'_>) -> Result<String, ReportError> {
    let mut body = String::new();
    for (number, studied) in study.traces.iter().enumerate().take(FIGURES) {
        if study.traces.len() > 1 {
            body.push_str(&format!("<h3>{}</h3>\n", escape(&studied.packed.name)));
        }
        body.push_str(&figure(study, studied, number)?);
        body.push_str(&room::figure(study, studied, number)?);
    }
    if study.traces.len() > FIGURES {
        body.push_str(&paragraph(&format!("The first {FIGURES} of {} traces are drawn.", study.traces.len())));
    }
    Ok(wrap("live", "Live bytes and footprint over time", &body))
}

/// A heap whose footprint is drawn.
pub(super) struct Drawn {
    pub name: String,
    pub spec: Spec,
    pub colour: &'static str,
}

/// The pick, Windows XP, Lea, and the tightest other allocator of the catalogue.
pub(super) fn drawn(study: &Study<'_>) -> Vec<Drawn> {
    const NAMED: [(&str, &str); 2] = [("windows-xp", colour::BLUE), ("lea-2.7.2", colour::ORANGE)];
    let served = || study.exploration.catalogue.iter().filter(|entry| entry.objectives.failed == 0);
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
    all: Vec<f64>,
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

fn figure(study: &Study<'_>, studied: &Studied<'_>, number: usize) -> Result<String, ReportError> {
    let clock = Clock::of(studied.trace);
    let scale = Scale::of(studied.statistics.requested_peak);
    let live = LiveCurve::of(studied.trace, POINTS)?;
    let requested = live.points.iter().map(|point| (clock.all[point.event as usize], scale.apply(point.live)));
    let mut plot = Plot::new();
    plot.add_trace(
        line(requested.collect(), "requested and live", "#9fb3c8")
            .with("fill", "tozeroy")
            .with("fillcolor", "rgba(159,179,200,0.35)"),
    );
    let mut region = Region::for_trace(&studied.packed)?;
    let mut ends = Vec::new();
    for heap in drawn(study) {
        let curve = footprint_curve(&heap.spec, &studied.packed, &mut region, POINTS)?;
        let max = curve.iter().map(|&(_, bytes)| bytes).max().unwrap_or_default();
        let at = |event: u64| clock.packed.get(event as usize).copied().unwrap_or(0.0);
        let points = curve.iter().map(|&(event, bytes)| (at(event), scale.apply(bytes))).collect();
        let name = escape(&heap.name);
        plot.add_trace(line(points, &name, heap.colour));
        ends.push((heap.name, max));
    }
    let y = axis(&format!("bytes ({})", scale.unit)).with("rangemode", "tozero");
    plot.set_layout(layout(axis(clock.title), y, 44).with("hovermode", "x unified"));
    let id = format!("plot-live-{number}");
    let description = "Line chart of live bytes over the trace and of the footprints of the pick and three catalogue \
                       allocators";
    let caption = "The footprint is the region up to its highest block, with headers and holes. A heap that coalesces shrinks \
                   it again. Its peak counts. After Mamagkakis et al. 2006, Figure 3.";
    Ok(sentence(studied, &live, &ends) + &embed(plot, &id, 420, description, caption))
}

fn sentence(studied: &Studied<'_>, live: &LiveCurve, ends: &[(String, Bytes)]) -> String {
    let peak = studied.statistics.requested_peak;
    let high = live.points.iter().filter(|point| point.live.0 * 2 > peak.0).count() as f64;
    let over = |bytes: Bytes| bytes.0 as f64 / peak.0.max(1) as f64 - 1.0;
    let end = |(name, max): &(String, Bytes)| format!("{} {max} (+{})", named(name), percent(over(*max)));
    let (pick, others) = match ends.split_last() {
        Some(((_, pick), others)) => (*pick, others),
        None => (Bytes(0), ends),
    };
    paragraph(&format!(
        "The peak is {peak} in {} live blocks; more than half of that is live for {} of the trace. The pick needs {pick} (+{}); {}.",
        crate::number::thousands(studied.statistics.blocks_peak),
        percent(high / live.points.len().max(1) as f64),
        percent(over(pick)),
        listed(&others.iter().map(end).collect::<Vec<_>>()),
    ))
}

fn named(name: &str) -> String {
    format!("{} takes", code(name))
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
