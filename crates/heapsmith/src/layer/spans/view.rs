//! What a walk sees of spans: their blocks, in place of the blocks of the heap below that hold them.

use super::{SpanType, Spans, control, record};
use crate::heap::{BlockView, Heap, State};
use crate::sizes::SizeMap;
use crate::word::Word;

/// Blocks of a span that are looked up together.
const WINDOW: usize = 4096;

impl<W: Word, H: Heap, Z: SizeMap, T: SpanType> Spans<W, H, Z, T> {
    /// Every block in address order; then what the layers below keep, and what this one does: its own block, the table, and
    /// of a span what is before its first block and behind its last.
    pub(super) fn view(&self, visit: &mut dyn FnMut(BlockView)) {
        self.heap.walk(&mut |view| match self.holds(view) {
            Holds::Nothing => visit(view),
            Holds::Own => visit(BlockView { layer: 0, ..view }),
            Holds::Span(span) => {
                let (before, behind) = self.around(span, view);
                before.into_iter().for_each(&mut *visit);
                self.view_blocks(span, visit);
                behind.into_iter().for_each(&mut *visit);
            }
        });
        let mut own = |view| visit(BlockView { state: State::Cached, ..view });
        self.heap.walk(&mut |view| match self.holds(view) {
            Holds::Nothing => {}
            Holds::Own => own(BlockView { layer: 0, ..view }),
            Holds::Span(span) => {
                let (before, behind) = self.around(span, view);
                before.into_iter().chain(behind).for_each(&mut own);
            }
        });
    }

    /// What a block of the heap below is to this layer. Where in it the payload begins is known to that heap alone.
    fn holds(&self, view: BlockView) -> Holds {
        if view.state != State::Used {
            return Holds::Nothing;
        }
        let table = self.peek(self.control + control::TABLE);
        let is_in = |at: usize| at != 0 && lies_in(view, at * W::BYTES);
        if is_in(self.control) || is_in(table) || T::OUTSIDE && self.spans().any(|(_, span)| is_in(span)) {
            return Holds::Own;
        }
        self.span_in(view).map_or(Holds::Nothing, Holds::Span)
    }

    /// The span that a block of the heap below holds.
    pub(super) fn span_in(&self, view: BlockView) -> Option<usize> {
        let (from, to) = (view.offset / W::BYTES, (view.offset + view.size) / W::BYTES);
        let units = self.unit_of(from)..=self.unit_of(to);
        let capacity = self.peek(self.control + control::CAPACITY);
        let table = self.peek(self.control + control::TABLE);
        let mut records = units.take_while(|&unit| unit < capacity).map(|unit| self.peek(table + unit));
        records.find(|&span| span != 0 && lies_in(view, self.peek_start(span) * W::BYTES))
    }

    /// The spans as units where they begin and records, by address.
    pub(super) fn spans(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let table = self.peek(self.control + control::TABLE);
        let units = (0..self.peek(self.control + control::CAPACITY)).map(move |unit| (unit, self.peek(table + unit)));
        units.filter(|&(unit, span)| span != 0 && self.unit_of(self.peek_start(span)) == unit)
    }

    /// The parts of the block of the heap below that are no blocks of the span in it: at its start and at its end.
    fn around(&self, span: usize, view: BlockView) -> (Option<BlockView>, Option<BlockView>) {
        let words = self.words_in(span);
        let first = (self.peek_start(span) + self.shape.first) * W::BYTES;
        let last = first + self.shape.blocks(words) * words * W::BYTES;
        let part = |offset, end, header| {
            (end > offset).then(|| BlockView { offset, size: end - offset, header, layer: 0, ..view })
        };
        (part(view.offset, first, view.header), part(last, view.offset + view.size, 0))
    }

    /// The blocks of a span; those never used as one.
    fn view_blocks(&self, span: usize, visit: &mut dyn FnMut(BlockView)) {
        let words = self.words_in(span);
        let size = words * W::BYTES;
        let offset = (self.peek_start(span) + self.shape.first) * W::BYTES;
        let block = |number: usize, blocks: usize, state| BlockView {
            offset: offset + number * size,
            size: blocks * size,
            header: 0,
            layer: 0,
            state,
        };
        let served = self.served(span, words);
        for from in (0..served).step_by(WINDOW) {
            let window = self.free_from(span, words, from);
            for number in from..served.min(from + WINDOW) {
                let free = window[(number - from) / 64] >> ((number - from) % 64) & 1 == 1;
                visit(block(number, 1, if free { State::Free } else { State::Used }));
            }
        }
        let never = self.shape.blocks(words) - served;
        if never > 0 {
            visit(block(served, never, State::Free));
        }
    }

    /// Words of the blocks of a span.
    pub(super) fn words_in(&self, span: usize) -> usize {
        self.map.words(self.class_in(self.peek(span + record::RING)))
    }

    /// Blocks of a span that were ever used.
    pub(super) fn served(&self, span: usize, words: usize) -> usize {
        (self.peek(span + record::FRESH) - self.shape.first) / words
    }

    /// A bit for each of [`WINDOW`] blocks from the block `from` on: set if it is free, and was used.
    fn free_from(&self, span: usize, words: usize, from: usize) -> [u64; WINDOW / 64] {
        let mut window = [0_u64; WINDOW / 64];
        let mut free = |number: usize| {
            if let Some(place) = number.checked_sub(from).filter(|&place| place < WINDOW) {
                window[place / 64] |= 1 << (place % 64);
            }
        };
        if T::BITMAP {
            let served = self.served(span, words);
            let is_free =
                |number: usize| self.peek(self.map_word(span, number / W::BITS)) >> (number % W::BITS) & 1 == 1;
            (from..served.min(from + WINDOW)).filter(|&number| is_free(number)).for_each(free);
        } else {
            let first = self.peek_start(span) + self.shape.first;
            let mut block = self.peek(span + record::FREE);
            while block != 0 {
                free((block - first) / words);
                block = self.peek(block);
            }
        }
        window
    }
}

/// Whether the word at byte `offset` lies in a block.
fn lies_in(view: BlockView, offset: usize) -> bool {
    (view.offset..view.offset + view.size).contains(&offset)
}

/// What a used block of the heap below holds.
enum Holds {
    /// What the program has, or a layer below keeps.
    Nothing,
    /// Words of this layer.
    Own,
    /// The span of this record.
    Span(usize),
}
