//! The page of `replay --over-time`: heaps at many moments of traces.
//!
//! ```text
//!   Moments of each heap ──▶ footprint over what is requested      ┐
//!                       └──▶ the largest request that would succeed ┴─▶ page: one HTML file, no network
//! ```

use heapsmith_replay::Moment;
use heapsmith_trace::Bytes;

use crate::document::Page;
use crate::figure::{Axis, Hover, Mark, Plot, Series, colour, embed};
use crate::html::{Cell, Section, Table, code, escape, paragraph, section};
use crate::number::thousands;
use crate::sections::over_time::{Scale, stretch};
use crate::span::Span;
use crate::spec_text::shortened;

/// Colours of heaps, in their order; a seventh has that of the first.
const COLOURS: [&str; 6] =
    [colour::VERMILION, colour::BLUE, colour::GREEN, colour::PURPLE, colour::ORANGE, colour::SKY];

/// A heap at moments of a trace.
#[derive(Debug, Clone)]
pub struct Watched {
    /// What it is called.
    pub name: String,
    /// Its spec.
    pub spec: String,
    /// The region that it was in.
    pub region: Bytes,
    /// The moments, in their order.
    pub moments: Vec<Moment>,
}

/// The page of heaps on traces with their names, as the text of an HTML file.
pub fn over_time(traces: &[(String, Vec<Watched>)]) -> String {
    let sections: Vec<Section> = traces.iter().enumerate().map(|(number, one)| of_trace(number, one)).collect();
    let names: Vec<&str> = traces.iter().map(|(name, _)| name.as_str()).collect();
    let title = names.join(", ");
    let header = format!("<p class=\"kicker\">heapsmith replay --over-time</p>\n<h1>{}</h1>\n", escape(&title));
    Page { title: &title, header, answer: String::new(), sections: &sections }.html()
}

fn of_trace(number: usize, (trace, heaps): &(String, Vec<Watched>)) -> Section {
    let body = table(heaps)
        + &footprint(number, heaps)
        + &paragraph(
            "Free memory only helps if it is contiguous: the largest request that would succeed says how much of it is.",
        )
        + &room(number, heaps);
    section(&format!("trace-{number}"), &escape(trace), &body)
}

/// What decides, a row for each heap.
fn table(heaps: &[Watched]) -> String {
    let caption = "The largest footprint, and the smallest of the largest requests that would have succeeded.";
    let columns = ["heap", "region", "footprint at most", "largest request at least", "spec"];
    let mut table = Table::new(caption.to_owned(), &columns).sortable();
    for Watched { name, spec, region, moments } in heaps {
        let peak = moments.iter().map(|moment| moment.footprint_peak).max().unwrap_or_default();
        let smallest = moments.iter().map(|moment| moment.bytes.largest_request).min().unwrap_or_default();
        let bytes = |bytes: Bytes| Cell::number(bytes.to_string(), bytes.0 as f64);
        table.row(
            "",
            vec![
                Cell::html(code(&shortened(name))),
                bytes(*region),
                bytes(peak),
                bytes(smallest),
                Cell::wide(code(&shortened(spec))),
            ],
        );
    }
    table.render()
}

fn footprint(number: usize, heaps: &[Watched]) -> String {
    let requested = heaps.first().map(|heap| points(heap, scale(heaps), |moment| moment.bytes.requested));
    let requested = requested.map(|points| Series::new("requested and live", colour::GREY, Mark::Area, points));
    let series = requested.into_iter().chain(lines(heaps, |moment| moment.footprint)).collect();
    let description =
        "Line chart of each heap's footprint along the trace, above the bytes that are requested and live";
    embed(&plot(&format!("plot-footprint-{number}"), heaps, series), description, &caption(heaps, "The footprint"))
}

fn room(number: usize, heaps: &[Watched]) -> String {
    let series = lines(heaps, |moment| moment.bytes.largest_request).collect();
    let description = "Line chart of the largest request that each heap would serve along the trace";
    let said = caption(heaps, "The largest request that would succeed");
    embed(&plot(&format!("plot-room-{number}"), heaps, series), description, &said)
}

fn caption(heaps: &[Watched], what: &str) -> String {
    let count = heaps.first().map_or(0, |heap| heap.moments.len() as u64);
    format!("{what} at {} moments, each heap in a region of its own.", thousands(count))
}

/// A line for each heap.
fn lines(heaps: &[Watched], of: fn(&Moment) -> Bytes) -> impl Iterator<Item = Series> {
    heaps.iter().zip(COLOURS.iter().cycle()).map(move |(heap, colour)| {
        Series::new(shortened(&heap.name), colour, Mark::Steps, points(heap, scale(heaps), of))
    })
}

fn points(heap: &Watched, scale: Scale, of: fn(&Moment) -> Bytes) -> Vec<(f64, f64)> {
    heap.moments.iter().map(|moment| (moment.event as f64, scale.apply(of(moment)))).collect()
}

fn scale(heaps: &[Watched]) -> Scale {
    Scale::of(heaps.iter().map(|heap| heap.region).max().unwrap_or_default())
}

fn plot(id: &str, heaps: &[Watched], series: Vec<Series>) -> Plot {
    let unit = scale(heaps).unit;
    let places = || series.iter().flat_map(|series: &Series| &series.points);
    let x = Axis::of("event", stretch(places().map(|point| point.0)));
    let top = places().map(|point| point.1).fold(0.0, f64::max);
    let y = Axis::of(&format!("bytes ({unit})"), Span::from_zero(top)).in_unit(unit);
    Plot { series, hover: Hover::Column, ..Plot::new(id, 340, x, y) }
}
