//! The HTML around the sections.

use crate::figure;
use crate::html::escape;

/// The whole file, with the plotting script. The policy in its head forbids it to load anything.
pub fn document(title: &str, sections: &[String]) -> String {
    const NOTE: &str =
        "<noscript><p class=\"note\">The figures need JavaScript; the text and the tables do not.</p></noscript>\n";
    whole(title, &figure::script(), NOTE, sections)
}

/// The whole file, for sections whose figures are drawings that need no script.
pub fn plain_document(title: &str, sections: &[String]) -> String {
    whole(title, "", "", sections)
}

fn whole(title: &str, script: &str, note: &str, sections: &[String]) -> String {
    let style = include_str!("style.css");
    let behaviour = include_str!("behaviour.js");
    let body: String = sections.concat();
    let mut page = String::with_capacity(script.len() + body.len() + style.len() + 4096);
    page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.push_str(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'; \
         style-src 'unsafe-inline'; img-src data: blob:\">\n",
    );
    page.push_str(&format!("<title>{} – heapsmith</title>\n<style>\n{style}</style>\n", escape(title)));
    page.push_str(script);
    page.push_str("</head>\n<body>\n<main>\n");
    page.push_str(note);
    page.push_str(&body);
    page.push_str(&format!("</main>\n<script>\n{behaviour}</script>\n</body>\n</html>\n"));
    page
}
