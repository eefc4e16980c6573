//! The rings of the spans that have room, one for each class.

use super::{NextSpan, SpanType, Spans, control, record};
use crate::heap::Heap;
use crate::meter::Meter;
use crate::sizes::SizeMap;
use crate::word::Word;

impl<W: Word, H: Heap, Z: SizeMap, T: SpanType> Spans<W, H, Z, T> {
    /// The word with the head of a class's ring.
    #[inline(always)]
    pub(super) fn head(&self, class: usize) -> usize {
        self.control + control::HEADS + class
    }

    /// Puts a span that got room into the ring of its class: last in it, or at its head.
    pub(super) fn enter(&mut self, span: usize, class: usize) {
        let at = self.head(class);
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

    /// Takes a span out of the ring of its class; where it was the head, there is another.
    pub(super) fn leave(&mut self, span: usize, class: usize) {
        let at = self.head(class);
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
