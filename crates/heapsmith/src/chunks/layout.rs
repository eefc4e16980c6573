//! Where the sizes of a chunk and of the one before it are, and the links of a free one: all arithmetic of headers.
//!
//! ```text
//!   Tags      │ words │ P │ u │ payload … words │      a word; the size before is at the end of a free chunk
//!   Packed    │ left : units : u │ payload …           a word for both sizes, and one for both links
//!   Words(n)  │ … │ left │ words │ u │ payload …       two words, and as many more as n says
//! ```
//!
//! `left` is the size of the chunk before, `u` says that this one is used, `P` that the one before is. A size of 0 ends the chunks.

use crate::block::{PREVIOUS_USED, USED, header, is_used, words_ceil, words_of};
use crate::memory::Words;
use crate::word::Word;

use super::ChunkValues;

/// What is before the payload of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChunkHeader {
    /// A word, and a boundary tag at the end of a free chunk.
    Tags,
    /// A word of four bytes that holds both sizes in units, 15 bits each; a free chunk's links share a word, too.
    Packed,
    /// This many words, two at least: the size of the chunk before, and its own.
    Words(usize),
}

/// Bits of a size in a packed header.
const SIZE_BITS: usize = 15;
/// Where the size of the chunk before begins in a packed header.
const LEFT: usize = 2 + SIZE_BITS;
/// Bits of a packed link.
const LINK_BITS: usize = 16;
/// A packed link, or the largest index that it names.
const LINK: usize = (1 << LINK_BITS) - 1;

/// The layout of all chunks of a heap, in words.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    header: ChunkHeader,
    /// Words before a payload.
    pub head: usize,
    /// What all sizes are a multiple of.
    pub unit: usize,
    /// The smallest chunk that a request gets, and that holds links when it is free.
    pub min: usize,
    /// The smallest remainder that is split off.
    pub remainder: usize,
    /// Whether the chunk of a request has a power of two of units.
    powers: bool,
    /// The smallest chunk of a request.
    min_request: usize,
}

/// A chunk: the index of its payload, and its words with its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Index of the payload's first word.
    pub at: usize,
    /// Words of the chunk.
    pub words: usize,
}

impl Chunk {
    /// The payload of the chunk behind.
    pub fn end(self) -> usize {
        self.at + self.words
    }
}

impl Layout {
    /// The layout of chunks with these levels.
    pub fn new<W: Word>(values: &ChunkValues) -> Layout {
        let head = match values.header {
            ChunkHeader::Tags | ChunkHeader::Packed => 1,
            ChunkHeader::Words(words) => words.max(2),
        };
        let free = match values.header {
            ChunkHeader::Tags => head + 3,
            ChunkHeader::Packed => head + 1,
            ChunkHeader::Words(_) => head + 2,
        };
        let unit = (values.unit / W::BYTES).max(1);
        let min = words_ceil(free, unit);
        // A free chunk holds its header, and with boundary tags its size at its end, too.
        let smallest = if values.header == ChunkHeader::Tags { head + 1 } else { head };
        let remainder = match values.remainder {
            0 => min,
            bytes => words_ceil((bytes / W::BYTES).max(smallest), unit),
        };
        let powers = values.powers;
        let min_request = if powers { (min / unit).next_power_of_two() * unit } else { min };
        Layout { header: values.header, head, unit, min, remainder, powers, min_request }
    }

    /// Words of the chunk for `size` bytes; none if no region can hold it.
    #[inline(always)]
    pub fn words_for<W: Word>(&self, size: usize) -> Option<usize> {
        if size == 0 || size > (W::MAX_WORDS - self.head - self.unit) * W::BYTES {
            return None;
        }
        let units = (size + self.head * W::BYTES).div_ceil(self.unit * W::BYTES);
        let units = if self.powers { units.next_power_of_two() } else { units };
        Some((units * self.unit).max(self.min_request))
    }

    /// Words of the largest region.
    pub fn max_words<W: Word>(&self) -> usize {
        match self.header {
            ChunkHeader::Packed => ((1 << SIZE_BITS) - 1).min(LINK / self.unit) * self.unit,
            ChunkHeader::Tags | ChunkHeader::Words(_) => W::MAX_WORDS,
        }
    }

    /// Words of the chunk with this header, and whether it is used.
    #[inline(always)]
    pub fn parts(&self, head: usize) -> (usize, bool) {
        let words = match self.header {
            ChunkHeader::Packed => (head >> 2 & ((1 << SIZE_BITS) - 1)) * self.unit,
            ChunkHeader::Tags | ChunkHeader::Words(_) => words_of(head),
        };
        (words, is_used(head))
    }

    /// The chunk at `at`, and whether it is used.
    #[inline(always)]
    pub fn read(&self, memory: &mut impl Words, at: usize) -> (Chunk, bool) {
        let (words, used) = self.parts(memory.load(at - 1));
        (Chunk { at, words }, used)
    }

    /// The same, unmetered.
    pub fn peek(&self, memory: &impl Words, at: usize) -> (Chunk, bool) {
        let (words, used) = self.parts(memory.peek(at - 1));
        (Chunk { at, words }, used)
    }

    /// Writes the header of a new chunk, which says nothing of the one before yet.
    #[inline(always)]
    pub fn create(&self, memory: &mut impl Words, chunk: Chunk, used: bool) {
        let size = if self.header == ChunkHeader::Packed { chunk.words / self.unit } else { chunk.words };
        memory.store(chunk.at - 1, header(size, if used { USED } else { 0 }));
    }

