//! The sizes that the program asks for (Figure 4).

use heapsmith_trace::{SizeShare, Statistics};

use crate::figure::{Axis, Mark, Plot, Series, colour, embed};
use crate::html::{Section, escape, paragraph, section as wrap};
use crate::labels::Label;
use crate::number::{percent, plural, thousands};
use crate::span::Span;
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
pub fn section(study: &Study<'_>) -> Section {
    let figures = study.traces.iter().enumerate().take(FIGURES).map(|(number, studied)| {
        let heading = match study.traces.len() {
            1 => String::new(),
            _ => format!("<h3>{}</h3>\n", escape(&studied.packed.name)),
        };
        heading + &sentence(&studied.statistics, study.is_of_a_network()) + &figure(&studied.statistics, number)
    });
    let mut body: String = figures.collect();
    if study.traces.len() > FIGURES {
        body.push_str(&paragraph(&format!("The first {FIGURES} of {} traces are drawn.", study.traces.len())));
    }
    wrap("sizes", "Request sizes", &body)
}

fn sentence(statistics: &Statistics, of_a_network: bool) -> String {
    let top = statistics.top_share(2);
    let verdict = if PAPER.contains(&top) {
        "This trace agrees."
    } else if top > *PAPER.end() {
        "This trace is more concentrated than that."
    } else {
        "This trace is less concentrated than that."
    };
    let compared = match of_a_network {
        true => format!(" Mamagkakis et al. (2006, §5) found 30–70% for two sizes in network applications. {verdict}"),
        false => String::new(),
    };
    let popular: Vec<String> = statistics.sizes.iter().take(2).map(share).collect();
    let covering = statistics.sizes.iter().position(|size| size.cumulated >= 0.99).map_or(0, |at| at + 1);
    let (requests, sizes) = (statistics.allocations + statistics.reallocations, statistics.distinct_sizes() as u64);
    paragraph(&format!(
        "{} ask for {}; {} of them make up 99%. The two most popular are {}: together {} of the \
         requests.{compared}",
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
    let headroom = max as f64 * if by_logarithm { 3.0 } else { 1.15 };
    let vertical = if by_logarithm { Span::logarithmic(0.5, headroom) } else { Span::linear(0.0, headroom) };
    let (x, y) = (Axis::of("size (bytes)", stretch(&sizes)), Axis::of("requests", vertical));
    let points = || sizes.iter().map(|size| (size.size.0 as f64, size.count as f64));
    let said = sizes.iter().map(|size| format!("{}: {} requests", share(size), thousands(size.count)));
    let heads = Mark::Cloud(if sizes.len() > 100 { 4.0 } else { 6.0 });
    let labels = names(statistics, &x.span, &y.span);
    let mut plot = Plot { labels, legend: false, ..Plot::new(format!("plot-sizes-{number}"), 320, x, y) };
    plot.series.push(Series::new("", colour::SKY, Mark::Stems, points()));
    plot.series.push(Series::new("", colour::BLUE, heads, points()).saying(said));
    let caption = if by_logarithm { "The vertical axis is logarithmic. " } else { "" };
    let caption = format!("{caption}After Mamagkakis et al. 2006, Figure 4.");
    embed(&plot, "Histogram of requested sizes, with the two most popular named", &caption)
}

/// The two most popular sizes with their names: the second, which is no higher, is named further down.
fn names(statistics: &Statistics, x: &Span, y: &Span) -> Vec<Label> {
    let top: Vec<&SizeShare> = statistics.sizes.iter().take(2).collect();
    let place = |size: &SizeShare| x.share(size.size.0 as f64);
    let label = |(rank, size): (usize, &&SizeShare)| {
        let way = if place(size) < 0.5 { 1.0 } else { -1.0 };
        Label {
            text: share(size),
            colour: colour::VERMILION,
            size: 13,
            share: (place(size), y.share(size.count as f64)),
            offset: (way * 110.0, if rank == 1 { 26.0 } else { 0.0 }),
            is_main: true,
        }
    };
    top.iter().enumerate().map(label).collect()
}

/// The axis of sizes: logarithmic where they spread over more than a few powers of two.
fn stretch(sizes: &[SizeShare]) -> Span {
    let min = sizes.first().map_or(1, |size| size.size.0.max(1));
    let max = sizes.last().map_or(1, |size| size.size.0.max(1));
    if max > LARGE && max > WIDE * min {
        return Span::logarithmic(min as f64 / 1.3, max as f64 * 1.3);
    }
    let margin = ((max - min) as f64 * 0.04).max(2.0);
    Span::linear((min as f64 - margin).round(), (max as f64 + margin).round())
}
