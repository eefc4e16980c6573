//! `guard(quarantine=16, pages=sampled)`, `reserve(high=10%)`

use super::cursor::{Cursor, Result};
use super::keys::{self, Key, Keys};
use crate::ast::{Guard, Reserve};
use crate::lexer::Kind;
use crate::validate::Place;

const GUARD: &[Key<Guard>] = &[
    Key {
        word: "quarantine",
        forms: &["quarantine="],
        read: |cursor, guard| {
            cursor.sign(&Kind::Equals, "=")?;
            cursor.note(Place::Quarantine);
            guard.quarantine = cursor.number_as("a number of blocks")?;
            Ok(())
        },
    },
    Key {
        word: "pages",
        forms: &["pages="],
        read: |cursor, guard| {
            guard.pages = keys::equals(cursor, "pages")?;
            Ok(())
        },
    },
];

const RESERVE: &[Key<Reserve>] = &[Key {
    word: "high",
    forms: &["high="],
    read: |cursor, reserve| {
        cursor.sign(&Kind::Equals, "=")?;
        cursor.note(Place::ReserveHigh);
        reserve.high = cursor.number_as("a percentage")?;
        cursor.sign(&Kind::Percent, "%")
    },
}];

pub(super) fn guard(cursor: &mut Cursor<'_>) -> Result<Guard> {
    let mut guard = Guard::default();
    keys::optional(cursor, "guard", GUARD, &mut guard)?;
    Ok(guard)
}

pub(super) fn reserve(cursor: &mut Cursor<'_>) -> Result<Reserve> {
    let mut reserve = Reserve { high: 0 };
    let opened = cursor.open("reserve")?;
    let mut keys = Keys::new("reserve", RESERVE);
    keys.read(cursor, &mut reserve)?;
    keys.remainder(cursor, opened, &mut reserve)?;
    Ok(reserve)
}
