//! Bars over names: side by side or on top of each other, with marks for what another measured.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::{Drawing, GRID, INK, LEGEND, SIZE, SOFT, Scale, colour, drawn, legend, text, tick, upwards};

/// A bar for each name.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Name in the legend.
    pub name: String,
    /// A value for each of [`Bars::names`]; what is not finite has no bar.
    pub values: Vec<f64>,
}

impl Measured {
    /// A series of bars.
    pub fn new(name: impl Into<String>, values: impl IntoIterator<Item = f64>) -> Measured {
        Measured { name: name.into(), values: values.into_iter().collect() }
    }
}

/// A figure of bars; by default side by side, on a linear axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bars {
    /// Its heading.
    pub title: String,
    /// What the vertical axis shows, with the unit.
    pub y: String,
    /// The labels below the bars.
    pub names: Vec<String>,
    /// The bars.
    pub series: Vec<Measured>,
    /// On top of each other instead of side by side; on a linear axis alone.
    pub stacked: bool,
    /// How the vertical axis is divided; a logarithmic one begins below the least bar.
    pub scale: Scale,
    /// A line across, with its name: a limit, what a paper says.
    pub line: Option<(String, f64)>,
}

type Plane<'c, 's> = ChartContext<
    'c,
    SVGBackend<'s>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

