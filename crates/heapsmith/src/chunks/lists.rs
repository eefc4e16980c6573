//! The free chunks: one list, a ring for each power of two, or the lists of half-fit and TLSF.
//!
//! | index | insert | find | remove |
//! |---|---|---|---|
//! | `Lifo` | front | first fit or best fit, O(free) | O(1) |
//! | `Address`, `Size` | in order, O(free) | the same | O(1) |
//! | `Rings` | end of its ring | [`Lists::TRIES`] of its own ring, then the head of the next that is not empty | O(1) |
//! | `Powers`, `TwoLevel` | front of its list | the head of the first list whose chunks all serve | O(1) |
//!
//! A ring is a bucket of Zephyr's `sys_heap`: a search that passes a chunk over turns the ring on, and whatever is removed,
//! the ring begins behind it.

use crate::block::{Span, words_ceil};
use crate::heap::Violation;
use crate::index::{Index, TwoLevel, broken, control};
use crate::memory::Words;
use crate::policy::PolicyValues;

use super::ChunkValues;
use super::layout::{Chunk, Layout};

/// How free chunks are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ChunkIndex {
    /// One list: what was freed last comes first, and what grows or shrinks keeps its place.
    #[default]
    Lifo,
    /// One list in order of addresses.
    Address,
    /// One list in order of sizes; of equals, what was freed last comes first.
    Size,
    /// A ring for each power of two.
    Rings,
    /// A list for each power of two; a request looks where every chunk serves it.
    Powers,
    /// The same with each power of two divided in 32, by the bytes of payloads.
    TwoLevel,
}

/// The first control word of an index: the head of the one list, or the map of rings.
const HEAD: usize = control::INDEX;
/// The last chunk of a list by address that is searched from both ends.
const TAIL: usize = control::INDEX + 1;
/// The wilderness of a heap with ends, a measure.
pub const MIDDLE: usize = control::INDEX + 2;
/// The head of the first ring.
const RINGS: usize = control::INDEX + 1;
const POLICY: PolicyValues = PolicyValues::DEFAULT;

/// The free chunks of a heap.
#[derive(Clone, Copy, Debug)]
pub struct Lists {
    index: ChunkIndex,
    /// Whether one list is searched to its end for the smallest that serves.
    best: bool,
    layout: Layout,
    two_level: TwoLevel,
    rings: usize,
    /// Whether the list has a tail, and the heap a middle.
    pub has_ends: bool,
}

impl Lists {
    /// Chunks of its own ring that a request looks at (`CONFIG_SYS_HEAP_ALLOC_LOOPS`).
    pub const TRIES: usize = 3;

    /// Lists for each power of two of a second level, as its logarithm.
    pub const SECOND_LEVEL: u32 = 5;

    /// What lists of powers of two go by of the largest request, in regions of up to `max` words: with a second level its words,
    /// else its units.
    pub fn max_listed(values: &ChunkValues, layout: Layout, max: usize) -> usize {
        match values.index {
            // That of the original: 2^30 bytes in words of four, 2^32 in words of eight.
            ChunkIndex::TwoLevel => max.min(63 << if max > 1 << 30 { 23 } else { 22 }),
            _ => max / layout.unit,
        }
    }

    /// Lists for regions of up to `max` words.
    pub fn new(values: &ChunkValues, layout: Layout, max: usize) -> Lists {
        let &ChunkValues { index, best, above, .. } = values;
        let two_level = match index {
            ChunkIndex::TwoLevel => TwoLevel::new(Self::SECOND_LEVEL, Self::max_listed(values, layout, max)),
            _ => TwoLevel::new(0, Self::max_listed(values, layout, max)),
        };
        let rings = (max / layout.unit).max(1).ilog2() as usize + 1;
        Lists { index, best, layout, two_level, rings, has_ends: above > 0 }
    }

    /// Control words, of `bits` bits each.
    pub fn control_words(&self, bits: usize) -> usize {
        match self.index {
            ChunkIndex::Lifo | ChunkIndex::Address | ChunkIndex::Size => 1 + if self.has_ends { 2 } else { 0 },
            ChunkIndex::Rings => 1 + self.rings,
            ChunkIndex::Powers | ChunkIndex::TwoLevel => self.two_level.control_words(&POLICY, bits),
        }
    }

