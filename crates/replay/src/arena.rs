//! An arena over memory that heaps are replayed in. Its blocks have no headers, so it is no heap that a trace could be
//! replayed on: nothing is freed alone.

use heapsmith::{Arena, Counting, Fixed};
use heapsmith_spec::build::BuildError;
use heapsmith_trace::Bytes;

use crate::error::ReplayError;
use crate::region::Region;

/// An arena of 32-bit words in all of `region`, with payloads at multiples of `alignment` bytes.
///
/// # Errors
///
/// The alignment is no power of two from a word to a page.
pub fn arena(region: &mut Region, alignment: usize) -> Result<Arena<u32, Fixed<'_>, Counting>, ReplayError> {
    let arena = Arena::from_parts(region.source(Bytes(u64::MAX)), alignment, Counting::default());
    Ok(arena.map_err(BuildError::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arena_has_the_region_and_the_alignment_that_it_is_given() {
        let mut region = Region::new(Bytes(1 << 16)).expect("memory");
        let mut arena = arena(&mut region, 64).expect("an arena");
        let blocks: Vec<usize> = std::iter::from_fn(|| arena.allocate(100, 0)).map(|at| at.as_ptr().addr()).collect();
        assert!(blocks.len() >= (1 << 16) / 128 && blocks.iter().all(|at| at.is_multiple_of(64)));
        assert!(super::arena(&mut region, 3).is_err());
    }
}
