//! `bump(reclaim=empty)`, `fixed(64)`

use super::cursor::{Cursor, Result};
use super::keys::{self, Key, equals};
use crate::ast::Bump;
use crate::validate::Place;

const KEYS: &[Key<Bump>] = &[Key {
    word: "reclaim",
    forms: &["reclaim="],
    read: |cursor, bump| equals(cursor, "reclaim").map(|reclaim| bump.reclaim = reclaim),
}];

pub(super) fn bump(cursor: &mut Cursor<'_>) -> Result<Bump> {
    let mut bump = Bump::default();
    keys::optional(cursor, "bump", KEYS, &mut bump)?;
    Ok(bump)
}

pub(super) fn fixed(cursor: &mut Cursor<'_>) -> Result<u64> {
    let opened = cursor.open("fixed")?;
    cursor.note(Place::FixedSize);
    let size = cursor.number("a number of bytes")?;
    cursor.close(opened)?;
    Ok(size)
}
