//! What a buddy heap begins with, and so where the headers of its blocks are.
//!
//! ```text
//!   Wilderness   │ control │ 2 │ 3    │ 4            │ wilderness …      a header before each payload
//!
//!   OneBlock     │ control │ table  │ │ one free block of 2^n bytes  │   no headers: an entry of the table
//!                            a byte a  ▲ a multiple of 4096, or of        for every place where a block
//!                            place       its own size if that is less     of the smallest order may begin
//! ```
//!
//! The paper's heap is one free block of a power of two, whose origin counts as address 0 (Donahue et al. 2001, §2.2,
//! Figure 3). A block needs a bit that says whether it is used, while the program has it too, and its size while it is
//! free (§2.4); the size of a used block is known to the Java runtime, which knows its class. [`crate::Heap`] is not
//! told the size at a free, so order and bit are kept in a table, a byte for each 16 bytes of the block: 6.25% of the
//! heap. No block has a header, so an object of 16 bytes takes 16, as there. A block of less than 16 bytes is never
//! made: links and size of a free block need them.
//!
//! The one block is the largest power of two that the region holds behind control words and table; what is left of
//! the region is not used. All of it counts as footprint from the start, for the heap manages all of it.

use core::fmt::Debug;

use crate::policy::Checked;
use crate::sealed::Sealed;

/// Payloads are aligned to their block's size up to this many bytes.
pub const GRID: usize = 4096;

/// What a buddy heap begins with.
pub trait Start: Copy + Debug + Sealed + 'static {
    /// Words of a block that are its header.
    const HEADER: usize;
    /// Bytes of the smallest block, if links and alignment need no more.
    const MIN_BYTES: usize;
    /// Whether there is memory above the blocks that was never used.
    const HAS_WILDERNESS: bool;
    /// Whether the heap checks pointers, headers and links before it trusts them: `check=header`.
    const CHECKED: bool = false;

    /// Where blocks may lie in a region.
    fn place(room: &Room) -> Place<Self>;

    /// The byte of the region that has the header of the block `at`; none if the word before the payload has it.
    fn entry(&self, at: usize, first: usize, min: u32) -> Option<usize>;

    /// The end of the blocks, if it never moves.
    fn end(&self) -> Option<usize>;
}

/// The region of a heap to be, in words.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// From a multiple of [`GRID`] to the region's base.
    pub before: usize,
    /// Control words.
    pub control: usize,
    /// Words of a block before its payload.
    pub head: usize,
    /// The smallest order.
    pub min: u32,
    /// The most that the region can have.
    pub limit: usize,
    /// Bytes of a word.
    pub word: usize,
}

/// Where blocks may lie, in words.
#[derive(Clone, Copy, Debug)]
pub struct Place<F> {
    /// What the heap begins with.
    pub start: F,
    /// Payload of the lowest block.
    pub first: usize,
    /// From position 0 to the region's base.
    pub shift: usize,
    /// Payload of the block behind the blocks that there are at the start.
    pub top: usize,
    /// What the region must have.
    pub end: usize,
}

/// Memory that was never used, of which blocks are taken as they are needed. Each block has a header.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wilderness;

impl Sealed for Wilderness {}

impl Start for Wilderness {
    const HEADER: usize = 1;
    const MIN_BYTES: usize = 0;
    const HAS_WILDERNESS: bool = true;

    fn place(room: &Room) -> Place<Self> {
        let shift = room.before;
        let first = (shift + room.control + room.head).next_multiple_of(1 << room.min) - shift;
        Place { start: Wilderness, first, shift, top: first, end: first - room.head + (1 << room.min) }
    }

    #[inline(always)]
    fn entry(&self, _at: usize, _first: usize, _min: u32) -> Option<usize> {
        None
    }

    #[inline(always)]
    fn end(&self) -> Option<usize> {
        None
    }
}

/// One free block of a power of two, and a table in place of headers.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneBlock {
    /// The first byte of the table, from the region's base.
    table: usize,
    /// Payload of the block behind the one.
    end: usize,
}

impl OneBlock {
    /// The place of a block of `order`.
    fn place_of(order: u32, room: &Room) -> Place<Self> {
        let table = (1_usize << (order - room.min)).div_ceil(room.word);
        let aligned = (1 << order).min(GRID / room.word);
        let first = (room.before + room.control + table + room.head).next_multiple_of(aligned) - room.before;
        let top = first + (1 << order);
        let start = OneBlock { table: room.control * room.word, end: top };
        let shift = first.next_multiple_of(2 << order) - first;
        Place { start, first, shift, top, end: top - room.head }
    }
}

impl Sealed for OneBlock {}

impl Start for OneBlock {
    const HEADER: usize = 0;
    const MIN_BYTES: usize = 16;
    const HAS_WILDERNESS: bool = false;

    /// The largest block that there is room for, and if there is room for none the smallest.
    fn place(room: &Room) -> Place<Self> {
        let largest = room.limit.max(1).ilog2();
        let mut places = (room.min..=largest).rev().map(|order| Self::place_of(order, room));
        places.find(|place| place.end <= room.limit).unwrap_or_else(|| Self::place_of(room.min, room))
    }

    #[inline(always)]
    fn entry(&self, at: usize, first: usize, min: u32) -> Option<usize> {
        Some(self.table + ((at - first) >> min))
    }

    #[inline(always)]
    fn end(&self) -> Option<usize> {
        Some(self.end)
    }
}

impl<F: Start> Start for Checked<F> {
    const HEADER: usize = F::HEADER;
    const MIN_BYTES: usize = F::MIN_BYTES;
    const HAS_WILDERNESS: bool = F::HAS_WILDERNESS;
    const CHECKED: bool = true;

    fn place(room: &Room) -> Place<Self> {
        let Place { start, first, shift, top, end } = F::place(room);
        Place { start: Checked(start), first, shift, top, end }
    }

    #[inline(always)]
    fn entry(&self, at: usize, first: usize, min: u32) -> Option<usize> {
        self.0.entry(at, first, min)
    }

    #[inline(always)]
    fn end(&self) -> Option<usize> {
        self.0.end()
    }
}
