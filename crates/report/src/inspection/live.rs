//! Live bytes over time.

use heapsmith_trace::{LiveCurve, Profile};

use crate::figure::{axis, colour, embed, layout};
use crate::html::section as wrap;
use crate::number::rounded;
use crate::plot::{Part, Plot, title};
use crate::sections::over_time::{Scale, line};

/// The section.
pub fn section(profile: &Profile) -> String {
    let scale = Scale::of(profile.statistics.requested_peak);
    let clock = Clock::of(&profile.curve);
    let points = &profile.curve.points;
    let live = clock.places.iter().zip(points).map(|(&at, point)| (at, scale.apply(point.live)));
    let blocks = clock.places.iter().zip(points).map(|(&at, point)| (at, point.blocks as f64));
    let mut plot = Plot::new();
    plot.add_trace(
        line(live.collect(), "bytes", colour::BLUE).with("fill", "tozeroy").with("fillcolor", "rgba(0,114,178,0.18)"),
    );
    let dashes = Part::new().with("width", 1.2).with("dash", "dot").with("color", colour::VERMILION);
    plot.add_trace(line(blocks.collect(), "blocks", colour::VERMILION).with("yaxis", "y2").with("line", dashes));
    let y = axis(&format!("live bytes ({})", scale.unit)).with("rangemode", "tozero");
    let blocks = Part::new()
        .with("title", title("live blocks"))
        .with("overlaying", "y")
        .with("side", "right")
        .with("rangemode", "tozero")
        .with("automargin", true)
        .with("showgrid", false)
        .with("separatethousands", true);
    plot.set_layout(
        layout(axis(clock.title), y, 44)
            .with("margin", Part::new().with("l", 60).with("r", 90).with("t", 44).with("b", 48))
            .with("yaxis2", blocks),
    );
    let caption =
        "The highest point of each stretch of the trace: spikes are not lost. After Mamagkakis et al. 2006, Figure 3.";
    wrap(
        "live",
        "Live bytes over time",
        &embed(plot, "plot-live", 380, "Line chart of live bytes and live blocks", caption),
    )
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
            rounded(if unit == 0.0 { point.event as f64 } else { (now - first) as f64 / unit })
        };
        Clock { title, places: curve.points.iter().map(place).collect() }
    }
}
