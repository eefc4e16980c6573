//! `split` and `coalesce`: a word after `=`, or a level after `>=`.

use super::cursor::{Cursor, Result};
use crate::ast::{Coalesce, Split};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::problem::Problem;
use crate::validate::Place;

/// How `split` may be written.
pub(super) const SPLIT_FORMS: &[&str] = &["split=", "split>="];

/// How `coalesce` may be written.
pub(super) const COALESCE_FORMS: &[&str] = &["coalesce=", "coalesce>="];

pub(super) fn split(cursor: &mut Cursor<'_>) -> Result<Split> {
    word_or_level(cursor, "split", Place::Split, Split::From)
}

pub(super) fn coalesce(cursor: &mut Cursor<'_>) -> Result<Coalesce> {
    word_or_level(cursor, "coalesce", Place::Coalesce, Coalesce::From)
}

fn word_or_level<K: Keyword>(
    cursor: &mut Cursor<'_>,
    key: &'static str,
    place: Place,
    level: fn(u64) -> K,
) -> Result<K> {
    match cursor.peek() {
        Kind::Equals => {
            cursor.advance();
            if matches!(cursor.peek(), Kind::Number(_)) {
                let words = K::WORDS.iter().map(|(word, _)| *word);
                return Err(cursor.error(Problem::LevelSign, words));
            }
            cursor.keyword(key)
        }
        Kind::AtLeast => {
            cursor.advance();
            cursor.note(place);
            cursor.number("a number of bytes").map(level)
        }
        _ => Err(cursor.unexpected("`=` or `>=`", ["=", ">="])),
    }
}
