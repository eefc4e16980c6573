//! Changing the size of a block, in place where its neighbour allows.

use core::ptr::NonNull;

use crate::block::{PREVIOUS_USED, Span, USED, header, is_used, payload_bytes, words_of};
use crate::index::Index;
use crate::levels::{Coalesce, Levels};
use crate::memory::Words;
use crate::meter::{Meter, Served};
use crate::pool::BlockPool;
use crate::source::Source;
use crate::word::Word;

impl<W: Word, I: Index, L: Levels, S: Source, M: Meter, const TAGS: bool> BlockPool<W, I, L, S, M, TAGS> {
    /// Makes the block hold `size` bytes where it stands, if it can.
    pub(super) fn resize(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        let Some(need) = self.need(size) else { return false };
        let at = self.memory.index(pointer);
        let head = self.memory.load(at - 1);
        let block = Span { at, words: words_of(head) };
        if need <= block.words {
            self.shrink(block, head, need, size);
            self.memory.meter.served(Served::AtOnce);
            return true;
        }
        self.grow_in_place(block, head, need, size)
    }

    /// Gives back what the block no longer needs, where the levels let it be split.
    fn shrink(&mut self, block: Span, head: usize, need: usize, size: usize) {
        let rest = Span { at: block.at + need, words: block.words - need };
        if rest.words < Self::format(&self.levels).least || size < self.levels.split_from() {
            return;
        }
        self.memory.store(block.at - 1, header(need, USED | head & PREVIOUS_USED));
        self.memory.store(rest.at - 1, header(rest.words, USED | PREVIOUS_USED));
        self.release(rest.at, header(rest.words, USED | PREVIOUS_USED));
    }

    /// Takes what is missing from the wilderness, or from the free block that
    /// follows where the levels let blocks be joined.
    fn grow_in_place(&mut self, block: Span, head: usize, need: usize, size: usize) -> bool {
        let next_header = self.memory.load(block.end() - 1);
        let flags = head & PREVIOUS_USED;
        if words_of(next_header) == 0 {
            if !self.memory.reach(block.at + need) {
                return false;
            }
            debug_assert_eq!(self.top(), block.end());
            self.memory.store(block.at - 1, header(need, USED | flags));
            self.index.absorb(&mut self.memory, &self.levels, block.end(), block.end() + 1, self.first);
            self.set_top(block.at + need, PREVIOUS_USED);
            self.memory.meter.served(Served::ByGrowing);
            return true;
        }
        let joins = match self.levels.coalesce() {
            Coalesce::Never => false,
            Coalesce::From(least) => payload_bytes::<W>(block.words) >= least,
            Coalesce::Deferred | Coalesce::EveryCall => true,
        };
        if !joins || is_used(next_header) || block.words + words_of(next_header) < need {
            return false;
        }
        let next = Span { at: block.end(), words: words_of(next_header) };
        self.index.remove(&mut self.memory, &self.levels, next);
        self.index.absorb(&mut self.memory, &self.levels, next.at, next.end(), block.at);
        let joined = Span { at: block.at, words: block.words + next.words };
        self.memory.store(block.at - 1, header(joined.words, USED | flags));
        let rest = joined.words - need;
        if rest >= Self::format(&self.levels).least && size >= self.levels.split_from() {
            let rest = Span { at: block.at + need, words: rest };
            self.memory.store(block.at - 1, header(need, USED | flags));
            self.write_free(rest, PREVIOUS_USED);
            self.index.insert(&mut self.memory, &self.levels, rest, None);
        } else {
            self.tell_next(joined.end(), true);
        }
        self.memory.meter.served(Served::AfterCoalescing);
        true
    }
}
