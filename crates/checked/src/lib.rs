//! Heaps that check what they are given, behind a table.
//!
//! They are a crate of their own because every structure exists in it a second time: it is compiled next to `dispatch`, and
//! at a lower level, since no such heap is timed.

use heapsmith::{Counting, Source};
use heapsmith_spec::Spec;
use heapsmith_spec::build::{BuildError, HeapRef, Storage, keep_checked};

/// Makes the heap of `spec`, which has `check=header`, over the region that `source` supplies, and keeps it in `storage`. Not
/// generic, so that every structure is compiled here.
///
/// # Errors
///
/// The region does not suit the heap.
pub fn counted<'a>(
    spec: &Spec,
    source: &'a mut (dyn Source + 'a),
    storage: &'a Storage,
) -> Result<HeapRef<'a, Counting>, BuildError> {
    keep_checked(spec, source, Counting::default(), storage)
}
