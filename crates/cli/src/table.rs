//! One table, printed for people, programs or spreadsheets.

use std::io::{self, Write};

use comfy_table::{
    Cell, CellAlignment, ColumnConstraint, ContentArrangement, LineStyle, Table as Drawn, TableStyle, Width,
};
use heapsmith_replay::Spread;
use heapsmith_report::thousands;
use serde_json::{Map, Value};

use crate::args::Format;
use crate::console;
use crate::failure::Failure;

/// Characters that the last column has at least.
const MIN_LAST: u16 = 40;

/// A value of a table: what programs read, and what people read.
#[derive(Debug, Clone)]
pub struct Item {
    value: Value,
    shown: String,
}

/// Text.
pub fn text(text: impl Into<String>) -> Item {
    let shown = text.into();
    Item { value: Value::from(shown.clone()), shown }
}

/// A spec: whole for programs; for people a long set of free lists is counted instead of listed.
pub fn heap(spec: &str) -> Item {
    const LISTED: usize = 8;
    let mut shown = spec.to_owned();
    if let Some((sizes, rest)) = spec.strip_prefix("freelists(").and_then(|text| text.split_once(')')) {
        let all: Vec<&str> = sizes.split(',').collect();
        if let [first, .., last] = all[..]
            && all.len() > LISTED
        {
            shown = format!("freelists({} sizes, {first}…{last}){rest}", all.len());
        }
    }
    Item { value: Value::from(spec), shown }
}

/// An integer, shown with its thousands apart.
pub fn integer(value: u64) -> Item {
    Item { value: Value::from(value), shown: thousands(value) }
}

/// A difference, shown with its text.
pub fn difference(value: i64, shown: &str) -> Item {
    Item { value: Value::from(value), shown: shown.to_owned() }
}

/// A number of bytes, shown in its unit.
pub fn bytes(value: heapsmith_trace::Bytes) -> Item {
    Item { value: Value::from(value.0), shown: value.to_string() }
}

/// A number with this many decimals.
pub fn number(value: f64, decimals: usize) -> Item {
    Item { value: rounded(value), shown: format!("{value:.decimals$}") }
}

/// What is said below a table in which a time is unreliable.
pub const UNRELIABLE: &str = "unreliable: rounds disagree by more than a tenth (95% interval of the median), also after more \
                              of them. Measure on a quiet machine, or with more --rounds.";

/// A time in nanoseconds: programs get the median, people the median or why there is none.
pub fn time(time: Spread) -> Item {
    Item { value: rounded(time.median), shown: time.to_string() }
}

/// Whether something is so.
pub fn flag(value: bool) -> Item {
    Item { value: Value::from(value), shown: if value { "yes" } else { "no" }.to_owned() }
}

/// A share, shown as percent.
pub fn percent(value: f64) -> Item {
    Item { value: rounded(value), shown: format!("{:.1}%", value * 100.0) }
}

/// Several numbers, which people do not see.
pub fn numbers(values: &[f64]) -> Item {
    Item { value: values.iter().map(|&value| rounded(value)).collect(), shown: String::new() }
}

/// Nothing: it was not measured.
pub fn none() -> Item {
    Item { value: Value::Null, shown: "-".to_owned() }
}

/// A word for programs, shown as another to people.
pub fn word(value: &str, shown: &str) -> Item {
    Item { value: Value::from(value), shown: shown.to_owned() }
}

fn rounded(value: f64) -> Value {
    Value::from((value * 1e6).round() / 1e6)
}

/// Rows of items under the names of their columns.
#[derive(Debug)]
pub struct Table {
    columns: Vec<&'static str>,
    /// Columns that only programs get.
    hidden: usize,
    rows: Vec<Vec<Item>>,
}

