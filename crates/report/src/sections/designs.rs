//! All designs by what they cost (Mamagkakis et al. 2006, Figure 2).

use heapsmith_explore::{Catalogued, Objective, Objectives};
use plotly::common::{HoverInfo, Line, LineShape, Marker, MarkerSymbol, Mode, Position};
use plotly::layout::{Axis, AxisType};
use plotly::{Plot, Scatter};

use crate::figure::{Series, axis, colour, embed, layout};
use crate::html::{escape, paragraph, section as wrap};
use crate::labels::{Named, positions};
use crate::number::{count, listed, percent, plural, rounded, thousands};
use crate::places::{Place, places, quantile};
use crate::spec_text::{levels, shortened};
use crate::study::{Study, accesses, fragmentation};

/// Accesses that spread by more than this factor are drawn by their logarithm.
const WIDE: f64 = 20.0;
/// Allocators of the catalogue farther out than this factor do not widen the first view.
const FAR: f64 = 3.0;
/// Share of the designs that the first view shows.
const SHOWN: f64 = 0.95;

/// The section.
pub fn section(study: &Study<'_>) -> String {
    let places = places(&study.exploration.points);
    let view = View::of(study);
    let mut plot = Plot::new();
    let (served, refused): (Vec<Place>, Vec<Place>) =
        places.iter().partition(|place| study.point(place.index).failed == 0);
    plot.add_trace(dots(study, &served, "designs", MarkerSymbol::Circle, colour::DOT));
    if !refused.is_empty() {
        plot.add_trace(dots(study, &refused, "designs that refused requests", MarkerSymbol::XThin, colour::GREY));
    }
    plot.add_trace(front(study, &places));
    plot.add_trace(catalogue(study, &view));
    if !study.finding.recommended.is_empty() {
        plot.add_trace(recommended(study, &places));
    }
    plot.add_trace(pick(study, &places));
    plot.set_layout(layout(view.x_axis(), view.y_axis(), 64));
    let description = "Scatter plot of every design by fragmentation and accesses per operation, with the Pareto front, \
                       the pick and the catalogue";
    let body = text(study, &places, &view) + &embed(plot, "plot-designs", 580, description, &caption(&view));
    wrap("designs", &format!("{} designs", thousands(study.exploration.points.len() as u64)), &body)
}

/// The part of the plane that is shown first.
struct View {
    right: f64,
    bottom: f64,
    top: f64,
    left: f64,
    logarithmic: bool,
}

impl View {
    fn of(study: &Study<'_>) -> View {
        let points = &study.exploration.points;
        let all = |value: fn(&Objectives) -> f64| points.iter().map(value).collect::<Vec<f64>>();
        let limit = |value: fn(&Objectives) -> f64| {
            let front = study.exploration.staircase.iter().map(|&index| value(study.point(index)));
            let most = front.fold(quantile(all(value), SHOWN).unwrap_or(0.0), f64::max);
            let near = study.exploration.catalogue.iter().map(|entry| value(&entry.objectives));
            near.filter(|&value| value <= FAR * most).fold(most, f64::max)
        };
        let least = |value: fn(&Objectives) -> f64| {
            let catalogue = study.exploration.catalogue.iter().map(|entry| value(&entry.objectives));
            points.iter().map(value).chain(catalogue).fold(f64::INFINITY, f64::min)
        };
        let (right, highest, lowest) = (limit(fragmentation), limit(accesses), least(accesses));
        let logarithmic = lowest > 0.0 && highest > WIDE * lowest;
        let (left, width) = (least(fragmentation), right - least(fragmentation));
        View {
            left: left - 0.04 * width.max(0.001),
            right: right + 0.06 * width.max(0.001),
            bottom: if logarithmic { lowest / 1.2 } else { 0.0 },
            top: if logarithmic { highest * 1.3 } else { highest * 1.08 + 0.1 },
            logarithmic,
        }
    }

    fn x_axis(&self) -> Axis {
        axis("fragmentation (%)").range(vec![rounded(self.left * 100.0), rounded(self.right * 100.0)])
    }

    fn y_axis(&self) -> Axis {
        let y = axis("metadata accesses per operation");
        if self.logarithmic {
            y.type_(AxisType::Log).dtick_values().range(vec![rounded(self.bottom.log10()), rounded(self.top.log10())])
        } else {
            y.range(vec![self.bottom, rounded(self.top)])
        }
    }

