//! Changing the size of a block, in place where its neighbour allows.

use core::ptr::NonNull;

use crate::block::{PREVIOUS_USED, Span, USED, header, is_used, payload_bytes, words_of};
use crate::index::Index;
use crate::memory::Words;
use crate::meter::{Meter, ServePath};
use crate::policy::{Coalesce, Policy};
use crate::pool::{BlockPool, Pool};
use crate::source::Source;
use crate::word::Word;

impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool> BlockPool<W, I, L, S, M, TAGS> {
    /// Resizes the block to `size` bytes in place, if it can.
    pub(super) fn resize(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        let Some(need) = self.need(size) else { return false };
        let at = self.memory.index(pointer);
        let head = self.memory.load(at - 1);
        let block = Span { at, words: words_of(head) };
        if need <= block.words {
            self.shrink(block, head, need, size);
            self.memory.meter.served(ServePath::AtOnce);
            return true;
        }
        self.grow_in_place(block, head, need, size, false)
    }

    /// Resizes the block to `size` bytes in place, after everything was joined for a new block and none was
    /// found. A block that holds so much stays, though its class may be smaller than the request's.
    #[cold]
    pub(super) fn grow_joined(&mut self, pointer: NonNull<u8>, size: usize) -> bool {
        let Some(need) = self.need(size) else { return false };
        let at = self.memory.index(pointer);
        let head = self.memory.load(at - 1);
        let block = Span { at, words: words_of(head) };
        size <= payload_bytes::<W>(block.words) || self.grow_in_place(block, head, need, size, true)
    }

    /// Gives back what the block no longer needs, where the levels let it be split.
    fn shrink(&mut self, block: Span, head: usize, need: usize, size: usize) {
        let remainder = Span { at: block.at + need, words: block.words - need };
        if !self.splits(remainder.words, size) {
            return;
        }
        self.memory.store(block.at - 1, header(need, USED | head & PREVIOUS_USED));
        self.memory.store(remainder.at - 1, header(remainder.words, USED | PREVIOUS_USED));
        self.release_block(remainder.at, header(remainder.words, USED | PREVIOUS_USED));
    }

    /// Takes what is missing from the wilderness, or from the free block that
    /// follows where the levels let blocks be joined; `whatever_size`: also below the threshold.
    fn grow_in_place(&mut self, block: Span, head: usize, need: usize, size: usize, whatever_size: bool) -> bool {
        let next_header = self.memory.load(block.end() - 1);
        let flags = head & PREVIOUS_USED;
        if words_of(next_header) == 0 {
            if !self.memory.ensure_len(block.at + need) {
                return false;
            }
            debug_assert_eq!(self.top(), block.end());
            self.memory.store(block.at - 1, header(need, USED | flags));
            self.index.absorb(&mut self.memory, &self.policy, block.end(), block.end() + 1, self.first);
            self.set_top(block.at + need, PREVIOUS_USED);
            self.memory.meter.served(ServePath::ByGrowing);
            return true;
        }
        let joins = match self.policy.coalesce() {
            Coalesce::Never => false,
            Coalesce::From(min) => whatever_size || payload_bytes::<W>(block.words) >= min,
            Coalesce::Deferred | Coalesce::EveryCall => true,
        };
        if !joins || is_used(next_header) || block.words + words_of(next_header) < need {
            return false;
        }
        let next = Span { at: block.end(), words: words_of(next_header) };
        self.index.remove(&mut self.memory, &self.policy, next);
        self.index.absorb(&mut self.memory, &self.policy, next.at, next.end(), block.at);
        let joined = Span { at: block.at, words: block.words + next.words };
        self.memory.store(block.at - 1, header(joined.words, USED | flags));
        let remainder = joined.words - need;
        if self.splits(remainder, size) {
            let remainder = Span { at: block.at + need, words: remainder };
            self.memory.store(block.at - 1, header(need, USED | flags));
            self.write_free(remainder, PREVIOUS_USED);
            self.index.insert(&mut self.memory, &self.policy, remainder, None);
        } else {
            self.tell_next(joined.end(), true);
        }
        self.memory.meter.served(ServePath::AfterCoalescing);
        true
    }
}
