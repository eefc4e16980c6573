//! The page of the papers: the register of claims, then each table and figure with the paper's claim above it.
//!
//! ```text
//!   Summary ─ how many claims hold, by paper
//!   Register ─ a row per claim, chosen by paper, verdict and cause
//!   Paper ─ heading, citation
//!     Reproduced ─ claim ─ verdict ─ statements ─ figures ─ tables ─ how the set-up differs
//! ```
//!
//! It knows nothing of how a result came about; it takes texts, tables and SVG figures.

mod claims;

pub use claims::{ClaimRow, ClaimsSummary};

use crate::document::Page;
use crate::html::{Cell, Rank, Section, Table, escape, section};

/// A paper and what was done again of it.
#[derive(Debug, Clone)]
pub struct ReproducedPaper {
    /// Its number, `000`.
    pub number: String,
    /// Its title.
    pub title: String,
    /// Authors, place, year.
    pub citation: String,
    /// Its tables and figures, in order.
    pub experiments: Vec<Reproduced>,
}

/// One table or figure, done again.
#[derive(Debug, Clone)]
pub struct Reproduced {
    /// Its name, `000-table-3`.
    pub name: String,
    /// Its place in the paper: `Table 3`.
    pub place: String,
    /// What it is about.
    pub title: String,
    /// What the paper found.
    pub claim: String,
    /// `holds`, `holds in part`, `does not hold`.
    pub verdict: String,
    /// Whether the verdict is good, bad, or neither.
    pub good: Option<bool>,
    /// What was found here.
    pub found: String,
    /// What the verdict is made of: what the paper says, what is found here, the answer in words, and whether that is
    /// good, bad, or neither. Questions of this project are among them and say so.
    pub statements: Vec<(String, String, String, Option<bool>)>,
    /// How the set-up differs.
    pub differs: String,
    /// Figures: the text of an SVG file, and its caption.
    pub figures: Vec<(String, String)>,
    /// Tables.
    pub tables: Vec<ShownTable>,
    /// The file with the data, seen from the page.
    pub data: String,
}

/// A table as it is shown.
#[derive(Debug, Clone)]
pub struct ShownTable {
    /// What it shows.
    pub caption: String,
    /// Headings.
    pub columns: Vec<String>,
    /// Cells as they read, with the number that they are, where they are one.
    pub rows: Vec<Vec<(String, Option<f64>)>>,
}

/// The page, as the text of an HTML file that loads nothing.
pub fn reproduction(papers: &[ReproducedPaper], summary: &ClaimsSummary, register: &[ClaimRow]) -> String {
    const HEADER: &str = "<p class=\"kicker\">heapsmith reproduce</p>\n<h1>The papers, reproduced</h1>\n\
         <p class=\"lead\">What five papers about memory allocators claim, tested on heapsmith's heaps. One command \
         makes this page, the data and the figures again; nothing is tuned to agree.</p>\n";
    let mut sections = vec![claims::register(register), overview(papers)];
    for paper in papers.iter().filter(|paper| !paper.experiments.is_empty()) {
        let number = escape(&paper.number);
        let heading = format!("Paper {number}: {}", escape(&paper.title));
        let citation = format!("<p class=\"note\">{}</p>", escape(&paper.citation));
        sections.push(Section { rank: Rank::Part, ..section(&format!("paper-{number}"), &heading, &citation) });
        sections.extend(paper.experiments.iter().map(one));
    }
    let title = "The papers, reproduced";
    Page { title, header: HEADER.to_owned(), answer: claims::summary(summary), sections: &sections }.html()
}

fn overview(papers: &[ReproducedPaper]) -> Section {
    let mut table = Table::new("", &["paper", "table or figure", "the conclusion", "what is found here"]);
    for paper in papers {
        for one in &paper.experiments {
            table.row(
                "",
                vec![
                    Cell::text(&paper.number),
                    Cell::html(format!("<a href=\"#{}\">{}</a>", escape(&one.name), escape(&one.place))),
                    Cell::html(verdict(one)),
                    Cell::wide(escape(&one.found)),
                ],
            );
        }
    }
    section("overview", "At a glance", &table.render())
}

