//! Bytes that a heap takes before its first block.

use heapsmith_replay::{Region, drive};
use heapsmith_spec::Spec;
use heapsmith_trace::Bytes;

/// The footprint of an empty heap: control words, the alignment of the first block, and the blocks that layers keep
/// for themselves. It is measured, not computed again: a heap is made over a region that is never touched further.
pub(super) fn empty_footprint(spec: &Spec) -> Result<u64, String> {
    // The lists of 1024 sizes with words of 8 bytes, tails, maps and all, are below 64 KiB.
    let mut region = Region::new(Bytes(1 << 20)).map_err(|error| error.to_string())?;
    drive(spec, &mut region, 0, |heap| heap.footprint().0).map_err(|error| error.to_string())
}
