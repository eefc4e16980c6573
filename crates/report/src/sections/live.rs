//! Live bytes over time, and the footprint of heaps that hold them (Figure 3).

use heapsmith_explore::Objective;
use heapsmith_replay::footprint_curve;
use heapsmith_trace::{Bytes, LiveCurve};

use super::over_time::{Clock, Scale, drawn, stretch};
use super::room;
use crate::ReportError;
use crate::figure::{Axis, Hover, Mark, Plot, Series, colour, embed};
use crate::html::{Section, code, escape, paragraph, section as wrap};
use crate::number::{listed, percent};
use crate::span::Span;
use crate::study::{Studied, Study};

/// Points of a curve: more than a screen has columns is of no use.
const POINTS: usize = 600;
/// Traces that get a figure.
const FIGURES: usize = 6;

/// The section.
pub fn section(study: &Study<'_>) -> Result<Section, ReportError> {
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
    Ok(wrap("live", "Memory over time", &body))
}

fn figure(study: &Study<'_>, studied: &Studied<'_>, number: usize) -> Result<String, ReportError> {
    let clock = Clock::of(studied.trace);
    let scale = Scale::of(studied.statistics.requested_peak);
    let live = LiveCurve::of(studied.trace, POINTS)?;
    let requested = live.points.iter().map(|point| (clock.all[point.event as usize], scale.apply(point.live)));
    let mut series = vec![Series::new("requested and live", colour::GREY, Mark::Area, requested)];
    let mut region = study.region(studied)?;
    let mut ends = Vec::new();
    for heap in drawn(study) {
        let curve = footprint_curve(&heap.spec, &studied.packed, &mut region, POINTS)?;
        let max = curve.iter().map(|&(_, bytes)| bytes).max().unwrap_or_default();
        let at = |event: u64| clock.packed.get(event as usize).copied().unwrap_or(0.0);
        let points = curve.iter().map(|&(event, bytes)| (at(event), scale.apply(bytes)));
        series.push(Series::new(&heap.name, heap.colour, Mark::Steps, points));
        ends.push((heap.name, max));
    }
    let places = || series.iter().flat_map(|series| &series.points);
    let x = Axis::of(clock.title, stretch(places().map(|point| point.0)));
    let top = places().map(|point| point.1).fold(0.0, f64::max);
    let y = Axis::of(&format!("bytes ({})", scale.unit), Span::from_zero(top)).in_unit(scale.unit);
    let plot = Plot { series, hover: Hover::Column, ..Plot::new(format!("plot-live-{number}"), 400, x, y) };
    let description = "Line chart of live bytes over the trace and of the footprints of the pick, the baseline and the tightest \
                       allocator of the catalogue";
    let caption = "The footprint is the region up to its highest block, with headers and holes. A heap that coalesces shrinks \
                   it again. Its peak counts. After Mamagkakis et al. 2006, Figure 3.";
    Ok(sentence(studied, &live, &ends) + &retained(study) + &embed(&plot, description, caption))
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
    match name.strip_prefix("today: ") {
        Some(name) => format!("today's {} takes", code(name)),
        None => format!("{} takes", code(name)),
    }
}

/// What the pick holds beyond what is live, at all times.
fn retained(study: &Study<'_>) -> String {
    let bytes = Bytes(study.point(study.pick).get(Objective::Retained).round() as u64);
    paragraph(&format!(
        "Averaged over all operations the pick retains {bytes} that the program does not use: free blocks, headers and holes."
    ))
}
