//! `spans(16..=1024 step 16, span=64K, free=bitmap, next=fullest, empty=keep(1), metadata=outside)`

use super::cursor::{Cursor, Result};
use super::keys::{Key, Keys, equals};
use super::sizes;
use crate::ast::{EmptySpans, Spans};
use crate::lexer::Kind;
use crate::validate::Place;

const KEYS: &[Key<Spans>] = &[
    Key { word: "span", forms: &["span="], read: |cursor, layer| span(cursor).map(|span| layer.span = span) },
    Key { word: "free", forms: &["free="], read: |cursor, layer| equals(cursor, "free").map(|free| layer.free = free) },
    Key { word: "next", forms: &["next="], read: |cursor, layer| equals(cursor, "next").map(|next| layer.next = next) },
    Key { word: "empty", forms: &["empty="], read: |cursor, layer| empty(cursor).map(|empty| layer.empty = empty) },
    Key {
        word: "metadata",
        forms: &["metadata="],
        read: |cursor, layer| {
            cursor.note(Place::SpanMetadata);
            equals(cursor, "metadata").map(|metadata| layer.metadata = metadata)
        },
    },
];

fn span(cursor: &mut Cursor<'_>) -> Result<u64> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::SpanSize);
    cursor.number("a number of bytes")
}

/// The `=return` or `=keep(2)` of `empty`.
fn empty(cursor: &mut Cursor<'_>) -> Result<EmptySpans> {
    cursor.sign(&Kind::Equals, "=")?;
    if !cursor.sees_word("keep") {
        return cursor.keyword("empty");
    }
    cursor.advance();
    let opened = cursor.open("keep")?;
    cursor.note(Place::SpansKept);
    let spans = cursor.number_as("a number of spans")?;
    cursor.close(opened)?;
    Ok(EmptySpans::Keep(spans))
}

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Spans> {
    let opened = cursor.open("spans")?;
    let layer = cursor.layer;
    let place = |item, part| Place::Spans { layer, item, part };
    let (sizes, more) = sizes::items(cursor, opened, place)?;
    let mut spans = Spans::new(sizes);
    if more {
        let mut keys = Keys::new("spans", KEYS);
        keys.read(cursor, &mut spans)?;
        keys.remainder(cursor, opened, &mut spans)?;
    }
    Ok(spans)
}
