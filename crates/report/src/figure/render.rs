//! A figure as HTML.

use serde_json::{Value, json};

use super::{About, Axis, Hover, Mark, Plot, Series, Symbol};
use crate::html::escape;
use crate::labels::Label;
use crate::span::{Span, tick};

/// Units of the plane of lines and clouds, in both directions.
const PLANE: f64 = 10_000.0;

/// A figure with a caption (HTML), and a description for those who cannot see it.
pub fn embed(plot: &Plot, description: &str, caption: &str) -> String {
    let caption = if caption.is_empty() { String::new() } else { format!("<figcaption>{caption}</figcaption>") };
    let Plot { id, height, .. } = plot;
    let (left, right) = (gutter(&plot.y), plot.y2.as_ref().map_or(14, gutter));
    let series: String = plot.series.iter().map(|series| drawn(plot, series)).collect();
    let labels: String = plot.labels.iter().map(label).collect();
    let second = plot.y2.as_ref().map_or_else(String::new, |axis| format!("<span>{} →</span>", escape(&axis.title)));
    let first = if plot.y.title.is_empty() { String::new() } else { format!("↑ {}", escape(&plot.y.title)) };
    format!(
        "<figure class=\"chart\">\n{}<div class=\"plot\" id=\"{id}\" tabindex=\"0\" role=\"group\" aria-label=\"{}\" \
         style=\"height:{height}px;--l:{left}px;--r:{right}px\">\n<p class=\"titles\" aria-hidden=\"true\"><span>{first}</span>{second}</p>\n\
         <svg class=\"plane\" aria-hidden=\"true\">\n<g class=\"axes\">{}</g>\n{series}{labels}</svg>\n\
         <script type=\"application/json\">{}</script>\n</div>{caption}</figure>\n",
        legend(plot),
        escape(description),
        axes(plot),
        inert(&facts(plot).to_string()),
    )
}

/// JSON that cannot end the script around it: the characters of HTML are escaped, which means the same in JSON.
pub fn inert(json: &str) -> String {
    json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

/// Pixels next to a vertical axis for what is written there.
fn gutter(axis: &Axis) -> usize {
    let widest = axis_ticks(axis).iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0);
    (widest * 7 + 14).clamp(28, 190)
}

/// The values with ticks, and what is written there. Of many names some are left out.
fn axis_ticks(axis: &Axis) -> Vec<(f64, String)> {
    if axis.names.is_empty() {
        return axis.span.ticks().into_iter().map(|value| (value, tick(value))).collect();
    }
    axis.names.iter().enumerate().map(|(place, name)| (place as f64, name.clone())).collect()
}

fn place(share: f64) -> String {
    format!("{}", (share * 10_000.0).round() / 100.0)
}

fn axes(plot: &Plot) -> String {
    let mut out = String::new();
    let bare = if plot.x.names.is_empty() { "" } else { " class=\"bare\"" };
    let upright = plot.x.names.iter().map(|name| name.chars().count()).sum::<usize>() > 80;
    for (value, text) in axis_ticks(&plot.x) {
        let x = place(plot.x.span.share(value));
        let text = escape(&text);
        out.push_str(&format!("<svg x=\"{x}%\" class=\"tx\"><line{bare} y2=\"100%\"/><svg y=\"100%\"><text{} y=\"18\">{text}</text></svg></svg>",
            if upright { " class=\"upright\"" } else { "" }));
    }
    let bare = if plot.y.names.is_empty() { "" } else { " class=\"bare\"" };
    for (value, text) in axis_ticks(&plot.y) {
        let y = place(1.0 - plot.y.span.share(value));
        out.push_str(&format!(
            "<svg y=\"{y}%\" class=\"ty\"><line{bare} x2=\"100%\"/><text x=\"-7\" y=\"4\">{}</text></svg>",
            escape(&text)
        ));
    }
    if let Some(axis) = &plot.y2 {
        for (value, text) in axis_ticks(axis) {
            let y = place(1.0 - axis.span.share(value));
            out.push_str(&format!(
                "<svg x=\"100%\" y=\"{y}%\" class=\"t2\"><text x=\"7\" y=\"4\">{}</text></svg>",
                escape(&text)
            ));
        }
    }
    out.push_str("<line class=\"axis\" x2=\"100%\" y1=\"100%\" y2=\"100%\"/><line class=\"axis\" y2=\"100%\"/>");
    let far = if upright { 64 } else { 38 };
    out.push_str(&format!(
        "<svg y=\"100%\"><text class=\"title\" x=\"100%\" y=\"{far}\">{}</text></svg>",
        escape(&plot.x.title)
    ));
    out
}

