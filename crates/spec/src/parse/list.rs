//! `list(order=address, fit=best(30%), split>=512, coalesce=immediate, tags=on)`

use super::cursor::{Cursor, Result};
use super::factor::key;
use super::keys::{self, Key, equals};
use crate::ast::{Fit, List};
use crate::lexer::Kind;
use crate::validate::{Place, depth_problem};

const KEYS: &[Key<List>] = &[
    Key {
        word: "order",
        forms: &["order="],
        read: |cursor, list| equals(cursor, "order").map(|order| list.order = order),
    },
    Key { word: "fit", forms: &["fit="], read: |cursor, list| fit(cursor).map(|fit| list.fit = fit) },
    key!(split),
    key!(coalesce),
    key!(tags),
];

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<List> {
    let mut list = List::default();
    keys::optional(cursor, "list", KEYS, &mut list)?;
    Ok(list)
}

fn fit(cursor: &mut Cursor<'_>) -> Result<Fit> {
    let fit = equals(cursor, "fit")?;
    match cursor.peek() {
        Kind::Open if fit == Fit::BEST => depth(cursor),
        _ => Ok(fit),
    }
}

/// The `(30%)` of `best(30%)`.
fn depth(cursor: &mut Cursor<'_>) -> Result<Fit> {
    let opened = cursor.open("best")?;
    cursor.note(Place::Depth);
    // Checked before it is narrowed, so that the message shows the number as written.
    if let Kind::Number(percent) = *cursor.peek()
        && let Some(problem) = depth_problem(percent)
    {
        return Err(cursor.error(problem, ["1% to 100%"]));
    }
    let percent = cursor.number("a percentage")?;
    cursor.sign(&Kind::Percent, "%")?;
    cursor.close(opened)?;
    Ok(Fit::Best { depth: u8::try_from(percent).unwrap_or(u8::MAX) })
}
