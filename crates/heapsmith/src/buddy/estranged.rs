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
//! Where the heap begins as one free block, as in the paper ([`crate::buddy::OneBlock`]), never-used memory is split in
//! step 4. With a wilderness it comes after step 5: as everywhere in this crate, memory is taken only when what was
//! taken before cannot serve; [`Growth`](crate::buddy::Growth) lets it come before step 5. A block whose buddy is in
//! the wilderness is on buddy-busy; it joins when the wilderness is extended.
//!
//! # Step 5 and its bound
//!
//! The paper gives O(log M) for both operations (§4). Step 5 breaks it: after a program freed every small block, one
//! request for a large one joins them all, half as many joins as there were blocks. Where at most `N` pairs may wait
//! ([`gluing`](crate::buddy::Buddies::gluing)), one request joins at most `N` times the orders: a join takes a pair off
//! the lists and puts at most one pair of the next order there, so the pairs become no more, and each of the at most
//! `N` that are there at the start is joined once an order at most. A free joins at most once an order, as Knuth's
//! does. Nothing is refused that the unbounded system serves: step 5 still joins all there is, there is only less
//! left to it. `N = 0` is Knuth's system.
//!
//! | operation | time | at most `N` pairs |
//! |---|---|---|
//! | allocate, steps 1-3 | O(1) | O(1) |
//! | allocate, step 4 | O(log region) | O(log region) |
//! | allocate, step 5 | O(free blocks): each join is paid for by an earlier free | O(N · log region) |
//! | deallocate | O(1) | O(log region) |
//!
//! Source: Donahue et al. 2001, §2.5-2.7, Figure 5; Kaufman 1984.

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
fn part<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, order: u32) -> Option<usize> {
    let at = Estranged::pair(blocks, order)?;
    Estranged::insert(blocks, at + (1 << order), order);
    Some(at)
}

/// Steps 1 and 2.
#[inline(always)]
fn whole<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, order: u32) -> Option<usize> {
    let list = blocks.list(BUSY, order);
    match blocks.pop(list) {
        Some(at) => Some(at),
        None => part(blocks, order),
    }
}

/// Step 4.
fn from_above<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, order: u32) -> Option<usize> {
    let top = blocks.top();
    for larger in order + 1..=blocks.highest(top) {
        blocks.memory.visit();
        if let Some(at) = whole(blocks, larger) {
            split::<Estranged, W, S, M, F>(blocks, at, larger, order);
            return Some(at);
        }
    }
    None
}

impl Sealed for Estranged {}

impl Recombination for Estranged {
    const LISTS: usize = 2;
    const EAGER: bool = false;

    #[inline(always)]
    fn take<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &mut Blocks<W, S, M, F>,
        order: u32,
    ) -> Option<(usize, ServePath)> {
        if let Some(at) = whole(blocks, order) {
            return Some((at, ServePath::AtOnce));
        }
        if order > blocks.min
            && let Some(at) = Self::pair(blocks, order - 1)
        {
            return Some((at, ServePath::AfterCoalescing));
        }
        from_above(blocks, order).map(|at| (at, ServePath::AfterSplit))
    }

    /// Step 5.
    fn glue<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, order: u32) -> Option<usize> {
        for lower in blocks.min..order {
            while let Some(at) = Self::pair(blocks, lower) {
                blocks.memory.visit();
                if lower + 1 == order {
                    return Some(at);
                }
                Self::release(blocks, at, lower + 1);
            }
        }
        None
    }

    /// A block whose buddy is free, too, waits with it, or becomes one with it where as many pairs wait as may.
    #[inline(always)]
    fn release<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, at: usize, order: u32) {
        let top = blocks.top();
        let (mut at, mut order) = (at, order);
        while let Some(buddy) = blocks.buddy(at, order, top)
            && blocks.free_of(buddy, order).is_some()
        {
            let busy = blocks.list(BUSY, order);
            blocks.unlink(busy, buddy);
            if blocks.pairs < blocks.max_pairs {
                let free = blocks.list(FREE, order);
                blocks.pairs += 1;
                blocks.write(at, order, PAIRED);
                blocks.write(buddy, order, PAIRED);
                blocks.push(free, at.min(buddy));
                return;
            }
            at = at.min(buddy);
            order += 1;
        }
        Self::insert(blocks, at, order);
    }

    #[inline(always)]
    fn insert<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, at: usize, order: u32) {
        let list = blocks.list(BUSY, order);
        blocks.write(at, order, 0);
        blocks.push(list, at);
    }

    fn remove<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &mut Blocks<W, S, M, F>,
        at: usize,
        order: u32,
        header: usize,
    ) {
        if header & PAIRED == 0 {
            let list = blocks.list(BUSY, order);
            blocks.unlink(list, at);
            return;
        }
        let other = if blocks.order_at(at) > order { at + (1 << order) } else { at - (1 << order) };
        let list = blocks.list(FREE, order);
        blocks.pairs -= 1;
        blocks.unlink(list, at.min(other));
        Self::insert(blocks, other, order);
    }

    #[inline(always)]
    fn pair<W: Word, S: Source, M: Meter, F: Start>(blocks: &mut Blocks<W, S, M, F>, order: u32) -> Option<usize> {
        let list = blocks.list(FREE, order);
        let at = blocks.pop(list)?;
        blocks.pairs -= 1;
        Some(at)
    }

    fn expected<W: Word, S: Source, M: Meter, F: Start>(
        blocks: &Blocks<W, S, M, F>,
        at: usize,
        header: usize,
    ) -> Result<Option<usize>, Violation> {
        let (top, order) = (blocks.memory.peek(control::TOP), order_of(header));
        let buddy = blocks.buddy(at, order, top).filter(|&buddy| {
            let other = blocks.peek_header(buddy);
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