    /// Makes them empty.
    pub fn clear<W: Words>(&mut self, memory: &mut W, first: usize) {
        if matches!(self.index, ChunkIndex::Powers | ChunkIndex::TwoLevel) {
            return self.two_level.clear(memory, &POLICY, first);
        }
        for at in 0..self.control_words(W::BITS) {
            memory.store(control::INDEX + at, 0);
        }
    }

    /// Whether a chunk that grows to the right or moves its start keeps its place.
    #[inline(always)]
    pub fn keeps_place(&self) -> bool {
        matches!(self.index, ChunkIndex::Lifo | ChunkIndex::Address)
    }

    /// What lists of powers of two go by: units, or words of payload.
    #[inline(always)]
    fn key(&self, words: usize) -> usize {
        if self.index == ChunkIndex::TwoLevel { words - 1 } else { words / self.layout.unit }
    }

    /// The ring of chunks of this size.
    #[inline(always)]
    fn ring(&self, words: usize) -> usize {
        ((words - self.layout.min) / self.layout.unit + 1).ilog2() as usize
    }

    /// Words that a chunk needs for no search to take it for one of `words` words or less, or to look at it before those; 0 if
    /// sizes make no difference.
    pub fn apart_from(&self, words: usize) -> usize {
        let unit = self.layout.unit;
        match self.index {
            ChunkIndex::Lifo | ChunkIndex::Address if !self.best => 0,
            ChunkIndex::Lifo | ChunkIndex::Address | ChunkIndex::Size => words + unit,
            ChunkIndex::Rings if words < self.layout.min => self.layout.min,
            ChunkIndex::Rings => self.layout.min + ((2 << self.ring(words)) - 1) * unit,
            ChunkIndex::Powers => self.two_level.next_list(self.key(words)) * unit,
            ChunkIndex::TwoLevel => words_ceil(self.two_level.next_list(self.key(words.max(1))) + 1, unit),
        }
    }

    /// Words from which on a free chunk is found by every search for `need` words.
    pub fn serving_for_certain(&self, need: usize) -> usize {
        let unit = self.layout.unit;
        let rounded = |second| TwoLevel::new(second, self.key(need)).largest();
        match self.index {
            ChunkIndex::Lifo | ChunkIndex::Address | ChunkIndex::Size => need,
            ChunkIndex::Rings => self.apart_from(need),
            ChunkIndex::Powers => rounded(0) * unit,
            ChunkIndex::TwoLevel => words_ceil(rounded(Self::SECOND_LEVEL) + 1, unit),
        }
    }

    /// A free chunk of at least `need` words, which stays where it is.
    #[inline(always)]
    pub fn find<W: Words>(&self, memory: &mut W, need: usize) -> Option<Chunk> {
        match self.index {
            ChunkIndex::Lifo | ChunkIndex::Address | ChunkIndex::Size => self.find_in_list(memory, need),
            ChunkIndex::Rings => self.find_in_rings(memory, need),
            ChunkIndex::Powers | ChunkIndex::TwoLevel => {
                let mut lists = self.two_level;
                let at = lists.find(memory, &POLICY, self.key(need))?.at;
                Some(self.layout.read(memory, at).0)
            }
        }
    }

    fn find_in_list(&self, memory: &mut impl Words, need: usize) -> Option<Chunk> {
        let mut found: Option<Chunk> = None;
        let mut at = memory.load(HEAD);
        while at != 0 {
            memory.visit();
            let (chunk, _) = self.layout.read(memory, at);
            if chunk.words >= need && found.is_none_or(|found| chunk.words < found.words) {
                found = Some(chunk);
                if !self.best {
                    break;
                }
            }
            at = self.layout.next(memory, at);
        }
        found
    }

    /// The last chunk of a list by address that has `need` words.
    pub fn find_last(&self, memory: &mut impl Words, need: usize) -> Option<Chunk> {
        let mut at = memory.load(TAIL);
        while at != 0 {
            memory.visit();
            let (chunk, _) = self.layout.read(memory, at);
            if chunk.words >= need {
                return Some(chunk);
            }
            at = self.layout.previous(memory, at);
        }
        None
    }

