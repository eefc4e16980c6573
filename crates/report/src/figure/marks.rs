//! Series of points, and what they look like.

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Mark {
    /// Straight lines between its points.
    Line,
    /// A line that keeps its height until the next point.
    Steps,
    /// The same, dotted.
    Dotted,
    /// The same, filled down to the axis.
    Area,
    /// Many dots of one size in pixels, without outlines.
    Cloud(f64),
    /// Symbols of a size in pixels.
    Symbols(Symbol, f64),
    /// A line from the axis up to each point.
    Stems,
    /// Bars around each point; `slot` counts those next to each other.
    Bars { slot: usize, of: usize },
    /// Squares of names, darker the larger their weight.
    Cells,
}

/// A symbol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    Circle,
    Diamond,
    Square,
    Ring,
    Triangle,
    Star,
}

/// What is said of a point under the pointer.
#[derive(Debug, Clone, PartialEq)]
pub enum About {
    /// HTML.
    Text(String),
    /// The design of this number, which the page's table of designs describes.
    Design(u32),
}

/// Points with a name.
#[derive(Debug, Clone)]
pub struct Series {
    /// Its name in the legend; without one it is not listed.
    pub name: String,
    /// A name of the palette.
    pub colour: &'static str,
    /// How it is drawn.
    pub mark: Mark,
    /// The points, in order.
    pub points: Vec<(f64, f64)>,
    /// What is said of each; nothing where it is empty.
    pub abouts: Vec<About>,
    /// The weights of cells, from 0 to 1.
    pub weights: Vec<f64>,
    /// Whether it belongs to the second vertical axis.
    pub second: bool,
}

impl Series {
    /// A series.
    pub fn new(
        name: impl Into<String>,
        colour: &'static str,
        mark: Mark,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Series {
        let (abouts, weights) = (Vec::new(), Vec::new());
        let points = points.into_iter().collect();
        Series { name: name.into(), colour, mark, points, abouts, weights, second: false }
    }

    /// Says something of each point.
    pub fn about(self, abouts: impl IntoIterator<Item = About>) -> Series {
        Series { abouts: abouts.into_iter().collect(), ..self }
    }

    /// Says a text of each point, which is HTML.
    pub fn saying(self, texts: impl IntoIterator<Item = String>) -> Series {
        self.about(texts.into_iter().map(About::Text))
    }

    /// Puts it on the second vertical axis.
    pub fn on_the_second(self) -> Series {
        Series { second: true, ..self }
    }
}

impl Symbol {
    /// Its outline around the origin, for a size in pixels.
    pub fn outline(self, size: f64) -> String {
        let r = size / 2.0;
        match self {
            Symbol::Circle => format!("<circle r=\"{r}\"/>"),
            Symbol::Diamond => format!("<path d=\"M0-{r}L{r} 0 0 {r}-{r} 0Z\"/>"),
            Symbol::Square => format!("<rect x=\"-{r}\" y=\"-{r}\" width=\"{size}\" height=\"{size}\"/>"),
            Symbol::Ring => format!("<rect class=\"ring\" x=\"-{r}\" y=\"-{r}\" width=\"{size}\" height=\"{size}\"/>"),
            Symbol::Triangle => format!("<path d=\"M-{r}-{r}H{r}L0 {r}Z\"/>"),
            Symbol::Star => {
                let point = |step: u32| {
                    let radius = if step.is_multiple_of(2) { r } else { r * 0.45 };
                    let angle = std::f64::consts::PI * (f64::from(step) / 5.0 - 0.5);
                    format!("{:.1} {:.1}", radius * angle.cos(), radius * angle.sin())
                };
                format!("<path d=\"M{}Z\"/>", (0..10).map(point).collect::<Vec<_>>().join("L"))
            }
        }
    }
}
