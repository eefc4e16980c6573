//! The sizes that the program asks for (Figure 4).

use heapsmith_trace::{Bytes, SizeShare, Statistics};

use crate::figure::{axis, colour, embed, layout};
use crate::html::{escape, paragraph, section as wrap};
use crate::number::{percent, plural, rounded, thousands};
use crate::plot::{Part, Plot, scatter};
use crate::study::Study;

/// Shares that the paper gives for the two most popular sizes of network applications.
const PAPER: std::ops::RangeInclusive<f64> = 0.3..=0.7;
/// Counts, or sizes, that spread by more than this factor are drawn by their logarithm.
const WIDE: u64 = 50;
/// Sizes are drawn by their logarithm only beyond this one.
const LARGE: u64 = 8192;
/// Traces that get a figure.
const FIGURES: usize = 6;

/// The section.
pub fn section(study: &Study<'_>) -> String {
    let figures = study.traces.iter().enumerate().take(FIGURES).map(|(number, studied)| {
        let heading = match study.traces.len() {
            1 => String::new(),
            _ => format!("<h3>{}</h3>\n", escape(&studied.packed.name)),
        };
        heading + &sentence(&studied.statistics) + &figure(&studied.statistics, number)
    });
    let mut body: String = figures.collect();
    if study.traces.len() > FIGURES {
        body.push_str(&paragraph(&format!("The first {FIGURES} of {} traces are drawn.", study.traces.len())));
    }
    wrap("sizes", "Request sizes", &body)
}

fn sentence(statistics: &Statistics) -> String {
    let top = statistics.top_share(2);
    let verdict = if PAPER.contains(&top) {
        "This trace agrees."
    } else if top > *PAPER.end() {
        "This trace is more concentrated than that."
    } else {
        "This trace is less concentrated than that."
    };
    let popular: Vec<String> = statistics.sizes.iter().take(2).map(share).collect();
    let covering = statistics.sizes.iter().position(|size| size.cumulated >= 0.99).map_or(0, |at| at + 1);
    let (requests, sizes) = (statistics.allocations + statistics.reallocations, statistics.distinct_sizes() as u64);
    paragraph(&format!(
        "{} ask for {}; {} of them make up 99%. The two most popular are {}: together {} of the requests. Mamagkakis et \
         al. (2006, §5) found 30–70% for two sizes in network applications. {verdict}",
        plural(requests, "request", "requests"),
        plural(sizes, "different size", "different sizes"),
        thousands(covering as u64),
        popular.join(" and "),
        percent(top),
    ))
}

fn share(size: &SizeShare) -> String {
    format!("{} bytes ({})", thousands(size.size.0), percent(size.share))
}

/// The histogram of requested sizes.
pub fn figure(statistics: &Statistics, number: usize) -> String {
    let mut sizes: Vec<SizeShare> = statistics.sizes.clone();
    sizes.sort_by_key(|size| size.size);
    let max = sizes.iter().map(|size| size.count).max().unwrap_or(1);
    let min = sizes.iter().map(|size| size.count).min().unwrap_or(1);
    let by_logarithm = max > WIDE * min.max(1);
    let floor = if by_logarithm { 0.5 } else { 0.0 };
    let mut plot = Plot::new();
    plot.add_trace(stems(&sizes, floor));
    plot.add_trace(heads(&sizes));
    let x = SizeAxis::of(&sizes);
    let headroom = max as f64 * if by_logarithm { 3.0 } else { 1.15 };
    let y = axis("requests");
    let y = if by_logarithm {
        y.with("type", "log")
            .with("dtick", 1.0)
            .with("tickformat", ",")
            .with("range", vec![floor.log10(), headroom.log10()])
    } else {
        y.with("range", vec![0.0, headroom])
    };
    let names = names(statistics, &x, by_logarithm);
    plot.set_layout(layout(x.axis(), y, 16).with("showlegend", false).with("annotations", names));
    let caption = if by_logarithm { "The vertical axis is logarithmic. " } else { "" };
    let caption = format!("{caption}After Mamagkakis et al. 2006, Figure 4.");
    let description = "Histogram of requested sizes, with the two most popular named";
    embed(plot, &format!("plot-sizes-{number}"), 340, description, &caption)
}

