//! One explicit list of all free blocks, in one of three orders.
//!
//! ```text
//!   head ──▶ free ──▶ free ──▶ free ──▶ 0
//! ```
//!
//! Control words: head; tail (fifo only); then the rover of next fit, or the
//! count of blocks that a limited best fit needs.
//!
//! - `Lifo`: a freed block comes first. A block that grew by coalescing counts
//!   as freed and comes first too; the remainder of a split keeps its place.
//! - `Fifo`: a freed block comes last.
//! - `AddressOrder`: by address. Next to a free block the place is known from the
//!   boundary tags, else it is found from the head.
//!
//! Sources: Knuth 1968, §2.5; Wilson, Johnstone, Neely, Boles 1995 (sequential fits).

use core::fmt::Debug;
use core::marker::PhantomData;

use crate::block::{Span, is_used, words_of};
use crate::heap::Violation;
use crate::index::chain::Chain;
use crate::index::{Found, Index, broken, control};
use crate::memory::Words;
use crate::policy::{Fit, Policy};
use crate::sealed::Sealed;

/// The order of an explicit list.
pub trait InsertionOrder: Copy + Debug + Default + Sealed + 'static {
    /// Freed blocks come last.
    const FIFO: bool = false;
    /// Blocks are in the order of their addresses.
    const BY_ADDRESS: bool = false;
}

/// Last in, first out.
#[derive(Clone, Copy, Debug, Default)]
pub struct LifoOrder;
/// First in, first out.
#[derive(Clone, Copy, Debug, Default)]
pub struct FifoOrder;
/// By address.
#[derive(Clone, Copy, Debug, Default)]
pub struct ByAddress;

impl Sealed for LifoOrder {}
impl Sealed for FifoOrder {}
impl Sealed for ByAddress {}

impl InsertionOrder for LifoOrder {}
impl InsertionOrder for FifoOrder {
    const FIFO: bool = true;
}
impl InsertionOrder for ByAddress {
    const BY_ADDRESS: bool = true;
}

/// An explicit list in the order `O`.
#[derive(Clone, Copy, Debug, Default)]
pub struct List<O>(PhantomData<O>);

impl<O> List<O> {
    /// An empty list.
    pub const fn new() -> Self {
        List(PhantomData)
    }
}

/// An explicit list, last in, first out.
pub type Lifo = List<LifoOrder>;
/// An explicit list, first in, first out.
pub type Fifo = List<FifoOrder>;
/// An explicit list by address.
pub type AddressOrder = List<ByAddress>;

impl<O: InsertionOrder> List<O> {
    const CHAIN: Chain = Chain { head: control::INDEX, tail: if O::FIFO { Some(control::INDEX + 1) } else { None } };
    /// The rover or the count: a list has one of them at most.
    const EXTRA: usize = control::INDEX + 1 + O::FIFO as usize;

    /// Notes that there is one block more, or one less.
    #[inline(always)]
    fn count(memory: &mut impl Words, policy: &impl Policy, change: isize) {
        if policy.fit().counts() {
            let count = memory.load(Self::EXTRA);
            memory.store(Self::EXTRA, count.wrapping_add_signed(change));
        }
    }

    /// The rover must not name `block`; it names `instead` from now on.
    #[inline(always)]
    fn move_rover(memory: &mut impl Words, policy: &impl Policy, block: usize, instead: usize) {
        if policy.fit() == Fit::Next && memory.load(Self::EXTRA) == block {
            memory.store(Self::EXTRA, instead);
        }
    }

    /// The first block from `block` up to `end` that has `need` words.
    #[inline(always)]
    fn first_from(memory: &mut impl Words, mut block: usize, end: usize, need: usize) -> Option<Found> {
        while block != end {
            memory.visit();
            let header = memory.load(block - 1);
            if words_of(header) >= need {
                return Some(Found { at: block, header });
            }
            block = Self::CHAIN.next(memory, block);
        }
        None
    }

    fn next_fit(memory: &mut impl Words, need: usize) -> Option<Found> {
        let rover = memory.load(Self::EXTRA);
        let mut found = if rover == 0 { None } else { Self::first_from(memory, rover, 0, need) };
        if found.is_none() {
            let first = Self::CHAIN.first(memory);
            found = Self::first_from(memory, first, rover, need);
        }
        if let Some(block) = found {
            memory.store(Self::EXTRA, block.at);
        }
        found
    }

    fn best_fit(memory: &mut impl Words, need: usize, depth: u8) -> Option<Found> {
        let mut left = if depth < 100 { (memory.load(Self::EXTRA) * depth as usize).div_ceil(100) } else { usize::MAX };
        let mut best: Option<Found> = None;
        let mut block = Self::CHAIN.first(memory);
        while block != 0 && (left > 0 || best.is_none()) {
            memory.visit();
            let header = memory.load(block - 1);
            let words = words_of(header);
            if words >= need && best.is_none_or(|found| words < words_of(found.header)) {
                best = Some(Found { at: block, header });
                if words == need {
                    break;
                }
            }
            left = left.saturating_sub(1);
            block = Self::CHAIN.next(memory, block);
        }
        best
    }

