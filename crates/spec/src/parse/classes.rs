//! `classes(16..=4096 double, then step 4096)`

use super::cursor::{Cursor, Result};
use super::sizes;
use crate::ast::Classes;
use crate::validate::Place;

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Classes> {
    let opened = cursor.open("classes")?;
    let place = |item, part| Place::Classes { item, part };
    let (sizes, more) = sizes::items(cursor, opened, place)?;
    let mut classes = Classes::new(sizes);
    if more {
        cursor.word("then")?;
        classes.beyond = Some(sizes::step(cursor, |_| Place::Beyond)?);
        cursor.close(opened)?;
    }
    Ok(classes)
}
