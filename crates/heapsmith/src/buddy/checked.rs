//! `check=header`: what a buddy heap looks at before it trusts a pointer, a header or a link.
//!
//! | before | it must hold that |
//! |---|---|
//! | a block is freed or resized | the pointer lies between the first block and the wilderness, at a place where a block may begin; the header says used, with a size that such a place may have; behind the block there is a header that may be one, or the wilderness |
//! | a free block is taken off the front of its list | its first link names a block that names it |
//!
//! All of it takes constant time and no byte. A freed block's header says so before the block is joined to another: a header
//! that is swallowed is never one of a used block. With a table in place of headers there is none behind a block, so what is
//! written over its end shows only in the links of a free block.

use core::ptr::NonNull;

use crate::block::{USED, is_used, words_of};
use crate::buddy::blocks::Blocks;
use crate::buddy::start::Start;
use crate::heap_error::{HeapError, HeapErrorKind};
use crate::index::control;
use crate::memory::Words;
use crate::meter::Meter;
use crate::source::Source;
use crate::word::Word;

/// The bits of a header below its words.
const STATUS: usize = 3;

impl<W: Word, S: Source, M: Meter, F: Start> Blocks<W, S, M, F> {
    /// The used block at `pointer` and its header, or what is wrong.
    #[inline]
    pub(super) fn used_at(&self, pointer: NonNull<u8>) -> Result<(usize, usize), HeapErrorKind> {
        let (offset, top) = (self.offset(pointer), self.memory.peek(control::TOP));
        let at = offset / W::BYTES;
        let begins = offset.wrapping_sub(self.first * W::BYTES) & ((W::BYTES << self.min) - 1) == 0;
        if at.wrapping_sub(self.first) >= top - self.first || !begins {
            return Err(HeapErrorKind::Foreign);
        }
        let head = self.peek_header(at);
        if head & STATUS == USED && self.is_sound(at, head, top) && self.is_followed(at + words_of(head), top) {
            return Ok((at, head));
        }
        Err(if is_used(head) { HeapErrorKind::HeaderDamaged } else { HeapErrorKind::DoubleFree })
    }

    /// The same, metered; a heap error is remembered.
    #[inline]
    pub(super) fn used_block(&mut self, pointer: NonNull<u8>) -> Option<(usize, usize)> {
        // The wilderness, the header and the one behind it are looked at.
        (0..3).for_each(|_| self.memory.meter.read());
        let used = self.used_at(pointer);
        used.map_err(|kind| self.heap_errors.note(HeapError::of(kind, self.offset(pointer)))).ok()
    }

    /// Bytes from the base of the region to `pointer`; below it they wrap around.
    fn offset(&self, pointer: NonNull<u8>) -> usize {
        pointer.as_ptr().addr().wrapping_sub(self.memory.base_address())
    }

    /// Whether a block with this header may begin at `at`.
    fn is_sound(&self, at: usize, head: usize, top: usize) -> bool {
        let words = words_of(head);
        words >= 1 << self.min && words <= top - at && self.may_begin(at, head)
    }

    /// Whether this header has the size of a block that may begin at `at`, wherever that ends.
    fn may_begin(&self, at: usize, head: usize) -> bool {
        let words = words_of(head);
        words.is_power_of_two() && self.lies_well(at, words.trailing_zeros())
    }

    /// Whether `end` is the wilderness, or has a header before it that may be one.
    fn is_followed(&self, end: usize, top: usize) -> bool {
        !F::HAS_WILDERNESS || end == top || self.may_begin(end, self.peek_header(end))
    }

    /// Whether the block that the first link of the free block `at` names names it, too. If not, that is a heap error.
    #[inline(always)]
    pub(super) fn holds(&mut self, at: usize, next: usize) -> bool {
        let holds = next == 0 || next < self.memory.count() - 1 && self.memory.load(next + 1) == at;
        if !holds {
            self.heap_errors.note(HeapError::of(HeapErrorKind::HeaderDamaged, at.wrapping_mul(W::BYTES)));
        }
        holds
    }

    /// Sets the entries of a table to what no block has.
    pub(super) fn clear_entries(&mut self, top: usize) {
        for at in (self.first..top).step_by(1 << self.min) {
            if let Some(entry) = self.start.entry(at, self.first, self.min) {
                self.memory.store_byte(entry, 0);
            }
        }
    }
}
