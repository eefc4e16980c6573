//! A table as people see it: columns are chosen and shortened until its rows fit.
//!
//! ```text
//!   all columns ── too wide ─▶ shorten texts, down to what each needs ── still too wide ─▶ leave a column out, and again
//! ```
//!
//! Numbers are never shortened, rows never wrap. Columns that are left out are named below the table. Where no width is
//! known nothing is shortened.

use crate::fit::{shortened, width};

/// Columns of the terminal that a text is shortened to at least.
pub(super) const MIN_TEXT: usize = 20;
/// The same of a short name, which its beginning and its end tell from others.
pub(super) const MIN_NAME: usize = 10;
/// Spaces between two columns.
const GAP: usize = 2;

/// A column with its cells.
pub(super) struct Column {
    /// Above the cells.
    pub heading: String,
    pub cells: Vec<String>,
    /// Whether the cells are numbers, which are aligned on the right and never shortened.
    pub is_number: bool,
    /// What a text is shortened to at least.
    pub min: usize,
    /// What is left out first has the lowest; none is never left out.
    pub rank: Option<usize>,
}

/// What a table is drawn as.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// The headings, and the rule below them.
    pub head: [String; 2],
    /// The rows.
    pub rows: Vec<String>,
    /// The headings of columns that were left out.
    pub left_out: Vec<String>,
}

/// Draws columns within `max` columns of a terminal.
pub(super) fn draw(mut columns: Vec<Column>, max: Option<usize>) -> Drawing {
    let max = max.unwrap_or(usize::MAX);
    let mut left_out = Vec::new();
    while min_total(&columns) > max {
        let ranked = columns.iter().enumerate().filter_map(|(place, column)| Some((column.rank?, place)));
        let Some((_, place)) = ranked.min() else { break };
        left_out.push(columns.remove(place).heading);
    }
    let widths = fitted(&columns, max);
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let each =
            cells.zip(&columns).zip(&widths).map(|((cell, column), &width)| padded(cell, width, column.is_number));
        each.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
    };
    let heading = line(&mut columns.iter().map(|column| column.heading.as_str()));
    let rule = "─".repeat(total(&widths).min(max));
    let rows = columns.first().map_or(0, |column| column.cells.len());
    let row = |row: usize| line(&mut columns.iter().map(|column| column.cells[row].as_str()));
    Drawing { head: [heading, rule], rows: (0..rows).map(row).collect(), left_out }
}

/// A cell in its width, shortened where it is longer.
fn padded(cell: &str, max: usize, right: bool) -> String {
    let cell = shortened(cell, max);
    let space = " ".repeat(max.saturating_sub(width(&cell)));
    if right { space + &cell } else { cell + &space }
}

fn natural(column: &Column) -> usize {
    column.cells.iter().chain([&column.heading]).map(|cell| width(cell)).max().unwrap_or(0)
}

/// The least that a column takes.
fn min(column: &Column) -> usize {
    let natural = natural(column);
    if column.is_number { natural } else { natural.min(column.min.max(width(&column.heading))) }
}

fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + widths.len().saturating_sub(1) * GAP
}

fn min_total(columns: &[Column]) -> usize {
    total(&columns.iter().map(min).collect::<Vec<_>>())
}

/// The widths of columns: the widest texts are shortened first, and no text below its least, unless nothing else is left.
fn fitted(columns: &[Column], max: usize) -> Vec<usize> {
    let mut widths: Vec<usize> = columns.iter().map(natural).collect();
    while total(&widths) > max {
        let spare = |place: &usize| widths[*place] > min(&columns[*place]);
        let widest = |places: &mut dyn Iterator<Item = usize>| places.max_by_key(|&place| widths[place]);
        let Some(place) = widest(&mut (0..widths.len()).filter(spare)).or_else(|| widest(&mut (0..widths.len())))
        else {
            break;
        };
        if widths[place] == 0 {
            break;
        }
        widths[place] -= 1;
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(heading: &str, cells: &[&str], rank: Option<usize>) -> Column {
        let is_number = cells.iter().all(|cell| cell.parse::<f64>().is_ok());
        let cells = cells.iter().map(|cell| (*cell).to_owned()).collect();
        Column { heading: heading.to_owned(), cells, is_number, min: MIN_TEXT, rank }
    }

    fn table() -> Vec<Column> {
        let heap = "list(order=address, fit=first, split=always, coalesce=immediate)";
        vec![
            column("design", &["7", "1234"], None),
            column("bound", &["1.5", "2.5"], Some(0)),
            column("p99", &["12", "9"], Some(1)),
            column("heap", &[heap, "tlsf"], None),
        ]
    }

    #[test]
    fn a_table_of_an_unknown_width_is_whole() {
        let drawing = draw(table(), None);
        assert_eq!(drawing.head[0], "design  bound  p99  heap");
        assert_eq!(drawing.rows[1], "  1234    2.5    9  tlsf");
        assert!(drawing.rows[0].ends_with("coalesce=immediate)") && drawing.left_out.is_empty());
    }

    #[test]
    fn texts_are_shortened_before_columns_are_left_out() {
        let drawing = draw(table(), Some(45));
        assert_eq!(drawing.rows[0], "     7    1.5   12  list(order=addre…mediate)");
        assert!(drawing.left_out.is_empty());
        let narrow = draw(table(), Some(36));
        assert_eq!(narrow.left_out, ["bound"]);
        assert_eq!(narrow.rows[0], "     7   12  list(order=addr…ediate)");
    }

    #[test]
    fn names_are_shortened_further() {
        let named = table().into_iter().map(|column| Column { min: MIN_NAME, ..column });
        let drawing = draw(named.collect(), Some(36));
        assert_eq!(drawing.rows[0], "     7    1.5   12  list(order…iate)");
        assert!(drawing.left_out.is_empty());
    }

    #[test]
    fn no_row_is_longer_than_the_width() {
        for max in 1..120 {
            let drawing = draw(table(), Some(max));
            for line in drawing.head.iter().chain(&drawing.rows) {
                assert!(width(line) <= max, "{max}: {line}");
            }
        }
    }
}
