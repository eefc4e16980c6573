//! Freeing a block, and making one free block of several that touch.

use crate::block::{PREVIOUS_USED, Span, USED, is_used, payload_bytes, words_of};
use crate::index::{Index, control};
use crate::memory::Words;
use crate::meter::Meter;
use crate::policy::{Coalesce, Policy};
use crate::pool::BlockPool;
use crate::source::Source;
use crate::word::Word;

impl<W: Word, I: Index, L: Policy, S: Source, M: Meter, const TAGS: bool> BlockPool<W, I, L, S, M, TAGS> {
    /// Frees the used block `at`, whose header is `head`.
    #[inline(always)]
    pub(super) fn release(&mut self, at: usize, head: usize) {
        debug_assert!(is_used(head), "double free");
        let block = Span { at, words: words_of(head) };
        let flags = head & PREVIOUS_USED;
        match self.policy.coalesce() {
            Coalesce::From(min) if payload_bytes::<W>(block.words) >= min => self.merge_neighbours(block, flags),
            Coalesce::EveryCall => {
                self.link_alone(block, flags);
                self.sweep();
            }
            _ => self.link_alone(block, flags),
        }
    }

    /// Makes the block free as it is.
    #[inline(always)]
    fn link_alone(&mut self, block: Span, flags: usize) {
        self.write_free(block, flags);
        self.index.insert(&mut self.memory, &self.policy, block, None);
        self.tell_next(block.end(), false);
        self.touching = true;
    }

    /// Makes the block free together with its free neighbours.
    #[inline(always)]
    fn merge_neighbours(&mut self, block: Span, flags: usize) {
        let place = if I::LOCATES && !TAGS { Some(self.index.locate(&mut self.memory, block.at)) } else { None };
        let next_header = self.memory.load(block.end() - 1);
        let previous = self.previous_free(block.at, flags, place);
        let mut merged = block;
        let mut flags = flags;
        if let Some((span, its_flags)) = previous {
            merged = Span { at: span.at, words: span.words + block.words };
            flags = its_flags;
        }
        let previous = previous.map(|(span, _)| span);
        if L::CHECKED && previous.is_some() {
            // No header of a used block any more.
            self.memory.store(block.at - 1, 0);
        }
        if words_of(next_header) == 0 {
            if let Some(previous) = previous {
                self.index.remove(&mut self.memory, &self.policy, previous);
            }
            self.index.absorb(&mut self.memory, &self.policy, merged.at, merged.end() + 1, self.first);
            self.set_top(merged.at, flags);
            return;
        }
        let next = if is_used(next_header) {
            None
        } else {
            let next = Span { at: block.end(), words: words_of(next_header) };
            merged.words += next.words;
            Some(next)
        };
        self.index.merge(&mut self.memory, &self.policy, previous, next, merged, place);
        self.index.absorb(&mut self.memory, &self.policy, merged.at + 1, merged.end(), merged.at);
        self.write_free(merged, flags);
        if next.is_none() {
            self.tell_next(merged.end(), false);
        }
    }

    /// The free block that ends where `at`'s header begins, and its flags.
    #[inline(always)]
    fn previous_free(&mut self, at: usize, flags: usize, place: Option<usize>) -> Option<(Span, usize)> {
        if TAGS {
            if flags & PREVIOUS_USED != 0 {
                return None;
            }
            let words = self.memory.load(at - 2);
            let head = self.memory.load(at - words - 1);
            return Some((Span { at: at - words, words }, head & PREVIOUS_USED));
        }
        match place {
            Some(0) => None,
            Some(before) => {
                let words = words_of(self.memory.load(before - 1));
                (before + words == at).then_some((Span { at: before, words }, 0))
            }
            None => self.search_from_start(at),
        }
    }

    /// The free block before `at`, found by stepping over every block from the first
    /// (Peintner et al., §4: slow free).
    fn search_from_start(&mut self, at: usize) -> Option<(Span, usize)> {
        let mut before = self.first;
        while before < at {
            self.memory.visit();
            let head = self.memory.load(before - 1);
            let words = self.size_of(head);
            if before + words == at {
                return (!is_used(head)).then_some((Span { at: before, words }, 0));
            }
            before += words;
        }
        None
    }

    /// Joins all free blocks that touch, where a block was freed and left apart since that was last done. Returns
    /// whether it was; if not, it takes constant time.
    pub(super) fn join(&mut self) -> bool {
        let apart = self.touching && self.policy.coalesce().leaves_apart();
        if apart {
            self.sweep();
        }
        apart
    }

    /// Makes one of all free blocks that touch, over the whole region.
    #[cold]
    pub(super) fn sweep(&mut self) {
        let mut at = self.first;
        loop {
            self.memory.visit();
            let head = self.memory.load(at - 1);
            if words_of(head) == 0 {
                break;
            }
            let block = Span { at, words: self.size_of(head) };
            if is_used(head) {
                at = block.end();
                continue;
            }
            match self.gather(block, head & PREVIOUS_USED) {
                Some(merged) => at = merged.end(),
                None => break,
            }
        }
        self.touching = false;
    }

    /// Joins to the free `block` the free blocks that follow; none if all became wilderness.
    fn gather(&mut self, block: Span, flags: usize) -> Option<Span> {
        let mut merged = block;
        loop {
            let next_header = self.memory.load(merged.end() - 1);
            let words = words_of(next_header);
            if words == 0 {
                self.index.remove(&mut self.memory, &self.policy, block);
                self.index.absorb(&mut self.memory, &self.policy, block.at, merged.end() + 1, self.first);
                self.set_top(block.at, flags);
                return None;
            }
            if next_header & USED != 0 {
                break;
            }
            self.index.remove(&mut self.memory, &self.policy, Span { at: merged.end(), words });
            merged.words += words;
        }
        if merged.words > block.words {
            self.index.replace(&mut self.memory, &self.policy, block, merged);
            self.index.absorb(&mut self.memory, &self.policy, block.at + 1, merged.end(), block.at);
            self.write_free(merged, flags);
        }
        Some(merged)
    }

    /// Payload of the wilderness.
    pub(super) fn top(&self) -> usize {
        self.memory.peek(control::TOP)
    }
}
