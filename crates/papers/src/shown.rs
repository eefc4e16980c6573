//! Tables as people read them, and numbers in sentences.

pub(crate) use heapsmith_report::{listed, thousands};
use serde::{Deserialize, Serialize};

/// A value of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// Text.
    Text(String),
    /// A whole number.
    Integer(u64),
    /// A number, shown with as many digits as it deserves.
    Number(f64),
    /// A share, shown as percent.
    Share(f64),
    /// It was not measured.
    Nothing,
}

impl Value {
    /// As people read it.
    pub fn shown(&self) -> String {
        match self {
            Value::Text(text) => text.clone(),
            Value::Integer(number) => thousands(*number),
            Value::Number(number) => digits(*number),
            Value::Share(share) => percent(*share),
            Value::Nothing => "–".to_owned(),
        }
    }

    /// The number that it is, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Value::Integer(number) => Some(*number as f64),
            Value::Number(number) | Value::Share(number) => Some(*number),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Text(text)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Integer(number)
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Value {
        if number.is_finite() { Value::Number(number) } else { Value::Nothing }
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Value {
        value.map_or(Value::Nothing, V::into)
    }
}

/// A table for the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// What it shows.
    pub caption: String,
    /// Headings.
    pub columns: Vec<String>,
    /// Rows of as many values.
    pub rows: Vec<Vec<Value>>,
}

impl Shown {
    /// A table without rows.
    pub fn new<C: Into<String>>(caption: impl Into<String>, columns: impl IntoIterator<Item = C>) -> Shown {
        Shown { caption: caption.into(), columns: columns.into_iter().map(C::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, values: impl IntoIterator<Item = Value>) {
        self.rows.push(values.into_iter().collect());
    }
}

/// A share as percent.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1}%", share * 100.0)
}

/// A number with three digits or so.
pub(crate) fn digits(number: f64) -> String {
    match number.abs() {
        size if size >= 1000.0 => {
            format!("{}{}", if number < 0.0 { "-" } else { "" }, thousands(size.round() as u64))
        }
        size if size >= 100.0 => format!("{number:.0}"),
        size if size >= 10.0 => format!("{number:.1}"),
        size if size >= 0.1 || size == 0.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_or_so() {
        assert_eq!(
            [0.0, 0.0123, 0.5, 12.34, 123.4, 12345.6].map(digits),
            ["0.00", "0.0123", "0.50", "12.3", "123", "12,346"]
        );
        assert_eq!(percent(0.123), "12.3%");
        assert_eq!(Value::from(f64::NAN), Value::Nothing);
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
    }
}
