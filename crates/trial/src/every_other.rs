//! The worst case for a list that Donahue et al. made up (2001, section 3.1).
//!
//! ```text
//!   │used│free│used│free│ … │used│free│ wilderness │      then one larger request
//! ```
//!
//! Objects of one size fill the heap, every other one is freed, and a larger one
//! is asked for: a list is searched to its end, a buddy system looks elsewhere.

#![allow(unsafe_code)]

use crate::region::Counted;

/// Bytes of an object: with its header it fills a block of 16 bytes.
const OBJECT: usize = 12;

/// Accesses of the larger request when `objects` objects came before; none if the region is too small.
pub fn every_other(heap: &mut Counted, objects: usize) -> Option<u64> {
    let blocks: Vec<_> = (0..objects).map(|_| heap.allocate(OBJECT, 1)).collect::<Option<_>>()?;
    for &block in blocks.iter().step_by(2).rev() {
        // SAFETY: the block came from this heap and is freed once.
        unsafe { heap.deallocate(block) };
    }
    let before = heap.meter().accesses;
    heap.allocate(100, 1)?;
    Some(heap.meter().accesses - before)
}