    fn worst_fit(memory: &mut impl Words, need: usize) -> Option<Found> {
        let mut worst: Option<Found> = None;
        let mut block = Self::CHAIN.first(memory);
        while block != 0 {
            memory.visit();
            let header = memory.load(block - 1);
            if worst.is_none_or(|found| words_of(header) > words_of(found.header)) {
                worst = Some(Found { at: block, header });
            }
            block = Self::CHAIN.next(memory, block);
        }
        worst.filter(|found| words_of(found.header) >= need)
    }
}

impl<O> Sealed for List<O> {}

impl<O: InsertionOrder> Index for List<O> {
    const LINKS: usize = Chain::LINKS;
    const LOCATES: bool = O::BY_ADDRESS;

    fn control_words(&self, policy: &impl Policy, _bits: usize) -> usize {
        let extra = policy.fit() == Fit::Next || policy.fit().counts();
        Self::EXTRA - control::INDEX + extra as usize
    }

    fn clear<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, _first: usize) {
        Self::CHAIN.clear(memory);
        if self.control_words(policy, W::BITS) > Self::EXTRA - control::INDEX {
            memory.store(Self::EXTRA, 0);
        }
    }

    #[inline(always)]
    fn find<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, need: usize) -> Option<Found> {
        match policy.fit() {
            Fit::First => {
                let first = Self::CHAIN.first(memory);
                Self::first_from(memory, first, 0, need)
            }
            Fit::Next => Self::next_fit(memory, need),
            Fit::Best { depth } => Self::best_fit(memory, need, depth),
            Fit::Worst => Self::worst_fit(memory, need),
        }
    }

    fn locate<W: Words>(&mut self, memory: &mut W, block: usize) -> usize {
        let mut previous = 0;
        let mut next = Self::CHAIN.first(memory);
        while next != 0 && next < block {
            memory.visit();
            previous = next;
            next = Self::CHAIN.next(memory, next);
        }
        previous
    }

    #[inline(always)]
    fn holds<W: Words>(&self, memory: &mut W, block: Span) -> bool {
        Chain::holds(memory, block.at)
    }

    #[inline(always)]
    fn insert<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, block: Span, place: Option<usize>) {
        if O::FIFO {
            Self::CHAIN.push_back(memory, block.at);
        } else if O::BY_ADDRESS {
            let previous = match place {
                Some(previous) => previous,
                None => self.locate(memory, block.at),
            };
            Self::CHAIN.insert_after(memory, previous, block.at);
        } else {
            Self::CHAIN.insert_after(memory, 0, block.at);
        }
        Self::count(memory, policy, 1);
    }

    #[inline(always)]
    fn remove<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, block: Span) {
        let next = Self::CHAIN.unlink(memory, block.at);
        Self::move_rover(memory, policy, block.at, next);
        Self::count(memory, policy, -1);
    }

    #[inline(always)]
    fn replace<W: Words>(&mut self, memory: &mut W, policy: &impl Policy, old: Span, new: Span) {
        if old.at != new.at {
            Self::CHAIN.replace(memory, old.at, new.at);
            Self::move_rover(memory, policy, old.at, new.at);
        }
    }

    #[inline(always)]
    fn merge<W: Words>(
        &mut self,
        memory: &mut W,
        policy: &impl Policy,
        previous: Option<Span>,
        next: Option<Span>,
        merged: Span,
        place: Option<usize>,
    ) {
        match (previous, next) {
            (Some(_), next) if O::BY_ADDRESS => {
                if let Some(next) = next {
                    self.remove(memory, policy, next);
                }
            }
            (None, Some(next)) if O::BY_ADDRESS => self.replace(memory, policy, next, merged),
            _ => {
                if let Some(block) = previous {
                    self.remove(memory, policy, block);
                }
                if let Some(block) = next {
                    self.remove(memory, policy, block);
                }
                self.insert(memory, policy, merged, place);
            }
        }
    }

    fn check<W: Words>(&self, memory: &W, policy: &impl Policy, free: usize) -> Result<(), Violation> {
        let mut rover_seen = policy.fit() != Fit::Next || memory.peek(Self::EXTRA) == 0;
        let count = Self::CHAIN.check(memory, free, |memory, previous, block| {
            if is_used(memory.peek(block - 1)) {
                return Err(broken("I5: a block on the free list is used", block));
            }
            if O::BY_ADDRESS && previous >= block {
                return Err(broken("I6: the free list is not in the order of addresses", block));
            }
            // Without a rover the word may be one that nothing was written to.
            rover_seen = rover_seen || memory.peek(Self::EXTRA) == block;
            Ok(())
        })?;
        if count != free {
            return Err(broken("I5: a free block is not on the free list", control::INDEX));
        }
        if policy.fit().counts() && memory.peek(Self::EXTRA) != free {
            return Err(broken("I7: the count of free blocks is wrong", Self::EXTRA));
        }
        if !rover_seen {
            return Err(broken("I8: the rover does not name a free block", Self::EXTRA));
        }
        Ok(())
    }
}
