//! Two-level segregated fit, and half-fit: a block is found in constant time.
//!
//! ```text
//!   first level   0 0 1 0 1 0      a bit for each power of two
//!                     │   │
//!   second level      │   0 1 1 0  a bit for each equal part of it (2^second of them)
//!                     │     │ │
//!   lists                   │ └──▶ 1408 ──▶ 1500     blocks of 1280 up to 1535 words
//!                           └────▶ 1024             blocks of 1024 up to 1279 words
//! ```
//!
//! Powers of two divide the block sizes, and `2^second` equal parts divide each
//! power; sizes below `2^second` words have a list each. A request is rounded
//! up to the next list's lower end before it is looked for, so that every block
//! of the lists from there on serves it: the head of the first one that is not
//! empty, which two bit maps name, is taken (*good fit*). With `second = 0` the
//! parts and their map fall away, which is half-fit.
//!
//! The block of a request lies in a list *below* the one where requests of its
//! size are looked for, unless its size is a list's lower end. So when the
//! region is full, a search visits the heads of that list as well, up to
//! [`TwoLevel::SECOND_LOOK`] of them: a block just freed serves a request of its own size.
//!
//! Blocks larger than the largest request share the last list. [`TwoLevel::within`] leaves out the lists of blocks
//! that the region cannot have.
//!
//! Control words: the first level's map; the second level's maps; a head a list.
//!
//! # Invariants
//!
//! - **I5** Every free block is in the list of its size.
//! - **I6** A bit of the second level is set exactly when its list is not empty.
//! - **I7** A bit of the first level is set exactly when one of its lists is not empty.
//!
//! # Cost
//!
//! With m = 2^second / bits of a word, rounded up (1 for `second=5` in words of 4 bytes; 0 for half-fit):
//!
//! | operation | accesses at most | |
//! |---|---|---|
//! | find | 3 + 2m | + 1 + 2·8 in a full region |
//! | insert | 9 (half-fit 7) | |
//! | remove | 9 + m (half-fit 7) | |
//!
//! With the pool's own, an allocation (in a full region: 44 + m) or a release (34 + 2m) takes
//! at most [`TwoLevel::BOUND`] accesses, whatever is live.
//!
//! Sources: Masmano, Ripoll, Crespo, Real 2004, TLSF: a new dynamic memory
//! allocator for real-time systems; Ogasawara 1995, An algorithm with
//! constant execution time for dynamic storage allocation (half-fit).

use crate::block::{Span, is_used, words_of};
use crate::heap::Violation;
use crate::index::chain::Chain;
use crate::index::{Found, Index, broken, control};
use crate::memory::Words;
use crate::policy::Policy;
use crate::sealed::Sealed;

/// Lists by a power of two and a part of it.
#[derive(Clone, Copy, Debug)]
pub struct TwoLevel {
    /// Binary logarithm of the parts that a power of two has.
    second: u32,
    /// The list of the largest requests and of all larger blocks.
    last: usize,
    /// Words of the largest request.
    max: usize,
    /// Control words of one second-level map; known once the index was cleared, as `heads`.
    row_words: usize,
    /// First of the heads' control words.
    heads: usize,
}

impl TwoLevel {
    /// Max blocks of the list below that a search visits when the region is full.
    pub const SECOND_LOOK: usize = 8;
    /// Metadata words that one allocation or one release reads and writes at most,
    /// boundary tags and coalescing included, for requests at the heap's own alignment.
    pub const BOUND: u64 = 48;

    /// The largest binary logarithm of the parts of a power of two.
    pub const MAX_SECOND: u32 = 8;

    /// Lists of `2^second` parts a power of two, for requests of up to `largest` words.
    ///
    /// # Panics
    ///
    /// If `second` exceeds [`TwoLevel::MAX_SECOND`].
    pub const fn new(second: u32, largest: usize) -> Self {
        assert!(second <= Self::MAX_SECOND, "a power of two is divided too often");
        let largest = if largest < usize::MAX / 4 { largest } else { usize::MAX / 4 };
        let last = Self::list_ceil(second, largest);
        let (row, part) = (last >> second, last & ((1 << second) - 1));
        let max = if row == 0 { last } else { ((1 << second) + part) << (row - 1) };
        TwoLevel { second, last, max, row_words: 0, heads: 0 }
    }

    /// The same without the lists for blocks that a region of `words` words cannot have: those of a small region then
    /// take a fraction of the control words.
    pub fn within(self, words: usize) -> Self {
        TwoLevel { last: self.last.min(Self::list_ceil(self.second, words)), ..self }
    }

