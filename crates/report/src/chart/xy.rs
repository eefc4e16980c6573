//! Lines and dots over two axes, each linear or logarithmic.

use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::*;

use super::{Drawing, GRID, INK, LEGEND, SIZE, SOFT, colour, drawn, legend, text, tick};

/// How an axis is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Equal steps are equal lengths.
    #[default]
    Linear,
    /// Equal factors are equal lengths; values below the least positive one are drawn there.
    Logarithmic,
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows, with the unit.
    pub title: String,
    /// How it is divided.
    pub scale: Scale,
}

impl Axis {
    /// A linear axis.
    pub fn linear(title: &str) -> Axis {
        Axis { title: title.to_owned(), scale: Scale::Linear }
    }

    /// A logarithmic axis.
    pub fn logarithmic(title: &str) -> Axis {
        Axis { title: title.to_owned(), scale: Scale::Logarithmic }
    }
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A line through its points.
    Line,
    /// A line, and a dot at each point.
    LineAndDots,
    /// A broken line: a model, a limit, what another said.
    Broken,
    /// Dots.
    Dots,
    /// Many small dots, each drawn once for all points of its place.
    Cloud,
    /// Large dots, for what matters.
    Rings,
}

/// Points with a name.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// The points in order.
    pub points: Vec<(f64, f64)>,
}

impl Series {
    /// A series.
    pub fn new(name: impl Into<String>, mark: Mark, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        Series { name: name.into(), mark, points: points.into_iter().collect() }
    }
}

/// A figure over two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Its heading.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The series, the first drawn first.
    pub series: Vec<Series>,
}

type Area<'s> = DrawingArea<SVGBackend<'s>, Shift>;

impl Chart {
    /// The figure as the text of an SVG file.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let outcome = self.draw(SVGBackend::with_string(&mut svg, SIZE).into_drawing_area());
        drawn(outcome, svg)
    }

    fn draw(&self, area: Area<'_>) -> Drawing {
        area.fill(&WHITE)?;
        let mut builder = ChartBuilder::on(&area);
        builder
            .margin(14)
            .margin_right(LEGEND)
            .caption(&self.title, text(18, INK))
            .x_label_area_size(46)
            .y_label_area_size(74);
        let (x, y) = (self.extent(|point| point.0, self.x.scale), self.extent(|point| point.1, self.y.scale));
        use Scale::{Linear, Logarithmic};
        match (self.x.scale, self.y.scale) {
            (Linear, Linear) => self.fill(builder.build_cartesian_2d(x.0..x.1, y.0..y.1)?, x.0, y.0)?,
            (Linear, Logarithmic) => {
                self.fill(builder.build_cartesian_2d(x.0..x.1, (y.0..y.1).log_scale())?, x.0, y.0)?;
            }
            (Logarithmic, Linear) => {
                self.fill(builder.build_cartesian_2d((x.0..x.1).log_scale(), y.0..y.1)?, x.0, y.0)?;
            }
            (Logarithmic, Logarithmic) => {
                self.fill(builder.build_cartesian_2d((x.0..x.1).log_scale(), (y.0..y.1).log_scale())?, x.0, y.0)?;
            }
        }
        legend(&area, self.series.iter().enumerate().map(|(number, series)| (series.name.as_str(), colour(number))))?;
        Ok(area.present()?)
    }

    /// From where to where an axis goes.
    fn extent(&self, of: fn(&(f64, f64)) -> f64, scale: Scale) -> (f64, f64) {
        let values = || self.series.iter().flat_map(|series| &series.points).map(of).filter(|value| value.is_finite());
        let max = values().fold(0.0, f64::max);
        match scale {
            Scale::Linear => {
                let min = values().fold(f64::INFINITY, f64::min).min(0.0);
                (min, if max > min { max + (max - min) * 0.04 } else { min + 1.0 })
            }
            Scale::Logarithmic => {
                let min = values().filter(|&value| value > 0.0).fold(f64::INFINITY, f64::min);
                let min = if min.is_finite() { min } else { 1.0 };
                (min / 1.15, max.max(min * 2.0) * 1.25)
            }
        }
    }

    fn fill<'s, X, Y>(
        &self,
        mut chart: ChartContext<'s, SVGBackend<'s>, Cartesian2d<X, Y>>,
        min_x: f64,
        min_y: f64,
    ) -> Drawing
    where
        X: Ranged<ValueType = f64> + ValueFormatter<f64>,
        Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
    {
        chart
            .configure_mesh()
            .x_desc(&self.x.title)
            .y_desc(&self.y.title)
            .axis_desc_style(text(14, SOFT))
            .label_style(text(13, INK))
            .x_label_formatter(&|value| tick(*value))
            .y_label_formatter(&|value| tick(*value))
            .axis_style(SOFT)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        let floor = |value: f64, min: f64, scale| if scale == Scale::Logarithmic { value.max(min) } else { value };
        for (number, series) in self.series.iter().enumerate() {
            let placed = series.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
            let points: Vec<(f64, f64)> =
                placed.map(|&(x, y)| (floor(x, min_x, self.x.scale), floor(y, min_y, self.y.scale))).collect();
            draw_series(&mut chart, series, points, colour(number))?;
        }
        Ok(())
    }
}

