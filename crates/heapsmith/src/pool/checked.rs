//! `check=header`: what the pool looks at before it trusts a pointer, a header or a link.
//!
//! | before | it must hold that |
//! |---|---|
//! | a block is freed or resized | the pointer lies between the first block and the wilderness, at a multiple of the alignment; the header before it says used and not cached, with a size that ends at the wilderness or below; the header behind the block says that the block before is used (boundary tags), or has a size that fits (none) |
//! | a free block is taken for a request | its first link names a block that names it |
//!
//! All of it takes constant time and no byte. A header that is swallowed by the free block before is set to 0, so that
//! it is no header of a used block any more.

use core::ptr::NonNull;

use crate::block::{PREVIOUS_USED, Span, USED, cached, header, is_used, words_of};
use crate::heap_error::{HeapError, HeapErrorKind};
use crate::index::{Found, Index, control};
use crate::memory::Words;
use crate::meter::Meter;
use crate::policy::Policy;
use crate::pool::BlockPool;
use crate::source::Source;
use crate::word::Word;

impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool> BlockPool<W, I, L, S, M, TAGS> {
    /// The status bit of a cached block; 0 without checks.
    pub(super) const CACHED: usize = cached(L::CHECKED, W::BITS);

    /// Words of a block that may be cached.
    #[inline(always)]
    pub(super) fn size_of(&self, header: usize) -> usize {
        words_of(if L::CHECKED { header & !self.mark } else { header })
    }

    /// The used block at `pointer` and its header; none if there is no such block, which is a heap error.
    #[inline(always)]
    pub(super) fn used_block(&mut self, pointer: NonNull<u8>) -> Option<(usize, usize)> {
        if !L::CHECKED {
            let at = self.memory.index(pointer);
            return Some((at, self.memory.load(at - 1)));
        }
        // The wilderness, the header and the one behind it are looked at.
        (0..3).for_each(|_| self.memory.meter.read());
        let used = self.find_used(pointer);
        if used.is_none() {
            self.refuse(pointer);
        }
        used
    }

    /// Bytes from the base of the region to `pointer`; below it they wrap around.
    #[inline(always)]
    fn offset(&self, pointer: NonNull<u8>) -> usize {
        pointer.as_ptr().addr().wrapping_sub(self.memory.base_address())
    }

    /// The index of the payload that begins at `pointer`, were there one, and that of the wilderness; none if no block
    /// can begin there.
    #[inline(always)]
    fn place(&self, pointer: NonNull<u8>) -> Option<(usize, usize)> {
        let (offset, top) = (self.offset(pointer), self.memory.peek(control::TOP));
        let at = offset / W::BYTES;
        let is_inside = at.wrapping_sub(self.first) < top - self.first;
        (is_inside && pointer.as_ptr().addr() & (self.policy.alignment() - 1) == 0).then_some((at, top))
    }

    /// The used block at `pointer` and its header, if there is one.
    #[inline(always)]
    pub(super) fn find_used(&self, pointer: NonNull<u8>) -> Option<(usize, usize)> {
        let (at, top) = self.place(pointer)?;
        let head = self.memory.peek(at - 1);
        if Self::steps_beyond(&self.policy, head) >= (top - at) / Self::format(&self.policy).granule {
            return None;
        }
        let words = words_of(head);
        let next = self.memory.peek(at + words - 1);
        let follows = if TAGS { next & PREVIOUS_USED != 0 } else { self.size_of(next) <= top - at - words };
        follows.then_some((at, head))
    }

    /// The words of a used block beyond the least that a block has, in granules; more than any region has for any other
    /// header: where the bit for used is missing, it is borrowed, and what is left over is rotated to the top.
    #[inline(always)]
    fn steps_beyond(policy: &L, head: usize) -> usize {
        let granule = Self::format(policy).granule;
        let beyond = (head | PREVIOUS_USED).wrapping_sub(header(granule, USED | PREVIOUS_USED));
        beyond.rotate_right(header(granule, 0).trailing_zeros())
    }

    /// Remembers what is wrong with a pointer that names no used block.
    #[cold]
    fn refuse(&mut self, pointer: NonNull<u8>) {
        let kind = match self.place(pointer) {
            None => HeapErrorKind::Foreign,
            Some((at, top)) => {
                let head = self.memory.peek(at - 1);
                let is_cached = head & self.mark != 0 && self.size_of(head) <= top - at;
                if is_cached || !is_used(head) { HeapErrorKind::DoubleFree } else { HeapErrorKind::HeaderDamaged }
            }
        };
        self.heap_errors.note(HeapError::of(kind, self.offset(pointer)));
    }

    /// Remembers that the block `at` is damaged.
    #[cold]
    pub(super) fn damaged(&mut self, at: usize) {
        self.heap_errors.note(HeapError::of(HeapErrorKind::HeaderDamaged, at.wrapping_mul(W::BYTES)));
    }

    /// A free block of `need` words, as the index finds it; none if its link is damaged, which is a heap error.
    #[inline(always)]
    pub(super) fn find(&mut self, need: usize) -> Option<Found> {
        let found = self.index.find(&mut self.memory, &self.policy, need)?;
        self.sound(found)
    }

    /// The free block that was found, if its link is sound.
    #[inline(always)]
    pub(super) fn sound(&mut self, found: Found) -> Option<Found> {
        let block = Span { at: found.at, words: words_of(found.header) };
        if L::CHECKED && !self.index.holds(&mut self.memory, block) {
            self.damaged(found.at);
            return None;
        }
        Some(found)
    }
}
