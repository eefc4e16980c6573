//! A number for every place where a block can begin.
//!
//! A table is mapped in pieces, each for the blocks of 4 MiB, and has memory where a number was set: 4 bytes for each block,
//! and a quarter of the heap in address space.

use core::ptr::{NonNull, null_mut};
use core::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use crate::pages::{self, Space};

/// Bytes of address space that one piece of a table is for.
const PIECE: usize = 4 << 20;

/// The entries of a piece.
const ENTRIES: usize = PIECE / 16;

type Piece = [AtomicU32; ENTRIES];

/// A number for every place where a block can begin: in pieces, mapped when the first block of one is noted.
#[derive(Debug)]
pub struct Table {
    base: usize,
    pieces: &'static [AtomicPtr<Piece>],
}

impl Table {
    /// A table of zeros for the blocks in `space`; none without memory for it.
    pub fn new(space: Space) -> Option<Table> {
        let count = space.length.div_ceil(PIECE);
        let room = (count * size_of::<AtomicPtr<Piece>>()).next_multiple_of(pages::SIZE);
        let pieces = pages::map(room)?.cast::<AtomicPtr<Piece>>();
        // SAFETY: pages of zeros, which are null pointers, and belong to the table for ever.
        let pieces = unsafe { core::slice::from_raw_parts(pieces, count) };
        Some(Table { base: space.base, pieces })
    }

    /// The pointer to the piece of a block, and the number of its entry in it.
    fn place(&self, block: NonNull<u8>) -> Option<(&AtomicPtr<Piece>, usize)> {
        let offset = block.as_ptr().addr().wrapping_sub(self.base);
        Some((self.pieces.get(offset / PIECE)?, offset % PIECE / 16))
    }

    /// The number of a block; 0 of a place outside, or where none was set.
    pub fn get(&self, block: NonNull<u8>) -> u32 {
        let Some((piece, number)) = self.place(block) else { return 0 };
        // SAFETY: null, or a piece, which is never released.
        let piece = unsafe { piece.load(Ordering::Acquire).as_ref() };
        piece.and_then(|piece| piece.get(number)).map_or(0, |entry| entry.load(Ordering::Relaxed))
    }

    /// Sets the number of a block, if it lies in the space.
    pub fn set(&self, block: NonNull<u8>, number: u32) {
        let Some((place, entry)) = self.place(block) else { return };
        // SAFETY: as in `get`.
        let piece = unsafe { place.load(Ordering::Acquire).as_ref() }.or_else(|| map_piece(place));
        if let Some(entry) = piece.and_then(|piece| piece.get(entry)) {
            entry.store(number, Ordering::Relaxed);
        }
    }
}

/// Maps a piece; none if there is no memory, and what it would hold is then not known.
#[cold]
fn map_piece(place: &AtomicPtr<Piece>) -> Option<&'static Piece> {
    let fresh = pages::map(size_of::<Piece>())?;
    let piece = match place.compare_exchange(null_mut(), fresh.cast(), Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => fresh.cast::<Piece>(),
        Err(other) => {
            // SAFETY: mapped above, and seen by nobody.
            unsafe { pages::unmap(fresh, size_of::<Piece>()) };
            other
        }
    };
    // SAFETY: pages of zeros, which are entries, and belong to the table for ever.
    unsafe { piece.as_ref() }
}
