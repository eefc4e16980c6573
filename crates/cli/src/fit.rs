//! Texts that fit a width: shortened in the middle, or wrapped at words.
//!
//! A width is in columns of a terminal: a letter takes one, some letters of Asian scripts two. Cost: linear in the text.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Replaces what was left out.
const ELLIPSIS: char = '…';

/// Columns that a text takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// At most `max` columns of a text: what is longer loses its middle.
pub fn shortened(text: &str, max: usize) -> String {
    if width(text) <= max {
        return text.to_owned();
    }
    let left = max.saturating_sub(1);
    let tail = left / 3;
    let head: String = within(text.chars(), left - tail).collect();
    let end: Vec<char> = within(text.chars().rev(), tail).collect();
    if max == 0 { String::new() } else { head + &ELLIPSIS.to_string() + &end.iter().rev().collect::<String>() }
}

/// The first characters that take no more than `max` columns.
fn within(text: impl Iterator<Item = char>, max: usize) -> impl Iterator<Item = char> {
    text.scan(0, move |taken, character| {
        *taken += character.width().unwrap_or(0);
        (*taken <= max).then_some(character)
    })
}

/// A line in pieces of at most `max` columns, broken at spaces; a word that is longer stays whole. Pieces after the first
/// begin with `indent` spaces.
pub fn wrapped(line: &str, max: usize, indent: usize) -> Vec<String> {
    if width(line) <= max {
        return vec![line.to_owned()];
    }
    let mut pieces = vec![String::new()];
    let mut is_empty = true;
    for word in line.split_inclusive(' ') {
        let piece = pieces.last().map_or(0, |piece| width(piece));
        if !is_empty && piece + width(word.trim_end()) > max {
            pieces.push(" ".repeat(indent));
            is_empty = true;
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(word);
        }
        is_empty &= word.trim().is_empty();
    }
    pieces.iter().map(|piece| piece.trim_end().to_owned()).collect()
}

/// Every line of a text as [`wrapped`].
pub fn paragraphs(text: &str, max: usize) -> String {
    text.split('\n').map(|line| wrapped(line, max, hanging(line, max)).join("\n")).collect::<Vec<_>>().join("\n")
}

/// The indent of what is wrapped: below the second column of a line that has columns, three spaces apart, else two more than
/// the line's.
fn hanging(line: &str, max: usize) -> usize {
    let begin = line.len() - line.trim_start().len();
    let second = line[begin..].find("   ").map(|gap| {
        let gap = begin + gap;
        width(&line[..gap]) + line[gap..].len() - line[gap..].trim_start().len()
    });
    second.filter(|&second| second <= max / 2).unwrap_or(begin + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_a_long_text_is_left_out() {
        assert_eq!(shortened("list(order=address)", 19), "list(order=address)");
        assert_eq!(shortened("list(order=address)", 10), "list(o…ss)");
        assert_eq!((shortened("abc", 1), shortened("abc", 0)), ("…".to_owned(), String::new()));
        for max in 0..12 {
            assert!(width(&shortened("größer 漢字 größer", max)) <= max, "{max}");
        }
    }

    #[test]
    fn lines_are_broken_at_words() {
        assert_eq!(wrapped("  one two three", 9, 4), ["  one two", "    three"]);
        assert_eq!(wrapped("a aVeryLongWord b", 6, 2), ["a", "  aVeryLongWord", "  b"]);
        assert_eq!(paragraphs("one two\n\n  three four\n", 8), "one two\n\n  three\n    four\n");
        assert_eq!(paragraphs("\n", 8), "\n");
        assert_eq!(paragraphs("  free   linear in the list", 20), "  free   linear in\n         the list");
    }
}
