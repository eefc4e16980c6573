//! No list at all: the search steps through every block, used and free.
//!
//! ```text
//!   first ──▶ used ──▶ free ──▶ used ──▶ … ──▶ wilderness (header of size 0)
//! ```
//!
//! Control words: the rover of next fit, or the count of free blocks that a
//! limited best fit needs; else none. A free block holds no links, so the
//! smallest block is two words.
//!
//! Source: Peintner, Bukhatwa, Patel, §4 (one-word headers, steps from block to
//! block); Knuth 1968, §2.5.

use crate::block::{Span, cached, is_used, words_of};
use crate::heap::Violation;
use crate::index::{Found, Index, broken, control};
use crate::memory::Words;
use crate::policy::{Fit, Policy};
use crate::sealed::Sealed;

const EXTRA: usize = control::INDEX;

/// The region itself as the list.
#[derive(Clone, Copy, Debug, Default)]
pub struct Implicit {
    first: usize,
}

/// Words of the block whose header this is; the block may be cached.
#[inline(always)]
fn size_of<W: Words, P: Policy>(_: &P, header: usize) -> usize {
    words_of(header & !cached(P::CHECKED, W::BITS))
}

impl Implicit {
    #[inline(always)]
    fn count(memory: &mut impl Words, policy: &impl Policy, change: isize) {
        if policy.fit().counts() {
            let count = memory.load(EXTRA);
            memory.store(EXTRA, count.wrapping_add_signed(change));
        }
    }

    /// The first free block from `block` up to `end` (0: the wilderness) with `need` words.
    #[inline(always)]
    fn first_from<W: Words, P: Policy>(
        memory: &mut W,
        policy: &P,
        mut block: usize,
        end: usize,
        need: usize,
    ) -> Option<Found> {
        while block != end {
            memory.visit();
            let header = memory.load(block - 1);
            if !is_used(header) && words_of(header) >= need {
                return Some(Found { at: block, header });
            }
            if words_of(header) == 0 {
                return None;
            }
            block += size_of::<W, P>(policy, header);
        }
        None
    }

    fn next_fit(&self, memory: &mut impl Words, policy: &impl Policy, need: usize) -> Option<Found> {
        let rover = memory.load(EXTRA);
        let found = Self::first_from(memory, policy, rover, 0, need)
            .or_else(|| Self::first_from(memory, policy, self.first, rover, need));
        if let Some(block) = found {
            memory.store(EXTRA, block.at);
        }
        found
    }

    /// The free block that `better` prefers, among the first `left` free blocks.
    fn select<W: Words, P: Policy>(
        &self,
        memory: &mut W,
        policy: &P,
        need: usize,
        mut left: usize,
        better: impl Fn(usize, usize) -> bool,
    ) -> Option<Found> {
        let mut chosen: Option<Found> = None;
        let mut block = self.first;
        while left > 0 || chosen.is_none() {
            memory.visit();
            let header = memory.load(block - 1);
            let words = size_of::<W, P>(policy, header);
            if words == 0 {
                break;
            }
            if !is_used(header) {
                if words >= need && chosen.is_none_or(|found| better(words, words_of(found.header))) {
                    chosen = Some(Found { at: block, header });
                    if words == need && better(need, need + 1) {
                        break;
                    }
                }
                left = left.saturating_sub(1);
            }
            block += words;
        }
        chosen
    }
}

impl Sealed for Implicit {}

impl Index for Implicit {
    const LINKS: usize = 0;

    fn control_words(&self, policy: &impl Policy, _bits: usize) -> usize {
        (policy.fit() == Fit::Next || policy.fit().counts()) as usize
    }

    fn clear<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, first: usize) {
        self.first = first;
        match policy.fit() {
            Fit::Next => memory.store(EXTRA, first),
            fit if fit.counts() => memory.store(EXTRA, 0),
            _ => {}
        }
    }

    #[inline(always)]
    fn find<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, need: usize) -> Option<Found> {
        match policy.fit() {
            Fit::First => Self::first_from(memory, policy, self.first, 0, need),
            Fit::Next => self.next_fit(memory, policy, need),
            Fit::Best { depth } => {
                let left = if depth < 100 { (memory.load(EXTRA) * depth as usize).div_ceil(100) } else { usize::MAX };
                self.select(memory, policy, need, left, |words, best| words < best)
            }
            Fit::Worst => self.select(memory, policy, need, usize::MAX, |words, worst| words > worst),
        }
    }

    #[inline(always)]
    fn insert<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, _block: Span, _place: Option<usize>) {
        Self::count(memory, policy, 1);
    }

    #[inline(always)]
    fn remove<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, _block: Span) {
        Self::count(memory, policy, -1);
    }

    #[inline(always)]
    fn replace<W: Words>(&mut self, _memory: &mut W, _levels: &impl Policy, _old: Span, _new: Span) {}

    #[inline(always)]
    fn absorb<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, from: usize, end: usize, into: usize) {
        if policy.fit() == Fit::Next {
            let rover = memory.load(EXTRA);
            if (from..end).contains(&rover) {
                memory.store(EXTRA, into);
            }
        }
    }

    fn check<W: Words>(&self, memory: &W, policy: &impl Policy, free: usize) -> Result<(), Violation> {
        if policy.fit().counts() && memory.peek(EXTRA) != free {
            return Err(broken("I7: the count of free blocks is wrong", EXTRA));
        }
        if policy.fit() == Fit::Next {
            let (rover, mut block) = (memory.peek(EXTRA), self.first);
            while block != rover {
                let words = size_of::<W, _>(policy, memory.peek(block - 1));
                if words == 0 || block > rover {
                    return Err(broken("I8: the rover does not name a block", rover));
                }
                block += words;
            }
        }
        Ok(())
    }
}
