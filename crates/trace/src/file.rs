//! Trace files: Parquet, so that pandas, polars and DuckDB read them as they are.
//!
//! One row an event, in the order in which they happened. Compression is Snappy, row
//! groups hold 131,072 events.
//!
//! | column | type | for | meaning |
//! |---|---|---|---|
//! | `time` | unsigned 64 | every event | nanoseconds since the trace began |
//! | `thread` | unsigned 32 | every event | number of the thread |
//! | `action` | string | every event | `allocate`, `free`, `reallocate` or `mark` |
//! | `id` | unsigned 64 or null | all but marks | the block |
//! | `size` | unsigned 64 or null | allocate, reallocate | requested bytes |
//! | `alignment` | unsigned 64 or null | allocate | bytes, 0 for the heap's own |
//! | `label` | unsigned 32 or null | marks | n of `heapsmith.label.n` |
//! | `site` | unsigned 32 or null | where known | n of `heapsmith.site.n` |
//!
//! The file's key-value metadata holds `heapsmith.schema` (the version of this table),
//! `heapsmith.version`, `heapsmith.program`, `heapsmith.source`, `heapsmith.setting.n`
//! (`key=value`), `heapsmith.label.n`, `heapsmith.site.n`, `heapsmith.module.n` (name, build id
//! and path of a file that sites are in, apart by tabs; files without it are as good), `heapsmith.events` (how many)
//! and `heapsmith.digest` (of all events, since a Parquet page carries no checksum here).
//!
//! Reading holds 32,768 rows and a page of each column. What pages may claim is limited in `pages`;
//! more than 32,768 rows in a row group, and any number of row groups, are as good.
//!
//! Source: the Apache Parquet format, through the `parquet` crate without Arrow.

mod digest;
mod guarded;
mod metadata;
mod pages;
mod read;
mod rows;
mod schema;
mod write;

pub use guarded::silence_damaged_files;
pub(crate) use read::{read, send};
pub use schema::{NEWEST_SCHEMA, OLDEST_SCHEMA};
pub use write::TraceWriter;
pub(crate) use write::write;

#[cfg(test)]
mod tests;
