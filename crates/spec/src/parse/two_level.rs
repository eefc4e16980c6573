//! `tlsf(second-level=5, largest=64K)`; `half-fit` has nothing to read.

use super::cursor::{Cursor, Result};
use super::keys::{self, Key};
use crate::ast::Tlsf;
use crate::lexer::Kind;
use crate::validate::{Place, second_level_problem};

const KEYS: &[Key<Tlsf>] = &[
    Key {
        word: "second-level",
        forms: &["second-level="],
        read: |cursor, tlsf| second_level(cursor).map(|level| tlsf.second_level = level),
    },
    Key {
        word: "largest",
        forms: &["largest="],
        read: |cursor, tlsf| {
            cursor.sign(&Kind::Equals, "=")?;
            cursor.note(Place::Largest);
            cursor.number("a number of bytes").map(|size| tlsf.largest = Some(size))
        },
    },
];

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Tlsf> {
    let mut tlsf = Tlsf::default();
    keys::optional(cursor, "tlsf", KEYS, &mut tlsf)?;
    Ok(tlsf)
}

fn second_level(cursor: &mut Cursor<'_>) -> Result<u8> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::SecondLevel);
    // Checked before it is narrowed, so that the message shows the number as written.
    if let Kind::Number(level) = *cursor.peek()
        && let Some(problem) = second_level_problem(level)
    {
        let choices = (1..=Tlsf::MAX_SECOND_LEVEL).map(|level| level.to_string());
        return Err(cursor.error(problem, choices));
    }
    let level = cursor.number("a number of levels")?;
    Ok(u8::try_from(level).unwrap_or(u8::MAX))
}
