//! `bins(exact 16..=512 step 16, then log, order=fifo, split=always, coalesce=immediate)`

use super::cursor::{Cursor, Result};
use super::factor::key;
use super::keys::{Key, Keys, equals};
use super::sizes;
use crate::ast::{BinLayout, Bins, Tries};
use crate::lexer::Kind;
use crate::validate::{Part, Place, per_doubling_problem};

const KEYS: &[Key<Bins>] = &[
    Key {
        word: "order",
        forms: &["order="],
        read: |cursor, bins| {
            cursor.note(Place::BinOrder);
            equals(cursor, "order").map(|order| bins.order = order)
        },
    },
    Key { word: "tries", forms: &["tries="], read: |cursor, bins| tries(cursor).map(|tries| bins.tries = tries) },
    Key { word: "each", forms: &["each="], read: |cursor, bins| equals(cursor, "each").map(|each| bins.each = each) },
    key!(split),
    key!(coalesce),
    key!(tags),
];

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Bins> {
    let opened = cursor.open("bins")?;
    let mut bins = Bins::new(layout(cursor)?);
    Keys::new("bins", KEYS).remainder(cursor, opened, &mut bins)?;
    Ok(bins)
}

/// The `=8` or `=all` of `tries`.
fn tries(cursor: &mut Cursor<'_>) -> Result<Tries> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::Tries);
    if !matches!(cursor.peek(), Kind::Number(_)) {
        return cursor.keyword("tries");
    }
    // No list is so long that what does not fit would differ from the most that does.
    let max = cursor.number("a number of blocks")?;
    Ok(Tries::Max(u32::try_from(max).unwrap_or(u32::MAX)))
}

fn layout(cursor: &mut Cursor<'_>) -> Result<BinLayout> {
    if cursor.sees_word("exact") {
        cursor.advance();
        exact(cursor)
    } else if cursor.sees_word("log") {
        let per_doubling = log(cursor)?;
        Ok(BinLayout::Log { per_doubling })
    } else if cursor.sees_word("lea") {
        cursor.advance();
        Ok(BinLayout::Lea)
    } else {
        let forms = ["exact 16..=512 step 16", "log", "lea"];
        Err(cursor.unexpected("the layout of the bins", forms))
    }
}

fn exact(cursor: &mut Cursor<'_>) -> Result<BinLayout> {
    cursor.note(Place::ExactBins(Part::From));
    let from = cursor.number("a size")?;
    let to = sizes::through(cursor, Place::ExactBins)?;
    let step = sizes::step(cursor, Place::ExactBins)?;
    Ok(BinLayout::Exact { from, to, step, then_log: then_log(cursor)? })
}

/// The `, then log(8)` behind exact bins.
fn then_log(cursor: &mut Cursor<'_>) -> Result<Option<u8>> {
    let follows = matches!(cursor.peek(), Kind::Comma) && matches!(cursor.peek_second(), Kind::Word("then"));
    if !follows {
        return Ok(None);
    }
    cursor.advance();
    cursor.advance();
    log(cursor).map(Some)
}

/// `log` or `log(8)`.
fn log(cursor: &mut Cursor<'_>) -> Result<u8> {
    cursor.word("log")?;
    if !matches!(cursor.peek(), Kind::Open) {
        return Ok(BinLayout::PER_DOUBLING);
    }
    let opened = cursor.open("log")?;
    cursor.note(Place::PerDoubling);
    // Checked before it is narrowed, so that the message shows the number as written.
    if let Kind::Number(bins) = *cursor.peek()
        && let Some(problem) = per_doubling_problem(bins)
    {
        let choices = BinLayout::PER_DOUBLING_CHOICES.map(|bins| bins.to_string());
        return Err(cursor.error(problem, choices));
    }
    let bins = cursor.number("a number of bins")?;
    cursor.close(opened)?;
    Ok(u8::try_from(bins).unwrap_or(u8::MAX))
}