    /// A point in shares of the view.
    fn share(&self, point: &Objectives) -> (f64, f64) {
        let scale = |value: f64| if self.logarithmic { value.max(f64::MIN_POSITIVE).ln() } else { value };
        let (bottom, top) = (scale(self.bottom), scale(self.top));
        let x = (fragmentation(point) - self.left) / (self.right - self.left);
        (x, (scale(accesses(point)) - bottom) / (top - bottom))
    }

    fn shows(&self, point: &Objectives) -> bool {
        let (x, y) = self.share(point);
        (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y)
    }
}

/// Ticks of a logarithmic axis at 1, 2 and 5 of every power of ten.
trait LogTicks {
    fn dtick_values(self) -> Self;
}

impl LogTicks for Axis {
    fn dtick_values(self) -> Self {
        let values: Vec<f64> = (-2..7).flat_map(|power| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(power))).collect();
        let text = values.iter().map(|&value| if value < 1.0 { value.to_string() } else { thousands(value as u64) });
        self.tick_text(text.collect::<Vec<_>>()).tick_values(values)
    }
}

fn series(points: &[&Objectives], name: &str, hover: Vec<String>) -> Box<Series> {
    let x = points.iter().map(|point| rounded(fragmentation(point) * 100.0)).collect();
    let y = points.iter().map(|point| rounded(accesses(point))).collect();
    Scatter::new(x, y).name(name).mode(Mode::Markers).hover_info(HoverInfo::Text).hover_text_array(hover)
}

fn designs(study: &Study<'_>, places: &[Place], name: &str) -> Box<Series> {
    let points: Vec<&Objectives> = places.iter().map(|place| study.point(place.index)).collect();
    series(&points, name, places.iter().map(|&place| about(study, place)).collect())
}

fn dots(study: &Study<'_>, places: &[Place], name: &str, symbol: MarkerSymbol, color: &'static str) -> Box<Series> {
    designs(study, places, name).marker(Marker::new().symbol(symbol).size(6).color(color))
}

/// The place of a design, with how many share it.
fn place_of(study: &Study<'_>, places: &[Place], index: usize) -> Place {
    let here = |place: &&Place| study.point(place.index) == study.point(index);
    Place { index, designs: places.iter().find(here).map_or(1, |place| place.designs) }
}

fn front(study: &Study<'_>, places: &[Place]) -> Box<Series> {
    let steps: Vec<Place> =
        study.exploration.staircase.iter().map(|&index| place_of(study, places, index)).collect();
    designs(study, &steps, "Pareto front")
        .mode(Mode::LinesMarkers)
        .line(Line::new().shape(LineShape::Hv).width(2.0).color(colour::BLUE))
        .marker(Marker::new().size(9).color(colour::BLUE))
}

fn pick(study: &Study<'_>, places: &[Place]) -> Box<Series> {
    designs(study, &[place_of(study, places, study.pick)], "the pick")
        .mode(Mode::MarkersText)
        .text_array(vec!["<b>the pick</b>"])
        .text_position(Position::BottomLeft)
        .text_font(plotly::common::Font::new().size(14).color(colour::VERMILION))
        .marker(Marker::new().symbol(MarkerSymbol::Star).size(18).color(colour::VERMILION).line(outline()))
}

fn recommended(study: &Study<'_>, places: &[Place]) -> Box<Series> {
    let steps: Vec<Place> =
        study.finding.recommended.iter().map(|design| place_of(study, places, design.index)).collect();
    let ring = Line::new().width(2.5).color(colour::GREEN);
    designs(study, &steps, "the 2006 paper's recommendation")
        .marker(Marker::new().symbol(MarkerSymbol::SquareOpen).size(15).color(colour::GREEN).line(ring))
}

fn outline() -> Line {
    Line::new().width(1.0).color("#ffffff")
}

