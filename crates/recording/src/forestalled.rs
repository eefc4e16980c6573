//! Events that were taken for those of the blocks before, at the same addresses.
//!
//! ```text
//!   stamps:    thread 2 frees x ─┐   thread 1 frees x, then allocates x, and hands it to thread 2
//!                                └─ stamped while it still waited for x: it seems to come first
//! ```
//!
//! As it can be, the free that is stamped early ends the first block at `x`. When that block's own free comes, no block is
//! there, and it waits in vain. Then both change places: the first block has ended already, and what ends the second one is
//! done a moment after the early stamp, when it was in truth.
//!
//! An allocation may be stamped early, too: the thread waited for the lock of the allocator. It then seems to get a block
//! that another thread gets and frees before it. When that allocation has waited in vain, the first one is put aside until
//! the address is free again.
//!
//! In either case lifetimes are wrong by less than that moment.

use std::collections::VecDeque;

use crate::blocks::Blocks;
use crate::merge::ABOUT;
use crate::stream::{Act, Stamped};

/// Places for the ends of a while; of two that have the same place the later one stays.
const PLACES: usize = 1 << 12;

/// What ended the last block at an address.
#[derive(Clone, Copy, Default)]
struct Last {
    address: u64,
    ticks: u64,
    thread: u32,
}

/// An end that is still to be done.
struct Due {
    ticks: u64,
    thread: u32,
    address: u64,
}

/// The ends of a while, and those that are due.
pub(crate) struct Forestalled {
    last: Vec<Last>,
    due: VecDeque<Due>,
}

impl Default for Forestalled {
    fn default() -> Self {
        Forestalled { last: vec![Last::default(); PLACES], due: VecDeque::new() }
    }
}

/// The place of an address. Blocks are multiples of 16 apart, and often of a page.
fn place(address: u64) -> usize {
    ((address >> 4).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 52) as usize
}

impl Forestalled {
    /// Whether another thread's event of about this time may have taken the place of this one.
    pub fn explains(&self, event: &Stamped, blocks: &Blocks<'_>) -> bool {
        if event.act.ends() { self.end_before(event).is_some() } else { blocks.begun_before(event) }
    }

    /// Whether an end is due at the address where this event begins a block.
    pub fn is_owed(&self, event: &Stamped) -> bool {
        event.act.begins() && self.due.iter().any(|due| due.address == event.act.address())
    }

    /// What may have ended the block that this event ends.
    fn end_before(&self, event: &Stamped) -> Option<Last> {
        let last = self.last[place(event.act.address())];
        let is_it = last.address == event.act.address() && last.thread != event.thread;
        (is_it && event.ticks.abs_diff(last.ticks) < ABOUT).then_some(last)
    }

    /// Takes in an event, which waited as long as is of use.
    pub fn apply(&mut self, event: &Stamped, blocks: &mut Blocks<'_>) {
        self.pay(event.ticks, blocks);
        let (address, ticks, thread) = (event.act.address(), event.ticks, event.thread);
        if !event.act.ends() {
            if self.is_owed(event) {
                self.due.retain(|due| due.address != address || !blocks.end(address, due.thread));
            } else if blocks.begun_before(event) {
                blocks.put_aside(address);
            }
            blocks.apply(event);
        } else if blocks.has(address) {
            self.last[place(address)] = Last { address, ticks, thread };
            blocks.apply(event);
        } else if let Some(early) = self.end_before(event) {
            self.last[place(address)] = Last::default();
            self.due.push_back(Due { ticks: ticks.max(early.ticks) + ABOUT, thread: early.thread, address });
            if matches!(event.act, Act::ReallocateBegins { .. }) {
                blocks.begin_after_all(thread, address, early.thread);
            }
        } else {
            blocks.apply(event);
        }
    }

    /// Does what is due at this time. Where no block is at its address, it was the free of a block that nobody knew.
    pub fn pay(&mut self, ticks: u64, blocks: &mut Blocks<'_>) {
        while let Some(due) = self.due.front()
            && due.ticks <= ticks
        {
            if !blocks.end(due.address, due.thread) {
                blocks.remarks.unknown_frees += 1;
            }
            self.due.pop_front();
        }
    }
}