    /// Words of the largest request: as configured, rounded up to the lower end of a list.
    ///
    /// ```
    /// use heapsmith::parts::TwoLevel;
    ///
    /// // 2^5 lists a power of two: from 64 words on they are 2 apart, from 1024 on 32.
    /// assert_eq!([31, 33, 65, 66, 1025].map(|words| TwoLevel::new(5, words).largest()), [31, 33, 66, 66, 1056]);
    /// ```
    pub fn largest(&self) -> usize {
        self.max
    }

    /// The list of blocks of `words`, were there no last one.
    #[inline(always)]
    const fn list_floor(second: u32, words: usize) -> usize {
        let log = (words | 1).ilog2();
        if log < second {
            return words;
        }
        ((log - second) as usize * (1 << second)) + (words >> (log - second))
    }

    /// The first list whose blocks all have `words`.
    #[inline(always)]
    const fn list_ceil(second: u32, words: usize) -> usize {
        let log = (words | 1).ilog2();
        if log < second { words } else { Self::list_floor(second, words + (1 << (log - second)) - 1) }
    }

    /// Words of the smallest block of the list behind that of `words`.
    pub(crate) const fn next_list(&self, words: usize) -> usize {
        let step = 1 << (words | 1).ilog2().saturating_sub(self.second);
        words / step * step + step
    }

    /// The list that holds blocks of `words`.
    #[inline(always)]
    pub(super) fn list_of(&self, words: usize) -> usize {
        Self::list_floor(self.second, words).min(self.last)
    }

    /// The first list where every block has `need` words.
    #[inline(always)]
    pub(super) fn first_list(&self, need: usize) -> usize {
        Self::list_ceil(self.second, need)
    }

    /// Number of second-level maps.
    fn rows(&self) -> usize {
        (self.last >> self.second) + 1
    }

    /// Control words of one second-level map, in words of this many bits.
    fn row_words(&self, bits: usize) -> usize {
        if self.second == 0 { 0 } else { (1_usize << self.second).div_ceil(bits) }
    }

    #[inline(always)]
    fn chain(&self, list: usize) -> Chain {
        Chain { head: self.heads + list, tail: None }
    }

    /// The first list of `row` from its part `part` on that is not empty.
    #[inline(always)]
    fn in_row<W: Words>(&self, memory: &mut W, row: usize, part: usize) -> Option<usize> {
        let maps = control::INDEX + 1 + row * self.row_words;
        let mut mask = usize::MAX << (part % W::BITS);
        for word in part / W::BITS..self.row_words {
            let bits = memory.load(maps + word) & mask;
            if bits != 0 {
                return Some((row << self.second) + word * W::BITS + bits.trailing_zeros() as usize);
            }
            mask = usize::MAX;
        }
        None
    }

    /// The first list from `list` on that is not empty.
    #[inline(always)]
    fn first_full<W: Words>(&self, memory: &mut W, list: usize) -> Option<usize> {
        let (mut row, part) = (list >> self.second, list & ((1 << self.second) - 1));
        if self.second > 0 {
            if let Some(found) = self.in_row(memory, row, part) {
                return Some(found);
            }
            row += 1;
        }
        let rows = memory.load(control::INDEX) & (usize::MAX.checked_shl(row as u32).unwrap_or(0));
        if rows == 0 {
            return None;
        }
        let row = rows.trailing_zeros() as usize;
        if self.second == 0 { Some(row) } else { self.in_row(memory, row, 0) }
    }

    /// Sets the bits of `list`, whose first block came.
    #[inline(always)]
    fn mark<W: Words>(&self, memory: &mut W, list: usize) {
        let (row, part) = (list >> self.second, list & ((1 << self.second) - 1));
        if self.second > 0 {
            let at = control::INDEX + 1 + row * self.row_words + part / W::BITS;
            let old = memory.load(at);
            memory.store(at, old | 1 << (part % W::BITS));
        }
        let rows = memory.load(control::INDEX);
        memory.store(control::INDEX, rows | 1 << row);
    }

    /// Clears the bit of `list`, whose last block went, and that of its row if it was the last there.
    #[inline(always)]
    fn unmark<W: Words>(&self, memory: &mut W, list: usize) {
        let (row, part) = (list >> self.second, list & ((1 << self.second) - 1));
        if self.second > 0 {
            let at = control::INDEX + 1 + row * self.row_words + part / W::BITS;
            let left = memory.load(at) & !(1 << (part % W::BITS));
            memory.store(at, left);
            if left != 0 || self.in_row(memory, row, 0).is_some() {
                return;
            }
        }
        let rows = memory.load(control::INDEX);
        memory.store(control::INDEX, rows & !(1 << row));
    }