/// Allocators of the catalogue that fall on one place, with their names.
fn catalogue_places<'s>(study: &'s Study<'_>) -> Vec<(Vec<&'s str>, &'s Catalogued)> {
    let mut places: Vec<(Vec<&str>, &Catalogued)> = Vec::new();
    for entry in &study.exploration.catalogue {
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

fn catalogue(study: &Study<'_>, view: &View) -> Box<Series> {
    let places = catalogue_places(study);
    let points: Vec<&Objectives> = places.iter().map(|(_, entry)| &entry.objectives).collect();
    let names: Vec<String> = places.iter().map(|(names, _)| escape(&names.join(", "))).collect();
    let dot = |(name, point): (&String, &&Objectives)| {
        let (x, y) = view.share(point);
        Named { x, y, letters: name.chars().count() }
    };
    // The pick's own label is in the way too: it is placed first, and dropped again.
    let (x, y) = view.share(study.point(study.pick));
    let dots = std::iter::once(Named { x, y, letters: 8 }).chain(names.iter().zip(&points).map(dot));
    let positions: Vec<Position> = positions(&dots.collect::<Vec<_>>()).into_iter().skip(1).collect();
    let hover = places.iter().map(|(names, entry)| {
        format!("<b>{}</b><br>{}", escape(&names.join(", ")), values(&entry.objectives, &entry.spec))
    });
    series(&points, "catalogue", hover.collect())
        .mode(Mode::MarkersText)
        .text_array(names)
        .text_position_array(positions)
        .text_font(plotly::common::Font::new().size(11).color(colour::PURPLE))
        .marker(Marker::new().symbol(MarkerSymbol::Diamond).size(10).color(colour::PURPLE).line(outline()))
}

/// What is shown when the pointer rests on a design.
fn about(study: &Study<'_>, place: Place) -> String {
    let design = &study.exploration.rows[place.index].design;
    let others = match place.designs {
        1 => String::new(),
        designs => format!(" and {}", plural(designs as u64 - 1, "other", "others")),
    };
    let values = values(study.point(place.index), &design.spec.to_string());
    format!("<b>design {:04}</b>{others}<br>{}<br>{values}", design.number, levels(design))
}

fn values(point: &Objectives, spec: &str) -> String {
    let refused = match point.failed {
        0 => String::new(),
        failed => format!("<br>refused {} requests", thousands(failed)),
    };
    format!(
        "fragmentation {} · accesses {} · p99 {} · worst {}{refused}<br>{}",
        percent(fragmentation(point)),
        count(accesses(point)),
        count(point.get(Objective::P99)),
        count(point.get(Objective::Worst)),
        escape(&shortened(spec)),
    )
}

fn text(study: &Study<'_>, places: &[Place], view: &View) -> String {
    let points = &study.exploration.points;
    let heaps = study.distinct_heaps();
    let spread = |value: fn(&Objectives) -> f64| {
        let values = points.iter().map(value);
        (values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max))
    };
    let ((tight, loose), (few, many)) = (spread(fragmentation), spread(accesses));
    let pick = study.point(study.pick);
    let worse = |point: &&Objectives| fragmentation(point) > fragmentation(pick) && accesses(point) > accesses(pick);
    let beaten = points.iter().filter(worse).count();
    let hidden = points.iter().filter(|point| !view.shows(point)).count();
    let mut body = paragraph(&format!(
        "Each dot is a place where at least one design stands. The {} designs are {} on this traffic and fall on {}: \
         from {} to {} of fragmentation, from {} to {} accesses an operation. The pick is better in both than {}.",
        thousands(points.len() as u64),
        plural(heaps as u64, "different heap", "different heaps"),
        plural(places.len() as u64, "distinct place", "distinct places"),
        percent(tight),
        percent(loose),
        count(few),
        count(many),
        plural(beaten as u64, "design", "designs"),
    ));
    let far: Vec<String> =
        study.exploration.catalogue.iter().filter(|entry| !view.shows(&entry.objectives)).map(outlier).collect();
    if hidden > 0 || !far.is_empty() {
        let mut left_out = vec![plural(hidden as u64, "design", "designs")];
        left_out.extend(far);
        body.push_str(&paragraph(&format!(
            "<span class=\"note\">The first view leaves out what is far from the front: {}. A double click on the figure \
             shows everything.</span>",
            listed(&left_out)
        )));
    }
    body
}

fn outlier(entry: &Catalogued) -> String {
    let point = &entry.objectives;
    format!("{} ({}, {} accesses)", escape(&entry.name), percent(fragmentation(point)), count(accesses(point)))
}

fn caption(view: &View) -> String {
    let scale = if view.logarithmic { " The vertical axis is logarithmic." } else { "" };
    format!(
        "Down and to the left is better. Drag to zoom, double-click to go back and forth between the first view and \
         everything.{scale} After Mamagkakis et al. 2006, Figure 2."
    )
}
