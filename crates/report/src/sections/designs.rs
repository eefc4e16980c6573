//! All designs by what they cost (Mamagkakis et al. 2006, Figure 2).
//!
//! What refused requests has the figures of another program, as it never held what was refused: it is listed, not drawn.

use heapsmith_explore::{Catalogued, Objective, Objectives};

use crate::figure::{axis, colour, embed, layout};
use crate::html::{escape, paragraph, section as wrap};
use crate::labels::{Named, annotations};
use crate::number::{count, listed, percent, plural, rounded, thousands};
use crate::places::{Place, places};
use crate::plot::{Part, Plot, scatter};
use crate::sections::view::Span;
use crate::spec_text::{levels, shortened};
use crate::study::{Study, accesses, fragmentation};

/// How many designs a place of the front counts for where names are placed.
const FRONT_COUNTS: usize = 10;

/// The section.
pub fn section(study: &Study<'_>) -> String {
    let mut places = places(&study.exploration.points);
    places.retain(|place| study.point(place.index).failed == 0);
    let view = View::of(study);
    let mut plot = Plot::new();
    plot.add_trace(dots(study, &places));
    plot.add_trace(front(study, &places));
    plot.add_trace(catalogue(study));
    if !study.finding.recommended.is_empty() {
        plot.add_trace(recommended(study, &places));
    }
    plot.add_trace(pick(study, &places));
    let (x, y) = (axis("fragmentation (%)"), axis("metadata accesses per operation"));
    let layout = layout(view.x.axis(x, 100.0), view.y.axis(y, 1.0), 48);
    plot.set_layout(layout.with("annotations", names(study, &places, &view)));
    let description = "Scatter plot of every design by fragmentation and accesses per operation, with the Pareto front, \
                       the pick and the catalogue";
    let body = text(study, &places, &view) + &embed(plot, "plot-designs", 580, description, &caption(&view));
    wrap("designs", &format!("{} designs", thousands(study.exploration.points.len() as u64)), &body)
}

/// The part of the plane that is shown first.
struct View {
    x: Span,
    y: Span,
}

impl View {
    fn of(study: &Study<'_>) -> View {
        let front: Vec<&Objectives> = study.exploration.front_2d.iter().map(|&index| study.point(index)).collect();
        let span = |value: fn(&Objectives) -> f64| {
            let must: Vec<f64> =
                front.iter().map(|point| value(point)).chain([value(study.point(study.pick))]).collect();
            let should: Vec<f64> = served(study).map(|entry| value(&entry.objectives)).collect();
            let all: Vec<f64> = serving(study).map(value).collect();
            Span::of(&must, &should, &all)
        };
        View { x: span(fragmentation), y: span(accesses) }
    }

    fn share(&self, point: &Objectives) -> (f64, f64) {
        (self.x.share(fragmentation(point)), self.y.share(accesses(point)))
    }

    fn shows(&self, point: &Objectives) -> bool {
        self.x.shows(fragmentation(point)) && self.y.shows(accesses(point))
    }
}

fn series(points: &[&Objectives], name: &str, hover: Vec<String>) -> Part {
    let x: Vec<f64> = points.iter().map(|point| rounded(fragmentation(point) * 100.0)).collect();
    let y: Vec<f64> = points.iter().map(|point| rounded(accesses(point))).collect();
    scatter(x, y).with("name", name).with("mode", "markers").with("hoverinfo", "text").with("hovertext", hover)
}

fn designs(study: &Study<'_>, places: &[Place], name: &str) -> Part {
    let points: Vec<&Objectives> = places.iter().map(|place| study.point(place.index)).collect();
    series(&points, name, places.iter().map(|&place| about(study, place)).collect())
}

fn dots(study: &Study<'_>, places: &[Place]) -> Part {
    let marker = Part::new().with("symbol", "circle").with("size", 6).with("color", colour::DOT);
    designs(study, places, "designs").with("marker", marker)
}

/// The values of the designs that served every request.
fn serving<'s>(study: &'s Study<'_>) -> impl Iterator<Item = &'s Objectives> + Clone {
    study.exploration.points.iter().filter(|point| point.failed == 0)
}

