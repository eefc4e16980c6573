//! Figures as SVG files: lines and dots over two axes, and bars over names.
//!
//! ```text
//!   Chart { axes, series } ──┐
//!                            ├──▶ svg() ──▶ text of an SVG file
//!   Bars { names, series } ──┘
//! ```
//!
//! What is drawn is data; how it is drawn is decided here alone. The same data gives the same
//! bytes on every machine: no font is measured and nothing is looked up.

mod bars;
mod xy;

pub use bars::{Bars, Measured};
pub use xy::{Axis, Chart, Mark, Scale, Series};

use plotters::coord::Shift;
use plotters::prelude::{Circle, DrawingArea, RGBColor, SVGBackend, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontDesc, FontFamily, FontStyle, FontTransform, TextStyle};

/// Pixels of a figure.
const SIZE: (u32, u32) = (980, 480);

/// Pixels at its right for the names of the series, where no data can lie under them.
const LEGEND: u32 = 240;

const INK: RGBColor = RGBColor(0x1f, 0x29, 0x33);
const SOFT: RGBColor = RGBColor(0x52, 0x60, 0x6d);
const GRID: RGBColor = RGBColor(0xe6, 0xea, 0xef);

/// Okabe and Ito's palette, which readers with any colour vision can distinguish.
const PALETTE: [RGBColor; 8] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0xa2, 0x49, 0x8a),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x7b, 0x87, 0x94),
    RGBColor(0x1f, 0x29, 0x33),
];

fn colour(series: usize) -> RGBColor {
    PALETTE[series % PALETTE.len()]
}

/// Text in the reader's own sans-serif.
fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    FontDesc::new(FontFamily::SansSerif, f64::from(size), FontStyle::Normal).color(&colour)
}

fn upwards(style: TextStyle<'static>) -> TextStyle<'static> {
    style.transform(FontTransform::Rotate270)
}

type Drawing = Result<(), Box<dyn std::error::Error>>;

/// The names of the series next to the plot.
fn legend<'n>(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    names: impl IntoIterator<Item = (&'n str, RGBColor)>,
) -> Drawing {
    let left = (SIZE.0 - LEGEND) as i32 + 24;
    let style = text(13, INK).pos(Pos::new(HPos::Left, VPos::Center));
    let named = names.into_iter().filter(|(name, _)| !name.is_empty());
    for (line, (name, colour)) in named.enumerate() {
        let y = 56 + 22 * line as i32;
        area.draw(&Circle::new((left, y), 5, colour.filled()))?;
        area.draw(&Text::new(name, (left + 13, y), style.clone()))?;
    }
    Ok(())
}

/// A number at an axis: no more digits than it needs.
fn tick(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".to_owned(),
        _ if size >= 1e9 => format!("{:.0}e9", value / 1e9),
        _ if size >= 1000.0 => crate::number::thousands(size.round() as u64),
        _ if size >= 10.0 || size.fract() == 0.0 => format!("{}", (value * 10.0).round() / 10.0),
        _ if size >= 0.01 => format!("{}", (value * 1000.0).round() / 1000.0),
        _ => format!("{value:.0e}"),
    }
}

/// Why a figure could not be drawn becomes an empty figure that says so: text in memory cannot
/// run out of disk, so it does not happen.
fn drawn(outcome: Result<(), impl std::fmt::Display>, svg: String) -> String {
    match outcome {
        Ok(()) => svg,
        Err(error) => format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"40\"><text y=\"20\">{}</text></svg>\n",
            SIZE.0,
            crate::html::escape(&error.to_string())
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::tick;

    #[test]
    fn ticks_have_no_more_digits_than_they_need() {
        let shown = [0.0, 0.1, 0.25, 2.0, 12.5, 10_000.0, 1e-5].map(tick);
        assert_eq!(shown, ["0", "0.1", "0.25", "2", "12.5", "10,000", "1e-5"]);
    }
}