    fn find_in_rings(&self, memory: &mut impl Words, need: usize) -> Option<Chunk> {
        let ring = self.ring(need);
        if ring >= self.rings {
            return None;
        }
        let start = memory.load(RINGS + ring);
        let mut at = start;
        for _ in 0..Self::TRIES {
            if at == 0 {
                break;
            }
            memory.visit();
            let (chunk, _) = self.layout.read(memory, at);
            if chunk.words >= need {
                return Some(chunk);
            }
            at = self.layout.next(memory, at);
            memory.store(RINGS + ring, at);
            if at == start {
                break;
            }
        }
        let larger = memory.load(HEAD) >> (ring + 1);
        if larger == 0 {
            return None;
        }
        let at = memory.load(RINGS + ring + 1 + larger.trailing_zeros() as usize);
        memory.visit();
        Some(self.layout.read(memory, at).0)
    }

    /// Adds a free chunk.
    #[inline(always)]
    pub fn insert<W: Words>(&mut self, memory: &mut W, chunk: Chunk) {
        match self.index {
            ChunkIndex::Lifo => self.insert_after(memory, 0, chunk.at),
            ChunkIndex::Address | ChunkIndex::Size => {
                let (mut previous, mut at) = (0, memory.load(HEAD));
                while at != 0 && self.is_before(memory, at, chunk) {
                    memory.visit();
                    (previous, at) = (at, self.layout.next(memory, at));
                }
                self.insert_after(memory, previous, chunk.at);
            }
            ChunkIndex::Rings => self.insert_in_ring(memory, chunk),
            ChunkIndex::Powers | ChunkIndex::TwoLevel => {
                let span = Span { at: chunk.at, words: self.key(chunk.words) };
                self.two_level.insert(memory, &POLICY, span, None);
            }
        }
    }

    #[inline(always)]
    fn is_before(&self, memory: &mut impl Words, at: usize, chunk: Chunk) -> bool {
        match self.index {
            ChunkIndex::Size => self.layout.read(memory, at).0.words < chunk.words,
            _ => at < chunk.at,
        }
    }

    /// Links `chunk` into the one list behind `previous`; 0 is the front.
    #[inline(always)]
    fn insert_after(&self, memory: &mut impl Words, previous: usize, chunk: usize) {
        let next = if previous == 0 { memory.load(HEAD) } else { self.layout.next(memory, previous) };
        self.layout.set_links(memory, chunk, next, previous);
        self.point_at(memory, previous, next, chunk, chunk);
    }

    /// Makes `previous` point forward at `forward`, and `next` back at `back`.
    #[inline(always)]
    fn point_at(&self, memory: &mut impl Words, previous: usize, next: usize, forward: usize, back: usize) {
        if previous == 0 {
            memory.store(HEAD, forward);
        } else {
            self.layout.set_next(memory, previous, forward);
        }
        if next != 0 {
            self.layout.set_previous(memory, next, back);
        } else if self.has_ends {
            memory.store(TAIL, back);
        }
    }

    fn insert_in_ring(&self, memory: &mut impl Words, chunk: Chunk) {
        let ring = self.ring(chunk.words);
        let head = memory.load(RINGS + ring);
        if head == 0 {
            let map = memory.load(HEAD);
            memory.store(HEAD, map | 1 << ring);
            memory.store(RINGS + ring, chunk.at);
            self.layout.set_links(memory, chunk.at, chunk.at, chunk.at);
        } else {
            let last = self.layout.previous(memory, head);
            self.layout.set_links(memory, chunk.at, head, last);
            self.layout.set_next(memory, last, chunk.at);
            self.layout.set_previous(memory, head, chunk.at);
        }
    }

