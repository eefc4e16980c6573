//! What is wrong with a check file, or with saved figures.

use std::ops::Range;
use std::path::{Path, PathBuf};

/// A check file that says nothing that can be checked, or what nobody can know.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {message}", path.display())]
pub struct CheckFileError {
    /// The file.
    pub path: PathBuf,
    /// Its line, from 1.
    pub line: usize,
    /// The column in that line, in characters from 1.
    pub column: usize,
    /// What is wrong, and how to mend it.
    pub message: String,
}

impl CheckFileError {
    pub(crate) fn at(path: &Path, text: &str, span: Range<usize>, message: impl Into<String>) -> CheckFileError {
        let (line, column) = place(text, span.start);
        CheckFileError { path: path.to_owned(), line, column, message: message.into() }
    }
}

/// Line and column, from 1, of a byte of a text.
pub(crate) fn place(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

/// A file of saved figures that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SavedError {
    /// It is not JSON of this form.
    #[error("it holds no saved figures ({0}): `heapsmith check FILE.toml --save FILE` writes them")]
    Form(String),
    /// A later version wrote it.
    #[error("its format {found} is newer than {known}, the newest that this version reads: update heapsmith")]
    Newer {
        /// The format.
        found: u64,
        /// The newest that is known.
        known: u64,
    },
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        assert_eq!(place("", 0), (1, 1));
        assert_eq!(place("a\nöb", 4), (2, 2));
        assert_eq!(place("a\n", 99), (2, 1));
    }
}
