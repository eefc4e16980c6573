//! One table, printed for people, programs or spreadsheets.

use std::io::{self, Write};

use heapsmith_replay::Spread;
use heapsmith_report::thousands;
use serde_json::{Map, Value};

use crate::args::Format;
use crate::console::{self, Look};
use crate::failure::Failure;
use crate::fit::paragraphs;

mod drawing;

use drawing::{Column, Drawing, MIN_NAME, MIN_TEXT, draw};

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

/// A spec: whole for programs; for people as [`brief`].
pub fn heap(spec: &str) -> Item {
    Item { value: Value::from(spec), shown: brief(spec) }
}

/// A spec in which a long set of free lists is counted instead of listed.
pub fn brief(spec: &str) -> String {
    const LISTED: usize = 8;
    if let Some((sizes, rest)) = spec.strip_prefix("freelists(").and_then(|text| text.split_once(')')) {
        let all: Vec<&str> = sizes.split(',').collect();
        if let [first, .., last] = all[..]
            && all.len() > LISTED
        {
            return format!("freelists({} sizes, {first}…{last}){rest}", all.len());
        }
    }
    spec.to_owned()
}

/// The number of a design or of a process: a name, which is written in one way everywhere.
pub fn identifier(number: u64) -> Item {
    Item { value: Value::from(number), shown: number.to_string() }
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

/// A value for programs, shown as a text to people.
pub fn shown(value: f64, shown: String) -> Item {
    Item { value: rounded(value), shown }
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
    /// Columns that a narrow terminal does without, the first first.
    spared: Vec<&'static str>,
    /// Columns of names, which are shortened further than other texts.
    named: Vec<&'static str>,
    /// The row that is emphasised.
    strong: Option<usize>,
    rows: Vec<Vec<Item>>,
}

impl Table {
    /// A table of these columns.
    pub fn new(columns: &[&'static str]) -> Table {
        Table {
            columns: columns.to_vec(),
            hidden: 0,
            spared: Vec::new(),
            named: Vec::new(),
            strong: None,
            rows: Vec::new(),
        }
    }

    /// More columns, at the end, that only programs get. People do not see columns without a value either.
    pub fn hiding(mut self, columns: &[&'static str]) -> Table {
        self.columns.extend(columns);
        self.hidden += columns.len();
        self
    }

    /// Columns that a narrow terminal does without, the first first. Then follow the others from the right, but for the
    /// first and the last.
    pub fn sparing(mut self, columns: &[&'static str]) -> Table {
        self.spared = columns.to_vec();
        self
    }

    /// Columns of names, which a narrow terminal shortens further than other texts before it does without a column.
    pub fn naming(mut self, columns: &[&'static str]) -> Table {
        self.named = columns.to_vec();
        self
    }

    /// Adds a row.
    pub fn row(&mut self, items: impl IntoIterator<Item = Item>) {
        self.rows.push(items.into_iter().collect());
    }

    /// Adds a row that is emphasised.
    pub fn strong_row(&mut self, items: impl IntoIterator<Item = Item>) {
        self.strong = Some(self.rows.len());
        self.row(items);
    }

    /// Prints to standard output.
    pub fn print(&self, format: Format) -> Result<(), Failure> {
        match format {
            Format::Table => self.say(),
            format => console::hand_over(self.text(format, None)?.as_bytes()),
        }
        Ok(())
    }

    fn say(&self) {
        let columns = console::columns();
        let Drawing { head, rows, left_out } = self.draw(columns);
        head.iter().for_each(|line| console::say_pieces(&[(Look::Label, line)]));
        for (number, row) in rows.iter().enumerate() {
            let look = if self.strong == Some(number) { Look::Strong } else { Look::Plain };
            console::say_pieces(&[(look, row)]);
        }
        if let Some(remark) = remark(&left_out) {
            console::say_text(&remark);
        }
    }

    /// Prints to standard error.
    pub fn note(&self, format: Format) -> Result<(), Failure> {
        console::error_text(&self.text(format, console::columns_of_errors())?);
        Ok(())
    }

    /// As it is printed: for people within this many columns.
    pub fn text(&self, format: Format, columns: Option<usize>) -> Result<String, Failure> {
        if format == Format::Table {
            let Drawing { head, rows, left_out } = self.draw(columns);
            let remark = remark(&left_out).map_or_else(String::new, |remark| match columns {
                Some(columns) => paragraphs(&remark, columns),
                None => remark,
            });
            return Ok(head.iter().chain(&rows).map(|line| format!("{line}\n")).collect::<String>() + &remark);
        }
        let mut text = Vec::new();
        let written = match format {
            Format::Csv => self.csv(&mut text),
            Format::Markdown => self.markdown(&mut text),
            Format::Json | Format::Table => self.json(&mut text),
        };
        written.map_err(|error| Failure::job(format!("cannot print: {error}")))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The columns that people see, by number: those that have a value.
    fn shown(&self) -> Vec<usize> {
        let measured = |column: &usize| self.rows.iter().any(|row| !row[*column].value.is_null());
        (0..self.columns.len() - self.hidden).filter(measured).collect()
    }

    fn heading(&self, column: usize) -> String {
        self.columns[column].replace("_per_op", "/op").replace('_', " ")
    }

    fn draw(&self, columns: Option<usize>) -> Drawing {
        let shown = self.shown();
        let drawn = shown.iter().enumerate().map(|(place, &column)| {
            let items = || self.rows.iter().map(move |row| &row[column]);
            let rank = match self.spared.iter().position(|&spared| spared == self.columns[column]) {
                None if place == 0 || place + 1 == shown.len() => None,
                None => Some(self.spared.len() + shown.len() - place),
                spared => spared,
            };
            Column {
                heading: self.heading(column),
                cells: items().map(|item| console::name(&item.shown).into_owned()).collect(),
                is_number: items().all(|item| item.value.is_number() || item.value.is_null()),
                min: if self.named.contains(&self.columns[column]) { MIN_NAME } else { MIN_TEXT },
                rank,
            }
        });
        draw(drawn.collect(), columns)
    }

    /// What people see, whole.
    fn markdown(&self, mut out: impl Write) -> io::Result<()> {
        let shown = self.shown();
        let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
        writeln!(out, "{}", line(shown.iter().map(|&column| self.heading(column)).collect()))?;
        let is_number = |column: usize| self.rows.iter().all(|row| !row[column].value.is_string());
        let rule = |&column: &usize| if is_number(column) { "---:" } else { "---" }.to_owned();
        writeln!(out, "{}", line(shown.iter().map(rule).collect()))?;
        for row in &self.rows {
            let cell = |&column: &usize| {
                let whole = row[column].value.as_str().unwrap_or(&row[column].shown);
                console::name(whole).replace('|', "\\|")
            };
            writeln!(out, "{}", line(shown.iter().map(cell).collect()))?;
        }
        Ok(())
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

/// What is said below a table without all of its columns.
fn remark(left_out: &[String]) -> Option<String> {
    let names = left_out.iter().map(|heading| heading.trim_end()).collect::<Vec<_>>().join(", ");
    (!left_out.is_empty()).then(|| format!("too narrow for: {names} (--format csv has all)\n"))
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
