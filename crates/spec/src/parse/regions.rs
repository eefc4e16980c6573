//! `regions(sram(16K, up-to=256), psram(128K, cost=8))`

use super::cursor::{Cursor, Result};
use super::keys::{Key, Keys};
use crate::ast::{NamedRegion, Regions};
use crate::lexer::Kind;
use crate::validate::{OfRegion, Place};

/// A region that is being read, and its number.
struct Read {
    number: usize,
    region: NamedRegion,
}

const KEYS: &[Key<Read>] = &[
    Key {
        word: "cost",
        forms: &["cost="],
        read: |cursor, read| {
            cursor.sign(&Kind::Equals, "=")?;
            cursor.note(Place::Region(read.number, OfRegion::Cost));
            read.region.cost = cursor.number_as("a number of cycles")?;
            Ok(())
        },
    },
    Key {
        word: "up-to",
        forms: &["up-to="],
        read: |cursor, read| {
            cursor.sign(&Kind::Equals, "=")?;
            cursor.note(Place::Region(read.number, OfRegion::UpTo));
            read.region.up_to = Some(cursor.number("a number of bytes")?);
            Ok(())
        },
    },
];

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Regions> {
    let opened = cursor.open("regions")?;
    let mut regions = vec![region(cursor, 0)?];
    while cursor.another(opened)? {
        regions.push(region(cursor, regions.len())?);
    }
    Ok(Regions { regions })
}

/// The next region, with its name and its size.
fn region(cursor: &mut Cursor<'_>, number: usize) -> Result<NamedRegion> {
    cursor.note(Place::Region(number, OfRegion::Name));
    let Kind::Word(name) = *cursor.peek() else {
        return Err(cursor.unexpected("the name of a region", ["sram", "psram"]));
    };
    cursor.advance();
    let opened = cursor.open("a region")?;
    cursor.note(Place::Region(number, OfRegion::Size));
    let size = cursor.number("a number of bytes")?;
    let mut read = Read { number, region: NamedRegion::new(name, size) };
    Keys::new("a region", KEYS).remainder(cursor, opened, &mut read)?;
    Ok(read.region)
}