fn legend(plot: &Plot) -> String {
    if !plot.legend {
        return String::new();
    }
    let named = plot.series.iter().filter(|series| !series.name.is_empty());
    let item = |series: &Series| {
        let shape = match series.mark {
            Mark::Symbols(symbol, size) => symbol.outline(size.min(13.0)),
            Mark::Cloud(_) => Symbol::Circle.outline(6.0),
            Mark::Bars { .. } | Mark::Cells => Symbol::Square.outline(10.0),
            Mark::Dotted => "<path class=\"line dotted\" d=\"M-9 0H9\"/>".to_owned(),
            _ => "<path class=\"line\" d=\"M-9 0H9\"/>".to_owned(),
        };
        format!(
            "<li><svg class=\"c-{}\" viewBox=\"-10 -8 20 16\" aria-hidden=\"true\">{shape}</svg>{}</li>",
            series.colour,
            escape(&series.name)
        )
    };
    format!("<ul class=\"legend\">{}</ul>\n", named.map(item).collect::<String>())
}

/// A point in the plane, from its lower left corner.
fn on_plane(plot: &Plot, series: &Series, (x, y): (f64, f64)) -> (i64, i64) {
    let span: &Span = plot.y2.as_ref().filter(|_| series.second).map_or(&plot.y.span, |axis| &axis.span);
    let whole = |share: f64| (share * PLANE).round().clamp(-9.0 * PLANE, 9.0 * PLANE) as i64;
    (whole(plot.x.span.share(x)), whole(span.share(y)))
}

fn drawn(plot: &Plot, series: &Series) -> String {
    let finite = series.points.iter().filter(|(x, y)| x.is_finite() && y.is_finite());
    let points: Vec<(i64, i64)> =
        finite.map(|&point| on_plane(plot, series, point)).map(|(x, y)| (x, PLANE as i64 - y)).collect();
    let class = format!("c-{}", series.colour);
    let data = |kind: &str, path: &str, style: &str| {
        format!(
            "<svg class=\"data\" viewBox=\"0 0 10000 10000\" preserveAspectRatio=\"none\">\
             <path class=\"{class} {kind}\"{style} d=\"{path}\"/></svg>\n"
        )
    };
    match series.mark {
        Mark::Line => data("line straight", &straight(&points), &name(series)),
        Mark::Steps => data("line", &steps(&points), &name(series)),
        Mark::Dotted => data("line dotted", &steps(&points), &name(series)),
        Mark::Area => data("line area", &steps(&points), &name(series)),
        Mark::Cloud(size) => {
            let mut places = points;
            places.sort_unstable();
            places.dedup();
            let path: String = places.iter().map(|(x, y)| format!("M{x} {y}h0")).collect();
            data("cloud", &path, &format!(" style=\"stroke-width:{size}px\""))
        }
        Mark::Stems => data("stems", &points.iter().map(|(x, y)| format!("M{x} {y}V10000")).collect::<String>(), ""),
        Mark::Bars { slot, of } => data("bars", &bars(plot, &points, slot, of), ""),
        Mark::Cells => cells(plot, series, &points),
        Mark::Symbols(symbol, size) => {
            let shape = symbol.outline(size);
            let mark = |&(x, y): &(i64, i64)| {
                format!(
                    "<svg class=\"mark {class}\" x=\"{}%\" y=\"{}%\">{shape}</svg>",
                    x as f64 / 100.0,
                    y as f64 / 100.0
                )
            };
            points.iter().map(mark).collect::<String>() + "\n"
        }
    }
}

fn name(series: &Series) -> String {
    format!(" data-name=\"{}\"{}", escape(&series.name), if series.second { " data-second" } else { "" })
}

fn straight(points: &[(i64, i64)]) -> String {
    let step = |(index, (x, y)): (usize, &(i64, i64))| format!("{}{x} {y}", if index == 0 { 'M' } else { 'L' });
    points.iter().enumerate().map(step).collect()
}

/// A line of steps. What changes nothing is left out.
fn steps(points: &[(i64, i64)]) -> String {
    let Some(&(x, y)) = points.first() else { return String::new() };
    let (mut path, mut at) = (format!("M{x} {y}"), (x, y));
    for &(x, y) in &points[1..] {
        if y != at.1 {
            if x != at.0 {
                path.push_str(&format!("H{x}"));
            }
            path.push_str(&format!("V{y}"));
            at = (x, y);
        }
    }
    if let Some(&(x, _)) = points.last().filter(|(x, _)| *x != at.0) {
        path.push_str(&format!("H{x}"));
    }
    path
}

