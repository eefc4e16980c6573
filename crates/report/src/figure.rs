//! What all figures share: colours, axes, legend, and how a plot becomes HTML.

use plotly::Plot;
use plotly::common::{Font, Label, Orientation};
use plotly::configuration::{DisplayModeBar, ModeBarButtonName};
use plotly::layout::{Axis, HoverMode, Layout, Legend, Margin};
use plotly::{Configuration, Scatter};

use crate::html::escape;

/// Okabe and Ito's palette, which readers with any colour vision can tell apart.
pub mod colour {
    pub const BLUE: &str = "#0072B2";
    pub const SKY: &str = "#56B4E9";
    pub const GREEN: &str = "#009E73";
    pub const ORANGE: &str = "#E69F00";
    pub const VERMILION: &str = "#D55E00";
    pub const PURPLE: &str = "#A2498A";
    pub const INK: &str = "#1f2933";
    pub const GREY: &str = "#7b8794";
    pub const GRID: &str = "#e6eaef";
    pub const DOT: &str = "rgba(72,101,129,0.38)";
}

const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

/// A line or a set of dots over numbers.
pub type Series = Scatter<f64, f64>;

/// An axis in the style of the page.
pub fn axis(title: &str) -> Axis {
    Axis::new()
        .title(title)
        .auto_margin(true)
        .grid_color(colour::GRID)
        .zero_line(false)
        .show_line(true)
        .line_color(colour::GREY)
        .tick_color(colour::GREY)
        .separate_thousands(true)
}

/// A layout in the style of the page, with room for `top` pixels of legend.
pub fn layout(x: Axis, y: Axis, top: usize) -> Layout {
    Layout::new()
        .font(Font::new().family(FONT).size(13).color(colour::INK))
        .paper_background_color("#ffffff")
        .plot_background_color("#ffffff")
        .hover_mode(HoverMode::Closest)
        .hover_label(Label::new().background_color("#ffffff").align("left").font(Font::new().size(12)))
        .separators(".,")
        .margin(Margin::new().left(60).right(16).top(top).bottom(48))
        .legend(Legend::new().orientation(Orientation::Horizontal).x(0.0).y(1.02).y_anchor(plotly::common::Anchor::Bottom))
        .x_axis(x)
        .y_axis(y)
}

/// A figure: the plot with a caption (HTML), and a description for those who cannot see it.
pub fn embed(mut plot: Plot, id: &str, height: usize, description: &str, caption: &str) -> String {
    plot.set_configuration(
        Configuration::new()
            .responsive(true)
            .display_logo(false)
            .display_mode_bar(DisplayModeBar::Hover)
            .mode_bar_buttons_to_remove(vec![ModeBarButtonName::Lasso2d, ModeBarButtonName::Select2d]),
    );
    let caption = if caption.is_empty() { String::new() } else { format!("<figcaption>{caption}</figcaption>") };
    format!(
        "<figure role=\"group\" aria-label=\"{}\">\n<div class=\"plot\" style=\"height:{height}px\">\n{}\n</div>{caption}</figure>\n",
        escape(description),
        plot.to_inline_html(Some(id)),
    )
}

/// The plotting script, for the head of a page. The formula typesetter that the
/// crate sends along is left out: no figure has formulas.
pub fn script() -> String {
    const OPEN: &str = "<script type=\"text/javascript\">";
    let mut sources = Plot::offline_js_sources();
    let first = sources.find(OPEN).map_or(0, |at| at + OPEN.len());
    if let Some(second) = sources[first..].find(OPEN) {
        sources.truncate(first + second);
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_one_element_with_the_plotting_library() {
        let script = script();
        assert_eq!(script.matches("<script").count(), 1);
        assert_eq!(script.matches("</script>").count(), 1);
        assert!(script.contains("newPlot") && !script.contains("MathJax v"));
    }
}