/// A line from the floor to each count, with gaps between them.
fn stems(sizes: &[SizeShare], floor: f64) -> Part {
    let x: Vec<_> = sizes.iter().flat_map(|size| [Some(size.size.0), Some(size.size.0), None]).collect();
    let y: Vec<_> = sizes.iter().flat_map(|size| [Some(floor), Some(size.count as f64), None]).collect();
    scatter(x, y)
        .with("mode", "lines")
        .with("hoverinfo", "skip")
        .with("line", Part::new().with("width", 1.5).with("color", colour::SKY))
}

fn heads(sizes: &[SizeShare]) -> Part {
    let x: Vec<u64> = sizes.iter().map(|size| size.size.0).collect();
    let y: Vec<u64> = sizes.iter().map(|size| size.count).collect();
    let hover = sizes.iter().map(|size| format!("{}: {} requests", share(size), thousands(size.count)));
    scatter(x, y)
        .with("mode", "markers")
        .with("hoverinfo", "text")
        .with("hovertext", hover.collect::<Vec<_>>())
        .with("marker", Part::new().with("size", 4).with("color", colour::BLUE))
}

/// The two most popular sizes with their names; those of neighbours go different ways.
fn names(statistics: &Statistics, x: &SizeAxis, by_logarithm: bool) -> Vec<Part> {
    let top: Vec<&SizeShare> = statistics.sizes.iter().take(2).collect();
    let near = match top.as_slice() {
        [a, b] => (x.share(a.size) - x.share(b.size)).abs() < 0.3,
        _ => false,
    };
    let annotate = |(rank, size): (usize, &&SizeShare)| {
        let way = if x.share(size.size) < 0.5 { 1.0 } else { -1.0 };
        let down = if near && rank == 1 { 26.0 } else { 0.0 };
        let count = size.count as f64;
        Part::new()
            .with("text", format!("<b>{}</b>", share(size)))
            .with("x", x.coordinate(size.size))
            .with("y", rounded(if by_logarithm { count.log10() } else { count }))
            .with("ax", way * 110.0)
            .with("ay", down)
            .with("showarrow", true)
            .with("arrowhead", 0)
            .with("arrowwidth", 1.0)
            .with("arrowcolor", colour::VERMILION)
            .with("bgcolor", "rgba(255,255,255,0.82)")
            .with("font", Part::new().with("size", 13).with("color", colour::VERMILION))
    };
    top.iter().enumerate().map(annotate).collect()
}

/// The axis of sizes.
struct SizeAxis {
    low: f64,
    high: f64,
    logarithmic: bool,
}

impl SizeAxis {
    /// Logarithmic where sizes spread over more than a few powers of two.
    fn of(sizes: &[SizeShare]) -> SizeAxis {
        let min = sizes.first().map_or(1, |size| size.size.0.max(1));
        let max = sizes.last().map_or(1, |size| size.size.0.max(1));
        if max > LARGE && max > WIDE * min {
            return SizeAxis { low: min as f64 / 1.3, high: max as f64 * 1.3, logarithmic: true };
        }
        let margin = ((max - min) as f64 * 0.04).max(2.0);
        SizeAxis { low: (min as f64 - margin).round(), high: (max as f64 + margin).round(), logarithmic: false }
    }

    fn axis(&self) -> Part {
        let axis = axis("size (bytes)");
        match self.logarithmic {
            true => axis.with("type", "log").with("range", vec![rounded(self.low.log10()), rounded(self.high.log10())]),
            false => axis.with("range", vec![self.low, self.high]),
        }
    }

    fn coordinate(&self, size: Bytes) -> f64 {
        let size = size.0 as f64;
        if self.logarithmic { rounded(size.max(1.0).log10()) } else { size }
    }

    fn share(&self, size: Bytes) -> f64 {
        let scale = |value: f64| if self.logarithmic { value.max(1.0).ln() } else { value };
        (scale(size.0 as f64) - scale(self.low)) / (scale(self.high) - scale(self.low))
    }
}
