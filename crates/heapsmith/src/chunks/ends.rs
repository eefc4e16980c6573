//! Two ends: small blocks from below, large ones from above, and the wilderness between them.
//!
//! ```text
//!   │ control │ small │ small │ free │ small │    wilderness    │ large │ free │ large │ 0 │
//!     first fit from here ──▶                                    ◀── last fit from here
//! ```
//!
//! Sizes that differ in how long they live keep out of each other's holes. A request of `above` bytes or more takes the last
//! free block by address that is large enough, and the upper end of it; what remains keeps its place in the list. Smaller ones are
//! served as ever. An alignment above the unit is served from below.
//!
//! The middle, a control word, names the free block between the ends; where all of it is taken, the next block that is freed.
//! It is a measure, as the high-water mark is: no choice depends on it. The footprint is all but the middle, which is what
//! a region needs: in a shorter one everything lies as it does, from both ends.

use super::Chunks;
use super::layout::Chunk;
use super::lists::MIDDLE;
use crate::index::control;
use crate::memory::Words;
use crate::meter::{Meter, ServePath};
use crate::source::Source;
use crate::word::Word;

impl<W: Word, S: Source, M: Meter> Chunks<W, S, M> {
    #[inline(always)]
    pub(super) fn has_ends(&self) -> bool {
        self.lists.has_ends
    }

    /// The middle, or 0.
    #[inline(always)]
    pub(super) fn middle(&self) -> usize {
        if self.has_ends() { self.memory.peek(MIDDLE) } else { 0 }
    }

    pub(super) fn middle_chunk(&self) -> Option<Chunk> {
        let middle = self.middle();
        (middle != 0).then(|| self.layout.peek(&self.memory, middle).0)
    }

    /// Words outside of the middle.
    #[inline(always)]
    pub(super) fn outside_middle(&self) -> usize {
        self.end - self.layout.head - self.middle_chunk().map_or(0, |chunk| chunk.words)
    }

    /// Words of the footprint.
    pub(super) fn words_in_use(&self) -> usize {
        if self.has_ends() { self.outside_middle() } else { self.top() - self.layout.head }
    }

    /// The middle, if it is in `chunk`, is the free chunk `at` now; 0 is none.
    #[inline(always)]
    pub(super) fn middle_becomes(&mut self, chunk: Chunk, at: usize) {
        if self.has_ends() && (chunk.at..chunk.end()).contains(&self.memory.peek(MIDDLE)) {
            self.memory.poke(MIDDLE, at);
        }
    }

    /// A freed chunk is the middle, if it took that in or there is none.
    #[inline(always)]
    pub(super) fn middle_joins(&mut self, chunk: Chunk) {
        if self.has_ends() && self.memory.peek(MIDDLE) == 0 {
            self.memory.poke(MIDDLE, chunk.at);
        }
        self.middle_becomes(chunk, chunk.at);
    }

    /// Serves a request from above.
    pub(super) fn take_above(&mut self, need: usize) -> Option<usize> {
        let chunk = self.lists.find_last(&mut self.memory, need)?;
        let (layout, memory) = (self.layout, &mut self.memory);
        if chunk.words - need < layout.remainder.max(layout.min) {
            self.lists.remove(memory, chunk);
            let way = self.cut(chunk, need, false);
            self.memory.meter.served(way);
            return Some(chunk.at);
        }
        let remainder = Chunk { at: chunk.at, words: chunk.words - need };
        let used = Chunk { at: remainder.end(), words: need };
        layout.write(memory, remainder, false);
        layout.create(memory, used, true);
        layout.tell_right(memory, remainder, false);
        layout.tell_right(memory, used, true);
        // Its high-water mark is that of a heap with ends, whatever it ends before.
        self.mark(used.end());
        self.memory.meter.served(ServePath::AfterSplit);
        Some(used.at)
    }

    /// Begins with the one free chunk as the middle.
    pub(super) fn clear_middle(&mut self) {
        if self.has_ends() {
            self.memory.poke(MIDDLE, self.first);
        }
        self.memory.poke(control::HIGH, self.first - self.layout.head);
    }
}
