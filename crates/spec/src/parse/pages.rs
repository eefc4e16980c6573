//! `pages(page=4096, min=16, search=linear)`

use super::cursor::{Cursor, Result};
use super::keys::{self, Key, equals};
use crate::ast::Pages;
use crate::lexer::Kind;
use crate::validate::Place;

const KEYS: &[Key<Pages>] = &[
    Key {
        word: "page",
        forms: &["page="],
        read: |cursor, pages| bytes(cursor, Place::Page).map(|page| pages.page = page),
    },
    Key {
        word: "min",
        forms: &["min="],
        read: |cursor, pages| bytes(cursor, Place::MinObject).map(|min| pages.min = min),
    },
    Key {
        word: "search",
        forms: &["search="],
        read: |cursor, pages| equals(cursor, "search").map(|search| pages.search = search),
    },
];

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Pages> {
    let mut pages = Pages::default();
    keys::optional(cursor, "pages", KEYS, &mut pages)?;
    Ok(pages)
}

fn bytes(cursor: &mut Cursor<'_>, place: Place) -> Result<u64> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(place);
    cursor.number("a number of bytes")
}
