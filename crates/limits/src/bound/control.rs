//! Bytes that a heap takes before its first block.

use heapsmith_replay::{Region, drive};
use heapsmith_spec::{Largest, Pool, Spec};
use heapsmith_trace::Bytes;

/// The footprint of an empty heap: control words, the alignment of the first block, and the blocks that layers keep
/// for themselves. It is measured, not computed again: a heap is made over a region that is never touched further. Where
/// its control words grow with the region, that has `bytes`.
pub(super) fn empty_footprint(spec: &Spec, bytes: Option<u64>) -> Result<u64, String> {
    let Some(bytes) = bytes.filter(|_| spec.pool.grows_with_region()) else { return empty_in_some(spec) };
    match Region::exactly(Bytes(bytes)) {
        Ok(mut region) if region.size().0 == bytes => empty_in(spec, &mut region),
        // Above the address space: the control words for any region are as many or more.
        _ => {
            let mut spec = spec.clone();
            if let Pool::Tlsf(tlsf) = &mut spec.pool {
                tlsf.largest = Largest::Word;
            }
            empty_in_some(&spec)
        }
    }
}

/// The same in a region with room for the control words of any heap.
fn empty_in_some(spec: &Spec) -> Result<u64, String> {
    // The lists of 1024 sizes with words of 8 bytes, tails, maps and all, are below 64 KiB.
    let mut region = Region::new(Bytes(1 << 20)).map_err(|error| error.to_string())?;
    empty_in(spec, &mut region)
}

fn empty_in(spec: &Spec, region: &mut Region) -> Result<u64, String> {
    drive(spec, region, 0, |heap| heap.footprint().0).map_err(|error| error.to_string())
}
