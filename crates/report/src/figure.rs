//! What all figures share: colours, axes, legend, and how a plot becomes HTML.

use crate::html::escape;
use crate::plot::{Part, Plot, SCRIPT, title as titled};

/// Okabe and Ito's palette, which readers with any colour vision can distinguish.
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

/// An axis in the style of the page.
pub fn axis(title: &str) -> Part {
    Part::new()
        .with("title", titled(title))
        .with("automargin", true)
        .with("gridcolor", colour::GRID)
        .with("zeroline", false)
        .with("showline", true)
        .with("linecolor", colour::GREY)
        .with("tickcolor", colour::GREY)
        .with("separatethousands", true)
}

/// A layout in the style of the page, with room for `top` pixels of legend.
pub fn layout(x: Part, y: Part, top: usize) -> Part {
    Part::new()
        .with("font", Part::new().with("family", FONT).with("size", 13).with("color", colour::INK))
        .with("paper_bgcolor", "#ffffff")
        .with("plot_bgcolor", "#ffffff")
        .with("hovermode", "closest")
        .with(
            "hoverlabel",
            Part::new().with("bgcolor", "#ffffff").with("align", "left").with("font", Part::new().with("size", 12)),
        )
        .with("separators", ".,")
        .with("margin", Part::new().with("l", 60).with("r", 16).with("t", top).with("b", 48))
        .with("legend", Part::new().with("orientation", "h").with("x", 0.0).with("y", 1.02).with("yanchor", "bottom"))
        .with("xaxis", x)
        .with("yaxis", y)
}

/// A figure: the plot with a caption (HTML), and a description for those who cannot see it.
pub fn embed(plot: Plot, id: &str, height: usize, description: &str, caption: &str) -> String {
    let caption = if caption.is_empty() { String::new() } else { format!("<figcaption>{caption}</figcaption>") };
    format!(
        "<figure role=\"group\" aria-label=\"{}\">\n<div class=\"plot\" style=\"height:{height}px\">\n{}\n</div>{caption}</figure>\n",
        escape(description),
        plot.to_html(id),
    )
}

/// The plotting script, for the head of a page.
pub fn script() -> String {
    format!("<script type=\"text/javascript\">{SCRIPT}</script>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_one_element_with_the_plotting_library() {
        let script = script();
        assert_eq!(script.matches("<script").count(), 1);
        assert_eq!(script.matches("</script>").count(), 1);
        assert!(script.contains("newPlot"));
    }
}
