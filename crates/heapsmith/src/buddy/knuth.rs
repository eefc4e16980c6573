//! Knuth's buddy system: free buddies become one at once.
//!
//! ```text
//!   order   list                        allocate, order 2: lists 2, 3, 4 are searched;
//!     5     ■■■■■■■■■■■■■■■■            the block of order 4 is split:
//!     4     ■■■■■■■■                      ■■■■■■■■  ─▶  ▣▣ □□ □□□□
//!     3     –                                           2  2   3
//!     2     –
//! ```
//!
//! A free block at the wilderness joins it: to this system never-used memory is
//! a row of free buddies that have not been written yet, and joining one of
//! them is coalescing.
//!
//! | operation | time |
//! |---|---|
//! | allocate | O(log region): the lists from its order up, then a split an order |
//! | deallocate | O(log region): a join an order |
//!
//! Source: Knuth 1968, §2.5, algorithms R and S; Donahue et al. 2001, §2.2-2.4.

use crate::block::{is_used, words_of};
use crate::buddy::blocks::{Blocks, order_of};
use crate::buddy::recombination::{Recombination, split};
use crate::buddy::start::Start;
use crate::heap::Violation;
use crate::index::{broken, control};
use crate::memory::Words;
use crate::meter::{Meter, ServePath};
use crate::sealed::Sealed;
use crate::source::Source;
use crate::word::Word;

/// Free buddies become one at once.
#[derive(Clone, Copy, Debug, Default)]
pub struct Knuth;

impl Sealed for Knuth {}

impl Recombination for Knuth {
    const LISTS: usize = 1;
    const EAGER: bool = true;

    #[inline(always)]
    fn take<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &mut Blocks<W, S, M, F>,
        order: u32,
    ) -> Option<(usize, ServePath)> {
        let list = blocks.list(0, order);
        if let Some(at) = blocks.pop(list) {
            return Some((at, ServePath::AtOnce));
        }
        let top = blocks.top();
        for larger in order + 1..=blocks.highest(top) {
            let list = blocks.list(0, larger);
            blocks.memory.visit();
            if let Some(at) = blocks.pop(list) {
                split::<Self, W, S, M, F>(blocks, at, larger, order);
                return Some((at, ServePath::AfterSplit));
            }
        }
        None
    }

    #[inline(always)]
    fn release<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, at: usize, order: u32) {
        let top = blocks.top();
        let (mut at, mut order) = (at, order);
        while !blocks.meets_wilderness(at + (1 << order), top) {
            let Some(buddy) = blocks.buddy(at, order, top) else { break };
            let Some(head) = blocks.free_of(buddy, order) else { break };
            Self::remove(blocks, buddy, order, head);
            at = at.min(buddy);
            order += 1;
        }
        if blocks.meets_wilderness(at + (1 << order), top) {
            let top = retreat::<Self, W, S, M, F>(blocks, at, u32::MAX);
            blocks.set_top(top);
        } else {
            Self::insert(blocks, at, order);
        }
    }

    #[inline(always)]
    fn insert<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, at: usize, order: u32) {
        let list = blocks.list(0, order);
        blocks.write(at, order, 0);
        blocks.push(list, at);
    }

    #[inline(always)]
    fn remove<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &mut Blocks<W, S, M, F>,
        at: usize,
        order: u32,
        _header: usize,
    ) {
        let list = blocks.list(0, order);
        blocks.unlink(list, at);
    }

    fn glue<W: Word, S: Source, M: Meter, F: Start>(_blocks: &mut Blocks<W, S, M, F>, _order: u32) -> Option<usize> {
        None
    }

    fn pair<W: Word, S: Source, M: Meter, F: Start>(_blocks: &mut Blocks<W, S, M, F>, _order: u32) -> Option<usize> {
        None
    }

    fn expected<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &Blocks<W, S, M, F>,
        at: usize,
        header: usize,
    ) -> Result<Option<usize>, Violation> {
        let (top, order) = (blocks.memory.peek(control::TOP), order_of(header));
        if F::HAS_WILDERNESS && blocks.before(top) == Some((at, order)) {
            return Err(broken("B3: a free block's buddy is the wilderness", at));
        }
        if let Some(buddy) = blocks.buddy(at, order, top) {
            let other = blocks.peek_header(buddy);
            if !is_used(other) && words_of(other) == words_of(header) {
                return Err(broken("B3: two buddies are free and have not become one", at));
            }
        }
        Ok(Some(blocks.list(0, order)))
    }
}

/// Where the wilderness begins once the free blocks that touch it and complete it
/// have joined it, up to a place for a block of order `below`; it begins at `top` before.
#[inline(always)]
pub(super) fn retreat<R: Recombination, W: Word, S: Source, M: Meter, F: Start>(
    blocks: &mut Blocks<W, S, M, F>,
    top: usize,
    below: u32,
) -> usize {
    let mut top = top;
    loop {
        if blocks.order_at(top) >= below {
            return top;
        }
        let Some((at, order)) = blocks.before(top) else { return top };
        let Some(head) = blocks.free_of(at, order) else { return top };
        R::remove(blocks, at, order, head);
        top = at;
    }
}
