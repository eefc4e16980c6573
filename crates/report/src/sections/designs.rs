//! All designs by what they cost (Mamagkakis et al. 2006, Figure 2).
//!
//! What refused requests has the figures of another program, as it never held what was refused: it is listed, not drawn.

use heapsmith_explore::{Catalogued, Objective, Objectives};

use crate::figure::{About, Axis, Mark, Plot, Series, Symbol, colour, embed};
use crate::html::{Section, escape, paragraph, section as wrap};
use crate::labels::{Label, Named, placed};
use crate::number::{count, listed, percent, plural, thousands};
use crate::places::{Place, places};
use crate::span::Span;
use crate::spec_text::shortened;
use crate::study::{Study, accesses, fragmentation};

/// How many designs a place of the front counts for where names are placed.
const FRONT_COUNTS: usize = 10;

/// The section.
pub fn section(study: &Study<'_>) -> Section {
    let mut places = places(&study.exploration.points);
    places.retain(|place| study.point(place.index).failed == 0);
    let view = View::of(study);
    let x = Axis::of("fragmentation (%)", view.x.scaled(100.0));
    let y = Axis::of("metadata accesses per operation", view.y);
    let mut plot = Plot { labels: names(study, &places, &view), ..Plot::new("plot-designs", 560, x, y) };
    plot.series.push(dots(study, &places, &view));
    plot.series.extend(front(study));
    plot.series.push(catalogue(study, &view));
    if study.is_of_a_network() && !study.finding.recommended.is_empty() {
        plot.series.push(recommended(study));
    }
    plot.series.push(pick(study));
    let description = "Scatter plot of every design by fragmentation and accesses per operation, with the Pareto front, \
                       the pick and the catalogue. Arrow keys go from point to point, Enter pins a design.";
    let pinned = "<div id=\"pinned\" class=\"pinned\" role=\"status\" hidden></div>\n";
    let body = text(study, &places, &view) + &embed(&plot, description, &caption(&view)) + pinned;
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

fn place((fragmentation, accesses): (f64, f64)) -> (f64, f64) {
    (fragmentation * 100.0, accesses)
}

/// Designs by their indices, each described by the page's data.
fn designs(study: &Study<'_>, indices: &[usize], name: &str, colour: &'static str, mark: Mark) -> Series {
    let points =
        indices.iter().map(|&index| study.point(index)).map(|point| place((fragmentation(point), accesses(point))));
    let abouts = indices.iter().map(|&index| About::Design(study.exploration.rows[index].design.number));
    Series::new(name, colour, mark, points).about(abouts)
}

fn dots(study: &Study<'_>, places: &[Place], view: &View) -> Series {
    let shown: Vec<usize> =
        places.iter().map(|place| place.index).filter(|&index| view.shows(study.point(index))).collect();
    designs(study, &shown, "designs", colour::DOT, Mark::Cloud(6.0))
}

/// The values of the designs that served every request.
fn serving<'s>(study: &'s Study<'_>) -> impl Iterator<Item = &'s Objectives> + Clone {
    study.exploration.points.iter().filter(|point| point.failed == 0)
}

/// The allocators of the catalogue that did.
fn served<'s>(study: &'s Study<'_>) -> impl Iterator<Item = &'s Catalogued> {
    study.exploration.compared_catalogue()
}

/// The front: its steps, and its designs.
fn front(study: &Study<'_>) -> [Series; 2] {
    let front = &study.exploration.front_2d;
    let line = designs(study, front, "Pareto front", colour::BLUE, Mark::Steps);
    let line = Series { abouts: Vec::new(), ..line };
    [line, designs(study, front, "", colour::BLUE, Mark::Symbols(Symbol::Circle, 9.0))]
}

fn pick(study: &Study<'_>) -> Series {
    designs(study, &[study.pick], "the pick", colour::VERMILION, Mark::Symbols(Symbol::Star, 20.0))
}

fn recommended(study: &Study<'_>) -> Series {
    let steps: Vec<usize> = study.finding.recommended.iter().map(|design| design.index).collect();
    designs(study, &steps, "the 2006 paper's recommendation", colour::GREEN, Mark::Symbols(Symbol::Ring, 15.0))
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

fn catalogue(study: &Study<'_>, view: &View) -> Series {
    let places = catalogue_places(study).into_iter().filter(|(_, entry)| view.shows(&entry.objectives));
    let described = places.map(|(names, entry)| {
        let point = &entry.objectives;
        let said = format!("<b>{}</b><br>{}", escape(&names.join(", ")), values(point, &entry.spec));
        (place((fragmentation(point), accesses(point))), said)
    });
    let (points, said): (Vec<_>, Vec<_>) = described.unzip();
    Series::new("catalogue", colour::PURPLE, Mark::Symbols(Symbol::Diamond, 11.0), points).saying(said)
}

/// The names of the pick and of the catalogue, placed.
fn names(study: &Study<'_>, places: &[Place], view: &View) -> Vec<Label> {
    let named = |name: &str, point: &Objectives, colour: &'static str, size: usize| Named {
        name: name.to_owned(),
        share: view.share(point),
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
    placed(&dots, &crowd.collect::<Vec<_>>())
}

/// What is said of an allocator of the catalogue.
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
        let designs = (hidden > 0).then(|| plural(hidden as u64, "design", "designs"));
        let left_out: Vec<String> = designs.into_iter().chain(far).collect();
        body.push_str(&paragraph(&format!(
            "<span class=\"note\">Far from the front, and not drawn: {}.</span>",
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
        "Down and to the left is better. A click on a dot pins its design and shows its commands. Drag to zoom; double-click to show \
         all.{scale} After Mamagkakis et al. 2006, Figure 2."
    )
}