    /// Changes size and status of a chunk.
    #[inline(always)]
    pub fn write(&self, memory: &mut impl Words, chunk: Chunk, used: bool) {
        let flags = if used { USED } else { 0 };
        let head = match self.header {
            ChunkHeader::Tags => header(chunk.words, flags | memory.load(chunk.at - 1) & PREVIOUS_USED),
            ChunkHeader::Packed => header(chunk.words / self.unit, flags) | memory.load(chunk.at - 1) >> LEFT << LEFT,
            ChunkHeader::Words(_) => header(chunk.words, flags),
        };
        memory.store(chunk.at - 1, head);
    }

    /// Notes size and status of `chunk` in the one behind it.
    #[inline(always)]
    pub fn tell_right(&self, memory: &mut impl Words, chunk: Chunk, used: bool) {
        let end = chunk.end();
        match self.header {
            ChunkHeader::Tags => {
                if !used {
                    memory.store(end - 2, chunk.words);
                }
                self.tell_status(memory, end, used);
            }
            ChunkHeader::Packed => {
                let head = memory.load(end - 1) & ((1 << LEFT) - 1);
                memory.store(end - 1, head | ((chunk.words / self.unit) << LEFT));
            }
            ChunkHeader::Words(_) => memory.store(end - 2, chunk.words),
        }
    }

    /// Notes in the chunk at `at` whether the one before it is used, where only the one before itself says its size.
    #[inline(always)]
    pub fn tell_status(&self, memory: &mut impl Words, at: usize, used: bool) {
        if self.header == ChunkHeader::Tags {
            let head = memory.load(at - 1);
            memory.store(at - 1, if used { head | PREVIOUS_USED } else { head & !PREVIOUS_USED });
        }
    }

    /// The chunk before `at`, if it is free; `at` is not the first.
    #[inline(always)]
    pub fn free_left(&self, memory: &mut impl Words, at: usize) -> Option<Chunk> {
        let words = match self.header {
            ChunkHeader::Tags if memory.load(at - 1) & PREVIOUS_USED != 0 => return None,
            ChunkHeader::Packed => (memory.load(at - 1) >> LEFT) * self.unit,
            ChunkHeader::Tags | ChunkHeader::Words(_) => memory.load(at - 2),
        };
        let left = Chunk { at: at - words, words };
        match self.header {
            ChunkHeader::Tags => Some(left),
            _ => (!is_used(memory.load(left.at - 1))).then_some(left),
        }
    }

    /// The free chunk before `at`, unmetered.
    pub fn peek_free_left(&self, memory: &impl Words, at: usize) -> Option<usize> {
        let words = match self.header {
            ChunkHeader::Tags if memory.peek(at - 1) & PREVIOUS_USED != 0 => return None,
            ChunkHeader::Packed => (memory.peek(at - 1) >> LEFT) * self.unit,
            ChunkHeader::Tags | ChunkHeader::Words(_) => memory.peek(at - 2),
        };
        (!is_used(memory.peek(at - words - 1))).then_some(at - words)
    }

    /// Whether what the chunk at `at` says of the one before it, `left`, is right.
    pub fn knows_left(&self, memory: &impl Words, at: usize, left: Chunk, used: bool) -> bool {
        let head = memory.peek(at - 1);
        match self.header {
            ChunkHeader::Tags => (head & PREVIOUS_USED != 0) == used && (used || memory.peek(at - 2) == left.words),
            ChunkHeader::Packed => (head >> LEFT) * self.unit == left.words,
            ChunkHeader::Words(_) => memory.peek(at - 2) == left.words,
        }
    }

    /// The next free chunk of the list of `chunk`, or 0.
    #[inline(always)]
    pub fn next(&self, memory: &mut impl Words, chunk: usize) -> usize {
        let link = memory.load(chunk);
        if self.header == ChunkHeader::Packed { link >> LINK_BITS } else { link }
    }

    /// The free chunk before `chunk` in its list, or 0.
    #[inline(always)]
    pub fn previous(&self, memory: &mut impl Words, chunk: usize) -> usize {
        match self.header {
            ChunkHeader::Packed => memory.load(chunk) & LINK,
            _ => memory.load(chunk + 1),
        }
    }

    /// Both links of a free chunk, unmetered: the next and the previous.
    pub fn peek_links(&self, memory: &impl Words, chunk: usize) -> (usize, usize) {
        match self.header {
            ChunkHeader::Packed => (memory.peek(chunk) >> LINK_BITS, memory.peek(chunk) & LINK),
            _ => (memory.peek(chunk), memory.peek(chunk + 1)),
        }
    }

    /// Links a free chunk to the next and to the previous.
    #[inline(always)]
    pub fn set_links(&self, memory: &mut impl Words, chunk: usize, next: usize, previous: usize) {
        if self.header == ChunkHeader::Packed {
            memory.store(chunk, next << LINK_BITS | previous);
        } else {
            memory.store(chunk, next);
            memory.store(chunk + 1, previous);
        }
    }

    /// Links a free chunk to the next.
    #[inline(always)]
    pub fn set_next(&self, memory: &mut impl Words, chunk: usize, next: usize) {
        let link = match self.header {
            ChunkHeader::Packed => next << LINK_BITS | memory.load(chunk) & LINK,
            _ => next,
        };
        memory.store(chunk, link);
    }

    /// Links a free chunk to the previous.
    #[inline(always)]
    pub fn set_previous(&self, memory: &mut impl Words, chunk: usize, previous: usize) {
        match self.header {
            ChunkHeader::Packed => {
                let link = memory.load(chunk) >> LINK_BITS << LINK_BITS | previous;
                memory.store(chunk, link);
            }
            _ => memory.store(chunk + 1, previous),
        }
    }
}
