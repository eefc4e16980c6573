//! A fixed set of block sizes, each with its own list; nothing is split or joined.
//!
//! ```text
//!   class 32  ──▶ free ──▶ free           a request is rounded up to its class;
//!   class 64  ──▶ free                    above the largest it is refused, or
//!   beyond    ──▶ free 8192 ──▶ free 4096 rounded up to a multiple of a step
//! ```
//!
//! Control words: a head a class, and one for the blocks beyond. A block is
//! linked by its own payload's first word. When its class is empty and the
//! region is full, a request is served by a free block of a larger class.
//!
//! A gap that an alignment left goes to the largest class that it can serve;
//! one smaller than the smallest class is out of use.
//!
//! Invariant I5 here: every block on a list is free and at least as large as its class.
//!
//! Source: Mamagkakis et al. 2006, Table 1 (Enea OSE: eight lists, no heap, no
//! splitting, no coalescing; uClinux: powers of two to 4 KB, then multiples).

use crate::block::{Format, Span, is_used, words_of};
use crate::heap::Violation;
use crate::index::{Found, Index, broken, control};
use crate::memory::Words;
use crate::policy::Policy;
use crate::sealed::Sealed;
use crate::sizes::SizeMap;
use crate::word::Word;

/// Classes by the map `C`.
#[derive(Clone, Copy, Debug)]
pub struct Classes<C> {
    map: C,
    /// Words that larger blocks are a multiple of; none if they are refused.
    beyond: Option<usize>,
}

impl<C: SizeMap> Classes<C> {
    /// Classes by `map`, which serves every size up to its largest. `beyond` is the
    /// multiple of larger blocks in words, a power of two.
    pub const fn new(map: C, beyond: Option<usize>) -> Self {
        Classes { map, beyond }
    }

    /// The list of freed blocks of `words`: the largest class not above, or the one beyond.
    fn list_floor(&self, words: usize) -> Option<usize> {
        match self.map.list_of(words) {
            Some(list) if self.map.words(list) == words => Some(list),
            Some(list) => list.checked_sub(1),
            None if self.beyond.is_some() => Some(self.map.lists()),
            None => self.map.lists().checked_sub(1),
        }
    }

    /// The first block of `list` that has `need` words; `exact`: no more.
    fn search(memory: &mut impl Words, list: usize, need: usize, exact: bool) -> Option<Found> {
        let mut block = memory.load(control::INDEX + list);
        while block != 0 {
            memory.visit();
            let header = memory.load(block - 1);
            if words_of(header) == need || !exact && words_of(header) > need {
                return Some(Found { at: block, header });
            }
            block = memory.load(block);
        }
        None
    }
}

impl<C> Sealed for Classes<C> {}

impl<C: SizeMap> Index for Classes<C> {
    const LINKS: usize = 1;

    fn suits<W: Word>(&self, format: &Format) -> bool {
        let beyond =
            self.beyond.is_none_or(|step| step > 0 && step <= W::MAX_WORDS && step & (format.granule - 1) == 0);
        beyond && (0..self.map.lists()).all(|list| format.has_blocks_of::<W>(self.map.words(list)))
    }

    fn control_words(&self, _levels: &impl Policy, _bits: usize) -> usize {
        self.map.lists() + self.beyond.is_some() as usize
    }

    fn clear<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, _first: usize) {
        for list in 0..self.control_words(policy, W::BITS) {
            memory.store(control::INDEX + list, 0);
        }
    }

    #[inline]
    fn round(&self, words: usize) -> Option<usize> {
        match self.map.list_of(words) {
            Some(list) => Some(self.map.words(list)),
            None => self.beyond.map(|step| words.div_ceil(step) * step),
        }
    }

    #[inline]
    fn find<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, need: usize) -> Option<Found> {
        match self.map.list_of(need) {
            Some(list) => Self::search(memory, list, need, false),
            None if self.beyond.is_some() => Self::search(memory, self.map.lists(), need, true),
            None => None,
        }
    }

    fn find_larger<W: Words>(&mut self, memory: &mut W, need: usize) -> Option<Found> {
        let first = self.map.list_of(need).map_or(self.map.lists(), |list| list + 1);
        let lists = self.map.lists() + self.beyond.is_some() as usize;
        (first..lists).find_map(|list| Self::search(memory, list, need, false))
    }

    #[inline(always)]
    fn holds<W: Words>(&self, memory: &mut W, block: Span) -> bool {
        memory.load(block.at) < memory.count()
    }

    #[inline]
    fn insert<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, block: Span, _place: Option<usize>) {
        if let Some(list) = self.list_floor(block.words) {
            let first = memory.load(control::INDEX + list);
            memory.store(block.at, first);
            memory.store(control::INDEX + list, block.at);
        }
    }

    fn remove<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, block: Span) {
        let Some(list) = self.list_floor(block.words) else { return };
        let mut link = control::INDEX + list;
        loop {
            let next = memory.load(link);
            if next == block.at || next == 0 {
                break;
            }
            link = next;
        }
        let after = memory.load(block.at);
        memory.store(link, after);
    }

    fn check<W: Words>(&self, memory: &W, policy: &impl Policy, free: usize) -> Result<(), Violation> {
        let mut seen = 0;
        for list in 0..self.control_words(policy, W::BITS) {
            let mut block = memory.peek(control::INDEX + list);
            while block != 0 {
                let header = memory.peek(block - 1);
                if is_used(header) || self.list_floor(words_of(header)) != Some(list) {
                    return Err(broken("I5: a block on a class's list is used, or smaller than the class", block));
                }
                seen += 1;
                if seen > free {
                    return Err(broken("I5: the lists have more blocks than are free (a cycle?)", block));
                }
                block = memory.peek(block);
            }
        }
        Ok(())
    }
}