fn draw_series<X, Y>(
    chart: &mut ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    series: &Series,
    points: Vec<(f64, f64)>,
    colour: RGBColor,
) -> Drawing
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let dot = move |size: i32| move |point| Circle::new(point, size, colour.filled());
    let line = colour.stroke_width(2);
    match series.mark {
        Mark::Line => drop(chart.draw_series(LineSeries::new(points, line))?),
        Mark::LineAndDots => {
            chart.draw_series(points.iter().copied().map(dot(3)))?;
            chart.draw_series(LineSeries::new(points, line))?;
        }
        Mark::Broken => drop(chart.draw_series(DashedLineSeries::new(points, 6, 4, line))?),
        Mark::Dots => drop(chart.draw_series(points.into_iter().map(dot(3)))?),
        Mark::Cloud => {
            let points = places(chart, points);
            chart.draw_series(points.into_iter().map(move |point| Circle::new(point, 2, colour.mix(0.45).filled())))?;
        }
        Mark::Rings => {
            chart.draw_series(points.into_iter().map(move |point| Circle::new(point, 6, colour.stroke_width(3))))?;
        }
    }
    Ok(())
}

/// One point of all that fall on the same pixel: a cloud of ten thousand is mostly covered by itself.
fn places<X, Y>(
    chart: &ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Y>>,
    mut points: Vec<(f64, f64)>,
) -> Vec<(f64, f64)>
where
    X: Ranged<ValueType = f64>,
    Y: Ranged<ValueType = f64>,
{
    let mut taken = std::collections::HashSet::new();
    points.retain(|point| taken.insert(chart.backend_coord(point)));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(x: Axis, y: Axis) -> Chart {
        let points: Vec<(f64, f64)> = (0..40).map(|x| (f64::from(x), f64::from(x * x))).collect();
        let marks = [Mark::Line, Mark::LineAndDots, Mark::Broken, Mark::Dots, Mark::Cloud, Mark::Rings];
        let series = marks.map(|mark| Series::new(format!("{mark:?} <&>"), mark, points.clone()));
        Chart { title: "squares".into(), x, y, series: series.into() }
    }

    #[test]
    fn every_scale_and_mark_is_drawn_and_text_is_escaped() {
        for x in [Axis::linear("x"), Axis::logarithmic("x")] {
            for y in [Axis::linear("y"), Axis::logarithmic("y")] {
                let svg = chart(x.clone(), y).svg();
                assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{svg}");
                assert!(svg.contains("squares") && svg.contains("LineAndDots &lt;&amp;&gt;"), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn a_cloud_draws_a_place_once() {
        let many = Series::new("", Mark::Cloud, (0..10_000).map(|_| (1.0, 1.0)));
        let chart = Chart { title: String::new(), x: Axis::linear("x"), y: Axis::linear("y"), series: vec![many] };
        assert_eq!(chart.svg().matches("<circle").count(), 1);
    }

    #[test]
    fn nothing_to_draw_is_still_a_figure() {
        let chart = Chart { title: "empty".into(), x: Axis::linear("x"), y: Axis::logarithmic("y"), series: vec![] };
        assert!(chart.svg().contains("empty"));
    }
}
