//! The keys of all pools of blocks: `split` and `coalesce`, a word after `=` or a level after `>=`, `remainder` and `tags`.

use super::cursor::{Cursor, Result};
use crate::ast::{Coalescing, Splitting};
use crate::keyword::Keyword;
use crate::lexer::Kind;
use crate::problem::Problem;
use crate::validate::Place;

/// The keys of a pool that has [`BlockFactors`](crate::BlockFactors) in its field `factors`, behind keys of its own.
macro_rules! block_keys {
    ($($own:expr),* $(,)?) => {
        &[
            $($own,)*
            $crate::parse::keys::Key {
                word: "split",
                forms: &["split=", "split>="],
                read: |cursor, pool| $crate::parse::factor::split(cursor).map(|split| pool.factors.split = split),
            },
            $crate::parse::keys::Key {
                word: "remainder",
                forms: &["remainder="],
                read: |cursor, pool| {
                    $crate::parse::keys::number(cursor, $crate::validate::Place::Remainder, "a number of bytes")
                        .map(|bytes| pool.factors.remainder = bytes)
                },
            },
            $crate::parse::keys::Key {
                word: "coalesce",
                forms: &["coalesce=", "coalesce>="],
                read: |cursor, pool| {
                    $crate::parse::factor::coalesce(cursor).map(|coalesce| pool.factors.coalesce = coalesce)
                },
            },
            $crate::parse::keys::Key {
                word: "tags",
                forms: &["tags="],
                read: |cursor, pool| $crate::parse::keys::equals(cursor, "tags").map(|tags| pool.factors.tags = tags),
            },
        ]
    };
}

pub(crate) use block_keys;

pub(crate) fn split(cursor: &mut Cursor<'_>) -> Result<Splitting> {
    word_or_level(cursor, "split", Place::Splitting, Splitting::From)
}

pub(crate) fn coalesce(cursor: &mut Cursor<'_>) -> Result<Coalescing> {
    word_or_level(cursor, "coalesce", Place::Coalescing, Coalescing::From)
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