    /// Takes a free chunk out.
    #[inline(always)]
    pub fn remove<W: Words>(&mut self, memory: &mut W, chunk: Chunk) {
        match self.index {
            ChunkIndex::Lifo | ChunkIndex::Address | ChunkIndex::Size => {
                let (next, previous) = (self.layout.next(memory, chunk.at), self.layout.previous(memory, chunk.at));
                self.point_at(memory, previous, next, next, previous);
            }
            ChunkIndex::Rings => self.remove_from_ring(memory, chunk),
            ChunkIndex::Powers | ChunkIndex::TwoLevel => {
                let span = Span { at: chunk.at, words: self.key(chunk.words) };
                self.two_level.remove(memory, &POLICY, span);
            }
        }
    }

    fn remove_from_ring(&self, memory: &mut impl Words, chunk: Chunk) {
        let ring = self.ring(chunk.words);
        let next = self.layout.next(memory, chunk.at);
        if next == chunk.at {
            let map = memory.load(HEAD);
            memory.store(HEAD, map & !(1 << ring));
            memory.store(RINGS + ring, 0);
        } else {
            let previous = self.layout.previous(memory, chunk.at);
            memory.store(RINGS + ring, next);
            self.layout.set_next(memory, previous, next);
            self.layout.set_previous(memory, next, previous);
        }
    }

    /// Puts the chunk at `new` where the one at `old` is, in a list where it keeps its place.
    #[inline(always)]
    pub fn replace(&self, memory: &mut impl Words, old: usize, new: usize) {
        let (next, previous) = (self.layout.next(memory, old), self.layout.previous(memory, old));
        self.layout.set_links(memory, new, next, previous);
        self.point_at(memory, previous, next, new, new);
    }

    /// Verifies the lists, which hold `free` chunks.
    pub fn check<W: Words>(&self, memory: &W, free: usize) -> Result<(), Violation> {
        let seen = match self.index {
            ChunkIndex::Lifo | ChunkIndex::Address | ChunkIndex::Size => self.check_list(memory, free)?,
            ChunkIndex::Rings => self.check_rings(memory, free)?,
            ChunkIndex::Powers | ChunkIndex::TwoLevel => {
                return self.two_level.check_keyed(memory, free, |words| self.key(words));
            }
        };
        if seen == free { Ok(()) } else { Err(broken("K4: a free chunk is in no list", HEAD)) }
    }

    fn check_list(&self, memory: &impl Words, free: usize) -> Result<usize, Violation> {
        let (mut previous, mut at, mut seen) = (None::<Chunk>, memory.peek(HEAD), 0);
        while at != 0 {
            let (chunk, used) = self.layout.peek(memory, at);
            let (next, back) = self.layout.peek_links(memory, at);
            let sorted = previous.is_none_or(|previous| match self.index {
                ChunkIndex::Address => previous.at < at,
                ChunkIndex::Size => previous.words <= chunk.words,
                _ => true,
            });
            if used || seen == free || back != previous.map_or(0, |previous| previous.at) || !sorted {
                return Err(broken("K4: the list of free chunks is out of order", at));
            }
            (previous, at, seen) = (Some(chunk), next, seen + 1);
        }
        if self.has_ends && memory.peek(TAIL) != previous.map_or(0, |chunk| chunk.at) {
            return Err(broken("K4: the tail is not the last chunk", TAIL));
        }
        Ok(seen)
    }

    fn check_rings(&self, memory: &impl Words, free: usize) -> Result<usize, Violation> {
        let mut seen = 0;
        for ring in 0..self.rings {
            let start = memory.peek(RINGS + ring);
            if (memory.peek(HEAD) >> ring & 1 == 1) != (start != 0) {
                return Err(broken("K5: the map is wrong about a ring", HEAD));
            }
            let mut at = start;
            while at != 0 {
                let (chunk, used) = self.layout.peek(memory, at);
                let (next, _) = self.layout.peek_links(memory, at);
                if used || seen == free || chunk.words < self.layout.min || self.ring(chunk.words) != ring {
                    return Err(broken("K4: a chunk in a ring is used, or not of its sizes", at));
                }
                if next == 0 || self.layout.peek_links(memory, next).1 != at {
                    return Err(broken("K4: a link back does not name the chunk before", next));
                }
                (seen, at) = (seen + 1, if next == start { 0 } else { next });
            }
        }
        Ok(seen)
    }
}
