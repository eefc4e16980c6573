//! Words as a shell reads them: what a printed command says can be typed.

use std::path::Path;

/// A path in a command.
pub fn quoted(path: &Path) -> String {
    word(&path.to_string_lossy())
}

/// A word of a command, in quotes where a shell would read it otherwise.
pub fn word(word: &str) -> String {
    let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./=:,%+".contains(c));
    if plain && !word.is_empty() { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_otherwise_is_quoted() {
        assert_eq!(word("explore-ftp-drr/report.html"), "explore-ftp-drr/report.html");
        assert_eq!(word("two words"), "'two words'");
        assert_eq!((word("it's"), word("")), (r"'it'\''s'".to_owned(), "''".to_owned()));
    }
}
