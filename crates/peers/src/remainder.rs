//! What is left of a region, for allocators that ask for memory piece by piece as they would ask a system.
//!
//! ```text
//!   base         taken                    limit
//!   ├─ handed out ─┼────── the rest ────────┤
//! ```
//!
//! Pieces are whole steps and follow one another, so an allocator can join them.

use core::marker::PhantomData;
use core::ptr::NonNull;

use heapsmith::{Fixed, Source};

/// A piece is a multiple of this: what dlmalloc asks of a system by default.
const STEP: usize = 64 << 10;

/// What is left of a region.
#[derive(Debug)]
pub(crate) struct Remainder<'a> {
    next: NonNull<u8>,
    left: usize,
    region: PhantomData<Fixed<'a>>,
}

// SAFETY: P2: the region is borrowed exclusively, whichever thread uses it.
unsafe impl Send for Remainder<'_> {}

impl<'a> Remainder<'a> {
    /// All of a region.
    pub fn new(region: &Fixed<'a>) -> Remainder<'a> {
        Remainder { next: region.base(), left: region.length(), region: PhantomData }
    }

    /// The next piece, of at least `size` bytes.
    pub fn take(&mut self, size: usize) -> Option<NonNull<[u8]>> {
        let size = size.checked_next_multiple_of(STEP).filter(|&size| size <= self.left)?;
        let piece = NonNull::slice_from_raw_parts(self.next, size);
        // SAFETY: `left` bytes lie behind `next`, and `size` is no more.
        self.next = unsafe { self.next.add(size) };
        self.left -= size;
        Some(piece)
    }
}

#[cfg(test)]
mod tests {
    use core::mem::MaybeUninit;

    use super::*;

    #[test]
    fn pieces_follow_one_another_until_the_region_ends() {
        let mut memory = vec![MaybeUninit::<u64>::uninit(); 3 * STEP / 8 + 10];
        let mut remainder = Remainder::new(&Fixed::new(&mut memory));
        let first = remainder.take(1).expect("a step");
        assert_eq!(first.len(), STEP);
        let second = remainder.take(STEP + 1).expect("two steps");
        assert_eq!(second.len(), 2 * STEP);
        assert_eq!(first.cast::<u8>().as_ptr().addr() + STEP, second.cast::<u8>().as_ptr().addr());
        assert_eq!(remainder.take(1), None);
        assert_eq!(remainder.take(usize::MAX), None);
    }
}
