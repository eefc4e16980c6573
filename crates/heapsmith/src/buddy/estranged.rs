//! The estranged buddy system: free buddies stay apart until a request needs them joined.
//!
//! ```text
//!   order   buddy-busy            buddy-free
//!     3     ■■■■■■■■ buddy used   –
//!     2     –                     □□□□┊□□□□   one of the two is on the list,
//!     1     ■■ ■■                 –           the other is implied
//! ```
//!
//! Of two free buddies the lower is on the list; a status bit marks both. A
//! request of order `k` is served in five steps, in this order:
//!
//! 1. A block of buddy-busy `k`.
//! 2. A block of buddy-free `k`: the lower; the upper moves to buddy-busy.
//! 3. Two buddies of buddy-free `k − 1`, joined.
//! 4. A larger block, split. Orders ascend, and in each buddy-busy comes before
//!    buddy-free, as in steps 1 and 2; the paper leaves that open. The upper
//!    halves move to buddy-busy, since the lower halves are in use.
//! 5. Everything on the buddy-free lists from the lowest order up is joined,
//!    order by order, until two buddies of order `k − 1` are free.
//!
//! The paper's heap begins as one free block, so never-used memory is split in
//! its step 4. Here it is the wilderness and comes after step 5: as everywhere
//! in this crate, memory is taken only when what was taken before cannot serve.
//! A block whose buddy is in the wilderness is on buddy-busy; it joins when
//! the wilderness is extended.
//!
//! | operation | time |
//! |---|---|
//! | allocate, steps 1-3 | O(1) |
//! | allocate, step 4 | O(log region) |
//! | allocate, step 5 | O(free blocks): each join is paid for by an earlier free |
//! | deallocate | O(1) |
//!
//! Source: Donahue et al. 2001, §2.5-2.7, Figure 5; Kaufman 1984.

use crate::block::{is_used, words_of};
use crate::buddy::blocks::Blocks;
use crate::buddy::recombination::{Recombination, split};
use crate::heap::Violation;
use crate::index::{broken, control};
use crate::memory::Words;
use crate::meter::{Meter, ServePath};
use crate::sealed::Sealed;
use crate::source::Source;
use crate::word::Word;

/// Free buddies stay apart until a request needs them joined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estranged;

/// Status bit of a free block's header: its buddy is free too.
const PAIRED: usize = 2;
/// Number of the list of blocks whose buddy is used.
const BUSY: usize = 0;
/// Number of the list of pairs.
const FREE: usize = 1;

/// Takes one of two free buddies, and lets the other be alone.
#[inline(always)]
fn part<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, order: u32) -> Option<usize> {
    let at = Estranged::pair(blocks, order)?;
    Estranged::insert(blocks, at + (1 << order), order);
    Some(at)
}

/// Steps 1 and 2.
#[inline(always)]
fn whole<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, order: u32) -> Option<usize> {
    let list = blocks.list(BUSY, order);
    match blocks.pop(list) {
        Some(at) => Some(at),
        None => part(blocks, order),
    }
}

/// Step 4.
fn from_above<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, order: u32) -> Option<usize> {
    let top = blocks.top();
    for larger in order + 1..=blocks.highest(top) {
        blocks.memory.visit();
        if let Some(at) = whole(blocks, larger) {
            split::<Estranged, W, S, M>(blocks, at, larger, order);
            return Some(at);
        }
    }
    None
}

/// Step 5.
fn glue<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, order: u32) -> Option<usize> {
    for lower in blocks.min..order {
        while let Some(at) = Estranged::pair(blocks, lower) {
            blocks.memory.visit();
            if lower + 1 == order {
                return Some(at);
            }
            Estranged::release(blocks, at, lower + 1);
        }
    }
    None
}

impl Sealed for Estranged {}

impl Recombination for Estranged {
    const LISTS: usize = 2;
    const EAGER: bool = false;

    #[inline(always)]
    fn find<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, order: u32) -> Option<(usize, ServePath)> {
        if let Some(at) = whole(blocks, order) {
            return Some((at, ServePath::AtOnce));
        }
        if order > blocks.min
            && let Some(at) = Self::pair(blocks, order - 1)
        {
            return Some((at, ServePath::AfterCoalescing));
        }
        if let Some(at) = from_above(blocks, order) {
            return Some((at, ServePath::AfterSplit));
        }
        glue(blocks, order).map(|at| (at, ServePath::AfterCoalescing))
    }

    #[inline(always)]
    fn release<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, at: usize, order: u32) {
        let top = blocks.top();
        if let Some(buddy) = blocks.buddy(at, order, top)
            && blocks.free_of(buddy, order).is_some()
        {
            let (busy, free) = (blocks.list(BUSY, order), blocks.list(FREE, order));
            blocks.unlink(busy, buddy);
            blocks.write(at, order, PAIRED);
            blocks.write(buddy, order, PAIRED);
            blocks.push(free, at.min(buddy));
        } else {
            Self::insert(blocks, at, order);
        }
    }

    #[inline(always)]
    fn insert<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, at: usize, order: u32) {
        let list = blocks.list(BUSY, order);
        blocks.write(at, order, 0);
        blocks.push(list, at);
    }

    fn remove<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, at: usize, order: u32, header: usize) {
        if header & PAIRED == 0 {
            let list = blocks.list(BUSY, order);
            blocks.unlink(list, at);
            return;
        }
        let other = if blocks.order_at(at) > order { at + (1 << order) } else { at - (1 << order) };
        let list = blocks.list(FREE, order);
        blocks.unlink(list, at.min(other));
        Self::insert(blocks, other, order);
    }

    #[inline(always)]
    fn pair<W: Word, S: Source, M: Meter>(blocks: &mut Blocks<W, S, M>, order: u32) -> Option<usize> {
        let list = blocks.list(FREE, order);
        blocks.pop(list)
    }

    fn expected<W: Word, S: Source, M: Meter>(
        blocks: &Blocks<W, S, M>,
        at: usize,
        header: usize,
    ) -> Result<Option<usize>, Violation> {
        let (top, order) = (blocks.memory.peek(control::TOP), Blocks::<W, S, M>::order_of(header));
        let buddy = blocks.buddy(at, order, top).filter(|&buddy| {
            let other = blocks.memory.peek(buddy - 1);
            !is_used(other) && words_of(other) == words_of(header)
        });
        if buddy.is_some() != (header & PAIRED != 0) {
            return Err(broken("B4: a free block does not tell whether its buddy is free", at));
        }
        Ok(match buddy {
            None => Some(blocks.list(BUSY, order)),
            Some(buddy) if at < buddy => Some(blocks.list(FREE, order)),
            Some(_) => None,
        })
    }
}
