//! `check=header`: what a page heap looks at before it trusts a pointer.
//!
//! | before | it must hold that |
//! |---|---|
//! | a block is freed or resized | the pointer lies between the first page and the wilderness; the entry of its page says a used run that begins there, or objects of a class, of which one begins there and is not free in the bitmap |
//!
//! All of it takes constant time and no byte. No entry but that of the first page of a used block says that one begins: those of
//! a directory that was moved are cleared, and what is freed says so before it joins a run. The directory lies apart from
//! the blocks, so what a program writes over the end of one damages none of it, and is not seen either.

use core::ptr::NonNull;

use crate::heap_error::{HeapError, HeapErrorKind};
use crate::memory::Words;
use crate::meter::Meter;
use crate::pages::directory::{FIELDS, FREE, Field, OBJECTS, RUN, TOP};
use crate::pages::{BitmapSearch, PageHeap, Placement};
use crate::source::Source;
use crate::word::Word;

impl<W: Word, F: BitmapSearch, S: Source, M: Meter, P: Placement> PageHeap<W, F, S, M, P> {
    /// Whether a used block begins at `pointer`, or what is wrong.
    pub(super) fn used_at(&self, pointer: NonNull<u8>) -> Result<(), HeapErrorKind> {
        let (offset, first) = (self.offset(pointer), self.directory.first * W::BYTES);
        let within = offset.wrapping_sub(first);
        let top = self.directory.memory.peek(TOP);
        if within >= (top - 1) * self.sizes.page {
            return Err(HeapErrorKind::Foreign);
        }
        let (page, at) = (within / self.sizes.page + 1, within % self.sizes.page);
        match self.directory.peek(page, Field::Kind) {
            kind if kind >= OBJECTS => self.used_object(page, kind - OBJECTS, at),
            RUN if at == 0 => Ok(()),
            FREE if at == 0 => Err(HeapErrorKind::DoubleFree),
            _ => Err(HeapErrorKind::Foreign),
        }
    }

    /// The same in a page of objects, at byte `at` of it.
    fn used_object(&self, page: usize, class: usize, at: usize) -> Result<(), HeapErrorKind> {
        let object = at / self.object(class);
        if !at.is_multiple_of(self.object(class)) {
            return Err(HeapErrorKind::Foreign);
        }
        let word = self.directory.peek_entry(page) + FIELDS + object / W::BITS;
        let is_free = self.directory.memory.peek(word) >> (object % W::BITS) & 1 != 0;
        if is_free { Err(HeapErrorKind::DoubleFree) } else { Ok(()) }
    }

    /// Whether a used block begins at `pointer`, metered; if not, that is a heap error.
    pub(super) fn is_used_block(&mut self, pointer: NonNull<u8>) -> bool {
        // The wilderness, the place of the directory, the kind and a word of the bitmap are looked at.
        (0..4).for_each(|_| self.directory.memory.meter.read());
        let used = self.used_at(pointer);
        used.map_err(|kind| self.heap_errors.note(HeapError::of(kind, self.offset(pointer)))).is_ok()
    }

    /// Bytes from the base of the region to `pointer`; below it they wrap around.
    fn offset(&self, pointer: NonNull<u8>) -> usize {
        pointer.as_ptr().addr().wrapping_sub(self.directory.memory.base_address())
    }
}
