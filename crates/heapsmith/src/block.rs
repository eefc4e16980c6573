//! The block format: all arithmetic of headers, tags and sizes.
//!
//! A block is named by the index of its payload's first word; its header is the
//! word before.
//!
//! ```text
//!            used                                free
//!   at-1  ┌──────────────────────┐     ┌──────────────────────┐
//!         │ words │ P │ 1        │     │ words │ P │ 0        │  header
//!   at    ├──────────────────────┤     ├──────────────────────┤
//!         │ payload              │     │ next free            │  links, as many
//!   at+1  │                      │     │ previous free        │  as the index needs
//!         │                      │     ├──────────────────────┤
//!         │                      │     │ (whatever was there) │
//!         │                      │     ├──────────────────────┤
//!   end-2 │                      │     │ words                │  boundary tag, tags=on
//!   end-1 └──────────────────────┘     └──────────────────────┘  = header of the next block
//! ```
//!
//! `words` is the block's size in words, header included. `P` says that the
//! block before is used; it is kept true with boundary tags only. A used block
//! has no tag at its end, so tags cost nothing while a block is used (Knuth
//! 1968, §2.5, boundary tags; Standish 1980).
//!
//! With `check=header` a cached block of free lists has the highest bit of its header set: for the pool it is used, for
//! the program it is not.
//!
//! The wilderness begins with a header of size 0, marked used: it ends every
//! walk over the blocks and carries `P` for the last block.

use crate::word::Word;

/// Status bit of a header: the block is used.
pub const USED: usize = 1;
/// Status bit of a header: the block before is used.
pub const PREVIOUS_USED: usize = 2;
/// Bits of a header below the words.
pub const FLAGS: usize = 2;

/// The status bit that a used block has while it is cached on a free list, in heaps that check what they are given: the
/// highest of a word of `bits` bits, which no size reaches there ([`max_words`]). 0 in other heaps, so that it folds away.
#[inline(always)]
pub const fn cached(checked: bool, bits: usize) -> usize {
    if checked { 1 << (bits - 1) } else { 0 }
}

/// Words of the largest region whose headers leave the bit [`cached`] free.
pub const fn max_words<W: Word>() -> usize {
    let max = (1 << (W::BITS - 1 - FLAGS)) - 1;
    if max < W::MAX_WORDS { max } else { W::MAX_WORDS }
}

/// A header from its parts.
#[inline(always)]
pub const fn header(words: usize, flags: usize) -> usize {
    (words << FLAGS) | flags
}

/// Words of the block whose header this is.
#[inline(always)]
pub const fn words_of(header: usize) -> usize {
    header >> FLAGS
}

/// Whether the block whose header this is is used.
#[inline(always)]
pub const fn is_used(header: usize) -> bool {
    header & USED != 0
}

/// A block: the index of its payload and its words, header included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Index of the payload's first word.
    pub at: usize,
    /// Words of the block, header included.
    pub words: usize,
}

impl Span {
    /// Index of the payload of the block that follows.
    #[inline(always)]
    pub const fn end(self) -> usize {
        self.at + self.words
    }
}

/// The sizes of blocks of one heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Words that every block is a multiple of.
    pub granule: usize,
    /// Words of the smallest block.
    pub min: usize,
}

impl Format {
    /// The format of a heap with this alignment, links in a free block and boundary tags.
    #[inline(always)]
    pub const fn new<W: Word>(alignment: usize, links: usize, tags: bool) -> Self {
        let granule = alignment / W::BYTES;
        let free = 1 + links + tags as usize;
        let min = if free < 2 { 2 } else { free };
        Format { granule, min: words_ceil(min, granule) }
    }

    /// Whether a block can have `words` words.
    pub const fn has_blocks_of<W: Word>(&self, words: usize) -> bool {
        words >= self.min && words <= W::MAX_WORDS && words & (self.granule - 1) == 0
    }

    /// Words of the block that serves a request of `size` bytes; none if no block can.
    #[inline(always)]
    pub const fn words_for<W: Word>(&self, size: usize) -> Option<usize> {
        // Of 0 bytes it comes out too large, too, so one comparison refuses both.
        let words = size.wrapping_sub(1) / W::BYTES + 2;
        if words > W::MAX_WORDS - self.granule {
            return None;
        }
        let words = words_ceil(words, self.granule);
        Some(if words < self.min { self.min } else { words })
    }
}

/// `words` rounded up to a multiple of `granule`, a power of two.
#[inline(always)]
pub const fn words_ceil(words: usize, granule: usize) -> usize {
    (words + granule - 1) & !(granule - 1)
}

/// Bytes of the payload of a block of `words` words.
#[inline(always)]
pub const fn payload_bytes<W: Word>(words: usize) -> usize {
    (words - 1) * W::BYTES
}
