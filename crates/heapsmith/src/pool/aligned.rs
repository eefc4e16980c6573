//! Alignments above the heap's own.

use core::ptr::NonNull;

use crate::block::{PREVIOUS_USED, Span, USED, header, words_of};
use crate::index::{Index, control};
use crate::memory::Words;
use crate::meter::{Meter, ServePath};
use crate::policy::{Coalesce, Policy};
use crate::pool::BlockPool;
use crate::source::Source;
use crate::word::Word;

impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool> BlockPool<W, I, L, S, M, TAGS> {
    /// A block whose payload is a multiple of `alignment`, which exceeds the heap's; nothing is joined before it is refused.
    #[cold]
    pub(super) fn allocate_aligned(&mut self, size: usize, need: usize, alignment: usize) -> Option<NonNull<u8>> {
        if !alignment.is_power_of_two() || alignment > W::MAX_WORDS * W::BYTES / 2 {
            return None;
        }
        if self.policy.coalesce() == Coalesce::EveryCall {
            self.sweep();
        }
        // A free block of this many words holds an aligned payload wherever it lies.
        let enough = need + alignment / W::BYTES + Self::format(&self.policy).min;
        let mut found = self.find(enough);
        let mut way = ServePath::AfterSplit;
        if found.is_none() && self.policy.coalesce() == Coalesce::Deferred && self.touching {
            self.sweep();
            found = self.find(enough);
            way = ServePath::AfterCoalescing;
        }
        let at = match found {
            Some(found) => {
                let block = Span { at: found.at, words: words_of(found.header) };
                self.carve(block, found.header & PREVIOUS_USED, size, need, alignment)
            }
            None => {
                way = ServePath::ByGrowing;
                self.extend_aligned(need, alignment)?
            }
        };
        self.memory.meter.served(way);
        Some(self.memory.pointer(at))
    }

    /// Words from `at` to the next aligned payload that leaves no gap, or one large enough to be a block.
    fn gap(&self, at: usize, alignment: usize) -> usize {
        let step = alignment / W::BYTES;
        let base = self.memory.base_address() / W::BYTES;
        let gap = (step - ((base + at) & (step - 1))) & (step - 1);
        let min = Self::format(&self.policy).min;
        if gap == 0 || gap >= min { gap } else { gap + (min - gap).next_multiple_of(step) }
    }

    /// Takes an aligned block out of a free one; the gap and, by the levels, the rest stay free. They touch no
    /// free block that the whole did not touch.
    fn carve(&mut self, block: Span, flags: usize, size: usize, need: usize, alignment: usize) -> usize {
        let gap = self.gap(block.at, alignment);
        let at = block.at + gap;
        let mut flags = flags;
        if gap > 0 {
            let gap = Span { at: block.at, words: gap };
            self.index.replace(&mut self.memory, &self.policy, block, gap);
            self.write_free(gap, flags);
            flags = 0;
        } else {
            self.index.remove(&mut self.memory, &self.policy, block);
        }
        let remainder = Span { at: at + need, words: block.end() - (at + need) };
        if self.splits(remainder.words, size) {
            self.memory.store(at - 1, header(need, USED | flags));
            self.write_free(remainder, PREVIOUS_USED);
            self.index.insert(&mut self.memory, &self.policy, remainder, None);
        } else {
            self.memory.store(at - 1, header(block.end() - at, USED | flags));
            self.tell_next(block.end(), true);
        }
        at
    }

    /// Takes an aligned block off the wilderness; the gap before it becomes a free block.
    fn extend_aligned(&mut self, need: usize, alignment: usize) -> Option<usize> {
        let top = self.memory.load(control::TOP);
        let gap = self.gap(top, alignment);
        if !self.memory.ensure_len(top + gap + need) {
            return None;
        }
        if gap > 0 {
            self.extend(top, gap);
            let flags = self.memory.load(top - 1) & PREVIOUS_USED;
            let gap = Span { at: top, words: gap };
            self.write_free(gap, flags);
            self.index.insert(&mut self.memory, &self.policy, gap, None);
            self.tell_next(gap.end(), false);
        }
        self.extend(top + gap, need);
        Some(top + gap)
    }
}