impl Table {
    /// A table of these columns.
    pub fn new(columns: &[&'static str]) -> Table {
        Table { columns: columns.to_vec(), hidden: 0, rows: Vec::new() }
    }

    /// More columns, at the end, that only programs get. People do not see columns without a value either.
    pub fn hiding(mut self, columns: &[&'static str]) -> Table {
        self.columns.extend(columns);
        self.hidden += columns.len();
        self
    }

    /// Adds a row.
    pub fn row(&mut self, items: impl IntoIterator<Item = Item>) {
        self.rows.push(items.into_iter().collect());
    }

    /// Prints to standard output.
    pub fn print(&self, format: Format) -> Result<(), Failure> {
        let text = self.text(format)?;
        match format {
            Format::Table => console::say_text(&text),
            Format::Json | Format::Csv => console::hand_over(text.as_bytes()),
        }
        Ok(())
    }

    /// Prints to standard error.
    pub fn note(&self, format: Format) -> Result<(), Failure> {
        console::note_text(&self.text(format)?);
        Ok(())
    }

    /// As it is printed.
    pub fn text(&self, format: Format) -> Result<String, Failure> {
        let mut text = Vec::new();
        let written = match format {
            Format::Table => self.draw(&mut text),
            Format::Json => self.json(&mut text),
            Format::Csv => self.csv(&mut text),
        };
        written.map_err(|error| Failure::job(format!("cannot print: {error}")))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    fn draw(&self, mut out: impl Write) -> io::Result<()> {
        let measured = |column: &usize| self.rows.iter().any(|row| !row[*column].value.is_null());
        let shown: Vec<usize> = (0..self.columns.len() - self.hidden).filter(measured).collect();
        let mut drawn = Drawn::new();
        drawn.load_style(TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─')));
        drawn.set_content_arrangement(ContentArrangement::Dynamic);
        if let Some(columns) = console::columns() {
            drawn.set_width(columns);
        }
        drawn.set_header(shown.iter().map(|&column| self.columns[column].replace("_per_op", "/op").replace('_', " ")));
        for row in &self.rows {
            drawn.add_row(shown.iter().map(|&column| {
                let item = &row[column];
                let right = item.value.is_number() || item.value.is_null();
                Cell::new(console::name(&item.shown)).set_alignment(if right {
                    CellAlignment::Right
                } else {
                    CellAlignment::Left
                })
            }));
        }
        // On a narrow terminal only the last column, which holds the longest texts, is broken into lines.
        let kept = shown.len().saturating_sub(1);
        for (number, column) in drawn.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            let last = ColumnConstraint::LowerBoundary(Width::Fixed(MIN_LAST));
            column.set_constraint(if number < kept { ColumnConstraint::ContentWidth } else { last });
        }
        writeln!(out, "{drawn}")
    }

    fn json(&self, mut out: impl Write) -> io::Result<()> {
        let object = |row: &Vec<Item>| {
            let pairs = self.columns.iter().zip(row).map(|(name, item)| ((*name).to_owned(), item.value.clone()));
            Value::Object(pairs.collect::<Map<_, _>>())
        };
        let array: Vec<Value> = self.rows.iter().map(object).collect();
        writeln!(out, "{}", in_json(&serde_json::to_string_pretty(&array)?))
    }

    fn csv(&self, out: impl Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(out);
        writer.write_record(&self.columns)?;
        for row in &self.rows {
            writer.write_record(row.iter().map(|item| match &item.value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                Value::Array(values) => values.iter().map(Value::to_string).collect::<Vec<_>>().join(" "),
                value => value.to_string(),
            }))?;
        }
        writer.flush()
    }
}

/// Escapes what JSON leaves as it is, though a terminal may obey it: outside of texts there is none of it but line ends.
fn in_json(text: &str) -> String {
    let hidden = |character: char| character != '\n' && console::is_hidden(character);
    let escape = |character: char| match hidden(character) {
        true => format!("\\u{:04x}", u32::from(character)),
        false => character.to_string(),
    };
    if text.contains(hidden) { text.chars().map(escape).collect() } else { text.to_owned() }
}
