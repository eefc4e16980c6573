//! The columns of a trace file and the versions of that table.

use std::sync::Arc;

use parquet::basic::Type;
use parquet::errors::ParquetError;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::SchemaDescriptor;

/// The oldest schema version that this heapsmith reads.
pub const OLDEST_SCHEMA: u32 = 1;
/// The newest schema version that this heapsmith reads, and the one that it writes.
pub const NEWEST_SCHEMA: u32 = 1;

/// The columns in the order in which they are written. Readers go by name.
const MESSAGE: &str = "
message heapsmith_trace {
  required int64 time (INTEGER(64,false));
  required int32 thread (INTEGER(32,false));
  required binary action (STRING);
  optional int64 id (INTEGER(64,false));
  optional int64 size (INTEGER(64,false));
  optional int64 alignment (INTEGER(64,false));
  optional int32 label (INTEGER(32,false));
  optional int32 site (INTEGER(32,false));
}";

/// The schema as Parquet wants it.
pub(super) fn message() -> Result<Arc<parquet::schema::types::Type>, ParquetError> {
    parse_message_type(MESSAGE).map(Arc::new)
}

/// The number of a column in a file, if it has the physical type that heapsmith writes.
pub(super) fn position(schema: &SchemaDescriptor, name: &str, physical: Type) -> Result<usize, String> {
    let found = (0..schema.num_columns()).find(|&index| schema.column(index).name() == name);
    let index = found.ok_or_else(|| format!("column {name} is missing"))?;
    let column = schema.column(index);
    if column.physical_type() != physical {
        let found = column.physical_type();
        return Err(format!("column {name} has type {found}, not {physical}"));
    }
    if column.max_rep_level() != 0 || column.max_def_level() > 1 {
        return Err(format!("column {name} is nested"));
    }
    Ok(index)
}
