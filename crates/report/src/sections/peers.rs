//! The front compared with the reference allocators, in the two measures that both have: time, and memory by pages.

use heapsmith_explore::{Paged, Retimed};
use heapsmith_peers::{Entry, peers};

use crate::figure::{Axis, Mark, Plot, Series, Symbol, colour, embed};
use crate::html::{Cell, Section, Table, code, escape, paragraph, section as wrap};
use crate::labels::{Label, Named, placed};
use crate::number::{listed, percent, plural, thousands};
use crate::sections::front::{null_sentence, time_cell};
use crate::span::Span;
use crate::spec_text::shortened;
use crate::study::Study;

/// Something that was timed and whose pages were counted.
#[derive(Clone)]
struct Point<'s> {
    name: String,
    hover: String,
    time: &'s Retimed,
    pages: &'s Paged,
}

impl Point<'_> {
    fn place(&self) -> (f64, f64) {
        (self.pages.fragmentation, self.time.ns.median)
    }

    /// Whether its time may be drawn and compared.
    fn is_reliable(&self) -> bool {
        self.time.ns.is_reliable()
    }
}

/// The section; none if no peer was measured.
pub fn section(study: &Study<'_>) -> Option<Section> {
    let all: Vec<Point<'_>> = peers().iter().filter_map(|entry| peer(study, entry)).collect();
    if all.is_empty() {
        return None;
    }
    let front = study.exploration.front_2d.iter();
    let designs: Vec<Point<'_>> = front.filter_map(|&index| design(study, index)).filter(Point::is_reliable).collect();
    let pick: Vec<Point<'_>> = design(study, study.pick).into_iter().filter(Point::is_reliable).collect();
    // What refused requests never held all that the program asked for, and an unreliable time is none: they are in the
    // table, and not drawn.
    let is_drawn = |point: &&Point<'_>| point.pages.failed == 0 && point.is_reliable();
    let drawn: Vec<Point<'_>> = all.iter().filter(is_drawn).cloned().collect();
    let listed = table(study, &all);
    if drawn.is_empty() || designs.is_empty() {
        return Some(wrap("peers", "Compared with reference allocators", &(text(study, &drawn, &designs) + &listed)));
    }
    let every: Vec<(f64, f64)> = [&drawn, &designs, &pick].into_iter().flatten().map(Point::place).collect();
    let axis_of = |value: fn(&(f64, f64)) -> f64| {
        let all: Vec<f64> = every.iter().map(value).collect();
        Span::of(&all, &[], &all)
    };
    let (x, y) = (axis_of(|place| place.0), axis_of(|place| place.1));
    let labels = names(&drawn, &pick, &every, &x, &y);
    let axes = (Axis::of("touched-page overhead (%)", x.scaled(100.0)), Axis::of("ns per operation", y));
    let mut plot = Plot { labels, ..Plot::new("plot-peers", 440, axes.0, axes.1) };
    plot.series = vec![
        series("Pareto front", &designs, Symbol::Circle, 9.0, colour::BLUE),
        series("reference allocators", &drawn, Symbol::Square, 10.0, colour::ORANGE),
        series("the pick", &pick, Symbol::Star, 18.0, colour::VERMILION),
    ];
    let caption = "Down and to the left is better. Both axes depend on the machine; all points were measured in one run. What has no \
         reliable time is only in the table.";
    let description = "Scatter plot of the front's designs and the reference allocators by memory and time";
    let figure = embed(&plot, description, caption);
    Some(wrap("peers", "Compared with reference allocators", &(text(study, &drawn, &designs) + &figure + &listed)))
}

fn design<'s>(study: &'s Study<'_>, index: usize) -> Option<Point<'s>> {
    let name = study.exploration.name(index);
    let hover = format!("<b>design {name}</b><br>{}", escape(&shortened(&study.spec(index))));
    point(study, name, hover)
}

fn peer<'s>(study: &'s Study<'_>, entry: &Entry) -> Option<Point<'s>> {
    point(study, entry.peer.to_string(), format!("<b>{}</b><br>{}", entry.name, escape(entry.about)))
        .map(|point| Point { name: entry.name.to_owned(), ..point })
}

