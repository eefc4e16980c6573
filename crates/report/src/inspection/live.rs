//! Live bytes over time.

use heapsmith_trace::{LiveCurve, Profile};

use crate::figure::{Axis, Hover, Mark, Plot, Series, colour, embed};
use crate::html::{Section, section as wrap};
use crate::sections::over_time::{Scale, stretch};
use crate::span::Span;

/// The section.
pub fn section(profile: &Profile) -> Section {
    let scale = Scale::of(profile.statistics.requested_peak);
    let clock = Clock::of(&profile.curve);
    let points = &profile.curve.points;
    let live = clock.places.iter().zip(points).map(|(&at, point)| (at, scale.apply(point.live)));
    let blocks = clock.places.iter().zip(points).map(|(&at, point)| (at, point.blocks as f64));
    let live = Series::new("bytes", colour::BLUE, Mark::Area, live);
    let blocks = Series::new("blocks", colour::VERMILION, Mark::Dotted, blocks).on_the_second();
    let top = |series: &Series| Span::from_zero(series.points.iter().map(|point| point.1).fold(0.0, f64::max));
    let x = Axis::of(clock.title, stretch(clock.places.iter().copied()));
    let y = Axis::of(&format!("live bytes ({})", scale.unit), top(&live)).in_unit(scale.unit);
    let y2 = Some(Axis::of("live blocks", top(&blocks)));
    let plot = Plot { y2, series: vec![live, blocks], hover: Hover::Column, ..Plot::new("plot-live", 360, x, y) };
    let caption =
        "The highest point of each stretch of the trace: spikes are not lost. After Mamagkakis et al. 2006, Figure 3.";
    wrap("live", "Live bytes over time", &embed(&plot, "Line chart of live bytes and live blocks", caption))
}

/// What the horizontal axis counts: time where the trace has it, the event's number otherwise.
struct Clock {
    title: &'static str,
    places: Vec<f64>,
}

impl Clock {
    /// Where the trace's clock goes backwards, this one stops.
    fn of(curve: &LiveCurve) -> Clock {
        let first = curve.points.iter().map(|point| point.time.0).min().unwrap_or(0);
        let last = curve.points.iter().map(|point| point.time.0).max().unwrap_or(0);
        let (title, unit) = match last - first {
            0 => ("event", 0.0),
            duration if duration < 2_000_000 => ("time (µs)", 1e3),
            duration if duration < 2_000_000_000 => ("time (ms)", 1e6),
            duration if duration < 7_200_000_000_000 => ("time (s)", 1e9),
            _ => ("time (h)", 3.6e12),
        };
        let mut now = first;
        let place = |point: &heapsmith_trace::LivePoint| {
            now = now.max(point.time.0);
            if unit == 0.0 { point.event as f64 } else { (now - first) as f64 / unit }
        };
        Clock { title, places: curve.points.iter().map(place).collect() }
    }
}