fn bars(plot: &Plot, points: &[(i64, i64)], slot: usize, of: usize) -> String {
    let width = (PLANE / plot.x.names.len().max(1) as f64 * 0.8) as i64;
    let each = width / of.max(1) as i64;
    let bar = |&(x, y): &(i64, i64)| {
        let left = x - width / 2 + each * slot as i64;
        format!("M{left} 10000V{y}H{}V10000Z", left + each)
    };
    points.iter().map(bar).collect()
}

fn cells(plot: &Plot, series: &Series, points: &[(i64, i64)]) -> String {
    let size = |axis: &Axis| 100.0 / axis.names.len().max(1) as f64;
    let (width, height) = (size(&plot.x), size(&plot.y));
    let cell = |(&(x, y), weight): (&(i64, i64), &f64)| {
        let (left, top) = (x as f64 / 100.0 - width / 2.0, y as f64 / 100.0 - height / 2.0);
        format!(
            "<rect class=\"c-{} cell\" x=\"{left:.2}%\" y=\"{top:.2}%\" width=\"{width:.2}%\" height=\"{height:.2}%\" opacity=\"{:.2}\"/>",
            series.colour,
            0.12 + 0.88 * weight
        )
    };
    points.iter().zip(&series.weights).map(cell).collect::<String>() + "\n"
}

fn label(label: &Label) -> String {
    let Label { text, colour, size, share: (x, y), offset: (dx, dy), is_main } = label;
    let class = if *is_main { " main" } else { "" };
    // The line ends before it reaches the dot.
    let length = dx.hypot(*dy).max(1.0);
    let (sx, sy) = (dx / length * 7.0, dy / length * 7.0);
    format!(
        "<svg class=\"mark label{class} c-{colour}\" x=\"{}%\" y=\"{}%\"><line x1=\"{sx:.0}\" y1=\"{sy:.0}\" x2=\"{dx:.0}\" y2=\"{dy:.0}\"/>\
         <text x=\"{dx:.0}\" y=\"{:.0}\" style=\"font-size:{size}px\">{}</text></svg>\n",
        place(*x),
        place(1.0 - y),
        dy + *size as f64 * 0.35,
        escape(text),
    )
}

/// What the script needs: the axes, what the pointer asks for, and the points with what is said of them, the last on top.
fn facts(plot: &Plot) -> Value {
    let axis = |axis: &Axis| {
        let Span { low, high, logarithmic } = axis.span;
        json!({ "low": low, "high": high, "log": logarithmic, "unit": axis.unit, "names": axis.names, "title": axis.title })
    };
    let mut points = Vec::new();
    for series in &plot.series {
        let radius = match series.mark {
            Mark::Symbols(_, size) | Mark::Cloud(size) => size / 2.0,
            _ => 0.0,
        };
        for (&point, about) in series.points.iter().zip(&series.abouts) {
            let (x, y) = on_plane(plot, series, point);
            points.push(match about {
                About::Text(text) => json!([x, y, radius, text]),
                About::Design(number) => json!([x, y, radius, number]),
            });
        }
    }
    json!({
        "x": axis(&plot.x),
        "y": axis(&plot.y),
        "y2": plot.y2.as_ref().map(axis),
        "hover": if plot.hover == Hover::Column { "column" } else { "point" },
        "points": points,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figure::colour;

    fn plot(mark: Mark) -> Plot {
        let axis = || Axis::of("x <&>", Span::linear(0.0, 10.0));
        let mut plot = Plot::new("p", 100, axis(), axis());
        let points = [(0.0, 0.0), (5.0, 5.0), (f64::NAN, 1.0), (10.0, 10.0)];
        plot.series.push(Series::new("</script>", colour::BLUE, mark, points).saying(["<b>".to_owned()]));
        plot
    }

    #[test]
    fn every_mark_is_drawn_and_text_stays_text() {
        use Mark::{Area, Bars, Cells, Cloud, Dotted, Line, Stems, Steps, Symbols};
        let marks =
            [Line, Steps, Dotted, Area, Cloud(6.0), Symbols(Symbol::Star, 12.0), Stems, Bars { slot: 0, of: 2 }, Cells];
        for mark in marks {
            let html = embed(&plot(mark), "a <description>", "");
            assert!(
                !html.contains("NaN") && !html.contains("</script>\"") && html.matches("</script>").count() == 1,
                "{html}"
            );
            assert!(html.contains("a &lt;description&gt;") && html.contains("\\u003cb\\u003e"), "{html}");
        }
    }

    #[test]
    fn a_line_of_steps_holds_its_changes_alone() {
        assert_eq!(steps(&[(0, 5), (10, 5), (20, 7), (30, 7), (40, 7)]), "M0 5H20V7H40");
        assert_eq!(steps(&[]), "");
    }
}
