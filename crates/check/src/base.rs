//! What figures are compared with: figures that were saved, or the same traces in another folder.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::SavedError;
use crate::measure::Figure;

/// The newest format of saved figures.
const FORMAT: u64 = 1;

/// What figures are compared with.
#[derive(Debug, Clone, Default)]
pub enum Base {
    /// Nothing: no assertion compares.
    #[default]
    None,
    /// Figures that were saved.
    Saved(Saved),
    /// A folder with other versions of the traces, at the same relative paths.
    Folder(PathBuf),
}

/// Figures of a check, as they are saved.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Saved {
    /// By trace, heap (empty for figures of the trace alone) and figure.
    figures: BTreeMap<(String, String, String), f64>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedFile {
    heapsmith_check: u64,
    figures: Vec<SavedFigure>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedFigure {
    trace: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    heap: String,
    figure: String,
    #[serde(serialize_with = "plain")]
    value: f64,
}

/// Whole numbers without decimals: JSON's reader is exact for those, and for six decimals.
fn plain<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.fract() == 0.0 { serializer.serialize_i64(*value as i64) } else { serializer.serialize_f64(*value) }
}

impl Saved {
    /// Reads what [`Saved::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// It is something else, or of a later version.
    pub fn parse(text: &str) -> Result<Saved, SavedError> {
        #[derive(Deserialize)]
        struct Head {
            heapsmith_check: u64,
        }
        let form = |error: serde_json::Error| SavedError::Form(error.to_string());
        let head: Head = serde_json::from_str(text).map_err(form)?;
        if head.heapsmith_check > FORMAT {
            return Err(SavedError::Newer { found: head.heapsmith_check, known: FORMAT });
        }
        let file: SavedFile = serde_json::from_str(text).map_err(form)?;
        let mut saved = Saved::default();
        for SavedFigure { trace, heap, figure, value } in file.figures {
            if saved.figures.insert((trace, heap, figure), value).is_some() {
                return Err(SavedError::Form("a figure is in it twice".to_owned()));
            }
        }
        Ok(saved)
    }

    /// The figures as JSON: the same figures give the same text.
    pub fn to_json(&self) -> String {
        let figure = |((trace, heap, figure), value): (&(String, String, String), &f64)| SavedFigure {
            trace: trace.clone(),
            heap: heap.clone(),
            figure: figure.clone(),
            value: *value,
        };
        let file = SavedFile { heapsmith_check: FORMAT, figures: self.figures.iter().map(figure).collect() };
        // Names of figures and finite numbers are all JSON has to hold.
        let text = serde_json::to_string_pretty(&file).expect("a map of texts and finite numbers is JSON");
        text + "\n"
    }

    /// Keeps a figure.
    pub(crate) fn keep(&mut self, trace: &str, heap: &str, figure: Figure, value: f64) {
        self.figures.insert((trace.to_owned(), heap.to_owned(), figure.to_string()), value);
    }

    /// A figure that was kept.
    pub(crate) fn get(&self, trace: &str, heap: &str, figure: Figure) -> Option<f64> {
        self.figures.get(&(trace.to_owned(), heap.to_owned(), figure.to_string())).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Measure;

    #[test]
    fn saved_figures_are_read_back_exactly() {
        let mut saved = Saved::default();
        saved.keep("day", "tlsf", Figure::Plain(Measure::AccessesPerOp), 12.333333);
        saved.keep("day \"\u{1}\"", "", Figure::Plain(Measure::RequestedPeak), 9_007_199_254_740_991.0);
        saved.keep("day", "tlsf", Figure::Drift { passes: 3, frees: true }, -8.0);
        assert_eq!(Saved::parse(&saved.to_json()), Ok(saved));
    }

    #[test]
    fn other_files_and_later_formats_are_refused() {
        assert!(matches!(Saved::parse("[]"), Err(SavedError::Form(_))));
        assert!(matches!(Saved::parse("{\"heapsmith_check\": 1}"), Err(SavedError::Form(_))));
        let newer = Saved::parse("{\"heapsmith_check\": 2, \"figures\": {}}");
        assert_eq!(newer, Err(SavedError::Newer { found: 2, known: 1 }));
        let twice = "{\"trace\": \"a\", \"figure\": \"drift\", \"value\": 1}";
        let twice = format!("{{\"heapsmith_check\": 1, \"figures\": [{twice}, {twice}]}}");
        assert!(matches!(Saved::parse(&twice), Err(SavedError::Form(_))));
    }
}
