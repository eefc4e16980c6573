//! A doubly linked list of free blocks: links in the blocks, head and tail in control words.
//!
//! ```text
//!   block at      ┌───────────────┐
//!   NEXT     +0   │ next, 0: last │
//!   PREVIOUS +1   │ prev, 0: first│
//!                 └───────────────┘
//! ```

use crate::heap::Violation;
use crate::index::broken;
use crate::memory::Words;

const NEXT: usize = 0;
const PREVIOUS: usize = 1;

/// Where the head of a list is kept, and its tail if it has one.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// Control word of the first block.
    pub head: usize,
    /// Control word of the last block.
    pub tail: Option<usize>,
}

impl Chain {
    /// Links in a block.
    pub const LINKS: usize = 2;

    /// Makes the list empty.
    pub fn clear(self, memory: &mut impl Words) {
        memory.store(self.head, 0);
        if let Some(tail) = self.tail {
            memory.store(tail, 0);
        }
    }

    /// The first block, or 0.
    #[inline(always)]
    pub fn first(self, memory: &mut impl Words) -> usize {
        memory.load(self.head)
    }

    /// The block after `block`, or 0.
    #[inline(always)]
    pub fn next(self, memory: &mut impl Words, block: usize) -> usize {
        memory.load(block + NEXT)
    }

    /// Links `block` after `previous`; 0 is the front.
    #[inline(always)]
    pub fn insert_after(self, memory: &mut impl Words, previous: usize, block: usize) {
        let next = if previous == 0 { memory.load(self.head) } else { memory.load(previous + NEXT) };
        memory.store(block + NEXT, next);
        memory.store(block + PREVIOUS, previous);
        self.point_at(memory, previous, next, block, block);
    }

    /// Links `block` at the end. The list has a tail.
    #[inline(always)]
    pub fn push_back(self, memory: &mut impl Words, block: usize) {
        let last = self.tail.map_or(0, |tail| memory.load(tail));
        memory.store(block + NEXT, 0);
        memory.store(block + PREVIOUS, last);
        self.point_at(memory, last, 0, block, block);
    }

    /// Whether the block after the free `block` names it as well. The first link lies in the region.
    #[inline(always)]
    pub fn holds(memory: &mut impl Words, block: usize) -> bool {
        let next = memory.load(block + NEXT);
        next == 0 || next < memory.count() - PREVIOUS && memory.load(next + PREVIOUS) == block
    }

    /// Takes `block` out and returns the block that followed it.
    #[inline(always)]
    pub fn unlink(self, memory: &mut impl Words, block: usize) -> usize {
        let next = memory.load(block + NEXT);
        let previous = memory.load(block + PREVIOUS);
        self.point_at(memory, previous, next, next, previous);
        next
    }

    /// Puts `new` where `old` is. They may overlap.
    #[inline(always)]
    pub fn replace(self, memory: &mut impl Words, old: usize, new: usize) {
        let next = memory.load(old + NEXT);
        let previous = memory.load(old + PREVIOUS);
        memory.store(new + NEXT, next);
        memory.store(new + PREVIOUS, previous);
        self.point_at(memory, previous, next, new, new);
    }

    /// Makes `previous` point forward at `forward`, and `next` back at `back`.
    #[inline(always)]
    fn point_at(self, memory: &mut impl Words, previous: usize, next: usize, forward: usize, back: usize) {
        memory.store(if previous == 0 { self.head } else { previous + NEXT }, forward);
        if next != 0 {
            memory.store(next + PREVIOUS, back);
        } else if let Some(tail) = self.tail {
            memory.store(tail, back);
        }
    }

    /// Verifies the links of at most `max` blocks, each of which `holds` accepts
    /// with its predecessor, and returns how many there are.
    pub fn check<W: Words>(
        self,
        memory: &W,
        max: usize,
        mut holds: impl FnMut(&W, usize, usize) -> Result<(), Violation>,
    ) -> Result<usize, Violation> {
        let (mut previous, mut block, mut count) = (0, memory.peek(self.head), 0);
        while block != 0 {
            if count == max {
                return Err(broken("I5: the free list has more blocks than are free (a cycle?)", block));
            }
            if memory.peek(block + PREVIOUS) != previous {
                return Err(broken("I5: a link back does not name the block before", block));
            }
            holds(memory, previous, block)?;
            (previous, block, count) = (block, memory.peek(block + NEXT), count + 1);
        }
        match self.tail {
            Some(tail) if memory.peek(tail) != previous => {
                Err(broken("I5: the tail does not name the last block", previous))
            }
            _ => Ok(count),
        }
    }
}
