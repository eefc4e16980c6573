//! The rings of the spans that have room, one for each class of each owner.

use super::{NextSpan, SpanType, Spans, control, record};
use crate::heap::Heap;
use crate::meter::Meter;
use crate::sizes::SizeMap;
use crate::word::Word;

impl<W: Word, H: Heap, Z: SizeMap, T: SpanType> Spans<W, H, Z, T> {
    /// How many rings there are.
    pub(super) fn all_rings(&self) -> usize {
        self.map.lists() * (1 + self.owners)
    }

    /// The word with the head of a ring.
    #[inline(always)]
    pub(super) fn head(&self, ring: usize) -> usize {
        self.control + control::HEADS + ring
    }

    /// Puts a span that got room into its ring: last in it, or at its head.
    pub(super) fn enter(&mut self, span: usize, ring: usize) {
        let at = self.head(ring);
        let head = self.load(at);
        if head == 0 {
            self.store(span + record::NEXT, span);
            self.store(span + record::PREVIOUS, span);
            self.store(at, span);
            return;
        }
        let last = self.load(head + record::PREVIOUS);
        self.store(span + record::NEXT, head);
        self.store(span + record::PREVIOUS, last);
        self.store(last + record::NEXT, span);
        self.store(head + record::PREVIOUS, span);
        if self.values.next == NextSpan::Last {
            self.store(at, span);
        }
    }

    /// Takes a span out of its ring; where it was the head, there is another.
    pub(super) fn leave(&mut self, span: usize, ring: usize) {
        let at = self.head(ring);
        let next = self.load(span + record::NEXT);
        if next == span {
            self.store(at, 0);
            return;
        }
        let previous = self.load(span + record::PREVIOUS);
        self.store(previous + record::NEXT, next);
        self.store(next + record::PREVIOUS, previous);
        if self.load(at) == span {
            let head = match self.values.next {
                NextSpan::First | NextSpan::Last => next,
                NextSpan::Fullest | NextSpan::Lowest => self.best_from(next),
            };
            self.store(at, head);
        }
    }

    /// The fullest span of a ring, or the one at the lowest address; of equals the one that has had room for longest.
    fn best_from(&mut self, first: usize) -> usize {
        let (mut best, mut span) = (first, first);
        let mut best_rank = self.rank(first);
        loop {
            span = self.load(span + record::NEXT);
            if span == first {
                return best;
            }
            self.heap.meter_mut().visit();
            let rank = self.rank(span);
            if rank < best_rank {
                (best, best_rank) = (span, rank);
            }
        }
    }

    /// What the best span has least of.
    fn rank(&mut self, span: usize) -> usize {
        match self.values.next {
            NextSpan::Fullest => usize::MAX - self.load(span + record::USED),
            _ => self.start(span),
        }
    }
}
