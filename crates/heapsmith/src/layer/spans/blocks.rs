//! Taking blocks from a span, and putting them back.

use super::{SpanType, Spans, control, record};
use crate::heap::Heap;
use crate::meter::Meter;
use crate::sizes::SizeMap;
use crate::word::Word;

impl<W: Word, H: Heap, Z: SizeMap, T: SpanType> Spans<W, H, Z, T> {
    /// Takes a block of a span that has room, and is the head of its ring. An empty one counts as kept unless it is `new`.
    #[inline]
    pub(super) fn take(&mut self, span: usize, ring: usize, new: bool) -> usize {
        let words = self.map.words(self.class_in(ring));
        let used = self.load(span + record::USED);
        let at = if T::BITMAP { self.take_marked(span, words, used) } else { self.take_linked(span, words) };
        self.store(span + record::USED, used + 1);
        if used == 0 && !new {
            self.count_kept(ring, false);
        }
        if self.fills(used + 1, words) {
            self.leave(span, ring);
        }
        at
    }

    /// Takes the block that was freed last, or one that was never used.
    #[inline(always)]
    fn take_linked(&mut self, span: usize, words: usize) -> usize {
        let free = self.load(span + record::FREE);
        if free == 0 {
            return self.take_fresh(span, words);
        }
        let next = self.load(free);
        self.store(span + record::FREE, next);
        free
    }

    /// Takes the freed block of the lowest address, or one that was never used.
    #[inline(always)]
    fn take_marked(&mut self, span: usize, words: usize, used: usize) -> usize {
        let fresh = self.load(span + record::FRESH);
        if fresh == self.shape.first + used * words {
            return self.bump(span, fresh, words);
        }
        let hint = self.load(span + record::FREE);
        let mut word = hint;
        let bits = loop {
            let bits = self.load(self.map_word(span, word));
            // S2: one of the blocks below `fresh` is free, and so has a bit.
            if bits != 0 {
                break bits;
            }
            self.heap.meter_mut().visit();
            word += 1;
        };
        self.store(self.map_word(span, word), bits & (bits - 1));
        if word != hint {
            self.store(span + record::FREE, word);
        }
        let block = word * W::BITS + bits.trailing_zeros() as usize;
        self.start(span) + self.shape.first + block * words
    }

    /// Takes the first block that was never used.
    #[inline(always)]
    fn take_fresh(&mut self, span: usize, words: usize) -> usize {
        let fresh = self.load(span + record::FRESH);
        self.bump(span, fresh, words)
    }

    /// The same, of a span in which nothing behind `fresh` was used.
    #[inline(always)]
    fn bump(&mut self, span: usize, fresh: usize, words: usize) -> usize {
        self.store(span + record::FRESH, fresh + words);
        self.start(span) + fresh
    }

    /// Puts back the used block `at` of a span.
    #[inline]
    pub(super) fn put(&mut self, span: usize, at: usize) {
        let ring = self.load(span + record::RING);
        let words = self.map.words(self.class_in(ring));
        let used = self.load(span + record::USED);
        let was_full = self.fills(used, words);
        if used == 1 && !self.keeps(ring) {
            if !was_full {
                self.leave(span, ring);
            }
            self.close(span);
            return;
        }
        if T::BITMAP {
            self.mark(span, at, words);
        } else {
            let free = self.load(span + record::FREE);
            self.store(at, free);
            self.store(span + record::FREE, at);
        }
        self.store(span + record::USED, used - 1);
        if was_full {
            self.enter(span, ring);
        }
        if used == 1 {
            self.count_kept(ring, true);
        }
    }

    /// Sets the bit of a block.
    #[inline(always)]
    fn mark(&mut self, span: usize, at: usize, words: usize) {
        let block = (at - self.start(span) - self.shape.first) / words;
        let word = block / W::BITS;
        let bits = self.load(self.map_word(span, word));
        self.store(self.map_word(span, word), bits | 1 << (block % W::BITS));
        if word < self.load(span + record::FREE) {
            self.store(span + record::FREE, word);
        }
    }

    /// Whether one more empty span of a ring is kept.
    #[inline(always)]
    fn keeps(&mut self, ring: usize) -> bool {
        self.values.keep > 0 && self.load(self.empties(ring)) < self.values.keep
    }

    /// The word with the number of empty spans of a ring.
    pub(super) fn empties(&self, ring: usize) -> usize {
        self.head(self.all_rings() + ring)
    }

    /// Counts an empty span more, or one less, where they are kept.
    pub(super) fn count_kept(&mut self, ring: usize, more: bool) {
        if self.values.keep == 0 {
            return;
        }
        for at in [self.empties(ring), self.control + control::KEPT] {
            let count = self.load(at);
            self.store(at, if more { count + 1 } else { count - 1 });
        }
    }

    /// A word of the bitmap of a span.
    #[inline(always)]
    pub(super) fn map_word(&self, span: usize, word: usize) -> usize {
        span + record::LENGTH + T::OUTSIDE as usize + word
    }

    /// Where the span of a record begins.
    #[inline(always)]
    pub(super) fn start(&mut self, span: usize) -> usize {
        if T::OUTSIDE { self.load(span + record::LENGTH) } else { span }
    }

    /// The same, unmetered.
    pub(super) fn peek_start(&self, span: usize) -> usize {
        if T::OUTSIDE { self.peek(span + record::LENGTH) } else { span }
    }
}
