//! `66`, `8..=16`, `8..=1024 step 8`, `16..=4096 double`, `64..=4096 double(4)`

use super::cursor::{Cursor, Result};
use crate::ast::Sizes;
use crate::lexer::Kind;
use crate::validate::{Part, Place};

/// An example of every form, for the list of alternatives.
pub(crate) const FORMS: [&str; 5] = ["66", "8..=16", "8..=1024 step 8", "16..=4096 double", "64..=4096 double(4)"];

/// The sizes at the head of a list of arguments, and whether other arguments follow.
pub(crate) fn items(
    cursor: &mut Cursor<'_>,
    opened: usize,
    place: impl Fn(usize, Part) -> Place,
) -> Result<(Vec<Sizes>, bool)> {
    let mut sizes = Vec::new();
    loop {
        let index = sizes.len();
        if !matches!(cursor.peek(), Kind::Number(_)) {
            return Err(cursor.unexpected("a size", FORMS));
        }
        sizes.push(item(cursor, |part| place(index, part))?);
        if !cursor.another(opened)? {
            return Ok((sizes, false));
        }
        if matches!(cursor.peek(), Kind::Word(_)) {
            return Ok((sizes, true));
        }
    }
}

fn item(cursor: &mut Cursor<'_>, place: impl Fn(Part) -> Place) -> Result<Sizes> {
    cursor.note(place(Part::From));
    let from = cursor.number("a size")?;
    if !matches!(cursor.peek(), Kind::Through) {
        return match cursor.peek() {
            Kind::Word(_) | Kind::Stray(_) => Err(cursor.unexpected("`..=`, `,` or `)`", ["..=", ",", ")"])),
            _ => Ok(Sizes::One(from)),
        };
    }
    let to = through(cursor, &place)?;
    if cursor.sees_word("step") {
        let step = step(cursor, &place)?;
        return Ok(Sizes::Steps { from, to, step });
    }
    if cursor.sees_word("double") {
        cursor.advance();
        let parts = if matches!(cursor.peek(), Kind::Open) { parts(cursor, &place)? } else { 1 };
        return Ok(Sizes::Doubles { from, to, parts });
    }
    match cursor.peek() {
        Kind::Word(_) => Err(cursor.unexpected("`step` or `double`", ["step", "double"])),
        _ => Ok(Sizes::Range { from, to }),
    }
}

/// The `(4)` behind `double`.
fn parts(cursor: &mut Cursor<'_>, place: impl Fn(Part) -> Place) -> Result<u64> {
    let opened = cursor.open("double")?;
    cursor.note(place(Part::Step));
    let parts = cursor.number("a number of lists to each doubling")?;
    cursor.close(opened)?;
    Ok(parts)
}

/// The `..=1024` of a range.
pub(crate) fn through(cursor: &mut Cursor<'_>, place: impl Fn(Part) -> Place) -> Result<u64> {
    cursor.sign(&Kind::Through, "..=")?;
    cursor.note(place(Part::To));
    cursor.number("the upper end of the range")
}

/// The `step 8` of a range.
pub(crate) fn step(cursor: &mut Cursor<'_>, place: impl Fn(Part) -> Place) -> Result<u64> {
    cursor.word("step")?;
    cursor.note(place(Part::Step));
    cursor.number("a number of bytes")
}
