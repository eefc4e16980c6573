//! Free blocks of one size: a list that hangs at the one of them that is a node.
//!
//! ```text
//!   node at   ┌──────────────────┐      ┌──────────────────┐      ┌──────────────────┐
//!   SAME +0   │ first of the list│ ───▶ │ next             │ ───▶ │ 0                │
//!   BACK +1   │ the node's own   │ ◀─── │ previous, LISTED │ ◀─── │ previous, LISTED │
//!        +2   │ the node's own   │      └──────────────────┘      └──────────────────┘
//!             └──────────────────┘
//! ```
//!
//! A tree or a skip list so has one node for each size, and every further block
//! of the size costs two links and no search to take out. The word `BACK` holds
//! a link and two status bits; `LISTED` among them distinguishes such a block from a node.
//!
//! Invariant I8 here: every listed block names the one before it and has the size of its node.

use crate::block::{Span, words_of};
use crate::heap::Violation;
use crate::index::{Found, broken};
use crate::memory::Words;
use crate::policy::Policy;

/// The next block of the same size.
pub(super) const SAME: usize = 0;
/// The link back and two status bits.
pub(super) const BACK: usize = 1;
/// The first word that the structure has for itself.
pub(super) const OWN: usize = 2;

/// Status bits in `BACK`.
const STATUS: usize = 2;
/// The block hangs at a node. A node uses the other bit as it likes.
pub(super) const LISTED: usize = 2;

/// The word `BACK` of a link and status bits. A link has two bits to spare, like a header.
#[inline(always)]
pub(super) const fn back(link: usize, status: usize) -> usize {
    (link << STATUS) | status
}

/// The link in a word `BACK`.
#[inline(always)]
pub(super) const fn link_of(back: usize) -> usize {
    back >> STATUS
}

/// Hangs `block` at `node`, in front of the others.
#[inline(always)]
pub(super) fn chain(memory: &mut impl Words, node: usize, block: usize) {
    let next = memory.load(node + SAME);
    memory.store(block + SAME, next);
    memory.store(block + BACK, back(node, LISTED));
    memory.store(node + SAME, block);
    if next != 0 {
        memory.store(next + BACK, back(block, LISTED));
    }
}

/// Takes `block`, whose word `BACK` was read, off the list that it hangs on.
#[inline(always)]
pub(super) fn unchain(memory: &mut impl Words, block: usize, back: usize) {
    let next = memory.load(block + SAME);
    memory.store(link_of(back) + SAME, next);
    if next != 0 {
        memory.store(next + BACK, back);
    }
}

/// Whether the block that hangs behind `block` names it. The first link lies in the region.
#[inline(always)]
pub(super) fn hold(memory: &mut impl Words, block: usize) -> bool {
    let next = memory.load(block + SAME);
    next == 0 || next < memory.count() - BACK && memory.load(next + BACK) == back(block, LISTED)
}

/// The block of `node`'s size that is the easiest to take: the first that hangs at it, else the node; the node as well, if
/// the heap checks its links and that one leads out of the region.
#[inline(always)]
pub(super) fn easiest<P: Policy>(memory: &mut impl Words, _policy: &P, node: usize, header: usize) -> Found {
    let first = memory.load(node + SAME);
    if first == 0 || P::CHECKED && first >= memory.count() {
        return Found { at: node, header };
    }
    memory.visit();
    Found { at: first, header: memory.load(first - 1) }
}

/// Verifies what hangs at `node`, at most `max` blocks, and returns how many there are.
pub(super) fn check<W: Words>(
    memory: &W,
    node: Span,
    max: usize,
    holds: &mut impl FnMut(&W, usize) -> Result<(), Violation>,
) -> Result<usize, Violation> {
    let (mut previous, mut count) = (node.at, 0);
    let mut block = memory.peek(node.at + SAME);
    while block != 0 {
        if count == max {
            return Err(broken("I5: a list of one size has more blocks than are free (a cycle?)", block));
        }
        if memory.peek(block + BACK) != back(previous, LISTED) {
            return Err(broken("I8: a block of a list of one size does not name the one before", block));
        }
        if words_of(memory.peek(block - 1)) != node.words {
            return Err(broken("I8: a block hangs at a node of another size", block));
        }
        holds(memory, block)?;
        (previous, block, count) = (block, memory.peek(block + SAME), count + 1);
    }
    Ok(count)
}