/// The allocators of the catalogue that did.
fn served<'s>(study: &'s Study<'_>) -> impl Iterator<Item = &'s Catalogued> {
    study.exploration.compared_catalogue()
}

/// The place of a design, with how many share it.
fn place_of(study: &Study<'_>, places: &[Place], index: usize) -> Place {
    let here = |place: &&Place| study.point(place.index) == study.point(index);
    Place { index, designs: places.iter().find(here).map_or(1, |place| place.designs) }
}

fn front(study: &Study<'_>, places: &[Place]) -> Part {
    let steps: Vec<Place> = study.exploration.front_2d.iter().map(|&index| place_of(study, places, index)).collect();
    designs(study, &steps, "Pareto front")
        .with("mode", "lines+markers")
        .with("line", Part::new().with("shape", "hv").with("width", 2.0).with("color", colour::BLUE))
        .with("marker", Part::new().with("size", 9).with("color", colour::BLUE))
}

fn pick(study: &Study<'_>, places: &[Place]) -> Part {
    designs(study, &[place_of(study, places, study.pick)], "the pick").with(
        "marker",
        Part::new().with("symbol", "star").with("size", 18).with("color", colour::VERMILION).with("line", outline()),
    )
}

fn recommended(study: &Study<'_>, places: &[Place]) -> Part {
    let steps: Vec<Place> =
        study.finding.recommended.iter().map(|design| place_of(study, places, design.index)).collect();
    let ring = Part::new().with("width", 2.5).with("color", colour::GREEN);
    designs(study, &steps, "the 2006 paper's recommendation").with(
        "marker",
        Part::new().with("symbol", "square-open").with("size", 15).with("color", colour::GREEN).with("line", ring),
    )
}

fn outline() -> Part {
    Part::new().with("width", 1.0).with("color", "#ffffff")
}

/// Allocators of the catalogue that fall on one place, with their names.
fn catalogue_places<'s>(study: &'s Study<'_>) -> Vec<(Vec<&'s str>, &'s Catalogued)> {
    let mut places: Vec<(Vec<&str>, &Catalogued)> = Vec::new();
    for entry in served(study) {
        let same = |other: &Catalogued| {
            let (a, b) = (&entry.objectives, &other.objectives);
            fragmentation(a) == fragmentation(b) && accesses(a) == accesses(b)
        };
        match places.iter_mut().find(|(_, other)| same(other)) {
            Some((names, _)) => names.push(&entry.name),
            None => places.push((vec![&entry.name], entry)),
        }
    }
    places
}

fn catalogue(study: &Study<'_>) -> Part {
    let places = catalogue_places(study);
    let points: Vec<&Objectives> = places.iter().map(|(_, entry)| &entry.objectives).collect();
    let hover = places.iter().map(|(names, entry)| {
        format!("<b>{}</b><br>{}", escape(&names.join(", ")), values(&entry.objectives, &entry.spec))
    });
    series(&points, "catalogue", hover.collect()).with(
        "marker",
        Part::new().with("symbol", "diamond").with("size", 10).with("color", colour::PURPLE).with("line", outline()),
    )
}

/// The names of the pick and of the catalogue, placed.
fn names(study: &Study<'_>, places: &[Place], view: &View) -> Vec<Part> {
    let named = |name: &str, point: &Objectives, colour: &'static str, size: usize| Named {
        name: escape(name),
        letters: name.chars().count(),
        share: view.share(point),
        place: (view.x.coordinate(fragmentation(point) * 100.0), view.y.coordinate(accesses(point))),
        colour,
        size,
    };
    let mut dots = vec![named("the pick", study.point(study.pick), colour::VERMILION, 15)];
    let shown = catalogue_places(study).into_iter().filter(|(_, entry)| view.shows(&entry.objectives));
    dots.extend(shown.map(|(names, entry)| named(&names.join(", "), &entry.objectives, colour::PURPLE, 11)));
    let crowd = places.iter().map(|place| view.share(study.point(place.index)));
    // A name that covers the front hides more than one that covers a design.
    let front = study.exploration.front_2d.iter().map(|&index| view.share(study.point(index)));
    let crowd = crowd.chain(front.flat_map(|share| [share; FRONT_COUNTS]));
    annotations(&dots, &crowd.collect::<Vec<_>>())
}