fn point<'s>(study: &'s Study<'_>, name: String, about: String) -> Option<Point<'s>> {
    let (time, pages) = (study.exploration.timing_of(&name)?, study.exploration.pages_of(&name)?);
    let values = format!("touched-page overhead {} · {} ns", percent(pages.fragmentation), time.ns);
    Some(Point { name, hover: format!("{about}<br>{values}"), time, pages })
}

fn series(name: &str, points: &[Point<'_>], symbol: Symbol, size: f64, color: &'static str) -> Series {
    let places = points.iter().map(Point::place).map(|(overhead, time)| (overhead * 100.0, time));
    Series::new(name, color, Mark::Symbols(symbol, size), places).saying(points.iter().map(|point| point.hover.clone()))
}

fn names(theirs: &[Point<'_>], pick: &[Point<'_>], crowd: &[(f64, f64)], x: &Span, y: &Span) -> Vec<Label> {
    let share = |(fragmentation, time): (f64, f64)| (x.share(fragmentation), y.share(time));
    let named = |name: &str, point: &Point<'_>, colour: &'static str, size: usize| Named {
        name: name.to_owned(),
        share: share(point.place()),
        colour,
        size,
    };
    let mut dots: Vec<Named> = pick.iter().map(|point| named("the pick", point, colour::VERMILION, 15)).collect();
    dots.extend(theirs.iter().map(|point| named(&point.name, point, colour::INK, 12)));
    placed(&dots, &crowd.iter().copied().map(share).collect::<Vec<_>>())
}

/// Who is fastest and who is tightest on either side.
fn text(study: &Study<'_>, theirs: &[Point<'_>], designs: &[Point<'_>]) -> String {
    let min = |points: &'_ [Point<'_>], of: fn(&Point<'_>) -> f64| {
        points.iter().min_by(|a, b| of(a).total_cmp(&of(b))).map(|point| (point.name.clone(), of(point)))
    };
    let time = |point: &Point<'_>| point.time.ns.median;
    let pages = |point: &Point<'_>| point.pages.fragmentation;
    let mut sentences = String::new();
    if let (Some((ours, fast)), Some((peer, theirs))) = (min(designs, time), min(theirs, time)) {
        sentences += &format!(
            "The fastest design of the front ({}) takes {fast:.1} ns per operation, the fastest reference allocator ({peer}) {theirs:.1}. ",
            code(&ours)
        );
    }
    if let (Some((ours, tight)), Some((peer, theirs))) = (min(designs, pages), min(theirs, pages)) {
        sentences += &format!(
            "The tightest design has a touched-page overhead of {} ({}), the tightest reference allocator {} ({peer}).",
            percent(tight),
            code(&ours),
            percent(theirs)
        );
    }
    let body = paragraph(&format!("{sentences}{}", null_sentence(study)));
    body + &paragraph(
        "<span class=\"note\">Reference allocators expose neither an exact footprint nor metadata accesses. Memory is therefore \
         compared by the pages that a child process touches while it replays and writes all payloads.</span>",
    )
}

fn table(study: &Study<'_>, theirs: &[Point<'_>]) -> String {
    let all = study.exploration.events();
    let caption = "Reference allocators by time, each called directly.";
    let mut table =
        Table::new(caption, &["name", "ns/op", "touched-page overhead", "touched pages", "note"]).sortable();
    let mut sorted: Vec<&Point<'_>> = theirs.iter().collect();
    let time = |point: &Point<'_>| point.time.ns.reliable().unwrap_or(f64::MAX);
    sorted.sort_by(|a, b| time(a).total_cmp(&time(b)));
    for point in sorted {
        let cut = (point.pages.events < all)
            .then(|| format!("memory of the first {} events only", thousands(point.pages.events)));
        let refused =
            (point.pages.failed > 0).then(|| format!("refused {}", plural(point.pages.failed, "request", "requests")));
        let notes: Vec<String> = cut.into_iter().chain(refused).collect();
        table.row(
            "",
            vec![
                Cell::html(code(&point.name)),
                time_cell(Some(point.time), all),
                Cell::number(percent(point.pages.fragmentation), point.pages.fragmentation),
                Cell::number(point.pages.touched.to_string(), point.pages.touched.0 as f64),
                Cell::text(&listed(&notes)),
            ],
        );
    }
    table.render()
}
