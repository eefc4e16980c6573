//! A problem with its place in the text, drawn for a person.

use std::fmt;

use crate::problem::Problem;

/// Why a text is not a heap: what is wrong, at which column, and what could be written there.
///
/// ```
/// let error = "list(order=addres)".parse::<heapsmith_spec::Spec>().unwrap_err();
/// assert_eq!(error.column, 12);
/// assert_eq!(error.alternatives, ["lifo", "fifo", "address", "implicit"]);
/// assert_eq!(error.suggestion(), Some("address"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpecError {
    /// Where, in characters from 1.
    pub column: usize,
    /// The problem.
    pub problem: Problem,
    /// What could be written there, if that can be listed.
    pub alternatives: Vec<String>,
    /// The whole text.
    pub text: String,
}

impl SpecError {
    /// The problem, in words.
    pub fn message(&self) -> String {
        self.problem.to_string()
    }

    /// The alternative that is closest to an unknown word, if one is close.
    pub fn suggestion(&self) -> Option<&str> {
        let word = self.problem.unknown_word()?.to_lowercase();
        // A third of the letters may be wrong; more than that is another word.
        let tolerance = (word.chars().count() / 3).max(1);
        self.alternatives
            .iter()
            .map(|alternative| (distance(&word, alternative), alternative))
            .filter(|(distance, _)| *distance <= tolerance)
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, alternative)| alternative.as_str())
    }
}

/// Edit distance, with a swap of neighbours as one edit. The sign that follows a key
/// (`order=`) is not part of what was written.
fn distance(word: &str, alternative: &str) -> usize {
    strsim::damerau_levenshtein(word, alternative.trim_end_matches(['=', '>']))
}

impl std::error::Error for SpecError {}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (excerpt, caret) = excerpt(&self.text, self.column);
        writeln!(f, "{}, at column {}", self.problem, self.column)?;
        writeln!(f, "  {}", excerpt.trim_end())?;
        write!(f, "  {:caret$}^", "")?;
        if let Some(suggestion) = self.suggestion() {
            write!(f, "\ndid you mean `{suggestion}`?")?;
        }
        if !self.alternatives.is_empty() {
            write!(f, "\nexpected: {}", self.alternatives.join("  "))?;
        }
        Ok(())
    }
}

/// The part of the text around the column, and the number of characters before the caret.
///
/// Below a long line that is wrapped the caret points at nothing, so the text is cut: two spaces, the excerpt and its
/// ellipses fit 80 columns. Tabs and line breaks would move the caret too and are drawn as spaces.
fn excerpt(text: &str, column: usize) -> (String, usize) {
    const BEFORE: usize = 40;
    const WIDTH: usize = 76;
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let length = text.chars().count();
    let skipped = if length <= WIDTH { 0 } else { column.saturating_sub(1 + BEFORE) };
    let mut excerpt = String::new();
    if skipped > 0 {
        excerpt.push('…');
    }
    let caret = column.saturating_sub(1 + skipped) + excerpt.chars().count();
    excerpt.extend(text.chars().skip(skipped).take(WIDTH).map(printable));
    if skipped + WIDTH < length {
        excerpt.push('…');
    }
    (excerpt, caret)
}
