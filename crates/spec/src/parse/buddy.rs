//! `buddy(estranged, defragment=on-demand)`

use super::cursor::{Cursor, Result};
use super::keys::{Key, Keys, equals};
use crate::ast::Buddy;

const KEYS: &[Key<Buddy>] = &[Key {
    word: "defragment",
    forms: &["defragment="],
    read: |cursor, buddy| equals(cursor, "defragment").map(|when| buddy.defragment = when),
}];

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Buddy> {
    let opened = cursor.open("buddy")?;
    let mut buddy = Buddy::new(cursor.keyword("buddy")?);
    Keys::new("buddy", KEYS).remainder(cursor, opened, &mut buddy)?;
    Ok(buddy)
}