    /// Verifies the bits of `row`, whose lists hold `count` blocks.
    fn check_row<W: Words>(&self, memory: &W, row: usize, count: usize) -> Result<(), Violation> {
        if (memory.peek(control::INDEX) >> row & 1 == 1) == (count > 0) {
            Ok(())
        } else {
            Err(broken("I7: the first level is wrong about a power of two", control::INDEX))
        }
    }

    /// Verifies one list and its bit; returns how many blocks it holds.
    fn check_list<W: Words>(
        &self,
        memory: &W,
        list: usize,
        max: usize,
        key: &impl Fn(usize) -> usize,
    ) -> Result<usize, Violation> {
        let count = self.chain(list).check(memory, max, |memory, _, block| {
            let header = memory.peek(block - 1);
            if is_used(header) || self.list_of(key(words_of(header))) != list {
                return Err(broken("I5: a block in a list is used, or not of the list's sizes", block));
            }
            Ok(())
        })?;
        if self.second > 0 {
            let (row, part) = (list >> self.second, list & ((1 << self.second) - 1));
            let at = control::INDEX + 1 + row * self.row_words + part / W::BITS;
            if (memory.peek(at) >> (part % W::BITS) & 1 == 1) != (count > 0) {
                return Err(broken("I6: the second level is wrong about a list", at));
            }
        }
        Ok(count)
    }

    /// Verifies all lists, which hold `free` blocks, where `key` gives for the words of a block what the lists go by.
    pub(crate) fn check_keyed<W: Words>(
        &self,
        memory: &W,
        free: usize,
        key: impl Fn(usize) -> usize,
    ) -> Result<(), Violation> {
        let mut seen = 0;
        for row in 0..self.rows() {
            let before = seen;
            for list in row << self.second..((row + 1) << self.second).min(self.last + 1) {
                seen += self.check_list(memory, list, free - seen, &key)?;
            }
            self.check_row(memory, row, seen - before)?;
        }
        if seen == free { Ok(()) } else { Err(broken("I5: a free block is in no list", control::INDEX)) }
    }
}

impl Sealed for TwoLevel {}

impl Index for TwoLevel {
    const LINKS: usize = Chain::LINKS;

    fn control_words(&self, _levels: &impl Policy, bits: usize) -> usize {
        1 + self.rows() * self.row_words(bits) + self.last + 1
    }

    fn clear<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, _first: usize) {
        self.row_words = self.row_words(W::BITS);
        self.heads = control::INDEX + 1 + self.rows() * self.row_words;
        for at in 0..self.control_words(policy, W::BITS) {
            memory.store(control::INDEX + at, 0);
        }
    }

    #[inline]
    fn round(&self, words: usize) -> Option<usize> {
        (words <= self.max).then_some(words)
    }

    #[inline]
    fn find<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, need: usize) -> Option<Found> {
        let list = self.first_list(need);
        if list > self.last {
            return None;
        }
        let list = self.first_full(memory, list)?;
        memory.visit();
        let at = self.chain(list).first(memory);
        Some(Found { at, header: memory.load(at - 1) })
    }

    fn find_larger<W: Words>(&mut self, memory: &mut W, need: usize) -> Option<Found> {
        let chain = self.chain(self.list_of(need));
        let mut block = chain.first(memory);
        for _ in 0..Self::SECOND_LOOK {
            if block == 0 {
                break;
            }
            memory.visit();
            let header = memory.load(block - 1);
            if words_of(header) >= need {
                return Some(Found { at: block, header });
            }
            block = chain.next(memory, block);
        }
        None
    }

    #[inline(always)]
    fn holds<W: Words>(&self, memory: &mut W, block: Span) -> bool {
        Chain::holds(memory, block.at)
    }

    #[inline]
    fn insert<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, block: Span, _place: Option<usize>) {
        let list = self.list_of(block.words);
        self.chain(list).insert_after(memory, 0, block.at);
        self.mark(memory, list);
    }

    #[inline]
    fn remove<W: Words>(&mut self, memory: &mut W, _levels: &impl Policy, block: Span) {
        let list = self.list_of(block.words);
        let chain = self.chain(list);
        chain.unlink(memory, block.at);
        if chain.first(memory) == 0 {
            self.unmark(memory, list);
        }
    }

    fn check<W: Words>(&self, memory: &W, _levels: &impl Policy, free: usize) -> Result<(), Violation> {
        self.check_keyed(memory, free, |words| words)
    }
}
