//! Figures: drawn as SVG when the page is written, so that they need no script to be seen.
//!
//! ```text
//!   Plot { axes, series, labels } ──render──▶ <figure> legend, <svg>, points as JSON ──plot.js──▶ hover, zoom, pin
//!
//!   <svg class="plane">             its size is that of the window: places are percent, texts keep their size
//!     grid, ticks                   percent
//!     <svg class="data">            lines and clouds in a plane of 10,000 × 10,000, stretched; strokes keep their width
//!     <svg class="mark" x= y=>      symbols and names, at percent, with offsets in pixels
//! ```
//!
//! Colours are variables of the style, which has them for light and dark.

mod marks;
mod render;

pub use marks::{About, Mark, Series, Symbol};
pub use render::{embed, inert};

use crate::labels::Label;
use crate::span::Span;

/// Okabe and Ito's palette, which readers with any colour vision can distinguish, by the names of the style's variables.
pub mod colour {
    pub const BLUE: &str = "blue";
    pub const SKY: &str = "sky";
    pub const GREEN: &str = "green";
    pub const ORANGE: &str = "orange";
    pub const VERMILION: &str = "vermilion";
    pub const PURPLE: &str = "purple";
    pub const INK: &str = "ink";
    pub const GREY: &str = "grey";
    pub const DOT: &str = "dot";
}

/// An axis.
#[derive(Debug, Clone)]
pub struct Axis {
    /// What it shows.
    pub title: String,
    /// Its ends.
    pub span: Span,
    /// The unit of a value that the pointer rests on.
    pub unit: &'static str,
    /// What is written instead of numbers, at 0, 1, 2 and so on.
    pub names: Vec<String>,
}

impl Axis {
    /// An axis of numbers.
    pub fn of(title: &str, span: Span) -> Axis {
        Axis { title: title.to_owned(), span, unit: "", names: Vec::new() }
    }

    /// The same, with a unit.
    pub fn in_unit(self, unit: &'static str) -> Axis {
        Axis { unit, ..self }
    }

    /// An axis of names.
    pub fn named(title: &str, names: Vec<String>) -> Axis {
        let span = Span::linear(-0.5, names.len().max(1) as f64 - 0.5);
        Axis { title: title.to_owned(), span, unit: "", names }
    }
}

/// What the pointer asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Hover {
    /// The nearest point.
    #[default]
    Point,
    /// All lines at its place on the horizontal axis.
    Column,
}

/// A figure over two axes.
#[derive(Debug, Clone)]
pub struct Plot {
    /// Its name on the page.
    pub id: String,
    /// Its height in pixels.
    pub height: usize,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// A second vertical axis, at the right.
    pub y2: Option<Axis>,
    /// What is drawn, the last on top.
    pub series: Vec<Series>,
    /// Names of points.
    pub labels: Vec<Label>,
    /// What the pointer asks for.
    pub hover: Hover,
    /// Whether series are listed above.
    pub legend: bool,
}

impl Plot {
    /// A figure without series.
    pub fn new(id: impl Into<String>, height: usize, x: Axis, y: Axis) -> Plot {
        let (series, labels) = (Vec::new(), Vec::new());
        Plot { id: id.into(), height, x, y, y2: None, series, labels, hover: Hover::Point, legend: true }
    }
}
