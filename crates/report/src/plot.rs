//! A plot as plotly.js takes it: traces, a layout and a configuration, in JSON.
//!
//! ```text
//!   Part::new().with("type", "scatter").with("x", …)    attributes under the names of plotly's reference
//!   Plot { traces, layout } ──JSON──▶ <div id=…></div><script>Plotly.newPlot(…)</script>
//! ```
//!
//! The script is plotly's bundle for cartesian charts, as its authors publish it: `plotly/` next to `src/`, with its
//! licence. Other charts need another bundle of theirs.

use serde::Serialize;
use serde_json::{Map, Value, json};

/// The plotting library.
pub const SCRIPT: &str = include_str!("../plotly/plotly-cartesian.min.js");

/// A trace, an axis, a layout or a part of one: attributes by name.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Part(Map<String, Value>);

impl Part {
    /// No attribute.
    pub fn new() -> Part {
        Part::default()
    }

    /// Sets an attribute. A number that is not finite becomes null, which plotly leaves out.
    pub fn with(mut self, name: &str, value: impl Serialize) -> Part {
        // Numbers, texts, lists of them and parts: none of them fails to be a value.
        let value = serde_json::to_value(value).unwrap_or_default();
        self.0.insert(name.to_owned(), value);
        self
    }
}

/// A trace of `kind` over two lists.
pub fn trace(kind: &str, x: impl Serialize, y: impl Serialize) -> Part {
    Part::new().with("type", kind).with("x", x).with("y", y)
}

/// A line or a set of dots.
pub fn scatter(x: impl Serialize, y: impl Serialize) -> Part {
    trace("scatter", x, y)
}

/// A title, of an axis or a bar of colours.
pub fn title(text: &str) -> Part {
    Part::new().with("text", text)
}

/// What one element of a page shows.
#[derive(Debug, Default)]
pub struct Plot {
    traces: Vec<Part>,
    layout: Part,
}

impl Plot {
    /// An empty plot.
    pub fn new() -> Plot {
        Plot::default()
    }

    /// Draws a trace over those before.
    pub fn add_trace(&mut self, trace: Part) {
        self.traces.push(trace);
    }

    /// Sets the axes and what surrounds them.
    pub fn set_layout(&mut self, layout: Part) {
        self.layout = layout;
    }

    /// The element with this id, and the script that draws in it.
    pub fn to_html(&self, id: &str) -> String {
        let configuration = json!({
            "responsive": true,
            "displaylogo": false,
            "displayModeBar": "hover",
            "modeBarButtonsToRemove": ["lasso2d", "select2d"],
        });
        let plot = json!({ "data": self.traces, "layout": self.layout, "config": configuration });
        format!(
            "<div id=\"{id}\" class=\"plotly-graph-div\" style=\"height:100%; width:100%;\"></div>\n\
             <script type=\"text/javascript\">\n    Plotly.newPlot(\"{id}\", {});\n</script>",
            inert(&plot.to_string())
        )
    }
}

/// JSON that cannot end the script around it: the characters of HTML are escaped, which means the same in JSON.
fn inert(json: &str) -> String {
    json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e").replace('\'', "\\u0027")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_is_json_that_cannot_end_its_script() {
        let mut plot = Plot::new();
        plot.add_trace(scatter([1.0, f64::NAN], [2, 3]).with("name", "</script><b>'&"));
        plot.set_layout(Part::new().with("xaxis", Part::new().with("title", title("bytes"))));
        let html = plot.to_html("plot-one");
        assert_eq!(html.matches("</script>").count(), 1);
        let from = html.find("plot-one\", ").expect("the call") + "plot-one\", ".len();
        let to = html.rfind(");").expect("its end");
        let value: Value = serde_json::from_str(&html[from..to]).expect("JSON");
        assert_eq!(value["data"][0]["name"], "</script><b>'&");
        assert_eq!(value["data"][0]["x"], json!([1.0, null]));
        assert_eq!(value["layout"]["xaxis"]["title"]["text"], "bytes");
    }
}