fn verdict(one: &Reproduced) -> String {
    colored(&one.verdict, one.good)
}

/// A verdict in the colour of good or bad.
fn colored(words: &str, good: Option<bool>) -> String {
    let class = match good {
        Some(true) => "verdict yes",
        Some(false) => "verdict no",
        None => "verdict",
    };
    format!("<span class=\"{class}\">{}</span>", escape(words))
}

fn one(one: &Reproduced) -> Section {
    let mut body = format!("<blockquote><p>{}</p></blockquote>\n", escape(&one.claim));
    body.push_str(&format!("<p>{}. {}</p>\n", verdict(one), escape(&one.found)));
    for (svg, caption) in &one.figures {
        body.push_str(&format!("<figure class=\"svg\">\n{}\n", inline(svg)));
        body.push_str(&format!("<figcaption>{}</figcaption></figure>\n", escape(caption)));
    }
    if !one.statements.is_empty() {
        let mut table = Table::new("What the conclusion is made of", &["the paper", "here", ""]);
        for (claim, found, answer, good) in &one.statements {
            table.row(
                "",
                vec![Cell::wide(escape(claim)), Cell::wide(escape(found)), Cell::html(colored(answer, *good))],
            );
        }
        body.push_str(&table.render());
    }
    one.tables.iter().for_each(|table| body.push_str(&shown(table)));
    body.push_str(&format!("<p class=\"note\">How the set-up differs: {}</p>\n", escape(&one.differs)));
    body.push_str(&format!(
        "<p class=\"note\">Data: <a href=\"{0}\">{0}</a>. Again: <code>heapsmith reproduce {1}</code></p>\n",
        escape(&one.data),
        escape(&one.name)
    ));
    let heading = format!("{}: {}", escape(&one.place), escape(&one.title));
    Section { rank: Rank::Member, ..section(&one.name, &heading, &body) }
}

fn shown(table: &ShownTable) -> String {
    let columns: Vec<&str> = table.columns.iter().map(String::as_str).collect();
    let mut html = Table::new(escape(&table.caption), &columns);
    for row in &table.rows {
        let cell = |(text, number): &(String, Option<f64>)| match number {
            Some(number) => Cell::number(escape(text), *number),
            None => Cell::text(text),
        };
        html.row("", row.iter().map(cell).collect());
    }
    html.render()
}

/// A drawing inside the page instead of a file next to it.
fn inline(svg: &str) -> &str {
    svg.find("<svg").map_or("", |at| svg[at..].trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claim_stands_above_the_figure_and_nothing_is_loaded() {
        let one = Reproduced {
            name: "000-figure-9".into(),
            place: "Figure 9".into(),
            title: "something <b>".into(),
            claim: "the claim".into(),
            verdict: "holds in part".into(),
            good: None,
            found: "the finding".into(),
            statements: vec![("said".into(), "seen".into(), "holds".into(), Some(true))],
            differs: "traffic".into(),
            figures: vec![("<svg><circle/></svg>\n".into(), "a circle".into())],
            tables: vec![ShownTable {
                caption: "numbers".into(),
                columns: vec!["n".into()],
                rows: vec![vec![("1,000".into(), Some(1000.0))]],
            }],
            data: "papers/000-figure-9.csv".into(),
        };
        let paper = ReproducedPaper {
            number: "000".into(),
            title: "A paper".into(),
            citation: "Somebody 2000".into(),
            experiments: vec![one],
        };
        let page = reproduction(&[paper], &ClaimsSummary::default(), &[]);
        let at = |text: &str| page.rfind(text).unwrap_or_else(|| panic!("{text} is in the page"));
        assert!(at("the claim") < at("<circle/>") && at("<circle/>") < at("said") && at("said") < at("1,000"));
        assert!(page.contains("something &lt;b&gt;") && page.contains("data-v=\"1000\""));
        assert!(!page.contains("src=") && page.len() < 40_000, "no plotting script: {} bytes", page.len());
    }
}
