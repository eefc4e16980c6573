//! The parts that a page is written in. What comes from data passes [`escape`].

/// Text escaped for HTML, in an attribute, or in a plot's label.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            // No page may hold them, and those that turn the direction of writing deceive who reads it.
            '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => safe.push('\u{fffd}'),
            _ if c.is_control() && !matches!(c, '\n' | '\t') => safe.push('\u{fffd}'),
            _ => safe.push(c),
        }
    }
    safe
}

/// Text in monospace.
pub fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// A part of a page with a heading, to which the contents link.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its name in links.
    pub id: String,
    /// Its heading, as HTML.
    pub heading: String,
    /// What is below the heading, as HTML.
    pub body: String,
    /// Its place among headings.
    pub rank: Rank,
}

/// The place of a section among the headings of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// Below the title of the page.
    Section,
    /// The same, and the sections after it belong to it.
    Part,
    /// In a part.
    Member,
}

impl Section {
    /// The section as HTML.
    pub fn html(&self) -> String {
        let Section { id, heading, body, rank } = self;
        let level = if *rank == Rank::Member { 3 } else { 2 };
        let class = if *rank == Rank::Part { " class=\"part\"" } else { "" };
        format!(
            "<section id=\"{id}\"{class} aria-labelledby=\"{id}-h\">\n<h{level} id=\"{id}-h\">{heading}</h{level}>\n{body}\n\
             </section>\n"
        )
    }
}

/// A section of a page without parts. `heading` and `body` are HTML.
pub fn section(id: &str, heading: &str, body: &str) -> Section {
    Section { id: id.to_owned(), heading: heading.to_owned(), body: body.to_owned(), rank: Rank::Section }
}

/// Text to copy, with a button that copies it.
pub fn copied(id: &str, text: &str) -> String {
    format!(
        "<span class=\"copied\"><code id=\"{id}\">{}</code><button type=\"button\" data-copy=\"{id}\" hidden>copy</button></span>",
        escape(text)
    )
}

/// A paragraph of HTML.
pub fn paragraph(body: &str) -> String {
    format!("<p>{body}</p>\n")
}

/// A cell of a table.
#[derive(Debug, Clone)]
pub struct Cell {
    html: String,
    class: &'static str,
    /// What the row is sorted by, where it is not the text.
    order: Option<f64>,
}

impl Cell {
    /// Text from data.
    pub fn text(text: &str) -> Cell {
        Cell::html(escape(text))
    }

    /// HTML.
    pub fn html(html: impl Into<String>) -> Cell {
        Cell { html: html.into(), class: "", order: None }
    }

    /// HTML that gets the room that is left.
    pub fn wide(html: impl Into<String>) -> Cell {
        Cell { html: html.into(), class: "s", order: None }
    }

    /// A number as it reads, sorted by what it is.
    pub fn number(text: impl Into<String>, value: f64) -> Cell {
        Cell { html: text.into(), class: "n", order: Some(value) }
    }

    /// A share with a bar behind it.
    pub fn bar(text: &str, share: f64) -> Cell {
        let width = (share.clamp(0.0, 1.0) * 100.0).round();
        let html = format!("<span class=\"bar\" style=\"--w:{width}%\"></span>{text}");
        Cell { html, class: "n b", order: Some(share) }
    }

    fn write(&self, out: &mut String) {
        out.push_str("<td");
        if !self.class.is_empty() {
            out.push_str(&format!(" class=\"{}\"", self.class));
        }
        if let Some(order) = self.order {
            out.push_str(&format!(" data-v=\"{order}\""));
        }
        out.push('>');
        out.push_str(&self.html);
        out.push_str("</td>");
    }
}

/// A table, as wide as it needs to be and scrolled where the window is narrower.
#[derive(Debug, Default)]
pub struct Table {
    caption: String,
    columns: Vec<String>,
    rows: Vec<(&'static str, Vec<Cell>)>,
    sortable: bool,
}

impl Table {
    /// A table with headings. Caption and headings are HTML.
    pub fn new(caption: impl Into<String>, columns: &[&str]) -> Table {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Table { caption: caption.into(), columns, ..Table::default() }
    }

    /// A click on a heading sorts.
    pub fn sortable(mut self) -> Table {
        self.sortable = true;
        self
    }

    /// Adds a row; its class marks what is special about it.
    pub fn row(&mut self, class: &'static str, cells: Vec<Cell>) {
        self.rows.push((class, cells));
    }

    /// The table as HTML.
    pub fn render(&self) -> String {
        let class = if self.sortable { " class=\"sortable\"" } else { "" };
        let mut out = format!(
            "<div class=\"wide\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table{class}>\n<caption><span>{}</span></caption>\n<thead><tr>",
            self.caption
        );
        for (index, column) in self.columns.iter().enumerate() {
            let numeric =
                self.rows.first().and_then(|(_, row)| row.get(index)).is_some_and(|cell| cell.order.is_some());
            let class = if numeric { " class=\"n\"" } else { "" };
            out.push_str(&format!("<th scope=\"col\"{class}>{column}</th>"));
        }
        out.push_str("</tr></thead>\n<tbody>\n");
        for (class, cells) in &self.rows {
            let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
            out.push_str(&format!("<tr{class}>"));
            cells.iter().for_each(|cell| cell.write(&mut out));
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody></table></div>\n");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_leave_its_place() {
        assert_eq!(escape("<script>\"&'"), "&lt;script&gt;&quot;&amp;&#39;");
        let mut table = Table::new("a", &["b"]);
        table.row("", vec![Cell::text("<b>")]);
        assert!(table.render().contains("<td>&lt;b&gt;</td>"));
    }

    #[test]
    fn numbers_carry_what_they_are_sorted_by() {
        let mut table = Table::new("a", &["b"]).sortable();
        table.row("pick", vec![Cell::number("1,000", 1000.0)]);
        let html = table.render();
        assert!(html.contains("<tr class=\"pick\"><td class=\"n\" data-v=\"1000\">1,000</td>"), "{html}");
    }
}
