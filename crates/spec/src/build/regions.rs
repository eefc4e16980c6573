//! Several regions from a spec.
//!
//! ```text
//!   source ──▶ a window for each region, one behind the other ──▶ a heap in each ──▶ Regions
//!              │ sram 16K │ psram 128K         │ not used │
//! ```
//!
//! On a board each region is memory of its own; where heaps are measured, all are in one source, so the loop that replays
//! traces and the tests of heaps take them as any other. Each begins at a multiple of its alignment, as on a board.

use heapsmith::{Fixed, Heap, Meter, Region, RegionError, Regions, Source};

use super::{BuildError, HeapRef, Storage, bytes};
use crate::Spec;

/// Makes the heap of `spec` over the region that `source` supplies by `make`, which makes it in one: `spec` itself, or for each
/// of its regions, in a part of the source, what follows them.
///
/// # Errors
///
/// The source does not hold the regions, or one of them does not suit the heap.
pub fn in_regions<'a, M: Meter + 'a>(
    spec: &Spec,
    source: &'a mut (dyn Source + 'a),
    storage: &'a Storage,
    make: impl Fn(&Spec, &'a mut (dyn Source + 'a)) -> Result<HeapRef<'a, M>, BuildError>,
) -> Result<HeapRef<'a, M>, BuildError> {
    let Some(layer) = spec.regions() else { return make(spec, source) };
    let (inner, needed) = (spec.in_one_region(), bytes(layer.size()));
    let mut left = Fixed::borrowed(source, needed);
    if left.length() < needed {
        return Err(RegionError::TooSmall { needed, given: left.length() }.into());
    }
    let mut regions: Vec<Region<HeapRef<'a, M>>> = Vec::with_capacity(layer.regions.len());
    for region in &layer.regions {
        let (window, behind) = left.split_at(bytes(region.size));
        left = behind;
        let heap = make(&inner, storage.alloc(window))?;
        regions.push(Region::new(heap, region.up_to.map_or(usize::MAX, bytes)));
    }
    let heap: Regions<HeapRef<'a, M>, _> = Regions::new(storage.alloc_slice_fill_iter(regions))?;
    let heap: &mut (dyn Heap<Meter = M> + 'a) = storage.alloc(heap);
    Ok(heap)
}
