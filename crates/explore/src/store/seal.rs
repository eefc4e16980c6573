//! A seal on every row, so that a flipped bit in a file is noticed: no measure tells by itself that it is wrong.
//!
//! The last column of every table is the hash of the row's other values. Rows are written by [`insert`] alone, and
//! [`broken`] reads them all when a store is opened. Cost: 8 bytes a row, and one pass over the file.

use std::hash::Hasher;

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, params_from_iter};
use twox_hash::XxHash64;

/// Inserts a row, or replaces the one with its key.
pub(super) fn insert<T: Into<Value>>(
    db: &Connection,
    table: &str,
    values: impl IntoIterator<Item = T>,
) -> rusqlite::Result<()> {
    let mut row: Vec<Value> = values.into_iter().map(Into::into).collect();
    row.push(Value::Integer(seal(row.iter().map(ValueRef::from))));
    let places = vec!["?"; row.len()].join(", ");
    let mut statement = db.prepare_cached(&format!("INSERT OR REPLACE INTO {table} VALUES ({places})"))?;
    statement.execute(params_from_iter(row)).map(drop)
}

/// Whether a row of a table is not as it was written.
pub(super) fn broken(db: &Connection, table: &str) -> rusqlite::Result<bool> {
    let mut statement = db.prepare(&format!("SELECT * FROM {table}"))?;
    let values = statement.column_count().saturating_sub(1);
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let found = (0..values).map(|column| row.get_ref(column)).collect::<rusqlite::Result<Vec<_>>>()?;
        if row.get_ref(values)? != ValueRef::Integer(seal(found.into_iter())) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn seal<'v>(values: impl Iterator<Item = ValueRef<'v>>) -> i64 {
    let mut hash = XxHash64::with_seed(0);
    for value in values {
        let (kind, bytes) = match &value {
            ValueRef::Null => (0, [0; 8]),
            ValueRef::Integer(value) => (1, value.to_le_bytes()),
            ValueRef::Real(value) => (2, value.to_le_bytes()),
            ValueRef::Text(text) => (3, (text.len() as u64).to_le_bytes()),
            ValueRef::Blob(bytes) => (4, (bytes.len() as u64).to_le_bytes()),
        };
        hash.write_u8(kind);
        hash.write(&bytes);
        if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = value {
            hash.write(bytes);
        }
    }
    hash.finish().cast_signed()
}
