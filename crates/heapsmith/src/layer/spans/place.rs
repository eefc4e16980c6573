//! Spans and their table as blocks of the heap below.

use core::sync::atomic::Ordering;

use super::{SpanType, Spans, control, record};
use crate::heap::Heap;
use crate::sizes::SizeMap;
use crate::word::Word;

impl<W: Word, H: Heap, Z: SizeMap, T: SpanType> Spans<W, H, Z, T> {
    /// The unit that the word `at` is in.
    #[inline(always)]
    pub(super) fn unit_of(&self, at: usize) -> usize {
        (at + self.grid) >> self.unit
    }

    /// Whether a unit begins at the word `at`.
    pub(super) fn begins_unit(&self, at: usize) -> bool {
        (at + self.grid).is_multiple_of(1 << self.unit)
    }

    /// Units of a span.
    pub(super) fn units(&self) -> usize {
        self.values.span / self.values.unit()
    }

    /// The record of the span that the word `at` is in; none outside spans.
    #[inline(always)]
    pub(super) fn record_of(&mut self, at: usize) -> Option<usize> {
        let unit = self.unit_of(at);
        if unit >= self.load(self.control + control::CAPACITY) {
            return None;
        }
        let table = self.load(self.control + control::TABLE);
        let span = self.load(table + unit);
        (span != 0).then_some(span)
    }

    /// The same, unmetered.
    pub(super) fn peek_record(&self, at: usize) -> Option<usize> {
        let unit = self.unit_of(at);
        if unit >= self.peek(self.control + control::CAPACITY) {
            return None;
        }
        let span = self.peek(self.peek(self.control + control::TABLE) + unit);
        (span != 0).then_some(span)
    }

    /// Opens a span of a ring, which has room and is in it; none if the heap below has no place for it.
    #[cold]
    pub(super) fn open(&mut self, ring: usize) -> Option<usize> {
        let start = self.take_place()?;
        let record = if T::OUTSIDE { self.take_words(self.shape.record, 1) } else { Some(start) };
        let covered = record.is_some() && self.cover(start);
        let Some(span) = record.filter(|_| covered) else {
            // SAFETY: the heap below has just returned what is given back, each once.
            unsafe {
                record.filter(|_| T::OUTSIDE).into_iter().for_each(|record| self.give_back(record));
                self.give_back(start);
            }
            return None;
        };
        self.enter_table(start, span, self.told(ring));
        self.store(span + record::RING, ring);
        self.store(span + record::USED, 0);
        self.store(span + record::FRESH, self.shape.first);
        self.store(span + record::FREE, 0);
        for at in span + record::LENGTH..span + self.shape.record {
            self.store(at, 0);
        }
        if T::OUTSIDE {
            self.store(span + record::LENGTH, start);
        }
        self.enter(span, ring);
        let spans = self.load(self.control + control::SPANS);
        self.store(self.control + control::SPANS, spans + 1);
        Some(span)
    }

    /// Returns a span that is in no ring and has no used block to the heap below, and the table with the last one.
    #[cold]
    pub(super) fn close(&mut self, span: usize) {
        let start = self.start(span);
        let table = self.enter_table(start, 0, 0);
        let spans = self.load(self.control + control::SPANS) - 1;
        self.store(self.control + control::SPANS, spans);
        // SAFETY: S1: they are used blocks of the heap below, and nothing leads to them any more.
        unsafe {
            self.give_back(start);
            if T::OUTSIDE {
                self.give_back(span);
            }
            if spans == 0 {
                self.store(self.control + control::TABLE, 0);
                self.store(self.control + control::CAPACITY, 0);
                self.give_back(table);
            }
        }
    }

    /// What others are told of a span: its class from 1, 0 for one that has no number, and its owner.
    fn told(&self, ring: usize) -> u16 {
        let class = u8::try_from(self.class_in(ring) + 1).unwrap_or(0);
        u16::from_le_bytes([class, self.owner_in(ring) as u8])
    }

    /// Writes the entries of a span that begins at `start`, and tells others of it. Returns the table.
    fn enter_table(&mut self, start: usize, entry: usize, told: u16) -> usize {
        let (table, first) = (self.load(self.control + control::TABLE), self.unit_of(start));
        for unit in first..first + self.units() {
            self.store(table + unit, entry);
        }
        if let Some(published) = self.published {
            // SAFETY: the promise of `publish_classes`.
            let entries = unsafe { published.as_ref() }.get(first..first + self.units()).unwrap_or_default();
            entries.iter().for_each(|entry| entry.store(told, Ordering::Relaxed));
        }
        table
    }

    /// Returns the empty spans that were kept. Returns whether there was one.
    #[cold]
    pub(super) fn flush(&mut self) -> bool {
        if self.values.keep == 0 || self.load(self.control + control::KEPT) == 0 {
            return false;
        }
        for ring in 0..self.all_rings() {
            let mut empty = self.load(self.empties(ring));
            let mut span = self.load(self.head(ring));
            while empty > 0 {
                let next = self.load(span + record::NEXT);
                if self.load(span + record::USED) == 0 {
                    self.leave(span, ring);
                    self.count_kept(ring, false);
                    self.close(span);
                    empty -= 1;
                }
                span = next;
            }
        }
        true
    }

    /// A place for a span: a block of the heap below that begins a unit.
    fn take_place(&mut self) -> Option<usize> {
        if let Some(at) = self.take_words(self.shape.length, 1) {
            if self.begins_unit(at) {
                return Some(at);
            }
            // SAFETY: the heap below has just returned it.
            unsafe { self.give_back(at) };
        }
        let at = self.take_words(self.shape.length, self.values.unit())?;
        debug_assert!(self.begins_unit(at), "a block of the heap below has the alignment that was asked for");
        Some(at)
    }

    /// A block of the heap below whose words this layer's words can name.
    fn take_words(&mut self, words: usize, alignment: usize) -> Option<usize> {
        let pointer = self.heap.allocate(words * W::BYTES, alignment)?;
        let at = self.index(pointer);
        if at + words <= W::MAX_WORDS {
            return Some(at);
        }
        // SAFETY: the heap below has just returned it.
        unsafe { self.give_back(at) };
        None
    }

    /// Returns a block to the heap below.
    ///
    /// # Safety
    ///
    /// It is a used block of that heap, and nobody uses it any more.
    unsafe fn give_back(&mut self, at: usize) {
        let pointer = self.pointer(at);
        // SAFETY: the caller's promise is the same.
        unsafe { self.heap.deallocate(pointer) }
    }

    /// Makes the table so long that it has entries for the span that begins at `start`. Returns whether it has.
    fn cover(&mut self, start: usize) -> bool {
        let needed = self.unit_of(start) + self.units();
        let capacity = self.load(self.control + control::CAPACITY);
        if needed <= capacity {
            return true;
        }
        // Twice as long, so that all moves together cost no more than a word for each unit.
        let length = needed.max(2 * capacity);
        let longer = self.take_words(length, 1).map(|table| (table, length));
        let moved = longer.or_else(|| self.take_words(needed, 1).map(|table| (table, needed)));
        let Some((table, length)) = moved else { return false };
        let old = self.load(self.control + control::TABLE);
        for unit in 0..length {
            let span = if unit < capacity { self.load(old + unit) } else { 0 };
            self.store(table + unit, span);
        }
        self.store(self.control + control::TABLE, table);
        self.store(self.control + control::CAPACITY, length);
        if old != 0 {
            // SAFETY: S1: the old table was a used block of the heap below, and is no longer looked at.
            unsafe { self.give_back(old) };
        }
        true
    }
}
