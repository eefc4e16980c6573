//! The HTML around the sections: title, answer, contents, sections.
//!
//! ```text
//!   ┌ header ──────────────────────┐
//!   ├ answer: the first screen ────┤
//!   ├ contents ─┬ section ─────────┤
//!   │ (sticky)  ├ section ─────────┤
//!   └───────────┴ … ───────────────┘
//! ```

use crate::html::{Rank, Section, escape};

/// A page, as HTML but for its title.
pub struct Page<'a> {
    /// In the browser's list of windows.
    pub title: &'a str,
    /// Above everything.
    pub header: String,
    /// What is seen first.
    pub answer: String,
    /// Everything else, in order.
    pub sections: &'a [Section],
}

impl Page<'_> {
    /// The whole file. The policy in its head forbids it to load anything.
    pub fn html(&self) -> String {
        const NOTE: &str = "<noscript><p class=\"note\">Without JavaScript there are no values under the pointer, no zoom and no \
                            buttons to copy.</p></noscript>\n";
        const FIGURES: [&str; 2] = [include_str!("designs.js"), include_str!("plot.js")];
        const MAPS: &str = include_str!("map.js");
        let style = include_str!("style.css");
        let body: String = self.sections.iter().map(Section::html).collect();
        // Drawings that are files need none.
        let (has_figures, has_maps) = (body.contains("<div class=\"plot\""), body.contains("<figure class=\"map\""));
        let mut figures = if has_figures || has_maps { FIGURES.concat() } else { String::new() };
        if has_maps {
            figures.push_str(MAPS);
        }
        let behaviour = include_str!("behaviour.js");
        let mut page = String::with_capacity(body.len() + figures.len() + behaviour.len() + style.len() + 4096);
        page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
        page.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
        page.push_str(
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
             style-src 'unsafe-inline'; img-src data: blob:\">\n",
        );
        page.push_str(&format!("<title>{} – heapsmith</title>\n<style>\n{style}</style>\n", escape(self.title)));
        page.push_str("</head>\n<body>\n<main>\n");
        page.push_str(NOTE);
        page.push_str(&format!("<header>\n{}</header>\n{}", self.header, self.answer));
        page.push_str(&format!(
            "<div class=\"layout\">\n{}<div class=\"sections\">\n{body}</div>\n</div>\n",
            self.contents()
        ));
        page.push_str(&format!("</main>\n<script>\n{figures}{behaviour}</script>\n</body>\n</html>\n"));
        page
    }

    /// Links to every section.
    fn contents(&self) -> String {
        let link = |section: &Section| {
            let class = if section.rank == Rank::Member { " class=\"member\"" } else { "" };
            format!("<li{class}><a href=\"#{}\">{}</a></li>\n", section.id, section.heading)
        };
        let links: String = self.sections.iter().map(link).collect();
        format!("<nav class=\"contents\" aria-label=\"Contents\">\n<ul>\n{links}</ul>\n</nav>\n")
    }
}