impl Bars {
    /// The figure as the text of an SVG file.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        let outcome = self.draw(SVGBackend::with_string(&mut svg, SIZE).into_drawing_area());
        drawn(outcome, svg)
    }

    fn draw(&self, area: DrawingArea<SVGBackend<'_>, Shift>) -> Drawing {
        area.fill(&WHITE)?;
        // Long names are upright.
        let upright = self.names.iter().any(|name| name.len() * self.names.len() > 110);
        let longest = self.names.iter().map(String::len).max().unwrap_or(0) as u32;
        let room = if upright { (longest * 7 + 16).min(190) } else { 30 };
        let mut builder = ChartBuilder::on(&area);
        builder.margin(14).margin_right(LEGEND).caption(&self.title, text(18, INK));
        builder.x_label_area_size(room).y_label_area_size(74);
        let (min, max) = self.extent();
        let mut chart = builder.build_cartesian_2d(0.0..self.names.len().max(1) as f64, min..max)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(0)
            .y_desc(&self.y)
            .axis_desc_style(text(14, SOFT))
            .label_style(text(13, INK))
            .y_label_formatter(&|value| tick(self.value(*value)))
            .axis_style(SOFT)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .draw()?;
        self.bars(&mut chart, min)?;
        self.line(&mut chart)?;
        self.names(&area, &chart, min, upright)?;
        let bars = self.series.iter().enumerate().map(|(number, series)| (series.name.as_str(), colour(number)));
        legend(&area, bars.chain(self.line.iter().map(|(name, _)| (name.as_str(), INK))))?;
        Ok(area.present()?)
    }

    /// The place of a value on the axis, which is that of its logarithm where the scale is one.
    fn place(&self, value: f64) -> f64 {
        if self.scale == Scale::Logarithmic { value.log10() } else { value }
    }

    /// The value of a place.
    fn value(&self, place: f64) -> f64 {
        if self.scale == Scale::Logarithmic { 10_f64.powf(place) } else { place }
    }

    fn extent(&self) -> (f64, f64) {
        if self.scale == Scale::Logarithmic {
            let values =
                || self.series.iter().flat_map(|series| &series.values).chain(self.line.iter().map(|line| &line.1));
            let places = || values().map(|&value| self.place(value)).filter(|place| place.is_finite());
            let min = places().fold(f64::INFINITY, f64::min);
            let min = if min.is_finite() { (min - 0.1).floor() } else { 0.0 };
            return (min, places().fold(min + 1.0, f64::max) + 0.1);
        }
        let finite = |value: &f64| if value.is_finite() { *value } else { 0.0 };
        let tops: Vec<f64> = if self.stacked {
            let sum = |name: usize| self.series.iter().filter_map(|series| series.values.get(name)).map(finite).sum();
            (0..self.names.len()).map(sum).collect()
        } else {
            self.series.iter().flat_map(|series| &series.values).map(finite).collect()
        };
        let line = self.line.as_ref().map_or(0.0, |line| line.1);
        let max = tops.iter().copied().fold(line, f64::max);
        let min = tops.iter().copied().fold(0.0, f64::min);
        (min * 1.05, if max > min { max * 1.12 } else { 1.0 })
    }

    fn bars(&self, chart: &mut Plane<'_, '_>, min: f64) -> Drawing {
        const GAP: f64 = 0.12;
        let width = if self.stacked { 1.0 } else { 1.0 / self.series.len().max(1) as f64 };
        let mut below = vec![0.0; self.names.len()];
        for (number, series) in self.series.iter().enumerate() {
            let shift = if self.stacked { 0.0 } else { number as f64 * width };
            let mut rectangles = Vec::new();
            let places = series.values.iter().map(|&value| self.place(value)).enumerate();
            for (name, value) in places.filter(|(_, place)| place.is_finite()) {
                let left = name as f64 + GAP + shift * (1.0 - 2.0 * GAP);
                let right = left + width * (1.0 - 2.0 * GAP);
                let (from, to) = match (self.scale, self.stacked) {
                    (Scale::Logarithmic, _) => (min, value),
                    (_, true) => (below[name], below[name] + value),
                    _ => (0.0, value),
                };
                below[name] = to;
                rectangles.push(Rectangle::new([(left, from), (right, to)], colour(number).filled()));
            }
            chart.draw_series(rectangles)?;
        }
        Ok(())
    }

    fn line(&self, chart: &mut Plane<'_, '_>) -> Drawing {
        let Some((_, height)) = &self.line else { return Ok(()) };
        let points = [0.0, self.names.len().max(1) as f64].map(|x| (x, self.place(*height)));
        chart.draw_series(DashedLineSeries::new(points, 6, 4, INK.stroke_width(2)))?;
        Ok(())
    }

    fn names(
        &self,
        area: &DrawingArea<SVGBackend<'_>, Shift>,
        chart: &Plane<'_, '_>,
        min: f64,
        upright: bool,
    ) -> Drawing {
        let style = text(13, INK);
        let style = if upright {
            upwards(style).pos(Pos::new(HPos::Right, VPos::Center))
        } else {
            style.pos(Pos::new(HPos::Center, VPos::Top))
        };
        for (number, name) in self.names.iter().enumerate() {
            let (x, y) = chart.backend_coord(&(number as f64 + 0.5, min));
            area.draw(&Text::new(name.as_str(), (x, y + 8), style.clone()))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(stacked: bool) -> Bars {
        Bars {
            title: "bars".into(),
            y: "share".into(),
            names: vec!["one".into(), "two".into()],
            series: vec![Measured::new("a", [1.0, 2.0]), Measured::new("b", [0.5, f64::NAN])],
            stacked,
            scale: Scale::Linear,
            line: Some(("limit".into(), 4.0)),
        }
    }

    #[test]
    fn what_was_not_measured_has_no_bar() {
        for stacked in [false, true] {
            let svg = bars(stacked).svg();
            let boxes = svg.matches("<rect").count();
            let more =
                Bars { series: vec![Measured::new("a", [1.0, 2.0]), Measured::new("b", [0.5, 0.5])], ..bars(stacked) };
            assert_eq!(more.svg().matches("<rect").count(), boxes + 1);
            assert!(svg.contains("limit") && svg.contains("two") && !svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn a_logarithmic_axis_begins_below_the_lowest_bar() {
        let bars = Bars { scale: Scale::Logarithmic, line: None, ..bars(false) };
        let (min, max) = bars.extent();
        assert!(min <= 0.5_f64.log10() && max >= 2.0_f64.log10());
        assert!(bars.svg().contains("</svg>") && !bars.svg().contains("NaN"));
    }

    #[test]
    fn stacked_bars_reach_their_sum() {
        assert!(bars(true).extent().1 > bars(false).extent().1 || bars(true).line.is_some());
        let no_line = |stacked| Bars { line: None, ..bars(stacked) }.extent().1;
        assert!((no_line(true) - 2.0 * 1.12).abs() < 1e-9 && (no_line(false) - 2.0 * 1.12).abs() < 1e-9);
        let tall = Bars {
            series: vec![Measured::new("a", [2.0, 2.0]), Measured::new("b", [3.0, 0.0])],
            line: None,
            ..bars(true)
        };
        assert!((tall.extent().1 - 5.0 * 1.12).abs() < 1e-9);
    }
}
