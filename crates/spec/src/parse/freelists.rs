//! `freelists(66,1514, order=fifo)`

use super::cursor::{Cursor, Result};
use super::keys::{Key, Keys, equals};
use super::sizes;
use crate::ast::FreeLists;
use crate::validate::Place;

const KEYS: &[Key<FreeLists>] = &[Key {
    word: "order",
    forms: &["order="],
    read: |cursor, layer| equals(cursor, "order").map(|order| layer.order = order),
}];

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
