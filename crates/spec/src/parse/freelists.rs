//! `freelists(66,1514, order=fifo, flush=bounded(8), magazine=64)`

use super::cursor::{Cursor, Result};
use super::keys::{Key, Keys, equals};
use super::sizes;
use crate::ast::{Flush, FreeLists};
use crate::lexer::Kind;
use crate::validate::Place;

const KEYS: &[Key<FreeLists>] = &[
    Key {
        word: "order",
        forms: &["order="],
        read: |cursor, layer| equals(cursor, "order").map(|order| layer.order = order),
    },
    Key { word: "flush", forms: &["flush="], read: |cursor, layer| flush(cursor).map(|flush| layer.flush = flush) },
    Key {
        word: "magazine",
        forms: &["magazine="],
        read: |cursor, layer| magazine(cursor).map(|places| layer.magazine = Some(places)),
    },
];

/// The `=all` or `=bounded(8)` of `flush`.
fn flush(cursor: &mut Cursor<'_>) -> Result<Flush> {
    cursor.sign(&Kind::Equals, "=")?;
    if !cursor.sees_word("bounded") {
        return cursor.keyword("flush");
    }
    cursor.advance();
    let opened = cursor.open("bounded")?;
    cursor.note(Place::Flush);
    let blocks = cursor.number_as("a number of blocks")?;
    cursor.close(opened)?;
    Ok(Flush::Bounded(blocks))
}

/// The `=64` of `magazine`.
fn magazine(cursor: &mut Cursor<'_>) -> Result<u32> {
    cursor.sign(&Kind::Equals, "=")?;
    cursor.note(Place::Magazine);
    cursor.number_as("a number of places")
}

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<FreeLists> {
    let opened = cursor.open("freelists")?;
    let layer = cursor.layer;
    let place = |item, part| Place::FreeLists { layer, item, part };
    let (sizes, more) = sizes::items(cursor, opened, place)?;
    let mut free_lists = FreeLists::new(sizes);
    if more {
        let mut keys = Keys::new("freelists", KEYS);
        keys.read(cursor, &mut free_lists)?;
        keys.remainder(cursor, opened, &mut free_lists)?;
    }
    Ok(free_lists)
}
