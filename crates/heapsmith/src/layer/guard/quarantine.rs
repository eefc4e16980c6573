//! The blocks that were freed last, first in, first out.
//!
//! ```text
//!   HEAD ──▶ oldest ──▶ … ──▶ newest ◀── TAIL      a block's link is its last word, mixed with the secret
//! ```

use super::format::{FRONT, Guarded, POISON, SEAL, SIZE, Seal, in_word};
use super::{Guard, own};
use crate::heap::{Heap, Violation};
use crate::heap_error::{HeapError, HeapErrorKind};
use crate::word::Word;

/// Words of the layer's own block.
pub(super) const CONTROL: usize = 3;
const HEAD: usize = 0;
const TAIL: usize = 1;
const COUNT: usize = 2;

impl<W: Word, H: Heap> Guard<W, H> {
    /// Fills a freed block and appends it; the oldest leaves if there are too many.
    pub(super) fn detain(&mut self, block: Guarded<W>) {
        let payload = own::pointer::<W>(&self.heap, block.at);
        // SAFETY: O1: the payload has `size` bytes and its owner gave it up.
        unsafe { payload.as_ptr().write_bytes(POISON, block.size) };
        self.set_seal(block, Seal::Detained);
        let link = self.link(0);
        own::store::<W>(&mut self.heap, block.rear(), link);
        let tail = own::load::<W>(&mut self.heap, self.control + TAIL);
        let (place, link) = match tail {
            0 => (self.control + HEAD, block.at),
            _ => (self.rear_of(tail), self.link(block.at)),
        };
        own::store::<W>(&mut self.heap, place, link);
        own::store::<W>(&mut self.heap, self.control + TAIL, block.at);
        let count = own::load::<W>(&mut self.heap, self.control + COUNT);
        own::store::<W>(&mut self.heap, self.control + COUNT, count + 1);
        if count == self.limit {
            self.dismiss();
        }
    }

    /// A link as a freed block has it, or the index that it means: the secret is mixed into it.
    fn link(&self, link: usize) -> usize {
        link ^ in_word::<W>(self.secret)
    }

    /// Index of the link of the block at `at`. A damaged header gives the control word that nothing reads.
    fn rear_of(&mut self, at: usize) -> usize {
        let size = own::load::<W>(&mut self.heap, at - SIZE);
        let block = Guarded::<W>::new(at, size, own::peek::<W>(&self.heap, at - FRONT));
        if self.is_sealed(block, Seal::Detained) { block.rear() } else { self.control + HEAD }
    }

    /// Returns the oldest block to the heap below. Returns whether there was one.
    fn dismiss(&mut self) -> bool {
        let at = own::load::<W>(&mut self.heap, self.control + HEAD);
        if at == 0 {
            return false;
        }
        let size = own::load::<W>(&mut self.heap, at - SIZE);
        let front = own::load::<W>(&mut self.heap, at - FRONT);
        let seal = own::load::<W>(&mut self.heap, at - SEAL);
        let block = Guarded::<W>::new(at, size, front);
        if seal != self.seal(block, Seal::Detained) {
            self.abandon(block);
            return true;
        }
        if let Some(byte) = self.written(block) {
            let kind = HeapErrorKind::WrittenAfterFree;
            self.heap_errors.note(HeapError { kind, block: block.offset(), at: block.offset() + byte });
        }
        let link = own::load::<W>(&mut self.heap, block.rear());
        let next = self.link(link);
        if next != 0 && !self.is_detained(next) {
            // The link was overwritten: what followed cannot be found again.
            let kind = HeapErrorKind::WrittenAfterFree;
            self.heap_errors.note(HeapError { kind, block: block.offset(), at: block.rear() * W::BYTES });
            self.forget();
        } else {
            let count = own::load::<W>(&mut self.heap, self.control + COUNT);
            own::store::<W>(&mut self.heap, self.control + COUNT, count - 1);
            own::store::<W>(&mut self.heap, self.control + HEAD, next);
            if next == 0 {
                own::store::<W>(&mut self.heap, self.control + TAIL, 0);
            }
        }
        if let Err(refused) = self.release(block) {
            self.heap_errors.note(refused);
        }
        true
    }

    /// The oldest block's header was overwritten: neither it nor the blocks after it can be returned.
    #[cold]
    fn abandon(&mut self, block: Guarded<W>) {
        let at = block.offset() - SEAL * W::BYTES;
        self.heap_errors.note(HeapError { kind: HeapErrorKind::HeaderDamaged, block: block.offset(), at });
        self.forget();
    }

    fn forget(&mut self) {
        (0..CONTROL).for_each(|word| own::store::<W>(&mut self.heap, self.control + word, 0));
    }

    /// Whether `at` can be, and is sealed as, a block in quarantine.
    fn is_detained(&self, at: usize) -> bool {
        let end = self.heap.footprint() / W::BYTES;
        let first = self.heap.control_size() / W::BYTES + FRONT;
        (first..end).contains(&at) && self.is_sealed(self.read(at), Seal::Detained)
    }

    /// Returns every block to the heap below. Returns whether there was one.
    #[cold]
    pub(super) fn flush(&mut self) -> bool {
        let mut any = false;
        while self.limit > 0 && self.dismiss() {
            any = true;
        }
        any
    }

    /// The blocks in quarantine, the oldest first, as far as their links are whole; unmetered.
    pub(super) fn detained(&self) -> impl Iterator<Item = Guarded<W>> + '_ {
        let follow = move |at: usize| self.is_detained(at).then(|| self.read(at));
        let head = if self.limit > 0 { own::peek::<W>(&self.heap, self.control + HEAD) } else { 0 };
        core::iter::successors(follow(head), move |block| follow(self.link(own::peek::<W>(&self.heap, block.rear()))))
            .take(self.limit + 1)
    }

    /// G3, and G2 for the blocks in quarantine.
    pub(super) fn verify_quarantine(&self) -> Result<(), Violation> {
        if self.limit == 0 {
            return Ok(());
        }
        let (mut count, mut last) = (0, 0);
        for block in self.detained() {
            if self.written(block).is_some() {
                let invariant = "G2: a block in quarantine was written";
                return Err(Violation { invariant, offset: block.offset() });
            }
            (count, last) = (count + 1, block.at);
        }
        let control = |word| own::peek::<W>(&self.heap, self.control + word);
        if count != control(COUNT) || count > self.limit || last != control(TAIL) {
            let invariant = "G3: the quarantine does not run from HEAD to TAIL, or its count is wrong";
            return Err(Violation { invariant, offset: self.control * W::BYTES });
        }
        Ok(())
    }
}