/// What is shown when the pointer rests on a design.
fn about(study: &Study<'_>, place: Place) -> String {
    let design = &study.exploration.rows[place.index].design;
    let others = match place.designs {
        1 => String::new(),
        designs => format!(" and {}", plural(designs as u64 - 1, "other", "others")),
    };
    let values = values(study.point(place.index), &design.spec.to_string());
    format!("<b>design {:04}</b>{others}<br>{}<br>{values}", design.number, levels(&study.exploration.families, design))
}

fn values(point: &Objectives, spec: &str) -> String {
    format!(
        "fragmentation {} · accesses {} · p99 {} · max {}<br>{}",
        percent(fragmentation(point)),
        count(accesses(point)),
        count(point.get(Objective::P99)),
        count(point.get(Objective::MaxOp)),
        escape(&shortened(spec)),
    )
}

fn text(study: &Study<'_>, places: &[Place], view: &View) -> String {
    let points = &study.exploration.points;
    let heaps = study.unique_designs();
    let spread = |value: fn(&Objectives) -> f64| {
        let values = serving(study).map(value);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max))
    };
    let ((tight, loose), (few, many)) = (spread(fragmentation), spread(accesses));
    let pick = study.point(study.pick);
    let worse = |point: &&Objectives| fragmentation(point) > fragmentation(pick) && accesses(point) > accesses(pick);
    let beaten = serving(study).filter(worse).count();
    let hidden = serving(study).filter(|point| !view.shows(point)).count();
    let mut body = paragraph(&format!(
        "Each dot is at least one design. The {} designs are {} on this trace, at {}: from {} to {} fragmentation, and from {} \
         to {} accesses per operation. The pick is better in both than {}.",
        thousands(points.len() as u64),
        plural(heaps as u64, "unique design", "unique designs"),
        plural(places.len() as u64, "distinct place", "distinct places"),
        percent(tight),
        percent(loose),
        count(few),
        count(many),
        plural(beaten as u64, "design", "designs"),
    ));
    body.push_str(&refused(study));
    let far: Vec<String> = served(study).filter(|entry| !view.shows(&entry.objectives)).map(outlier).collect();
    if hidden > 0 || !far.is_empty() {
        let mut left_out = vec![plural(hidden as u64, "design", "designs")];
        left_out.extend(far);
        body.push_str(&paragraph(&format!(
            "<span class=\"note\">The first view leaves out designs far from the front: {}. Double-click the figure to show all.</span>",
            listed(&left_out)
        )));
    }
    body
}

/// Who refused requests, and how many.
fn refused(study: &Study<'_>) -> String {
    let designs = study.exploration.points.len() - serving(study).count();
    let mut refused: Vec<String> =
        (designs > 0).then(|| plural(designs as u64, "design", "designs")).into_iter().collect();
    refused.extend(
        study.exploration.catalogue.iter().filter(|entry| entry.objectives.failed > 0).map(|entry| {
            format!("{} ({})", escape(&entry.name), plural(entry.objectives.failed, "request", "requests"))
        }),
    );
    match refused.is_empty() {
        true => String::new(),
        false => paragraph(&format!(
            "<span class=\"note\">Refused requests, and are not drawn, as they never held all that the program asked for: \
             {}.</span>",
            listed(&refused)
        )),
    }
}

fn outlier(entry: &Catalogued) -> String {
    let point = &entry.objectives;
    format!("{} ({}, {} accesses)", escape(&entry.name), percent(fragmentation(point)), count(accesses(point)))
}

fn caption(view: &View) -> String {
    let scale = match (view.x.logarithmic, view.y.logarithmic) {
        (true, true) => " Both axes are logarithmic.",
        (true, false) => " The horizontal axis is logarithmic.",
        (false, true) => " The vertical axis is logarithmic.",
        (false, false) => "",
    };
    format!(
        "Down and to the left is better. Hover over a dot for its spec. Drag to zoom; double-click to switch between the first view and all \
         designs.{scale} After Mamagkakis et al. 2006, Figure 2."
    )
}
