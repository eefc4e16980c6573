//! The invariants of spans.

use super::{SpanType, Spans, control, record};
use crate::heap::{Heap, State, Violation};
use crate::sizes::SizeMap;
use crate::word::Word;

impl<W: Word, H: Heap, Z: SizeMap, T: SpanType> Spans<W, H, Z, T> {
    fn broken(invariant: &'static str, at: usize) -> Result<(), Violation> {
        Err(Violation { invariant, offset: at * W::BYTES })
    }

    /// S1 to S5.
    pub(super) fn verify(&self) -> Result<(), Violation> {
        let (table, capacity) = (self.peek(self.control + control::TABLE), self.peek(self.control + control::CAPACITY));
        let end = self.heap.footprint() / W::BYTES;
        if table + capacity > end {
            return Self::broken("S1: the table lies outside the footprint", self.control);
        }
        for unit in 0..capacity {
            self.check_entry(table + unit, unit, end)?;
        }
        let (mut spans, mut with_room, mut empty) = (0, 0, 0);
        for (_, span) in self.spans() {
            let words = self.words_in(span);
            self.check_blocks(span, words)?;
            let used = self.peek(span + record::USED);
            spans += 1;
            empty += usize::from(used == 0);
            with_room += usize::from(!self.fills(used, words));
        }
        if spans != self.peek(self.control + control::SPANS) || (spans == 0) != (table == 0) {
            return Self::broken("S4: the count of spans is wrong", self.control);
        }
        let (mut in_rings, mut kept) = (0, 0);
        for ring in 0..self.all_rings() {
            let (members, empties) = self.check_ring(ring, spans)?;
            in_rings += members;
            kept += empties;
            if self.values.keep > 0 && empties != self.peek(self.empties(ring)) || empties > self.values.keep {
                return Self::broken("S4: the count of the empty spans of a ring is wrong", self.head(ring));
            }
        }
        if in_rings != with_room {
            return Self::broken("S3: a span with room is in no ring", self.control);
        }
        if kept != empty || kept != self.peek(self.control + control::KEPT) {
            return Self::broken("S4: the count of empty spans is wrong", self.control);
        }
        self.check_below(spans)
    }

    /// S1 of an entry.
    fn check_entry(&self, at: usize, unit: usize, end: usize) -> Result<(), Violation> {
        let span = self.peek(at);
        if span == 0 {
            return Ok(());
        }
        if span + self.shape.record > end {
            return Self::broken("S1: an entry of the table lies outside the footprint", at);
        }
        let start = self.peek_start(span);
        let first = self.unit_of(start);
        let covers = (first..first + self.units()).contains(&unit) && self.begins_unit(start);
        if !covers || start + self.shape.length > end || self.peek(span + record::RING) >= self.all_rings() {
            return Self::broken("S1: an entry of the table names a span that does not cover its unit", at);
        }
        let table = at - unit;
        let last = (first + self.units()).min(self.peek(self.control + control::CAPACITY));
        if (first..last).any(|unit| self.peek(table + unit) != span) || last < first + self.units() {
            return Self::broken("S1: a unit of a span has another entry", at);
        }
        Ok(())
    }

    /// S2 and S5 of a span.
    fn check_blocks(&self, span: usize, words: usize) -> Result<(), Violation> {
        let (used, fresh) = (self.peek(span + record::USED), self.peek(span + record::FRESH));
        let first = self.shape.first;
        if fresh < first || fresh > self.shape.length || !(fresh - first).is_multiple_of(words) {
            return Self::broken("S2: what was never used begins in no block of the span", span);
        }
        let served = (fresh - first) / words;
        let free = if T::BITMAP { self.marked(span, served)? } else { self.listed(span, words, served)? };
        if used + free != served {
            return Self::broken("S2: the used blocks of a span are not counted", span);
        }
        Ok(())
    }

    /// The free blocks of a bitmap.
    fn marked(&self, span: usize, served: usize) -> Result<usize, Violation> {
        let hint = self.peek(span + record::FREE);
        let map = span + record::LENGTH + usize::from(T::OUTSIDE);
        let mut marked = 0;
        for word in 0..span + self.shape.record - map {
            let bits = self.peek(map + word);
            let never = served.saturating_sub(word * W::BITS);
            let unused = if never >= W::BITS { 0 } else { bits >> never };
            if unused != 0 || word < hint && bits != 0 {
                Self::broken("S5: the bitmap of a span has a bit where no free block is", map + word)?;
            }
            marked += bits.count_ones() as usize;
        }
        Ok(marked)
    }

    /// The free blocks of a list.
    fn listed(&self, span: usize, words: usize, served: usize) -> Result<usize, Violation> {
        let first = self.peek_start(span) + self.shape.first;
        let (mut block, mut listed) = (self.peek(span + record::FREE), 0);
        while block != 0 {
            let place = block.wrapping_sub(first);
            if place / words >= served || !place.is_multiple_of(words) || listed >= served {
                Self::broken("S2: the list of a span's free blocks leads out of it, or runs in a circle", span)?;
            }
            listed += 1;
            block = self.peek(block);
        }
        Ok(listed)
    }

    /// S3 of a ring: its spans, and those of them that are empty.
    fn check_ring(&self, ring: usize, spans: usize) -> Result<(usize, usize), Violation> {
        let head = self.peek(self.head(ring));
        let (mut span, mut members, mut empties) = (head, 0, 0);
        while span != 0 {
            if !self.is_span(span) || members >= spans {
                Self::broken("S3: a ring leads to what is no span, or never back", self.head(ring))?;
            }
            let next = self.peek(span + record::NEXT);
            let used = self.peek(span + record::USED);
            let fits = self.peek(span + record::RING) == ring && !self.fills(used, self.words_in(span));
            if !fits || !self.is_span(next) || self.peek(next + record::PREVIOUS) != span {
                Self::broken("S3: a span in a ring is full, of another one, or linked one way", span)?;
            }
            members += 1;
            empties += usize::from(used == 0);
            span = if next == head { 0 } else { next };
        }
        Ok((members, empties))
    }

    /// Whether the word `at` is where some entry of the table leads.
    fn is_span(&self, at: usize) -> bool {
        let inside = at != 0 && at + self.shape.record <= self.heap.footprint() / W::BYTES;
        inside && self.peek_record(self.peek_start(at)) == Some(at)
    }

    /// S1: every span begins a used block of the heap below.
    fn check_below(&self, spans: usize) -> Result<(), Violation> {
        let mut found = 0;
        self.heap.walk(&mut |view| {
            let end = (view.offset + view.size) / W::BYTES;
            let span = if view.state == State::Used { self.span_in(view) } else { None };
            let is_span = span.is_some_and(|span| self.peek_start(span) + self.shape.length <= end);
            found += usize::from(is_span);
        });
        if found == spans {
            Ok(())
        } else {
            Self::broken("S1: a span is no used block of the heap below", self.control)
        }
    }
}
