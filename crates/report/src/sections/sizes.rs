//! The sizes that the program asks for (Figure 4).

use heapsmith_trace::{SizeShare, Statistics};
use plotly::common::{Font, HoverInfo, Line, Marker, Mode, Position};
use plotly::layout::{Axis, AxisType};
use plotly::{Plot, Scatter};

use crate::figure::{axis, colour, embed, layout};
use crate::html::{escape, paragraph, section as wrap};
use crate::number::{percent, plural, thousands};
use crate::study::{Studied, Study};

/// Shares that the paper gives for the two most popular sizes of network applications.
const PAPER: std::ops::RangeInclusive<f64> = 0.3..=0.7;
/// Counts, or sizes, that spread by more than this factor are drawn by their logarithm.
const WIDE: u64 = 50;
/// Traces that get a figure.
const FIGURES: usize = 6;

/// The section.
pub fn section(study: &Study<'_>) -> String {
    let figures = study.traces.iter().enumerate().take(FIGURES).map(|(number, studied)| {
        let heading = match study.traces.len() {
            1 => String::new(),
            _ => format!("<h3>{}</h3>\n", escape(&studied.packed.name)),
        };
        heading + &sentence(&studied.statistics) + &figure(studied, number)
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

fn figure(studied: &Studied<'_>, number: usize) -> String {
    let mut sizes: Vec<SizeShare> = studied.statistics.sizes.clone();
    sizes.sort_by_key(|size| size.size);
    let most = sizes.iter().map(|size| size.count).max().unwrap_or(1);
    let least = sizes.iter().map(|size| size.count).min().unwrap_or(1);
    let by_logarithm = most > WIDE * least.max(1);
    let floor = if by_logarithm { 0.5 } else { 0.0 };
    let mut plot = Plot::new();
    plot.add_trace(stems(&sizes, floor));
    plot.add_trace(heads(&sizes));
    plot.add_trace(names(&studied.statistics));
    let x = x_axis(&sizes);
    let headroom = most as f64 * if by_logarithm { 3.0 } else { 1.15 };
    let y = axis("requests");
    let y = if by_logarithm {
        y.type_(AxisType::Log).dtick(1.0).tick_format(",").range(vec![floor.log10(), headroom.log10()])
    } else {
        y.range(vec![0.0, headroom])
    };
    plot.set_layout(layout(x, y, 16).show_legend(false));
    let caption = if by_logarithm { "The vertical axis is logarithmic. " } else { "" };
    let caption = format!("{caption}After Mamagkakis et al. 2006, Figure 4.");
    let description = "Histogram of requested sizes, with the two most popular named";
    embed(plot, &format!("plot-sizes-{number}"), 340, description, &caption)
}

/// The axis of sizes, logarithmic where they spread over more than a few powers of two.
fn x_axis(sizes: &[SizeShare]) -> Axis {
    let x = axis("size (bytes)");
    let (Some(first), Some(last)) = (sizes.first(), sizes.last()) else { return x };
    let (least, most) = (first.size.0.max(1), last.size.0.max(1));
    if most > 8192 && most > WIDE * least {
        return x.type_(AxisType::Log).range(vec![(least as f64 / 1.3).log10(), (most as f64 * 1.3).log10()]);
    }
    let margin = ((most - least) as f64 * 0.04).max(2.0);
    x.range(vec![(least as f64 - margin).round(), (most as f64 + margin).round()])
}

/// A line from the floor to each count, with gaps between them.
fn stems(sizes: &[SizeShare], floor: f64) -> Box<Scatter<Option<u64>, Option<f64>>> {
    let x = sizes.iter().flat_map(|size| [Some(size.size.0), Some(size.size.0), None]).collect();
    let y = sizes.iter().flat_map(|size| [Some(floor), Some(size.count as f64), None]).collect();
    Scatter::new(x, y)
        .mode(Mode::Lines)
        .hover_info(HoverInfo::Skip)
        .line(Line::new().width(1.5).color(colour::SKY))
}

fn heads(sizes: &[SizeShare]) -> Box<Scatter<u64, u64>> {
    let x = sizes.iter().map(|size| size.size.0).collect();
    let y = sizes.iter().map(|size| size.count).collect();
    let hover = sizes.iter().map(|size| format!("{}: {} requests", share(size), thousands(size.count)));
    Scatter::new(x, y)
        .mode(Mode::Markers)
        .hover_info(HoverInfo::Text)
        .hover_text_array(hover.collect::<Vec<_>>())
        .marker(Marker::new().size(4).color(colour::BLUE))
}

/// The two most popular sizes with their names, the smaller one's to its right.
fn names(statistics: &Statistics) -> Box<Scatter<u64, u64>> {
    let mut top: Vec<&SizeShare> = statistics.sizes.iter().take(2).collect();
    top.sort_by_key(|size| size.size);
    let positions = match top.len() {
        2 => vec![Position::MiddleRight, Position::MiddleLeft],
        _ => vec![Position::TopCenter],
    };
    let text: Vec<String> = top.iter().map(|size| format!("<b>{}</b>", share(size))).collect();
    Scatter::new(top.iter().map(|size| size.size.0).collect(), top.iter().map(|size| size.count).collect())
        .mode(Mode::MarkersText)
        .hover_info(HoverInfo::Skip)
        .text_array(text)
        .text_position_array(positions)
        .text_font(Font::new().size(13).color(colour::VERMILION))
        .marker(Marker::new().size(9).color(colour::VERMILION))
}
