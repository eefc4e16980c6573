//! Blocks without headers, one behind the other, freed all at once.
//!
//! ```text
//!   region  ┌─────────┬─────────┬─────────┬─────┬─────────┬─────────────┐
//!           │ control │ payload │ payload │ gap │ payload │ wilderness  │
//!           └─────────┴─────────┴─────────┴─────┴─────────┴─────────────┘
//!             TOP                          ▲ an alignment left it
//!                                                          ▲ TOP
//! ```
//!
//! Nothing in the region says where a block begins or how long it is. So an arena is no [`Heap`](crate::Heap): it cannot
//! free or resize by a pointer, say how long a block is, or walk its blocks. [`Linear`](crate::Linear) does, for a word a block.
//!
//! # Invariants
//!
//! - **R1** TOP lies inside the region, not below the first payload, at a multiple of the alignment.
//!
//! # Cost
//!
//! | operation | arena |
//! |---|---|
//! | allocate | 2 accesses |
//! | reset | 1 |
//! | space | alignment alone |
//!
//! Source: Diamantstein, Stroud-Taylor, Trostanovsky, §2.2.1 (an offset that only grows); Hanson 1990 for freeing all blocks
//! together.

use core::ptr::NonNull;

use crate::block::words_ceil;
use crate::index::control;
use crate::memory::{Memory, RegionError, Words, check_alignment};
use crate::meter::{Meter, ServePath};
use crate::source::Source;
use crate::word::Word;

/// A region whose blocks have no headers: they are freed all at once.
///
/// ```
/// use core::mem::MaybeUninit;
/// use heapsmith::{Arena, Fixed, Unmetered};
///
/// let mut memory = [MaybeUninit::<u64>::uninit(); 64];
/// let mut arena = Arena::<u32, _, _>::from_parts(Fixed::new(&mut memory), 8, Unmetered)?;
/// let first = arena.allocate(100, 8).expect("the region has room");
/// assert!(arena.allocate(1000, 8).is_none());
/// arena.reset();
/// assert_eq!(arena.allocate(100, 8), Some(first));
/// # Ok::<(), heapsmith::RegionError>(())
/// ```
#[derive(Debug)]
pub struct Arena<W, S, M> {
    memory: Memory<W, S, M>,
    alignment: usize,
    /// The first payload.
    first: usize,
}

impl<W: Word, S: Source, M: Meter> Arena<W, S, M> {
    /// An empty arena. `alignment` is that of every payload in bytes: a power of two, at least the word.
    ///
    /// # Errors
    ///
    /// The alignment is none of these, or the region is too small for a block, or not aligned to its words.
    pub fn from_parts(source: S, alignment: usize, meter: M) -> Result<Self, RegionError> {
        check_alignment::<W>(alignment)?;
        let mut memory = Memory::new(source, meter)?;
        let (base, granule) = (memory.base_address() / W::BYTES, alignment / W::BYTES);
        let first = words_ceil(base + control::TOP + 1, granule) - base;
        let needed = first + granule;
        if !memory.ensure_len(needed) {
            return Err(RegionError::TooSmall { needed: needed * W::BYTES, given: memory.supplied() });
        }
        let mut arena = Arena { memory, alignment, first };
        arena.reset();
        Ok(arena)
    }

    /// A block of at least `size` bytes at a multiple of `alignment` bytes; 0 and 1 mean the arena's own alignment. It is
    /// valid until [`Arena::reset`], for as long as the region exists. None for 0 bytes, an alignment that is no power of
    /// two, and where the region is full.
    #[inline]
    pub fn allocate(&mut self, size: usize, alignment: usize) -> Option<NonNull<u8>> {
        let largest = W::MAX_WORDS * W::BYTES / 2;
        if size == 0 || size > largest || alignment > 1 && !alignment.is_power_of_two() || alignment > largest {
            return None;
        }
        let base = self.memory.base_address() / W::BYTES;
        let at = words_ceil(base + self.memory.load(control::TOP), (alignment / W::BYTES).max(1)) - base;
        let end = at + words_ceil(size.div_ceil(W::BYTES), self.alignment / W::BYTES);
        if !self.memory.ensure_len(end) {
            return None;
        }
        self.memory.store(control::TOP, end);
        self.memory.meter.served(ServePath::ByGrowing);
        Some(self.memory.pointer(at))
    }

    /// Frees all blocks.
    pub fn reset(&mut self) {
        self.memory.store(control::TOP, self.first);
    }

    /// Bytes of the region up to the wilderness, the arena's own words included.
    pub fn footprint(&self) -> usize {
        self.memory.peek(control::TOP) * W::BYTES
    }

    /// What counted accesses.
    pub fn meter(&self) -> &M {
        &self.memory.meter
    }
}

#[cfg(test)]
mod tests {
    use core::mem::MaybeUninit;

    use super::*;
    use crate::meter::Counting;
    use crate::source::Fixed;

    const SIZES: [usize; 6] = [1, 8, 13, 64, 7, 100];

    #[test]
    fn blocks_are_aligned_follow_one_another_and_take_two_accesses() {
        let mut memory = [MaybeUninit::<u64>::uninit(); 128];
        let mut arena =
            Arena::<u32, _, _>::from_parts(Fixed::new(&mut memory), 8, Counting::default()).expect("an arena");
        let (own, before) = (arena.footprint(), arena.meter().accesses);
        let mut end = None;
        for size in SIZES {
            let at = arena.allocate(size, 0).expect("room").as_ptr().addr();
            assert!(at.is_multiple_of(8) && end.is_none_or(|end| at == end), "{size}");
            end = Some(at + size.next_multiple_of(8));
        }
        assert_eq!(arena.meter().accesses - before, 2 * SIZES.len() as u64);
        assert_eq!(arena.footprint() - own, SIZES.iter().map(|size| size.next_multiple_of(8)).sum::<usize>());
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let mut memory = [MaybeUninit::<u64>::uninit(); 16];
        let mut arena =
            Arena::<u32, _, _>::from_parts(Fixed::new(&mut memory), 8, Counting::default()).expect("an arena");
        let first = arena.allocate(40, 8).expect("room");
        let footprint = arena.footprint();
        for (size, alignment) in [(0, 8), (8, 3), (usize::MAX, 8), (8, usize::MAX / 2 + 1), (100, 8)] {
            assert_eq!(arena.allocate(size, alignment), None, "{size} {alignment}");
        }
        assert_eq!(arena.footprint(), footprint);
        let other = arena.allocate(8, 32).expect("room behind a gap").as_ptr().addr();
        assert!(other.is_multiple_of(32) && other >= first.as_ptr().addr() + 40);
        while arena.allocate(8, 8).is_some() {}
        assert_eq!(arena.footprint(), 128, "the region is full");
        arena.reset();
        assert_eq!(arena.allocate(40, 8), Some(first));
    }

    #[test]
    fn a_region_without_room_for_a_block_is_refused() {
        let mut memory = [MaybeUninit::<u64>::uninit(); 1];
        let arena = Arena::<u32, _, _>::from_parts(Fixed::new(&mut memory), 8, Counting::default());
        assert!(matches!(arena, Err(RegionError::TooSmall { given: 8, .. })));
    }
}
